"""Reads positions and what tables say of them, asks python-chess for the same, and tells the differences.

Arguments: the folder of the Syzygy files, the file of positions, and `--rounded` if the files are. A line has a FEN, the expected WDL and the expected
DTZ, with tabs between them. The exit code is 0 if there is no difference.
"""

import multiprocessing
import os
import sys

import chess
import chess.syzygy

# Beyond so many plies files count in moves, so that a distance may be a ply short.
EXACT_PLIES = 0 if "--rounded" in sys.argv else 100

# How many differences of a stretch are told.
MAX_LISTED = 5

# How many positions a process takes at a time.
STRETCH = 2000

tablebase = None


def begin(folder):
    """Opens the files, once a process."""
    global tablebase
    tablebase = chess.syzygy.open_tablebase(folder)


def compare(lines):
    """How many positions there are in a stretch, and the differences."""
    differences = []
    for line in lines:
        fen, wdl, dtz = line.split("\t")
        wdl, dtz = int(wdl), int(dtz)
        board = chess.Board(fen)
        read = (tablebase.probe_wdl(board), tablebase.probe_dtz(board))
        short = dtz - (1 if dtz > EXACT_PLIES else -1 if dtz < -EXACT_PLIES else 0)
        if read not in ((wdl, dtz), (wdl, short)):
            differences.append(f"{fen}: WDL {read[0]} and DTZ {read[1]}, expected {wdl} and {dtz}")
    return len(lines), differences


def main():
    folder, positions = sys.argv[1:3]
    with open(positions, encoding="ascii") as file:
        lines = file.read().splitlines()
    stretches = [lines[at : at + STRETCH] for at in range(0, len(lines), STRETCH)]
    n_read, n_different = 0, 0
    with multiprocessing.Pool(os.cpu_count(), begin, (folder,)) as pool:
        for n_lines, differences in pool.imap_unordered(compare, stretches):
            n_read += n_lines
            n_different += len(differences)
            for difference in differences[:MAX_LISTED]:
                print(difference)
    print(f"python-chess {chess.__version__}: {n_read} positions, {n_different} differences", flush=True)
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
