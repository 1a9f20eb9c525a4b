"""The command `baton`, which comes with the package: `baton demo`, or `python -m baton demo`."""

import signal
import sys

from ._baton import run


def main() -> int:
    """Does what the command line says and returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it, as it does any command
    return run(["baton", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
