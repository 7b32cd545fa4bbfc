"""Lets the engine win by UCI, as python-chess drives it."""

import os
import random
import shutil
import time

import chess
import chess.engine
import numpy as np
import pytest

import tablesmith

PROGRAM = os.environ.get("TABLESMITH")
N_GAMES = int(os.environ.get("TABLESMITH_GAMES", "52"))
STOCKFISH = shutil.which("stockfish", path=os.environ.get("PATH", "") + ":/usr/games")
ENDINGS = ["KQvK", "KRvK", "KPvK", "KQvKR", "KBNvK", "KRvKN", "KRvKB", "KBBvK", "KQvKP", "KRvKP", "KPPvK", "KRPvK"]
ENDINGS += ["KPvKP"]


# Only castling wins, and the plies to mate; in the last three king and rook begin elsewhere than in chess.
CASTLING = [
    ("8/8/8/8/8/6kp/8/4K2R w K - 0 1", False, 27),
    ("8/8/8/8/8/8/1r6/R3K1k1 w Q - 0 1", False, 31),
    ("8/8/8/8/8/3k4/8/R2K3n w Q - 0 1", True, 31),
    ("8/5n2/8/8/8/8/8/3k1KR1 w K - 0 1", True, 33),
    ("3K1kr1/8/8/8/8/8/5N2/8 b k - 0 1", True, 33),
]


@pytest.fixture(scope="module")
def won():
    """Won positions of each ending, each with its plies to mate."""
    rng = np.random.default_rng(21)
    found = []
    for name in ENDINGS:
        table = tablesmith.solve("fide", name).table(name)
        plies = table.plies("white")
        wins = np.flatnonzero((table.weights() > 0) & (table.wdl("white") == 1))
        chosen = rng.choice(wins, -(-N_GAMES // len(ENDINGS)))
        found.append([(fen, int(plies[at])) for fen, at in zip(table.fens("white", chosen), chosen)])
    return [game for games in zip(*found) for game in games][:N_GAMES]


def at_random():
    rng = random.Random(21)
    return lambda board: rng.choice(list(board.legal_moves))


@pytest.mark.parametrize("opponent", ["random", "stockfish"])
def test_every_win_is_won_within_its_distance(won, opponent, tmp_path):
    if not PROGRAM:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    if opponent == "stockfish" and not STOCKFISH:
        pytest.skip("Stockfish is not installed")
    engine = chess.engine.SimpleEngine.popen_uci([PROGRAM, "uci"], cwd=tmp_path, timeout=120)
    rival = chess.engine.SimpleEngine.popen_uci(STOCKFISH) if opponent == "stockfish" else None
    reply = at_random() if rival is None else lambda board: rival.play(board, chess.engine.Limit(time=0.01)).move
    limit, n_plies, begun = chess.engine.Limit(time=60), 0, time.monotonic()
    try:
        for number, (fen, plies) in enumerate(won):
            board = chess.Board(fen)
            while not board.is_game_over() and len(board.move_stack) <= plies:
                own = board.turn == chess.WHITE
                move = engine.play(board, limit, game=number).move if own else reply(board)
                board.push(move)
            n_plies += len(board.move_stack)
            assert board.is_checkmate() and board.turn == chess.BLACK, (fen, plies, board.fen())
            assert len(board.move_stack) <= plies, (fen, plies)
    finally:
        engine.quit()
        if rival is not None:
            rival.quit()
    seconds = time.monotonic() - begun
    print(f"\n{len(won)} of {len(won)} games won against {opponent}: {n_plies} plies, {seconds:.0f} s")


def test_wins_by_the_protocol_of_xboard(won, tmp_path):
    if not PROGRAM:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    reply = at_random()
    engine = chess.engine.SimpleEngine.popen_xboard([PROGRAM, "xboard"], cwd=tmp_path, timeout=120)
    try:
        for number, (fen, plies) in enumerate(won[: len(ENDINGS)]):
            board = chess.Board(fen)
            while not board.is_game_over() and len(board.move_stack) <= plies:
                own = board.turn == chess.WHITE
                board.push(engine.play(board, chess.engine.Limit(time=60), game=number).move if own else reply(board))
            assert board.is_checkmate() and len(board.move_stack) <= plies, (fen, plies, board.fen())
    finally:
        engine.quit()


@pytest.mark.parametrize("protocol", ["uci", "xboard"])
@pytest.mark.parametrize("fen, is_chess960, plies", CASTLING)
def test_wins_by_castling_against_itself(protocol, fen, is_chess960, plies, tmp_path):
    if not PROGRAM:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    popen = {"uci": chess.engine.SimpleEngine.popen_uci, "xboard": chess.engine.SimpleEngine.popen_xboard}
    engine = popen[protocol]([PROGRAM, protocol], cwd=tmp_path, timeout=120)
    board = chess.Board(fen, chess960=is_chess960)
    try:
        while not board.is_game_over() and len(board.move_stack) <= plies:
            board.push(engine.play(board, chess.engine.Limit(time=60)).move)
    finally:
        engine.quit()
    first = chess.Board(fen, chess960=is_chess960)
    assert first.is_castling(board.move_stack[0]), board.move_stack
    assert board.is_checkmate() and len(board.move_stack) == plies, first.variation_san(board.move_stack)
    print(f"\n{protocol}: {first.variation_san(board.move_stack)}")
