"""Asks tables for positions, good and bad ones."""

import copy
import pickle
import threading

import chess
import chess.variant
import numpy as np
import pytest

import tablesmith

MATE_IN_5 = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"


def test_answer(kqvk):
    answer = kqvk.probe(MATE_IN_5)
    assert (answer.fen, answer.turn, answer.metric) == (MATE_IN_5, "white", "dtm")
    assert (answer.value, answer.wdl, answer.plies) == ("win in 9 plies", 1, 9)
    assert answer.text == "White mates in 5 moves, 9 plies"
    assert (answer.outcome, answer.missing, answer.solved, answer.file) == (None, None, False, None)
    assert len(answer.moves) == 18 and answer.best.uci == "h1d5"
    best, worst = answer.moves[0], answer.moves[-1]
    assert (best.san, best.wdl, best.plies, best.value) == ("Qd5", 1, 9, "win in 9 plies")
    assert (worst.wdl, worst.plies, worst.value) == (0, None, "draw")
    assert len(answer.line) == len(answer.line_uci) == 9 and answer.line[-1].endswith("#")
    assert repr(answer) == f'<Answer "{MATE_IN_5}": win in 9 plies>'


def test_the_end_of_a_game(kqvk):
    mate = kqvk.probe("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert (mate.wdl, mate.plies, mate.outcome, mate.best) == (-1, 0, "checkmate", None)
    assert kqvk.probe("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").value == "stalemate"


def test_files(folder):
    tables = tablesmith.open(folder, solve=False)
    assert (tables.variant.name, tables.folder, tables.metrics) == ("fide", folder, ["dtm"])
    assert tables.names() == ["KPvK", "KQvK", "KNvKN", "KQvKQ"]
    answer = tables.probe(MATE_IN_5)
    assert (answer.plies, answer.file) == (9, "KQvK.tsm")
    assert tables.names("wdl") == []


def test_several_folders(folder, tmp_path):
    rook = "8/8/8/8/8/4k3/1R6/4K3 w - - 0 1"
    (tmp_path / "KQvK.tsm").write_text("no table")
    tables = tablesmith.open([folder, str(tmp_path)], solve=False)
    assert (tables.folder, tables.folders, tables.metrics) == (folder, [folder, tmp_path], ["dtm"])
    assert repr(tables) == f"<Tables of fide in {folder}, {tmp_path}>"
    assert tables.probe(MATE_IN_5).plies == 9
    # The first file of a name is read, and what the first folder has not comes from the second.
    (tmp_path / "KRvK.tsm").write_text("no table")
    tables = tablesmith.open((tmp_path, folder), solve=False)
    assert "KPvK" in tables and tables.statistics("KPvK")["white_to_move"]["longest_win"]
    for fen in (MATE_IN_5, rook):
        with pytest.raises(tablesmith.DamagedTable):
            tables.probe(fen)
    with pytest.raises(FileNotFoundError, match="no folder .*gone; give a folder of tables"):
        tablesmith.open([folder, tmp_path / "gone"])
    with pytest.raises(ValueError, match="empty"):
        tablesmith.open([])
    with pytest.raises(TypeError):
        tablesmith.open([7])


def test_missing_tables(folder):
    rook = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    with pytest.raises(tablesmith.MissingTable, match="KRvK") as caught:
        tablesmith.open(folder, solve=False).probe(rook)
    assert isinstance(caught.value, LookupError)
    assert (caught.value.table, caught.value.metric, caught.value.file) == ("KRvK", "dtm", "KRvK.tsm")
    answer = tablesmith.open(folder).probe(rook)
    assert (answer.plies, answer.solved) == (31, True)
    with pytest.raises(tablesmith.MissingTable):
        tablesmith.open(folder).probe("8/8/2nn4/8/8/4k3/1R6/4K2Q w - - 0 1")


def test_wrong_positions(kqvk):
    for fen, word in [
        ("", "not a position"),
        ("8/8/8 w", "not a position"),
        ("8/8/8/8/8/3kq3/8/4K2Q b - - 0 1", "could capture White's king"),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "castling right `K`"),
    ]:
        with pytest.raises(ValueError, match=word):
            kqvk.probe(fen)
    with pytest.raises(TypeError, match="a position is a FEN"):
        kqvk.probe(7)
    with pytest.raises(ValueError, match="no metric"):
        kqvk.probe(MATE_IN_5, metric="dtx")
    with pytest.raises(tablesmith.MissingTable):
        kqvk.probe(MATE_IN_5, metric="dtz50")


