"""Reads whole tables as arrays, and compares them with what is known of them otherwise."""

import gc

import numpy as np
import pytest

import tablesmith


def counted(table, side):
    """Wins, draws and losses on the whole board, from the arrays."""
    wdl, weights = table.wdl(side), table.weights().astype(np.int64)
    return [int(weights[wdl == result].sum()) for result in (1, 0, -1)]


@pytest.mark.parametrize("name", ["KQvK", "KPvK", "KNvKN", "KQvKR"])
@pytest.mark.parametrize("metric", ["dtm", "dtz50", "wdl"])
def test_counts_are_those_of_the_statistics(name, metric):
    table = tablesmith.solve("fide", name, metric=metric).table(name)
    statistics = table.statistics()
    assert (statistics["material"], statistics["metric"]) == (name, metric)
    for side in ("white", "black"):
        of_side = statistics[f"{side}_to_move"]
        assert counted(table, side) == [of_side[key]["unreduced"] for key in ("wins", "draws", "losses")]
        if metric != "wdl" and of_side["longest_win"]:
            wins = table.wdl(side) == 1
            assert int(table.plies(side)[wins].max()) == of_side["longest_win"]["ply"]


def test_values_are_the_memory_of_the_table():
    table = tablesmith.solve("fide", "KQvK").table("KQvK")
    values, again = table.values("white"), table.values("white")
    assert values.dtype == np.uint8 and len(values) == len(table)
    assert np.shares_memory(values, again)
    assert values.base is table
    with pytest.raises(ValueError):
        values[0] = 1
    with pytest.raises(ValueError):
        values.setflags(write=True)
    # The array keeps what it shows.
    kept = values.copy()
    del table, again
    gc.collect()
    assert (values == kept).all()


def test_legend(kqvk):
    table = kqvk.table("KvKQ")
    assert (table.name, table.men, table.metric) == ("KQvK", ["K", "Q", "k"], "dtm")
    for side in ("white", "black", True, "b", "White", "BLACK", "W"):
        legend, values = table.legend(side), table.values(side)
        assert (legend.wdl[values] == table.wdl(side)).all()
        assert (legend.plies[values] == table.plies(side)).all()


def test_squares_and_back(kqvk):
    table = kqvk.table("KQvK")
    numbers = np.flatnonzero(table.weights())
    squares = table.squares(numbers)
    assert squares.shape == (len(numbers), 3) and squares.dtype == np.uint8
    assert (table.indices(squares) == numbers).all()
    # King e1, queen h1, king e3, and the same mirrored.
    assert table.indices([[4, 7, 20], [3, 0, 19]]).tolist() == [table.indices([4, 7, 20])[0]] * 2
    # Two kings beside each other have no number.
    assert table.indices([4, 7, 5]).tolist() == [-1]
    number = table.indices([4, 7, 20])[0]
    assert table.plies("white")[number] == 9
    assert kqvk.probe(table.fen("white", number)).plies == 9


def test_all_placements_are_as_probed(kqvk):
    table = kqvk.table("KQvK")
    for side in ("white", "black"):
        legal = np.flatnonzero((table.weights() > 0) & (table.wdl(side) != tablesmith.UNKNOWN))
        wdl, plies = kqvk.probe_many(table.fens(side, legal))
        assert (wdl == table.wdl(side)[legal]).all() and (plies == table.plies(side)[legal]).all()


def test_the_other_side_of_a_symmetric_table(kpvkp):
    """KPvKP keeps White to move only; Black to move is made of it."""
    table = kpvkp.table("KPvKP")
    numbers = np.random.default_rng(1).choice(np.flatnonzero(table.wdl("black") != tablesmith.UNKNOWN), 3000)
    numbers = numbers[[len(set(row)) == 4 for row in table.squares(numbers).tolist()]]
    wdl, plies = kpvkp.probe_many(table.fens("black", numbers))
    assert (wdl == table.wdl("black")[numbers]).all() and (plies == table.plies("black")[numbers]).all()
    assert np.shares_memory(table.values("black"), table.values("black"))


def test_wrong_numbers(kqvk):
    table = kqvk.table("KQvK")
    for bad in (-1, len(table)):
        with pytest.raises(IndexError, match="no placement of KQvK"):
            table.squares([bad])
        with pytest.raises(IndexError):
            table.fen("white", bad)
    with pytest.raises(ValueError, match="rows of 3"):
        table.indices([1, 2])
    with pytest.raises(ValueError, match="from 0 to 63"):
        table.indices([1, 2, 64])
    with pytest.raises(ValueError, match="integers"):
        table.indices([1.5, 2, 3])
    with pytest.raises(ValueError, match="no side"):
        table.values("green")
    with pytest.raises(ValueError, match="two men"):
        same = next(n for n in range(len(table)) if len(set(table.squares([n])[0].tolist())) < 3)
        table.fen("white", same)
    assert table.squares([]).shape == (0, 3) and len(table.indices([])) == 0


