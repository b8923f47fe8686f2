"""In a process of its own: damaged files through one reader, each within its limits.

``python -m tests.fuzz.trial KIND SEED FIRST COUNT`` prints what it does a line each: the number that it tries, and
what came of it. A file that takes more than its time ends the process, also where the reader holds the interpreter.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import warnings

from engine.model.errors import PgmError
from tests.fuzz.targets import damage, list_targets

SECONDS = 2.0
"""The most processor time that a file of a few kilobytes may take."""
MEGABYTES = 1024
"""The most memory of a process that reads them."""
LONGEST_MESSAGE = 2000
"""Characters."""


def try_one(kind: str, seed: int, number: int) -> str:
    """What became of a file: ``read``, ``refused``, or what is wrong."""
    data, choice = damage(kind, seed, number)
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        READ[kind](data, choice)
    except PgmError as error:
        message = str(error)
        if len(message) > LONGEST_MESSAGE or len(message.splitlines()) != 1:
            return f"a message of {len(message):,} characters: {message[:200]!r}"
        return "refused"
    except MemoryError:
        return f"more than {MEGABYTES:,} MB"
    except Exception as error:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where is not None else ""
        return f"{error!r:.300} at {place}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "read"


READ = list_targets()


def main(kind: str, seed: int, first: int, count: int) -> None:
    """Try some."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES * 2**20, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    warnings.simplefilter("error")
    for number in range(first, first + count):
        os.write(1, f"{number} ".encode())
        os.write(1, try_one(kind, seed, number).replace("\n", " ").encode("utf-8", "replace") + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
