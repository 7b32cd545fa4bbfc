"""Asks in children of the process, while others ask, and under signals."""

import subprocess
import sys
import textwrap

import pytest


def run(script, *arguments, seconds=120):
    """The output of a script in an interpreter of its own; one that hangs is ended."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0 and "panicked" not in done.stderr, done.stdout + done.stderr
    return done.stdout.splitlines()


# The tables are opened in the parent, which a fork copies, and again in children that begin anew.
CHILDREN = """
    import multiprocessing, sys, tablesmith

    folder, method = sys.argv[1:]
    tables, solved = tablesmith.open(folder), tablesmith.solve("fide", "KQvK")
    fens = ["8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"] * 500

    def ask(_):
        table = tables.table("KPvK")
        return (
            int(tables.probe_many(fens)[1].sum()),
            int(solved.probe_many(fens[::2])[1].sum()),
            int((table.wdl("white") == 1).sum()) + int(table.weights().sum() % 1000),
            len(table.fens("white", table.weights() > 23)),
            len(tables.find("KQvK", "wtm win and moves.winning == 1")),
            tables.table("KRvK").statistics()["white_to_move"]["longest_win"]["ply"],
            tables.statistics("KQvK")["white_to_move"]["longest_win"]["ply"],
            tables.probe(fens[0]).plies,
        )

    if __name__ == "__main__":
        own = ask(0)
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(own == (20000, 4500, *own[2:5], 31, 19, 9), pool.map(ask, range(4)) == [own] * 4)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children(folder, method, tmp_path):
    # Children that begin anew import the file of the script.
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(CHILDREN))
    command = [sys.executable, str(script), str(folder), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["True", "True"], done.stdout + done.stderr


def test_forks_while_others_ask(folder):
    """What a thread of the parent has locked in the moment of a fork does not bind the child."""
    script = """
        import os, sys, threading, tablesmith

        tables, solved = tablesmith.open(sys.argv[1]), tablesmith.solve("fide", "KQvKR")
        fens = ["8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"] * 300
        over = threading.Event()

        def ask():
            while not over.is_set():
                tables.probe_many(fens)
                tables.table("KQvK").weights()

        def ask_solved():
            while not over.is_set():
                solved.probe_many(fens[::2])

        threads = [threading.Thread(target=ask), threading.Thread(target=ask_solved)]
        [thread.start() for thread in threads]
        for _ in range(20):
            child = os.fork()
            if child == 0:
                # Nobody has asked for KRvK in memory, so it is looked up, and kept, now.
                sums = tables.probe_many(fens)[1].sum(), solved.probe_many(fens[1::2])[1].sum()
                os._exit(0 if sums == (300 * 40, 300 * 31) else 1)
            print(os.waitpid(child, 0)[1])
        over.set()
        [thread.join() for thread in threads]
    """
    assert run(script, folder) == ["0"] * 20


# A signal comes while a call works, and the call before it is over.
CALLS = {
    "solve": 'tablesmith.solve("fide", "KNNvKP")',
    "probe_many": "small.probe_many(fens)",
    "table": 'large.table("KRvKP")',
    "find": 'small.find("KRvKP", "moves.winning > 99")',
    "probe": 'large.probe("k9/10/1K8/10/10/10/7p2/9R w - - 0 1")',
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupts(call, root, tmp_path):
    script = """
        import os, signal, sys, threading, time, tablesmith

        root, folder = sys.argv[1:]
        # Whoever started the tests in the background has made signals be ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if "small" in "CALL":
            small = tablesmith.solve("fide", "KRvKP")
            fens = ["8/8/8/3k4/8/4p3/8/R3K3 w - - 0 1", "8/8/8/3k4/8/4p3/8/R3K3 b - - 0 1"] * 1_000_000
        if "large" in "CALL":
            large = tablesmith.open(folder, root + "/variants/capablanca.toml")
        sent = 0.0

        def send():
            global sent
            time.sleep(0.6)
            sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=send).start()
        try:
            CALL
            print("done before the signal" if sent == 0 else "not interrupted")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - sent)
        # Whatever was left behind does not stand in the way.
        print(tablesmith.solve("fide", "KQvK").probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1").plies)
    """
    interrupted, plies = run(script.replace('"CALL"', repr(CALLS[call])).replace("CALL", CALLS[call]), root, tmp_path)
    assert interrupted.startswith("interrupted") and float(interrupted.split()[1]) < 1, interrupted
    assert plies == "9"


def test_an_interrupted_import():
    """Ctrl-C while numpy is imported is a KeyboardInterrupt, and the next import succeeds."""
    script = """
        import sys

        class Interrupt:
            def find_spec(self, name, path=None, target=None):
                if name == "numpy":
                    sys.meta_path.remove(self)
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Interrupt())
        for _ in range(2):
            try:
                import tablesmith
                wdl, _ = tablesmith.solve("fide", "KQvK").probe_many(["8/8/8/8/8/4k3/8/4K2Q w - - 0 1"])
                print(wdl[0])
            except BaseException as raised:
                print(type(raised).__name__)
    """
    assert run(script) == ["KeyboardInterrupt", "1"]


def test_handlers_that_raise_otherwise():
    """Any exception of a handler comes out of the call, and a handler that returns lets it go on."""
    script = """
        import signal, tablesmith

        class Late(Exception):
            pass

        def handler(*_):
            if late:
                raise Late

        signal.signal(signal.SIGALRM, handler)
        for late in (False, True):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                print(len(tablesmith.solve("fide", "KRvKP")) > 2)
            except Late:
                print("late")
    """
    assert run(script) == ["True", "late"]
