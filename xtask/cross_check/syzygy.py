"""Reads positions and what tables say of them, asks python-chess for the same, and tells the differences.

Arguments: the folder of the Syzygy files, the file of positions, and `--rounded` if the files are. A line has a FEN, the
expected WDL and the expected DTZ, with tabs between them. The exit code is 0 if there is no difference.
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

# How many positions a process takes at a time, at most. Neighbours among all positions of three men have successors in common.
STRETCH = 20000

# How many answers are remembered.
MAX_REMEMBERED = 400000

tablebase = None


def key(board):
    """What python-chess's answers depend on."""
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    return (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], men, board.turn, board.ep_square)


class Remembering(chess.syzygy.Tablebase):
    """python-chess's own answers, each worked out once: where a file has the other side to move, it asks for every
    successor, and most of those come up again and again."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}
        self.distances = {}

    def probe_wdl_table(self, board):
        return self.remembered(self.outcomes, board, super().probe_wdl_table)

    def probe_dtz_no_ep(self, board):
        return self.remembered(self.distances, board, super().probe_dtz_no_ep)

    @staticmethod
    def remembered(answers, board, ask):
        known = key(board)
        answer = answers.get(known)
        if answer is None:
            if len(answers) >= MAX_REMEMBERED:
                answers.clear()
            answer = answers[known] = ask(board)
        return answer


def begin(folder):
    """Opens the files, once a process."""
    global tablebase
    tablebase = Remembering()
    tablebase.add_directory(folder)


def compare(lines):
    """How many positions there are in a stretch, how many of them with a capture en passant, and the differences."""
    differences, n_en_passant = [], 0
    for line in lines:
        fen, wdl, dtz = line.split("\t")
        wdl, dtz = int(wdl), int(dtz)
        board = chess.Board(fen)
        n_en_passant += board.ep_square is not None
        read = (tablebase.probe_wdl(board), tablebase.probe_dtz(board))
        short = dtz - (1 if dtz > EXACT_PLIES else -1 if dtz < -EXACT_PLIES else 0)
        if read not in ((wdl, dtz), (wdl, short)):
            differences.append(f"{fen}: WDL {read[0]} and DTZ {read[1]}, expected {wdl} and {dtz}")
    return len(lines), n_en_passant, differences


def main():
    folder, positions = sys.argv[1:3]
    with open(positions, encoding="ascii") as file:
        lines = file.read().splitlines()
    length = min(STRETCH, len(lines) // (4 * os.cpu_count()) + 1)
    stretches = [lines[at : at + length] for at in range(0, len(lines), length)]
    n_read, n_en_passant, n_different = 0, 0, 0
    with multiprocessing.Pool(os.cpu_count(), begin, (folder,)) as pool:
        for n_lines, n_rights, differences in pool.imap_unordered(compare, stretches):
            n_read += n_lines
            n_en_passant += n_rights
            n_different += len(differences)
            for difference in differences[:MAX_LISTED]:
                print(difference, flush=True)
    rights = f", {n_en_passant} of them with a capture en passant" if n_en_passant else ""
    print(f"python-chess {chess.__version__}: {n_read} positions{rights}, {n_different} differences", flush=True)
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
