"""Asks Python's doors for the positions of the golden corpus, and compares them with its snapshots.

`tests/it/golden` asks all other doors and explains the files: the lines of a block are aspects of an answer,
each with the doors that agree on it. `INSTA_UPDATE=always` writes Python's lines anew.
"""

import os
import re
import subprocess

import pytest

import tablesmith

DOORS = ["python", "python-many"]
LINE = re.compile(r"(\S+) \(([^)]*)\): (.*)")


def games(root):
    """The lines of the corpus: of each game what to solve, and the questions as (kind, metric, FEN)."""
    found = {}
    for line in (root / "tests/cases/golden/positions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            game, *rest = line.split(" ", 3)
            found.setdefault(game, []).append(tuple(rest))
    solved = ("tables", "rights", "structure", "lose")
    for game, lines in found.items():
        yield game, [of for of in lines if of[0] in solved], [of for of in lines if of[0] not in solved]


def solve(program, root, rules, folder, lines):
    for kind, metric, what in lines:
        if kind == "lose":
            for name in what.split(" "):
                (folder / name).unlink()
            continue
        names = [word for name in what.split(" ") for word in ("--table", name)]
        if kind == "rights":
            names.append("--rights")
        if kind == "structure" and what.endswith(".toml"):
            names = ["--structure", root / "structures" / what]
        elif kind == "structure":
            names = ["--position", what, "--promoted", "0"]
        of_metric = [] if metric == "-" else ["--metric", metric]
        command = [program, "solve", rules, "--out", folder, *of_metric, *names]
        # A structure may leave open who wins.
        done = subprocess.run(command, capture_output=True, cwd=root).returncode
        assert done == 0 or (kind == "structure" and done == 1), command


def word(wdl, plies):
    """A value as one word: `W9`, `D`, `L8`; with plies beside a draw the n-move rule alone makes it one."""
    if wdl is None:
        return "?"
    return "LDW"[wdl + 1] + ("" if plies is None else str(plies) + ("!" if wdl == 0 else ""))


def asked(tables, metric, fen):
    """The aspects of what `probe` says."""
    try:
        found = tables.probe(fen, metric=metric)
    except (ValueError, tablesmith.MissingTable) as error:
        return {"refused": str(error), "kind": type(error).__name__}
    answer = {"says": found.text, "wdl": "null" if found.wdl is None else str(found.wdl)}
    if found.wdl is None:
        answer["bounds"] = word_of(found)
    else:
        answer["metric"] = found.metric
    if found.wdl is not None and found.metric != "wdl":
        answer["plies"] = "-" if found.plies is None else str(found.plies)
    source = "the tables of its moves" if found.by == "moves" else "; ".join(found.files) or found.file
    named = {"end": found.outcome, "from": source, "missing": found.missing, "line": " ".join(found.line)}
    answer |= {aspect: text for aspect, text in named.items() if text}
    if found.fen != fen:
        answer["fen"] = found.fen
    if found.solved:
        answer["solved"] = "yes"
    if found.moves:
        values = [(word_of(move), move.uci) for move in found.moves]
        groups = []
        for value, uci in values:
            if groups and groups[-1].split(" ")[0] == value:
                groups[-1] += f" {uci}"
            else:
                groups.append(f"{value} {uci}")
        answer["moves"] = "; ".join(groups)
        answer["best"] = " ".join(uci for value, uci in values if value == values[0][0])
        answer["san"] = " ".join(move.san for move in sorted(found.moves, key=lambda move: move.uci))
    return answer


def word_of(found):
    """The word of a move or of a position; `D..W9` is at least a draw and at most a win."""
    if found.wdl is not None or found.value == "not known":
        return word(found.wdl, found.plies)
    bounds = {"least": "", "most": ""}
    for side, verb, plies in re.findall(r"at (least|most) (draws|wins|loses)(?: in \d+ moves?, (\d+) (?:ply|plies))?", found.value):
        bounds[side] = {"draws": "D", "wins": "W", "loses": "L"}[verb] + plies
    return f"{bounds['least']}..{bounds['most']}"


def asked_together(tables, metric, fens):
    """The aspects of what `probe_many` says of each."""
    wdl, plies = tables.probe_many(fens, metric=metric, errors="mark")
    for one, n_plies in zip(wdl.tolist(), plies.tolist()):
        refused = one == tablesmith.UNKNOWN
        yield {"kind": "UNKNOWN"} if refused else {"wdl": str(one), "plies": str(n_plies).replace("-1", "-")}


def read(text):
    """The blocks of a snapshot: the heading, and a text for each (aspect, door)."""
    _, *blocks = text.strip("\n").split("\n\n")
    for block in blocks:
        heading, *lines = block.split("\n")
        found = {}
        for line in lines:
            aspect, doors, said = LINE.fullmatch(line).groups()
            found |= {(aspect, door): said for door in doors.split(" ")}
        yield heading.removeprefix("== "), found


def constant(root, name):
    """A list of names in the program that writes the snapshots."""
    source = (root / "tests/it/golden/answers.rs").read_text()
    return re.findall(r'"([^"]+)"', source.split(f"const {name}: ", 1)[1].split("];", 1)[0])


def lines(block, aspects, doors):
    """The lines of a block, with doors that agree together."""
    for aspect in aspects:
        agreed = {}
        for door in doors:
            if (said := block.get((aspect, door))) is not None:
                agreed.setdefault(said, []).append(door)
        for said, agreeing in agreed.items():
            yield f"{aspect} ({' '.join(agreeing)}): {said}"


def test_python_says_what_it_said(root, tmp_path):
    program = os.environ.get("TABLESMITH")
    if not program:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    aspects, doors = constant(root, "ASPECTS"), constant(root, "DOORS")
    n_positions, differences = 0, []
    for game, to_solve, questions in games(root):
        folder, rules = tmp_path / game, root / "variants" / f"{game}.toml"
        folder.mkdir()
        solve(program, root, rules, folder, to_solve)
        tables = tablesmith.open(folder, tablesmith.Variant(rules), solve=False)
        answers = [{} for _ in questions]
        for at, (_, metric, fen) in enumerate(questions):
            answer = asked(tables, None if metric == "-" else metric, fen)
            answers[at] |= {(aspect, "python"): text for aspect, text in answer.items()}
        for metric in {metric for _, metric, _ in questions}:
            together = [at for at, (_, other, _) in enumerate(questions) if other == metric]
            fens = [questions[at][2] for at in together]
            for at, answer in zip(together, asked_together(tables, None if metric == "-" else metric, fens)):
                answers[at] |= {(aspect, "python-many"): text for aspect, text in answer.items()}
        path = root / "tests/snapshots/answers" / f"{game}.snap"
        before = dict(read(path.read_text()))
        headings = [" ".join(question) for question in questions]
        assert list(before) == headings, f"the snapshot of {game} has other positions"
        n_positions += len(headings)
        blocks = []
        for heading, now in zip(headings, answers):
            old = {key: said for key, said in before[heading].items() if key[1] in DOORS}
            changed = [f"- {key}: {said}" for key, said in old.items() if now.get(key) != said]
            changed += [f"+ {key}: {said}" for key, said in now.items() if old.get(key) != said]
            differences += [f"{game} {heading}", *changed] if changed else []
            others = {key: said for key, said in before[heading].items() if key[1] not in DOORS}
            blocks.append("\n".join([f"== {heading}", *lines(others | now, aspects, doors)]))
        if os.environ.get("INSTA_UPDATE") == "always":
            title = path.read_text().split("\n", 1)[0]
            path.write_text("\n\n".join([title, *blocks]) + "\n")
            differences = []
    assert n_positions > 500
    assert not differences, "\n".join(differences)
