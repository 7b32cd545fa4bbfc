"""Tests the explorer in a headless Chromium, and keeps pictures of it and of the book, if that is built.

Arguments: chromedriver, Chromium, the program tablesmith, and a folder for tables and pictures. Called from the
root of the source tree by `cargo xtask browser`. What is done and seen stands in explorer.steps; the exit code
is 0 if all of it is so.
"""

import itertools
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

STEPS = Path(__file__).with_name("explorer.steps").read_text(encoding="utf-8")
AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")

# Where packaging/book.sh puts the book.
BOOK = Path("target/book")

# How long a page may take to become what is expected of it, in seconds.
PATIENCE = 30

# The windows of a desk, a tablet and a phone: width, height, pixels a point.
WINDOWS = {"desk": (1280, 800, 1), "tablet": (768, 1024, 1), "phone": (390, 844, 2)}

COLOURS = ["dark", "light"]

NAMED_KEYS = ["enter", "escape", "left", "right", "up", "home", "end", "tab"]
KEYS = {name: getattr(Keys, name.upper()) for name in NAMED_KEYS}

# The names of the tables that are listed, in a script.
SHOWN_TABLES = (
    "[...new Set([...document.querySelectorAll('#tables tbody tr')]"
    ".map((row) => row.cells[0].textContent))].sort().join(' ')"
)


def sections(mark):
    """The parts of the steps that begin with this mark: their names and their lines."""
    for block in STEPS.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines and lines[0].startswith(mark):
            yield lines[0][1:].strip(), lines[1:]


class Explorer:
    """The explorer with the tables of three men of chess, with two of four and two structures in another folder,
    with atomic, whose name comes before, and with a game on ten by ten squares."""

    def __init__(self, program, folder):
        tables, more, large = folder / "tables", folder / "more", folder / "large.toml"
        large.unlink(missing_ok=True)
        for command, out in [
            ("solve variants/fide.toml --men 3 --out", tables),
            ("solve variants/fide.toml --table KRvKN --metric wdl,dtz50 --out", more),
            ("solve variants/fide.toml --structure structures/fortress.toml --out", more),
            ("solve variants/fide.toml --position '8/8/8/3k4/8/3KBB2/8/8 b - - 0 1' --out", more),
            ("new-variant large --board 10x10 --out", large),
        ]:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run([program, *shlex.split(command), out], check=True, **quiet)
        games = ["--variant", large, "--variant", "variants/atomic.toml"]
        command = [program, "explore", "--port", "0", "--tables", tables, "--tables", more, *games]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()


