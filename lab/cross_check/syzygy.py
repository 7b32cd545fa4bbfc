"""Reads positions and what tables say of them, asks python-chess for the same, and tells the differences.

Arguments: the folder of the Syzygy files, the file of positions, the game, and `--rounded` if the files are. A line has a
FEN, the expected WDL and the expected DTZ, with tabs between them. The exit code is 0 if there is no difference.

Where captures are compulsory, python-chess takes a move that leaves the other side nothing but captures that lose for the
quickest win, before it looks at moves of pawns; and it counts a ply for a side that has lost in stalemate. So with pawns
it may say two plies where there is one, and three where there are two; such positions are counted apart.
"""

import multiprocessing
import os
import sys

import chess
import chess.syzygy
import chess.variant

# The games by the names that they have here.
GAMES = {
    "fide": chess.Board,
    "atomic": chess.variant.AtomicBoard,
    "antichess": chess.variant.AntichessBoard,
    "suicide": chess.variant.SuicideBoard,
}

# Beyond so many plies files count in moves, so that a distance may be a ply short.
EXACT_PLIES = 0 if "--rounded" in sys.argv else 100

# How many differences of a stretch are printed.
MAX_LISTED = 5

# The most positions that a process takes at a time. Neighbours among all positions of three men have
# successors in common.
STRETCH = 20000

# How many answers are remembered.
MAX_REMEMBERED = 400000

tablebase = None
Board = chess.Board


def key(board):
    """What python-chess's answers depend on."""
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    return (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], men, board.turn, board.ep_square)


class Remembering(chess.syzygy.Tablebase):
    """python-chess's own answers, each worked out once: where a file has the other side to move, it asks for every
    successor, and most of those come up again and again."""

    def __init__(self):
        super().__init__(VariantBoard=Board)
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


def begin(folder, game):
    """Opens the files, once a process."""
    global tablebase, Board
    Board = GAMES[game]
    tablebase = Remembering()
    tablebase.add_directory(folder)


def is_late(board, dtz, read):
    """Whether what python-chess says is the ply more that it counts where captures are compulsory."""
    is_quick = dtz in (1, -2) or abs(dtz) > 100
    sign = 1 if dtz > 0 else -1
    return Board.captures_compulsory and board.pawns and is_quick and read == dtz + sign


def compare(lines):
    """How many positions there are in a stretch, with a capture en passant, and a ply late, and the differences."""
    differences, n_en_passant, n_late = [], 0, 0
    for line in lines:
        fen, wdl, dtz = line.split("\t")
        wdl, dtz = int(wdl), int(dtz)
        board = Board(fen)
        n_en_passant += board.ep_square is not None
        read = (tablebase.probe_wdl(board), tablebase.probe_dtz(board))
        short = dtz - (1 if dtz > EXACT_PLIES else -1 if dtz < -EXACT_PLIES else 0)
        if read in ((wdl, dtz), (wdl, short)):
            continue
        if read[0] == wdl and is_late(board, dtz, read[1]):
            n_late += 1
        else:
            differences.append(f"{fen}: WDL {read[0]} and DTZ {read[1]}, expected {wdl} and {dtz}")
    return len(lines), n_en_passant, n_late, differences


def main():
    folder, positions, game = sys.argv[1:4]
    with open(positions, encoding="ascii") as file:
        lines = file.read().splitlines()
    length = min(STRETCH, len(lines) // (4 * os.cpu_count()) + 1)
    stretches = [lines[at : at + length] for at in range(0, len(lines), length)]
    n_read, n_en_passant, n_all_late, n_different = 0, 0, 0, 0
    with multiprocessing.Pool(os.cpu_count(), begin, (folder, game)) as pool:
        for n_lines, n_rights, n_late, differences in pool.imap_unordered(compare, stretches):
            n_read += n_lines
            n_en_passant += n_rights
            n_all_late += n_late
            n_different += len(differences)
            for difference in differences[:MAX_LISTED]:
                print(difference, flush=True)
    rights = f", {n_en_passant} of them with a capture en passant" if n_en_passant else ""
    late = f", {n_all_late} of them a ply late, as python-chess counts" if n_all_late else ""
    print(
        f"python-chess {chess.__version__}, {game}: {n_read} positions{rights}{late}, {n_different} differences",
        flush=True,
    )
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
