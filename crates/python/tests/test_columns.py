"""Makes frames of tables with pandas and polars, and compares them with the statistics and the arrays."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tablesmith


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", ["KQvK", "KPvKP", "KNNvK"])
def test_counts_are_those_of_the_statistics(frame, name):
    table = tablesmith.solve("fide", name).table(name)
    rows, statistics = frame(table.columns()), table.statistics()
    for to_move, side in enumerate(("white", "black")):
        counts = statistics[f"{side}_to_move"]
        for key, result in (("wins", 1), ("draws", 0), ("losses", -1)):
            chosen = ((rows["to_move"] == to_move) & (rows["wdl"] == result)).to_numpy()
            assert rows["weight"].to_numpy()[chosen].sum() == counts[key]["unreduced"]
            # Orbits distinguish like men, and rows do not.
            assert chosen.sum() == counts[key]["orbits"] or table.men.count("N") == 2
        if longest := counts["longest_win"]:
            plies = rows["plies"].to_numpy()[((rows["to_move"] == to_move) & (rows["wdl"] == 1)).to_numpy()]
            assert plies.max() == longest["ply"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rows_are_as_probed(kqvk, frame):
    table = kqvk.table("KQvK")
    rows = frame(table.columns(fen=True))
    assert list(rows.columns) == ["to_move", "K", "Q", "k", "wdl", "plies", "weight", "fen"]
    wdl, plies = kqvk.probe_many(rows["fen"].to_numpy())
    assert (wdl == rows["wdl"].to_numpy()).all() and (plies == rows["plies"].to_numpy()).all()
    # The squares are those of the FEN, whose placement has the weight.
    numbers = table.indices(np.stack([rows[man].to_numpy() for man in table.men], axis=1))
    assert (table.weights()[numbers] == rows["weight"].to_numpy()).all()
    for side, to_move in (("white", 0), ("black", 1)):
        chosen = (rows["to_move"] == to_move).to_numpy()
        assert table.fens(side, numbers[chosen]) == rows["fen"].to_numpy()[chosen].tolist()


def test_types_and_like_men():
    columns = tablesmith.solve("fide", "KNNvK").table("KNNvK").columns()
    assert list(columns) == ["to_move", "K", "N1", "N2", "k", "wdl", "plies", "weight"]
    kinds = [str(column.dtype) for column in columns.values()]
    assert kinds == ["uint8"] * 5 + ["int8", "int16", "uint32"]
    assert len({len(column) for column in columns.values()}) == 1