class Test:
    """A browser at an explorer."""

    def __init__(self, driver, chromium, url, pictures):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
            options.add_argument(argument)
        options.add_argument("--window-size=1280,1000")
        self.browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
        self.url, self.pictures = url, pictures

    def act(self, line):
        """Does what a line says."""
        word, text = line.split(" ", 1)
        getattr(self, "do_" + word)(text)

    def do_open(self, query):
        self.browser.get(f"{self.url}?{query}")

    def do_book(self, page):
        self.browser.get((BOOK / page).resolve().as_uri())

    def do_script(self, script):
        return self.browser.execute_script(script)

    def do_wait(self, condition):
        """Waits until a piece of script is true; it may look at what is not there yet."""
        script = f"try {{ return Boolean({condition}) }} catch (error) {{ return false }}"
        end = time.monotonic() + PATIENCE
        while not self.do_script(script):
            if time.monotonic() > end:
                page = self.do_script("return document.body.innerText.slice(0, 600)")
                raise AssertionError(f"never true: {condition}\nthe page says: {page}")
            time.sleep(0.02)

    def do_value(self, text):
        self.do_wait(f"document.querySelector('#value').textContent.includes({json.dumps(text)})")

    def do_click(self, selector):
        self.do_drag(selector)

    def do_drag(self, text):
        """Presses the mouse at the middle of one element, and lets go there or at another."""
        places = [self.middle(selector) for selector in text.split(" -> ")]
        actions = ActionChains(self.browser, duration=60)
        actions.w3c_actions.pointer_action.move_to_location(*places[0]).pointer_down()
        if len(places) > 1:
            half = [sum(axis) // 2 for axis in zip(*places)]
            for place in [half, places[1]]:
                actions.w3c_actions.pointer_action.move_to_location(*place)
        actions.w3c_actions.pointer_action.pointer_up()
        actions.perform()

    def middle(self, selector):
        element = self.browser.find_element(By.CSS_SELECTOR, selector)
        script = "arguments[0].scrollIntoView({ block: 'nearest' }); return arguments[0].getBoundingClientRect()"
        box = self.browser.execute_script(script, element)
        return [round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)]

    def do_press(self, keys):
        actions = ActionChains(self.browser)
        for key in keys.split(" "):
            actions.send_keys(KEYS.get(key, key))
        actions.perform()

    def do_search(self, text):
        """Types into the search of the tables, and waits for what it shows."""
        text, rows = (json.dumps(part.strip()) for part in text.split("->"))
        self.do_script(f"const search = document.querySelector('#search'); search.value = {text}; search.oninput()")
        self.do_wait(f"{SHOWN_TABLES} === {rows}")

    def do_remedy(self, text):
        place, table = text.split(" -> ")
        self.do_wait(
            "((code) => code.includes('solve ') && code.includes('fide') && code.includes(' --out ') && "
            f"code.endsWith(' --table {table} --metric dtm'))(document.querySelector('{place} code').textContent)"
        )

    def do_colours(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def do_window(self, name):
        """Makes the window as large as one of these, or as it was."""
        if name == "free":
            return self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        width, height, factor = WINDOWS[name]
        size = {"width": width, "height": height, "deviceScaleFactor": factor, "mobile": factor == 2}
        return self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def do_picture(self, name):
        self.browser.save_screenshot(str(self.pictures / name))

    def do_pictures(self, name):
        """Takes a picture in each window and in both colours. All of it is there, can be read and be hit."""
        for colours, window in itertools.product(COLOURS, WINDOWS):
            self.do_colours(colours)
            self.do_window(window)
            self.do_picture(f"{name}-{window}-{colours}.png")
            if faults := self.do_script(AUDIT):
                raise AssertionError(f"{window}, {colours}: " + "; ".join(faults))
        self.do_window("free")

    def do_do(self, name):
        for line in dict(sections("~"))[name]:
            self.act(line)

    def script_errors(self):
        """What went wrong in scripts since the last call."""
        messages = [entry["message"] for entry in self.browser.get_log("browser")]
        return [text for text in messages if "Uncaught" in text or "Content Security Policy" in text]


def check(test, lines):
    """What is wrong after these lines, in words; none if nothing is."""
    for line in lines:
        try:
            test.act(line)
        except Exception as error:  # Whatever the driver, the page or a line is wrong about.
            return f"{line}: {error}"
    return "\n".join(test.script_errors())


def main():
    driver, chromium, program, folder = sys.argv[1:]
    # The page shows the folder of tables as it is given here.
    explorer = Explorer(program, Path(os.path.relpath(folder)))
    wrong = {}
    try:
        test = Test(driver, chromium, explorer.url, Path(folder))
        for name, lines in sections("="):
            if any(line.startswith("book ") for line in lines) and not BOOK.is_dir():
                print(f"NOT TESTED: {name}: packaging/book.sh has not built it")
                continue
            wrong[name] = check(test, lines)
            if wrong[name]:
                test.do_picture("failed.png")
            print(f"FAILED: {name}: {wrong[name]}" if wrong[name] else f"ok: {name}", flush=True)
        test.browser.quit()
    finally:
        explorer.process.kill()
    n_failed = sum(map(bool, wrong.values()))
    print(f"{len(wrong) - n_failed} passed, {n_failed} failed; pictures are in {folder}")
    return 1 if n_failed or not wrong else 0


if __name__ == "__main__":
    sys.exit(main())
