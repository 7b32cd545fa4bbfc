"""Throws the dice for positions of the golden corpus: `throw.py PROGRAM SEED N` prints lines to add.

Of each game it takes the tables that positions.txt has solved, puts their men on squares at random, and
keeps N positions that PROGRAM does not refuse and one that it does.
"""

import random
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIANTS = HERE.parents[2] / "variants"
METRICS = ["-", "-", "-", "dtm", "dtz50", "wdl"]
CLOCKS = [0, 0, 0, 0, 1, 40, 85, 95, 99, 100]


def throw(dice, board, material):
    """A position of a material in FEN, which the rules may forbid."""
    n_files, n_ranks = board.get("files", 8), board.get("ranks", 8)
    white, black = material.split("v")
    men = list(white) + list(black.lower())
    if dice.random() < 0.5:
        men = [man.swapcase() for man in men]
    squares = dict(zip(dice.sample(range(n_files * n_ranks), len(men)), men))
    ranks = []
    for rank in reversed(range(n_ranks)):
        text, n_empty = "", 0
        for file in range(n_files):
            man = squares.get(rank * n_files + file)
            if man is None:
                n_empty += 1
                continue
            text += (str(n_empty) if n_empty else "") + man
            n_empty = 0
        ranks.append(text + (str(n_empty) if n_empty else ""))
    return f"{'/'.join(ranks)} {dice.choice('wb')} - - {dice.choice(CLOCKS)} {dice.randint(1, 90)}"


def main(program, seed, n_positions):
    tables = {}
    for line in (HERE / "positions.txt").read_text().splitlines():
        words = line.split()
        if words[1:2] == ["tables"]:
            tables.setdefault(words[0], []).extend(words[3:])
    for game, materials in tables.items():
        rules = VARIANTS / f"{game}.toml"
        board = tomllib.loads(rules.read_text()).get("board", {})
        dice = random.Random(f"{seed} {game}")
        fens = [throw(dice, board, dice.choice(materials)) for _ in range(20 * n_positions)]
        probe = [program, "probe", "--stdin", "--value-only", "--variant", rules, "--metric", "wdl"]
        with tempfile.TemporaryDirectory() as folder:
            # Without files the tables are solved for the question.
            probe += ["--tables", folder]
            answers = subprocess.run(probe, input="\n".join(fens), capture_output=True, text=True).stdout
        answered = list(zip(fens, ("\terror\t" in line for line in answers.splitlines())))
        kept = [fen for fen, refused in answered if not refused][:n_positions]
        kept += [fen for fen, refused in answered if refused][:1]
        for fen in kept:
            print(game, "thrown", dice.choice(METRICS), fen)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
