"""Asks our server as berserk asks Lichess's tablebase."""

import os
import re
import subprocess

import berserk
import pytest

PROGRAM = os.environ.get("TABLESMITH")


@pytest.fixture(scope="module")
def client(root, tmp_path_factory):
    if not PROGRAM:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    tables = tmp_path_factory.mktemp("tables")
    run = [PROGRAM, "solve", str(root / "variants/fide.toml"), "--table", "KQvKR", "--out", str(tables / "fide")]
    for metric in ("dtm", "wdl,dtz50"):
        subprocess.run([*run, "--metric", metric], check=True, capture_output=True)
    server = subprocess.Popen(
        [PROGRAM, "serve", "--tables", str(tables), "--listen", "127.0.0.1:0"]
        + [text for name in ("atomic", "antichess") for text in ("--variant", str(root / f"variants/{name}.toml"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    address = re.search(r"http://[\w.:\[\]]+", server.stdout.readline()).group(0)
    yield berserk.Client(base_url=address, tablebase_url=address)
    server.terminate()
    server.wait(timeout=20)


def test_standard(client):
    answer = client.tablebase.standard("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1")
    assert answer["category"] == "win" and not answer["checkmate"] and not answer["stalemate"]
    assert answer["dtm"] > 0 and answer["dtz"] > 0 and answer["dtz"] == answer["precise_dtz"]
    moves = answer["moves"]
    # The best move first; the values of moves are those of the other side.
    assert moves[0]["category"] == "loss" and moves[0]["dtm"] == 1 - answer["dtm"]
    assert {"uci", "san", "zeroing", "checkmate", "stalemate", "category", "dtz", "dtm"} <= moves[0].keys()
    ranks = ["loss", "syzygy-loss", "maybe-loss", "blessed-loss", "draw", "cursed-win", "maybe-win", "win"]
    order = [ranks.index(move["category"]) for move in moves]
    assert order == sorted(order)


def test_ends_of_games(client):
    mate = client.tablebase.standard("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert (mate["checkmate"], mate["category"], mate["dtz"], mate["dtm"], mate["moves"]) == (True, "loss", -1, 0, [])
    bare = client.tablebase.standard("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    assert bare["insufficient_material"] and bare["category"] == "draw" and bare["dtz"] == 0


def test_the_clock(client):
    late = client.tablebase.standard("8/8/8/8/8/4k3/8/4K2Q w - - 99 60")
    assert late["category"] == "cursed-win"


def test_other_games(client):
    atomic = client.tablebase.atomic("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")
    assert atomic["category"] in ("win", "loss", "draw", "maybe-win", "maybe-loss") and atomic["moves"]
    assert "dtw" in atomic and atomic["dtm"] is None
    antichess = client.tablebase.antichess("8/8/8/8/8/4k3/8/6R1 w - - 0 1")
    assert antichess["category"] in ("win", "loss", "draw", "maybe-win", "maybe-loss") and antichess["moves"]


def test_wrong_fen(client):
    with pytest.raises(berserk.exceptions.ResponseError) as caught:
        client.tablebase.standard("nonsense")
    assert caught.value.status_code == 400
