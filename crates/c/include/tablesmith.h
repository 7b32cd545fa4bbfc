/* Tablesmith for C: exact values of positions with few men, in chess and in any chess variant.
 *
 * Any number of threads may ask the same tables at once. No function ends the program: whatever goes wrong is
 * a status, and tablesmith_error() has a sentence about it.
 *
 * Written by cbindgen from crates/c/src/border.rs; `cargo xtask c --header` writes it anew. */

#ifndef TABLESMITH_H
#define TABLESMITH_H



#include <stddef.h>
#include <stdint.h>

// How much room a move takes, the NUL at its end included.
#define TABLESMITH_MOVE_SIZE 16

// What became of a call.
typedef enum TablesmithStatus {
  // There is an answer.
  TABLESMITH_OK = 0,
  // An argument is NULL, or no text in UTF-8, or the room for the answer is too small.
  TABLESMITH_ARGUMENT = 1,
  // The folder is not there, or it does not tell which game is meant.
  TABLESMITH_NOT_OPENED = 2,
  // The text is no FEN of the game.
  TABLESMITH_FEN = 3,
  // The rules forbid the position.
  TABLESMITH_ILLEGAL = 4,
  // The table is not there, or nothing that has the position's rights to castle, and it is too large to be
  // solved, or was not to be.
  TABLESMITH_MISSING = 5,
  // A file of tables is there and cannot be read.
  TABLESMITH_DAMAGED = 6,
  // The game is over: there is no move.
  TABLESMITH_NO_MOVE = 7,
  // The library has a fault, which tablesmith_error() describes; please report it.
  TABLESMITH_FAULT = 8,
} TablesmithStatus;

// What plies are counted to.
typedef enum TablesmithMetric {
  // Nothing: the tables say who wins.
  TABLESMITH_WDL = 0,
  // The end of the game.
  TABLESMITH_DTM = 1,
  // The end of the game, a capture or a promotion.
  TABLESMITH_DTC = 2,
  // The end of the game, a capture or a pawn move, without the n-move rule.
  TABLESMITH_DTZ = 3,
  // The end of the game, a capture or a pawn move, under the n-move rule.
  TABLESMITH_DTZ50 = 4,
  // Plies until White has won if both sides want it.
  TABLESMITH_HELP = 5,
  // The end of the game, under the n-move rule, with the clock as it is.
  TABLESMITH_DTM50 = 6,
} TablesmithMetric;

// Open tables of one game. Any number of threads may ask them at once.
typedef struct TablesmithTables TablesmithTables;

// The value of a position for the side to move.
typedef struct TablesmithValue {
  // 1 for a win, 0 for a draw, -1 for a loss. Under TABLESMITH_DTZ50 and TABLESMITH_DTM50 a win that comes
  // too late with the clock of the FEN is a draw; the other metrics do not look at the clock.
  int8_t wdl;
  // Plies to the end that the metric counts to; -1 if neither side wins, or the metric is TABLESMITH_WDL.
  int32_t plies;
  // The metric of the tables that answered: the first that is there for this position, the game's own
  // before the others.
  enum TablesmithMetric metric;
} TablesmithValue;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens a folder of tables, or several: "A:B", on Windows "A;B", takes from B what A has not.
//
// `game` is the name of a game or the path of a TOML file with its rules; NULL if the folder has tables of
// one game only. If `solve` is not 0, tables that are missing and small (up to four men) are solved in
// memory when a position needs them.
//
// `*tables` is to be closed with tablesmith_close(); it is NULL if the status is not TABLESMITH_OK.
//
// # Safety
// `folder` and `game` are NULL or texts that end with NUL; `tables` is NULL or points to a pointer.
enum TablesmithStatus tablesmith_open(const char *folder,
                                      const char *game,
                                      int32_t solve,
                                      struct TablesmithTables **tables);

// The value of a position.
//
// # Safety
// `tables` is NULL or comes from tablesmith_open() and is not closed; `fen` is NULL or a text
// that ends with NUL; `value` is NULL or points to a value.
enum TablesmithStatus tablesmith_value(const struct TablesmithTables *tables,
                                       const char *fen,
                                       struct TablesmithValue *value);

// The values of `n` positions, read in the order of the files, which is faster than one by one.
//
// `statuses[i]` says what became of `fens[i]`, whose value is `values[i]` if that is TABLESMITH_OK.
// The status that is returned is the first of them that is not, and tablesmith_error() is about it. Where
// `tables`, `fens`, `values` or `statuses` is NULL, or the library has a fault, nothing is written.
//
// # Safety
// `tables` is NULL or comes from tablesmith_open() and is not closed; `fens` is NULL or points to `n` texts
// that end with NUL, or NULLs; `values` and `statuses` are NULL or point to `n` of them.
enum TablesmithStatus tablesmith_values(const struct TablesmithTables *tables,
                                        const char *const *fens,
                                        size_t n,
                                        struct TablesmithValue *values,
                                        enum TablesmithStatus *statuses);

// A best move, in coordinates ("h1d5", "a7a8q"), written to `best` with a NUL at its end.
//
// `size` is the room at `best`; TABLESMITH_MOVE_SIZE is enough for every game.
//
// # Safety
// `tables` is NULL or comes from tablesmith_open() and is not closed; `fen` is NULL or a text
// that ends with NUL; `best` is NULL or points to `size` bytes.
enum TablesmithStatus tablesmith_best_move(const struct TablesmithTables *tables,
                                           const char *fen,
                                           char *best,
                                           size_t size);

// Closes tables. No thread may be asking them, or ask them afterwards. NULL does nothing.
//
// # Safety
// `tables` is NULL or comes from tablesmith_open() and is not closed; no other thread uses it.
void tablesmith_close(struct TablesmithTables *tables);

// A sentence about the last call of this thread whose status was not TABLESMITH_OK; "" if there was none.
//
// It stays until the next such call of the thread.
const char *tablesmith_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TABLESMITH_H */
