"""Reads the rules of games."""

import pytest

import tablesmith


def test_chess():
    fide = tablesmith.Variant("fide")
    assert (fide.name, fide.board, fide.holes, fide.metric) == ("fide", (8, 8), [], "dtm")
    assert [piece.letter for piece in fide.pieces] == ["K", "Q", "R", "B", "N", "P"]
    king, pawn, knight = fide.pieces[0], fide.pieces[-1], fide.pieces[4]
    assert (king.royal, pawn.pawn, pawn.promotes_to) == (True, True, ["Q", "R", "B", "N"])
    assert (knight.name, knight.betza) == ("knight", "N") and "(2,1) leap" in knight.words[0]
    assert "moves and captures" in knight.diagram
    assert tablesmith.Variant("chess").name == "fide"
    assert tablesmith.Variant("makruk").name == "makruk"


def test_all_games(root):
    files = sorted((root / "variants").glob("*.toml"))
    assert len(files) > 20
    for file in files:
        game = tablesmith.Variant(file)
        assert game.pieces and min(game.board) >= 4, file


def test_another_game(root):
    """Anybody's game is solved and probed as chess is."""
    game = tablesmith.Variant(root / "variants/makruk.toml")
    rook = next(piece for piece in game.pieces if piece.betza == "R")
    king = next(piece for piece in game.pieces if piece.royal)
    tables = tablesmith.solve(game, f"{king.letter}{rook.letter}v{king.letter}")
    table = tables.table(tables.names()[-1])
    longest = table.statistics()["white_to_move"]["longest_win"]
    assert tables.probe(longest["fen"]).plies == longest["ply"] > 20


def test_wrong_rules(tmp_path):
    with pytest.raises(FileNotFoundError, match="antichess, atomic"):
        tablesmith.Variant("nowhere")
    file = tmp_path / "bad.toml"
    file.write_text('name = "bad"\nboard = 3\n')
    with pytest.raises(ValueError, match="board"):
        tablesmith.Variant(file)
    with pytest.raises(ValueError, match="board"):
        tablesmith.open(tmp_path, str(file))
    with pytest.raises(TypeError):
        tablesmith.solve(7, "KQvK")
