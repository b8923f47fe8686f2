"""What runs in a process of its own, see :mod:`pgmgui.project.apart`: one function after another."""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.model.errors import PgmError

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

LARGE = 400
"""Megabytes that a process may grow by and be used again: what it took once it mostly keeps."""


@dataclass(frozen=True)
class Question:
    """A function to be called, and how many seconds and megabytes it may take."""

    do: Callable[[], object]
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Answer:
    """What came of a function, and whether the process may be asked again."""

    value: object = None
    error: Exception | None = None
    again: bool = True


def main() -> None:
    """Answer what is asked on the standard input, until that ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not come between the answers
    # Known before the first question, which need not wait for it then.
    import pgmgui.project.data_matching
    import pgmgui.project.data_reading
    import pgmgui.project.network_files  # noqa: F401

    most = _peak_megabytes() + LARGE
    _send(None, answers)
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)  # noqa: S301 (from the page's own process)
        except EOFError:
            return
        _send(_answer(question, most), answers)


def _send(answer: object, answers: BinaryIO) -> None:
    pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _answer(question: Question, most: float) -> Answer:
    """What comes of a question. A process that has ever taken more than so many megabytes is not asked again."""
    _limit(question)
    try:
        value = question.do()
    except PgmError as error:
        return Answer(error=error, again=_peak_megabytes() < most)
    except MemoryError:
        return Answer(error=MemoryError(), again=False)
    except Exception as error:
        traceback.print_exc()
        return Answer(error=RuntimeError(f"{type(error).__name__}: {error}"), again=False)
    return Answer(value, again=_peak_megabytes() < most)


def _limit(question: Question) -> None:
    """Have the system refuse more memory, and end the process in time also where nobody waits for it any more."""
    if resource is None:
        return
    used = time.process_time()
    # Not all of the address space: libraries reserve much that they never use.
    for kind, wanted in (
        (resource.RLIMIT_DATA, question.megabytes * 2**20),
        (resource.RLIMIT_CPU, used + 2 * question.seconds + 1),
    ):
        _, most = resource.getrlimit(kind)
        resource.setrlimit(kind, (int(wanted) if most == resource.RLIM_INFINITY else min(int(wanted), most), most))


def _peak_megabytes() -> float:
    """The most memory that the process has ever had, where the system tells.

    Not ``resource``'s number: a process begins with that of the one that started it.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 2**10 for line in status.splitlines() if line.startswith("VmHWM:")), 0.0)
