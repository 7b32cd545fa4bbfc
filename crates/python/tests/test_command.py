"""Runs the command that the package brings, as the shell does and with `python -m`."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import tablesmith

QUEEN = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"
SCRIPT = os.path.join(sysconfig.get_path("scripts"), "tablesmith")
COMMANDS = {"script": [SCRIPT], "module": [sys.executable, "-m", "tablesmith"]}


def run(*arguments, command=(SCRIPT,), **options):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_command(command, folder, tmp_path):
    done = run("--version", command=command)
    assert done.stdout == f"tablesmith {tablesmith.__version__}\n" and done.returncode == 0
    done = run("probe", "--tables", folder, QUEEN, command=command, cwd=tmp_path)
    assert "White mates in 5 moves, 9 plies" in done.stdout and done.returncode == 0
    # It is called by its own name, whatever has started it.
    done = run("probe", "--nothing", command=command)
    assert "Usage: tablesmith probe" in done.stderr and done.returncode == 2
    for name in ("serve", "explore", "uci", "xboard", "man", "completions"):
        assert name in run("--help", command=command).stdout


def test_exit_codes_and_streams(folder, tmp_path):
    done = run("probe", "--tables", folder, "no position", cwd=tmp_path)
    assert done.returncode == 2 and "error" in done.stderr and done.stdout == ""
    done = run("probe", "--tables", folder, "--stdin", cwd=tmp_path, input=QUEEN + "\n")
    assert (done.returncode, done.stdout) == (0, f"{QUEEN}\t1\t9\th1d5\n")


def test_solve(tmp_path):
    done = run("solve", "--men", 3, "--out", tmp_path / "tables")
    assert done.returncode == 0, done.stderr
    assert tablesmith.open(tmp_path / "tables", solve=False).probe(QUEEN).plies == 9


def test_plans_name_the_script(tmp_path):
    """Jobs of a cluster start the command, and no bare interpreter."""
    for command in COMMANDS.values():
        done = run("plan", "--men", 3, "--format", "make", command=command, cwd=tmp_path)
        assert f"{SCRIPT} solve" in done.stdout and "python" not in Path(SCRIPT).name


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_ctrl_c(command, tmp_path):
    """Ctrl-C ends a solve with the program's own sentence and code."""
    # A shell that starts tests in the background has them ignore the signal.
    options = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    solve = [*command, "solve", "--men", "5", "--threads", "1", "--out", str(tmp_path / "tables")]
    with subprocess.Popen(solve, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("tables/*.tsm")) and time.monotonic() < deadline:
            time.sleep(0.05)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < 5
    assert process.returncode == 130 and "interrupted; " in errors and "KeyboardInterrupt" not in errors, errors


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
def test_a_reader_that_stops(folder, tmp_path):
    """`tablesmith … | head -1` ends silently and is no error."""
    find = [SCRIPT, "find", "--tables", str(folder), "KQvK", "--where", "wtm win"]
    with subprocess.Popen(find, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout.readline() != ""
        process.stdout.close()
        assert process.wait(timeout=60) == 0, process.stderr.read()
        assert "Broken pipe" not in process.stderr.read()


def test_starts_without_numpy():
    """The command does not wait for numpy, which tables import when they are opened."""
    script = "import sys, tablesmith.__main__; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stdout + done.stderr