def test_castling_rights(kqvk, folder, tmp_path):
    castles = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    with pytest.raises(tablesmith.MissingTable, match="KRvK"):
        kqvk.probe(castles)
    with pytest.raises(tablesmith.MissingTable, match="castling rights are not solved") as caught:
        tablesmith.open(folder, solve=False).probe(castles)
    assert (caught.value.table, caught.value.file) == ("KRvK", "KRvK.tsm")
    answer = tablesmith.open(folder).probe(castles)
    assert answer.plies == 21
    assert answer.solved
    assert "e1g1" in [move.uci for move in answer.moves]
    with pytest.raises(tablesmith.MissingTable, match="7 men"):
        tablesmith.open(tmp_path).probe("4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1")


def test_wrong_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        tablesmith.open(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="my-game"):
        tablesmith.open(tmp_path, "my-game")
    # Nothing is there, and small tables are solved all the same.
    assert tablesmith.open(tmp_path).probe(MATE_IN_5).plies == 9


def test_damaged_table(folder, tmp_path):
    data = bytearray((folder / "KQvK.tsm").read_bytes())
    data[-100] ^= 255
    (tmp_path / "KQvK.tsm").write_bytes(data)
    tables = tablesmith.open(tmp_path, solve=False)
    with pytest.raises(tablesmith.DamagedTable):
        tables.table("KQvK")


def test_boards(kqvk):
    board = chess.Board(MATE_IN_5)
    answer = kqvk.probe(board)
    assert answer.plies == 9
    for move in answer.line_uci:
        board.push_uci(move)
    assert board.is_checkmate()
    with pytest.raises(ValueError, match="one of atomic"):
        kqvk.probe(chess.variant.AtomicBoard(MATE_IN_5))

    class Own:
        def fen(self):
            return MATE_IN_5

    assert kqvk.probe(Own()).plies == 9


def test_checks_that_count():
    tables = tablesmith.solve("three-check", "KBvK+2+3")
    board = chess.variant.ThreeCheckBoard("8/8/8/8/8/4k3/8/4K2B w - - 2+3 0 1")
    for move in tables.probe(board).line_uci:
        board.push_uci(move)
    assert board.is_variant_loss() and board.remaining_checks == [3, 0]
    with pytest.raises(ValueError, match="one of 3check, and these tables are of horde"):
        tablesmith.solve("horde", "PvK").probe(board)


def test_many(kqvk):
    fens = [MATE_IN_5, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "8/8/8/8/8/4k3/8/4K3 w - - 0 1"]
    for positions in (fens, tuple(fens), np.array(fens), np.array(fens, dtype=object), map(chess.Board, fens)):
        wdl, plies = kqvk.probe_many(positions)
        assert (wdl.dtype, plies.dtype) == (np.int8, np.int16)
        assert (wdl.tolist(), plies.tolist()) == ([1, -1, 0], [9, 0, -1])
    assert [len(array) for array in kqvk.probe_many([])] == [0, 0]


def test_many_with_errors(kqvk):
    fens = [MATE_IN_5, "nonsense", "8/8/8/8/8/4k3/8/4K2R w - - 0 1"]
    with pytest.raises(ValueError, match="position 1"):
        kqvk.probe_many(fens)
    with pytest.raises(tablesmith.MissingTable, match="position 1") as caught:
        kqvk.probe_many(fens[::2])
    assert caught.value.table == "KRvK"
    wdl, plies = kqvk.probe_many(fens, errors="mark")
    assert (wdl.tolist(), plies.tolist()) == ([1, tablesmith.UNKNOWN, tablesmith.UNKNOWN], [9, -1, -1])
    with pytest.raises(TypeError, match="not one text"):
        kqvk.probe_many(MATE_IN_5)
    with pytest.raises(ValueError, match="raise"):
        kqvk.probe_many(fens, errors="ignore")


