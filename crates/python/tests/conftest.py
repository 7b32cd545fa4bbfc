"""Finds the files of the source tree, and solves what several tests need."""

from pathlib import Path

import pytest

import tablesmith

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def folder():
    """A folder with KQvK, KPvK and KNvKN of chess."""
    return ROOT / "tests/cases/files/small"


@pytest.fixture(scope="session")
def kqvk():
    return tablesmith.solve("fide", "KQvK")


@pytest.fixture(scope="session")
def kpvkp():
    return tablesmith.solve("chess", "KPvKP")
