"""Compares the stubs with the package, and checks programs against them with mypy and Pyright."""

import json
import subprocess
import sys

import pytest


def test_stubs(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "tablesmith"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def programs(tmp_path):
    """A program that uses types rightly, and one with two mistakes."""
    good = tmp_path / "good.py"
    good.write_text(
        "import tablesmith\n"
        "tables = tablesmith.solve('fide', 'KQvK', metric='dtm')\n"
        "plies: int | None = tables.probe('8/8/8/8/8/4k3/8/4K2Q w - - 0 1').plies\n"
        "names: list[str] = [piece.name for piece in tables.variant.pieces]\n"
        "longest = tables.table('KQvK').statistics()['white_to_move']['longest_win']\n"
        "fen: str = longest['fen'] if longest else ''\n"
        "columns = tables.table('KQvK').columns(fen=True)\n"
        "n_rows: int = len(columns['to_move'])\n"
    )
    bad = tmp_path / "bad.py"
    bad.write_text("import tablesmith\ntablesmith.solve('fide', 'KQvK', metric='dtx').probe(7)\n")
    return good, bad


def test_mypy(programs, tmp_path):
    # Numpy's own stubs are not what is tested.
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}/cache"]
    good, bad = (subprocess.run([*mypy, program.name], cwd=tmp_path, capture_output=True, text=True) for program in programs)
    assert good.returncode == 0, good.stdout
    assert bad.stdout.count("error:") == 2, bad.stdout


def test_pyright(programs, tmp_path):
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    good, bad = (pyright(tmp_path, program.name) for program in programs)
    assert good["summary"]["filesAnalyzed"] == 1 and good["generalDiagnostics"] == [], good
    assert bad["summary"]["errorCount"] == 2, bad


def test_types_are_complete(tmp_path):
    """Pyright knows the type of every public name."""
    completeness = pyright(tmp_path, "--ignoreexternal", "--verifytypes", "tablesmith")["typeCompleteness"]
    symbols = completeness["exportedSymbolCounts"]
    assert symbols["withKnownType"] > 100 and symbols["withUnknownType"] == symbols["withAmbiguousType"] == 0, completeness


def pyright(folder, *arguments):
    """What Pyright reports, with the packages of this interpreter."""
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.stdout.lstrip().startswith("{"), done.stdout + done.stderr
    return json.loads(done.stdout)