def test_many_raise_the_first_error(kqvk):
    fens = [MATE_IN_5] * 3000
    for at in (2999, 1700, 650, 64):
        fens[at] = f"nonsense {at}"
        with pytest.raises(ValueError, match=f"position {at}, .nonsense {at}"):
            kqvk.probe_many(fens)


def test_many_from_damaged_tables(folder, tmp_path):
    data = (folder / "KQvK.tsm").read_bytes()
    (tmp_path / "KQvK.tsm").write_bytes(data[: len(data) // 2])
    tables = tablesmith.open(tmp_path, "fide", solve=False)
    for errors in ("raise", "mark"):
        with pytest.raises(tablesmith.DamagedTable, match="position 1"):
            tables.probe_many(["8/8/8/8/8/4k3/8/4K3 w - - 0 1", MATE_IN_5], errors=errors)


def test_many_with_missing_tables(folder):
    """Tables are solved while all threads ask."""
    there, rook, queen = MATE_IN_5, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1"
    done = []
    asking = threading.Thread(
        target=lambda: done.append(tablesmith.open(folder).probe_many([there, rook, queen] * 2000)), daemon=True
    )
    asking.start()
    asking.join(120)
    assert done, "the threads wait for each other"
    wdl, plies = done[0]
    assert (wdl.tolist(), plies.tolist()) == ([1, 1, 1] * 2000, [9, 31, 69] * 2000)


def test_many_are_as_one(kpvkp):
    table = kpvkp.table("KPvKP")
    legal = np.flatnonzero((table.weights() > 0) & (table.wdl("white") != tablesmith.UNKNOWN))
    chosen = np.random.default_rng(7).choice(legal, 200)
    fens = table.fens("white", chosen)
    wdl, plies = kpvkp.probe_many(fens)
    for fen, result, n in zip(fens, wdl, plies):
        answer = kpvkp.probe(fen)
        assert (answer.wdl, -1 if answer.plies is None else answer.plies) == (result, n)


def test_the_lock_is_released(kpvkp):
    """Another thread runs while many positions are answered."""
    fens = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"] * 200_000
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    before = counted
    kpvkp.probe_many(fens)
    during = counted - before
    done.set()
    counter.join()
    assert during > 100


def test_the_clock_counts():
    tables = tablesmith.solve("fide", "KQvK", metric="dtz50")
    assert tables.probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 60").wdl == 1
    late = tables.probe("8/8/8/8/8/4k3/8/4K2Q w - - 99 60")
    assert (late.wdl, late.plies, late.value) == (0, 9, "draw")
    # Whatever the clock, values in words say what the numbers say.
    words = {1: "win", 0: "draw", -1: "loss"}
    for tables, men in [
        (tables, "8/8/8/8/8/4k3/8/4K2Q"),
        (tablesmith.solve("fide", "KQvKR", metric="dtz50"), "8/8/8/8/2r5/8/2k5/K6Q"),
        (tablesmith.solve("fide", "KPvK", metric="dtz50"), "8/8/8/8/8/4k3/4P3/4K3"),
    ]:
        for side in "wb":
            for clock in (0, 45, 92, 99):
                answer = tables.probe(f"{men} {side} - - {clock} 60")
                for rated in (answer, *answer.moves):
                    assert rated.value.split()[0] in (words[rated.wdl], "stalemate"), (answer, rated)
    spoilt = tablesmith.solve("fide", "KQvKR", metric="dtz50").probe("8/8/8/8/2r5/8/2k5/K6Q w - - 45 60")
    assert (spoilt.wdl, spoilt.value, spoilt.plies) == (0, "draw", 59)
    assert (spoilt.best.wdl, spoilt.best.value, spoilt.best.plies) == (0, "draw", 59)
    wdl, plies = tables.probe_many(["8/8/8/8/8/4k3/8/4K2Q w - - 99 60"])
    assert (wdl[0], plies[0]) == (0, 9)


def test_answers_are_data(kqvk):
    answer, again = kqvk.probe(MATE_IN_5), kqvk.probe(MATE_IN_5)
    other = kqvk.probe("8/8/8/8/8/4k3/8/4K2Q b - - 0 1")
    mate = kqvk.probe("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    for own, same, different in [(answer, again, other), (answer.best, again.best, answer.moves[1]), (mate, mate, other)]:
        assert own == same and own != different and hash(own) == hash(same) and own != "answer"
        for made in [pickle.loads(pickle.dumps(own)), copy.copy(own), copy.deepcopy(own)]:
            assert made == own and repr(made) == repr(own) and type(made) is type(own)
    made = pickle.loads(pickle.dumps(answer))
    for field in (name for name in dir(answer) if not name.startswith("_")):
        assert getattr(made, field) == getattr(answer, field), field
    assert len({answer, again, other}) == 2


def test_tables_as_a_container(folder):
    with tablesmith.open(folder) as tables:
        assert len(tables) == 4 and list(tables) == tables.names() == ["KPvK", "KQvK", "KNvKN", "KQvKQ"]
        assert "KQvK" in tables and "KvKQ" in tables
        assert "KRvK" not in tables and "nonsense" not in tables and 7 not in tables
        table = tables["KvKQ"]
        assert table.name == "KQvK"
        with pytest.raises(ValueError):
            tables["nonsense"]
        with pytest.raises(tablesmith.MissingTable):
            tablesmith.open(folder, solve=False)["KRvK"]
    for ask in (lambda: tables.probe(MATE_IN_5), lambda: len(tables), lambda: tables["KQvK"], lambda: "KQvK" in tables):
        with pytest.raises(ValueError, match="closed"):
            ask()
    # What was handed out stays, and closing twice is no harm.
    tables.close()
    assert int(table.plies("white").max()) == 19 and tables.variant.name == "fide"
    solved = tablesmith.solve("fide", "KQvK")
    assert "KQvK" in solved and len(solved) == len(solved.names()) == len([*solved])


def test_find(folder, kqvk):
    tables = tablesmith.open(folder, solve=False)
    condition = "wtm win and moves.drawing >= 3"
    found = tables.find("KQvK", condition)
    assert len(found) == len(set(found)) == 6424 and found == kqvk.find("KQvK", condition)
    for fen in found[::97]:
        assert [move.wdl for move in tables.probe(fen).moves].count(0) >= 3
    assert tables.find("KvKQ", condition, limit=3) == found[:3] and tables.find("KQvK", condition, limit=0) == []
    longest = kqvk.find("KQvK", "wtm plies == 19")
    assert longest and all(kqvk.probe(fen).plies == 19 for fen in longest)
    with pytest.raises(ValueError, match="did you mean `win`"):
        tables.find("KPvK", "wtm wining")
    with pytest.raises(tablesmith.MissingTable, match="KRvK"):
        tables.find("KRvK", "wtm")
    with pytest.raises(tablesmith.MissingTable, match="KPvK of wdl"):
        tables.find("KPvK", "wtm", metric="wdl")
    with pytest.raises(tablesmith.MissingTable, match="moves lead to it"):
        tables.find("KPvK", "moves.winning == 1")


def test_find_zugzwangs(root):
    """One side to move suffices, and KRvK, which the other is solved from, need not be there."""
    tables = tablesmith.open(root / "tests/cases/files/one_side", solve=False)
    found = tables.find("KPvK", "mutual-zugzwang")
    assert len(found) == 160 and found == tablesmith.solve("fide", "KPvK").find("KPvK", "mutual-zugzwang")


def test_helpmates(kqvk):
    found = kqvk.helpmates("8/8/8/8/8/5k2/8/4K1q1 w - - 0 1")
    assert (found.white.plies, found.black.plies, found.dead) == (None, 4, False)
    assert found.black.best.uci == "e1d2" and found.black.line[-1] == "Qc1#"
    assert kqvk.helpmates(chess.Board("8/8/8/8/8/5k2/4b3/4K2B b - - 0 1")).dead
    # Too many men for a table, and no way through.
    assert kqvk.helpmates("7k/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1").text.startswith("dead position")
    helped = tablesmith.solve("fide", "KvKQ", metric="help")
    assert helped.table("KvKQ").statistics()["white_to_move"]["longest_win"] is None
    with pytest.raises(ValueError):
        kqvk.helpmates("8/8/8/8/8/5k2/8/R3K3 w Q - 0 1")
