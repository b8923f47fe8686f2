"""What a worker does besides learning: it is told to stop, and asked for its versions. It loads little."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

ASK_SECONDS = 0.5
"""How often a task of Dask asks whether it is to stop."""

_flag: Any = None
"""Where it is written that this process is to stop."""


def begin(flag: Any) -> None:
    """What a process does first: leave Ctrl+C to the program that started it, and end with that."""
    global _flag
    _flag = flag
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def is_stopped() -> bool:
    """Whether a process is to stop."""
    return bool(_flag.value)


@dataclass
class DaskFlag:
    """Asked by a task of Dask: whether it is to stop. The scheduler is asked only now and then, at its event."""

    name: str
    asked: float = 0.0

    def __call__(self) -> bool:
        from distributed import Event

        if time.monotonic() - self.asked < ASK_SECONDS:
            return False
        self.asked = time.monotonic()
        return bool(Event(self.name).is_set())


def tell_versions() -> tuple[str, str]:
    """Those of this program and of NumPy."""
    return version("pgmgui"), version("numpy")
