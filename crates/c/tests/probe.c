/* Prints the value and a best move of each FEN that is given, from the tables in a folder. */
#include <stdio.h>
#include "tablesmith.h"

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER FEN...\n", argv[0]);
        return 2;
    }
    TablesmithTables *tables;
    if (tablesmith_open(argv[1], NULL, 1, &tables) != TABLESMITH_OK) {
        fprintf(stderr, "%s\n", tablesmith_error());
        return 1;
    }
    int n_refused = 0;
    for (int i = 2; i < argc; i++) {
        TablesmithValue value;
        char best[TABLESMITH_MOVE_SIZE];
        if (tablesmith_value(tables, argv[i], &value) != TABLESMITH_OK) {
            printf("%s: %s\n", argv[i], tablesmith_error());
            n_refused++;
            continue;
        }
        if (tablesmith_best_move(tables, argv[i], best, sizeof best) != TABLESMITH_OK)
            best[0] = '\0';
        printf("%s: %d in %d plies, %s\n", argv[i], value.wdl, (int)value.plies, best);
    }
    tablesmith_close(tables);
    return n_refused > 0;
}
