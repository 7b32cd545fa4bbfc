"""Runs the blocks of docs/python.md, and compares what they print with the page."""

import contextlib
import io
import os
import re

import matplotlib

matplotlib.use("Agg")


def test_page(root, tmp_path):
    text = (root / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)
    scope = {}
    printed, n_run, n_compared = None, 0, 0
    here = os.getcwd()
    # The page speaks of files as seen from the top of the source tree; what it writes goes elsewhere.
    for name in ("variants", "tests"):
        (tmp_path / name).symlink_to(root / name)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/fide").symlink_to(root / "tests/cases/files/small")
    os.chdir(tmp_path)
    try:
        for language, block in blocks:
            if language == "python":
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(block, "docs/python.md", "exec"), scope)
                printed, n_run = out.getvalue(), n_run + 1
            elif language == "output":
                assert printed.split() == block.split(), f"the page has\n{block}\nand it prints\n{printed}"
                n_compared += 1
    finally:
        os.chdir(here)
    assert n_run >= 6 and n_compared >= 4
    assert (tmp_path / "kbnvk.png").stat().st_size > 5000
