"""The legal moves of Fairy-Stockfish, through its Python module pyffish.

Called with the path of a variants.ini. Reads lines "variant<TAB>FEN" from standard input and answers each with one
line: the legal moves in coordinates, sorted, with spaces between. It only asks; what the answers mean is judged by
whoever called it.
"""

import sys

try:
    import pyffish
except ImportError as error:
    sys.exit(f"pyffish cannot be loaded: {error}")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: moves.py VARIANTS.INI < positions > moves")
    with open(sys.argv[1], encoding="utf-8") as file:
        pyffish.load_variant_config(file.read())
    known = set(pyffish.variants())
    for number, line in enumerate(sys.stdin, 1):
        variant, _, fen = line.rstrip("\n").partition("\t")
        if variant not in known:
            sys.exit(f"line {number}: Fairy-Stockfish has not taken the variant {variant!r}")
        print(" ".join(sorted(pyffish.legal_moves(variant, fen, []))))


if __name__ == "__main__":
    main()
