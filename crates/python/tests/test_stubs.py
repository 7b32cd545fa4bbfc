"""Compares the stubs with the package."""

import subprocess
import sys


def test_stubs(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "tablesmith"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types(tmp_path):
    """A program with types is accepted, and one that uses them wrongly is not."""
    good = tmp_path / "good.py"
    good.write_text(
        "import tablesmith\n"
        "tables = tablesmith.solve('fide', 'KQvK', metric='dtm')\n"
        "plies: int | None = tables.probe('8/8/8/8/8/4k3/8/4K2Q w - - 0 1').plies\n"
        "names: list[str] = [piece.name for piece in tables.variant.pieces]\n"
        "longest = tables.table('KQvK').statistics()['white_to_move']['longest_win']\n"
        "fen: str = longest['fen'] if longest else ''\n"
    )
    bad = tmp_path / "bad.py"
    bad.write_text("import tablesmith\ntablesmith.solve('fide', 'KQvK', metric='dtx').probe(7)\n")
    # Numpy's own stubs are not what is tested.
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}/cache"]
    done = subprocess.run([*mypy, good.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*mypy, bad.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.count("error:") == 2, done.stdout