def test_masks(kqvk):
    table = kqvk.table("KQvK")
    mask = (table.plies("white") >= 15) & (table.weights() > 0)
    numbers = np.flatnonzero(mask)
    assert table.fens("White", mask) == table.fens("white", numbers) and len(numbers) > 10
    assert table.fens("white", mask.tolist()) == table.fens("white", numbers)
    assert (table.squares(mask) == table.squares(numbers)).all()
    assert table.fens("white", np.zeros(len(table), bool)) == []
    for wrong in (mask[:-1], mask.reshape(1, -1), [True, False]):
        with pytest.raises(IndexError, match=f"a mask of KQvK has {len(table)} places"):
            table.fens("white", wrong)
    with pytest.raises(ValueError, match="integers"):
        table.indices(mask[:3])


def test_cursed_wins_are_as_probed(root, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text((root / "variants/fide.toml").read_text().replace("n-move-rule = 50", "n-move-rule = 5"))
    tables = tablesmith.solve(rules, "KQvK", metric="dtz50")
    table = tables.table("KQvK")
    wdl, plies, weights = table.wdl("white"), table.plies("white"), table.weights()
    chosen = np.flatnonzero((weights > 0) & (plies > 0))
    assert (wdl[chosen] == 0).sum() > 100 and (wdl[chosen] == 1).sum() > 100
    probed = tables.probe_many(table.fens("white", chosen))
    assert (probed[0] == wdl[chosen]).all() and (probed[1] == plies[chosen]).all()


@pytest.mark.parametrize("metric", ["wdl", "dtz50"])
def test_files_with_one_side_to_move(solved_folder, metric):
    """Nearly all files of `solve` keep one side to move; the other is there all the same."""
    tables = tablesmith.open(solved_folder, solve=False)
    assert tables.names(metric) == ["KQvK", "KRvK", "KQvKR"]
    for name in tables.names(metric):
        table, own = tables.table(name, metric=metric), tablesmith.solve("fide", name, metric=metric).table(name)
        for side in ("white", "black"):
            assert (table.wdl(side) == own.wdl(side)).all() and (table.plies(side) == own.plies(side)).all()


def test_what_is_missing_and_what_is_damaged(solved_folder, root, tmp_path):
    def copy(*names):
        for file in tmp_path.iterdir():
            file.unlink()
        for name in names:
            (tmp_path / name).write_bytes((solved_folder / name).read_bytes())

    # The other side to move is solved from tables that are not there, unless they may be solved.
    copy("KQvKR.tsm")
    with pytest.raises(tablesmith.MissingTable, match="tablesmith solve.*--table K.vK") as caught:
        tablesmith.open(tmp_path, "fide", solve=False).table("KQvKR", metric="wdl")
    assert caught.value.table in ("KQvK", "KRvK") and caught.value.metric == "wdl"
    assert len(tablesmith.open(tmp_path, "fide").table("KQvKR", metric="wdl")) > 0
    # Files that are whole are no damaged ones: other rules, no way in.
    rules = tmp_path / "rules.toml"
    copy("KQvK.tsm")
    rules.write_text((root / "variants/fide.toml").read_text().replace('stalemate-value = "draw"', 'stalemate-value = "loss"'))
    tables = tablesmith.open(tmp_path, rules, solve=False)
    queen = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"
    asked = [
        lambda: tables.table("KQvK", metric="wdl"),
        lambda: tables.probe(queen, metric="wdl"),
        lambda: tables.probe_many([queen], metric="wdl"),
        lambda: tables.find("KQvK", "wtm win", metric="wdl"),
    ]
    for ask in asked:
        with pytest.raises(OSError, match="other rules") as caught:
            ask()
        assert not isinstance(caught.value, tablesmith.DamagedTable)
    copy("KQvK.tsm")
    data = bytearray((tmp_path / "KQvK.tsm").read_bytes())
    data[-20] ^= 255
    (tmp_path / "KQvK.tsm").write_bytes(data)
    tables = tablesmith.open(tmp_path, "fide", solve=False)
    for ask in asked:
        with pytest.raises(tablesmith.DamagedTable):
            ask()


def test_tables_of_a_folder(folder):
    tables = tablesmith.open(folder, solve=False)
    table = tables.table("KPvK")
    assert counted(table, "white") == counted(tablesmith.solve("fide", "KPvK").table("KPvK"), "white")
    assert tables.statistics("KPvK") == table.statistics()
    with pytest.raises(tablesmith.MissingTable, match="tablesmith solve.*--table KRvK"):
        tables.table("KRvK")
    with pytest.raises(ValueError):
        tables.table("KXvK")
    assert tablesmith.open(folder).table("KRvK").plies("white").max() == 31


def test_wrong_materials():
    for name in ("KXvK", "KQQQQvKQQQQ", ""):
        with pytest.raises(ValueError):
            tablesmith.solve("fide", name)
