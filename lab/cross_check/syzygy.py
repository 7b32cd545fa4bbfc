"""Reads positions and what tables say of them, asks python-chess for the same, and prints the differences.

Arguments: the folder of the Syzygy files, the file of positions, the game, `--rounded` if the files are, and
`--engine PATH` to have Stockfish asked for some of the positions too. A line has a FEN, the expected WDL and the
expected DTZ, with tabs between them. The exit code is 0 if there is no difference.

Where captures are compulsory, python-chess takes a move that leaves the other side nothing but captures that lose for the
quickest win, before it looks at moves of pawns; and it counts a ply for a side that has lost in stalemate. So with pawns
it may say two plies where there is one, and three where there are two; such positions are counted apart.
"""

import multiprocessing
import os
import re
import subprocess
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

# The engine is asked for every so-many-th position.
ENGINE_SHARE = 50

# The engine's word for each WDL value, which it prints beside a board with the DTZ.
OUTCOMES = {"Win": 2, "Cursed win": 1, "Draw": 0, "Blessed loss": -1, "Loss": -2}
ANSWER = re.compile(r"^Tablebases WDL: +([A-Za-z ]+?) \(\w+\)\nTablebases DTZ: +(-?\d+)", re.MULTILINE)

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


def is_allowed(wdl, dtz, read):
    """Whether a file may say so of a position of which this is true."""
    short = dtz - (1 if dtz > EXACT_PLIES else -1 if dtz < -EXACT_PLIES else 0)
    return read in ((wdl, dtz), (wdl, short))


def ask_engine(engine, folder, lines):
    """Compares what an engine reads in the files; how many differences there are."""
    asked = [line.split("\t") for line in lines[::ENGINE_SHARE]]
    commands = [f"setoption name SyzygyPath value {folder}"]
    commands += [command for fen, _, _ in asked for command in (f"position fen {fen}", "d")]
    text = subprocess.run([engine], input="\n".join([*commands, "quit\n"]), text=True, capture_output=True).stdout
    read = [(OUTCOMES.get(word), int(dtz)) for word, dtz in ANSWER.findall(text)]
    if len(read) != len(asked):
        sys.exit(f"stockfish answered for {len(read)} of {len(asked)} positions")
    pairs = zip(asked, read)
    wrong = [(line, own) for line, own in pairs if not is_allowed(int(line[1]), int(line[2]), own)]
    for (fen, wdl, dtz), (own_wdl, own_dtz) in wrong[:MAX_LISTED]:
        print(f"{fen}: WDL {own_wdl} and DTZ {own_dtz}, expected {wdl} and {dtz}", flush=True)
    print(f"stockfish: {len(asked)} positions, {len(wrong)} differences", flush=True)
    return len(wrong)


def compare(lines):
    """How many positions there are in a stretch, with a capture en passant, and a ply late, and the differences."""
    differences, n_en_passant, n_late = [], 0, 0
    for line in lines:
        fen, wdl, dtz = line.split("\t")
        wdl, dtz = int(wdl), int(dtz)
        board = Board(fen)
        n_en_passant += board.ep_square is not None
        read = (tablebase.probe_wdl(board), tablebase.probe_dtz(board))
        if is_allowed(wdl, dtz, read):
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
    if "--engine" in sys.argv:
        n_different += ask_engine(sys.argv[sys.argv.index("--engine") + 1], folder, lines)
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
