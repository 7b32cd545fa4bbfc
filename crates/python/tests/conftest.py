"""Finds the files of the source tree, and solves what several tests need."""

import os
import subprocess
from pathlib import Path

import pytest

import tablesmith

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def folder():
    """A folder with KQvK, KPvK, KNvKN and KQvKQ of chess."""
    return ROOT / "tests/cases/files/small"


@pytest.fixture(scope="session")
def solved_folder(root, tmp_path_factory):
    """A folder with KQvKR and all that it leads to under `wdl` and `dtz50`, as `solve` writes it."""
    program = os.environ.get("TABLESMITH")
    if not program:
        pytest.skip("TABLESMITH names no program; `cargo xtask python` does")
    folder = tmp_path_factory.mktemp("solved")
    run = [program, "solve", str(root / "variants/fide.toml"), "--table", "KQvKR", "--out", str(folder)]
    subprocess.run([*run, "--metric", "wdl,dtz50"], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def kqvk():
    return tablesmith.solve("fide", "KQvK")


@pytest.fixture(scope="session")
def kpvkp():
    return tablesmith.solve("chess", "KPvKP")
