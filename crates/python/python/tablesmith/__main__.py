"""Runs the command `tablesmith`, which the package brings along; also `python -m tablesmith`."""

import os
import signal
import sys
import sysconfig

from .tablesmith import _run_command


def main() -> None:
    """Runs the command with the arguments of this process, and ends with its exit code."""
    # Python's own handler would only set a flag, which no code of Python looks at while the command runs. A
    # process that was told to ignore Ctrl-C goes on doing so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    script = os.path.abspath(sys.argv[0])
    if script == os.path.abspath(__file__):
        # Jobs of a cluster call the script; where it lies elsewhere they find it by its name.
        script = os.path.join(sysconfig.get_path("scripts"), "tablesmith")
        script = script if os.path.exists(script) else "tablesmith"
    sys.exit(_run_command(script, sys.argv[1:]))


if __name__ == "__main__":
    main()
