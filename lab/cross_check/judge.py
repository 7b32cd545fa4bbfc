"""Positions as Fairy-Stockfish (pyffish) and python-chess judge them.

Called with the name of the program and the path of a variants.ini. Reads lines "variant<TAB>FEN<TAB>moves"
from standard input, where a variant that ends in "/960" castles as Chess960 does and the moves are those to be
followed. Answers each with one line of three fields, parted by tabs: whether the position is legal ("legal" or
a word for what is wrong), how the game has ended ("-", or who has won: "w", "b" or "d"), and the legal moves
with the FENs that those to be followed lead to, as "e2e4=FEN|e1d1=".

It only asks; what the answers mean is judged by whoever called it.
"""

import sys


class FairyStockfish:
    """Asks pyffish, which knows no illegal positions: one is illegal here if the side that has moved is in
    check."""

    def __init__(self, ini: str) -> None:
        import pyffish

        self.pyffish = pyffish
        with open(ini, encoding="utf-8") as file:
            pyffish.load_variant_config(file.read())
        self.known = set(pyffish.variants())

    def judge(self, name: str, is_960: bool, fen: str, wanted: set) -> tuple:
        pyffish = self.pyffish
        if name not in self.known:
            sys.exit(f"Fairy-Stockfish has not taken the variant {name!r}")
        men, stm = fen.split(" ")[:2]
        other = " ".join([men, "b" if stm == "w" else "w", "-", "-", "0", "1"])
        # Who has blown up the other king need not fear for his own.
        has_king = ("K" if stm == "w" else "k") in men
        is_blown_up = not has_king and pyffish.is_immediate_game_end(name, fen, [], is_960)[0]
        if not is_blown_up and pyffish.gives_check(name, other, [], is_960):
            return "check", "-", {}
        moves = pyffish.legal_moves(name, fen, [], is_960)
        end = "-"
        if not moves:
            is_over, value = pyffish.is_immediate_game_end(name, fen, [], is_960)
            if not is_over:
                value = pyffish.game_result(name, fen, [], is_960)
            end = "d" if value == 0 else stm if value > 0 else "wb".replace(stm, "")
        followed = {move: pyffish.get_fen(name, fen, [move], is_960) for move in moves if move in wanted}
        return "legal", end, {move: followed.get(move, "") for move in moves}


class PythonChess:
    """Asks python-chess. What it says of how a position can have come about (too many checkers, an impossible
    check) is no rule of moves and left out, and so are draws by insufficient material, which are values."""

    def __init__(self, _ini: str) -> None:
        import chess
        import chess.variant

        self.chess = chess
        self.boards = {board.uci_variant: board for board in chess.variant.VARIANTS}
        self.wrong = {
            chess.STATUS_NO_WHITE_KING: "king",
            chess.STATUS_NO_BLACK_KING: "king",
            chess.STATUS_TOO_MANY_KINGS: "king",
            chess.STATUS_PAWNS_ON_BACKRANK: "pawn",
            chess.STATUS_BAD_CASTLING_RIGHTS: "castling",
            chess.STATUS_INVALID_EP_SQUARE: "ep",
            chess.STATUS_OPPOSITE_CHECK: "check",
            chess.STATUS_RACE_CHECK: "check",
            chess.STATUS_RACE_OVER: "over",
        }

    def judge(self, name: str, is_960: bool, fen: str, wanted: set) -> tuple:
        chess = self.chess
        board = self.boards[name](fen, chess960=is_960)
        status = board.status()
        wrong = [word for bit, word in self.wrong.items() if status & bit]
        if not wrong and not board.is_variant_loss() and board.was_into_check():
            wrong = ["check"]
        if wrong:
            return wrong[0], "-", {}
        moves = [] if board.is_variant_end() else list(board.legal_moves)
        stm, other = ("w", "b") if board.turn else ("b", "w")
        end = "-"
        if board.is_variant_loss():
            end = other
        elif board.is_variant_win():
            end = stm
        elif board.is_variant_end():
            end = "d"
        elif not moves:
            end = other if board.is_check() else "d"
        children = {}
        for move in moves:
            text = board.uci(move)
            children[text] = ""
            if text in wanted:
                board.push(move)
                children[text] = board.fen(en_passant="fen")
                board.pop()
        return "legal", end, children


def main() -> None:
    programs = {"pyffish": FairyStockfish, "python-chess": PythonChess}
    if len(sys.argv) != 3 or sys.argv[1] not in programs:
        sys.exit("usage: judge.py pyffish|python-chess VARIANTS.INI < positions > answers")
    try:
        program = programs[sys.argv[1]](sys.argv[2])
    except ImportError as error:
        sys.exit(f"{sys.argv[1]} cannot be loaded: {error}")
    for line in sys.stdin:
        variant, fen, wanted = line.rstrip("\n").split("\t")
        name, is_960, _ = variant.partition("/960")
        legality, end, children = program.judge(name, bool(is_960), fen, set(wanted.split()))
        print(legality, end, "|".join(f"{move}={child}" for move, child in children.items()), sep="\t")


if __name__ == "__main__":
    main()
