"""The ``pgmgui`` command as a program of its own: what signals do to it, from the first moment on."""

from __future__ import annotations

import gc
import signal
import sys

TERMINATED = 143


def main() -> int:
    """Run the command line; the exit code.

    While it is being loaded, Ctrl+C ends the program without a word: there is nothing yet to be kept. SIGTERM is an
    exit as any other, so that a file that is being written beside is removed.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from app.cli import main as run

    gc.freeze()  # what was loaded stays: a full search for garbage that goes through it takes 10 ms, whenever it comes
    signal.signal(signal.SIGINT, before)
    signal.signal(signal.SIGTERM, _exit)
    return run()


def _exit(*_: object) -> None:
    sys.exit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main())
