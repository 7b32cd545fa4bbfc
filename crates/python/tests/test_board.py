"""Draws boards as notebooks show them."""

from xml.etree import ElementTree

import pytest

import tablesmith

SVG = "{http://www.w3.org/2000/svg}"


def board(answer):
    """The men by their squares, the number of squares, and the coordinates, as the picture has them."""
    picture = ElementTree.fromstring(answer._repr_svg_())
    assert picture.tag == SVG + "svg" and picture.find(SVG + "title").text == answer.fen
    texts, squares = picture.findall(SVG + "text"), picture.findall(SVG + "rect")
    men = {text.get("data-square"): text for text in texts if text.get("data-square")}
    # A man stands in the middle of a square, under the letter of his file and beside the number of his rank.
    places = {text.text: text for text in texts if text.get("data-square") is None}
    for name, man in men.items():
        assert man.get("x") == places[name[0]].get("x") and man.get("y") == places[name[1:]].get("y")
        assert sum(lies_in(man, square) for square in squares) == 1
    return {name: man.text for name, man in men.items()}, len(squares), set(places)


def lies_in(man, square):
    at = [int(man.get(axis)) - int(square.get(axis)) for axis in "xy"]
    return all(0 < place < int(square.get("width")) for place in at)


def test_chess(kqvk):
    men, n_squares, places = board(kqvk.probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1"))
    assert men == {"e3": "k", "e1": "K", "h1": "Q"}
    assert n_squares == 64 and places == set("abcdefgh12345678")


def test_another_board(root):
    """Ten files: a rank without men is one number."""
    tables = tablesmith.solve(root / "variants/capablanca.toml", "KAvK")
    men, n_squares, places = board(tables.probe("k9/10/1K8/10/10/10/10/9A w - - 0 1"))
    assert men == {"a8": "k", "b6": "K", "j1": "A"}
    assert n_squares == 80 and places == set("abcdefghij12345678")


def test_shades(kqvk):
    picture = ElementTree.fromstring(kqvk.probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")._repr_svg_())
    shade = {(square.get("x"), square.get("y")): square.get("fill") for square in picture.iter(SVG + "rect")}
    left, right = "20", str(20 + 7 * 48)
    low, high = str(7 * 48), "0"
    # h1 and a8 are light, a1 and h8 dark.
    assert shade[left, low] == shade[right, high] != shade[left, high] == shade[right, low]


@pytest.mark.parametrize(
    ("fen", "n_squares"),
    [("", 0), ("/", 0), ("<&>", 3), ("8/8 w", 16), ("k*2/4 w", 7), ("99999/1", 27), ("9" * 26 + "k", 27)],
)
def test_any_text(kqvk, fen, n_squares):
    """An answer can be made of anything, and its picture stays one; holes are no squares."""
    fields = kqvk.probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1").__getnewargs__()
    picture = ElementTree.fromstring(tablesmith.Answer(fen, *fields[1:])._repr_svg_())
    assert len(picture.findall(SVG + "rect")) == n_squares
