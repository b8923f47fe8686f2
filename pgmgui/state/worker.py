"""Work beside the page that goes on step by step: a thread that can be paused, stepped and stopped.

The thread never touches the page. It leaves what it found in a mailbox; the page looks there a few times
a second.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from engine.model.errors import Cancelled, PgmError
from pgmgui.state.precedence import PAGE


class Box(Protocol):
    """What was found since it was last looked at; and whether, and why, there will be no more."""

    error: str
    done: bool


B = TypeVar("B", bound=Box)


class Worker(ABC, Generic[B]):
    """Steps that are taken in a thread.

    Parameters
    ----------
    start : callable
        From ``cancelled`` to the steps, one after the other.
    empty : callable
        Makes a mailbox with nothing in it.
    name : str
        What is done, in a word, for when it fails.
    """

    def __init__(self, start: Callable[[Callable[[], bool]], Iterator[Any]], empty: Callable[[], B], name: str) -> None:
        self._start, self._empty, self._name = start, empty, name
        self._lock = threading.Lock()
        self._mail = empty()
        self._stopped = threading.Event()
        self._go = threading.Event()
        self._steps = 0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def begin(self, paused: bool = False) -> None:
        """Start the thread; paused, it waits after what it starts from."""
        if not paused:
            self._go.set()
        self._thread.start()

    @property
    def is_paused(self) -> bool:
        return not self._go.is_set()

    def pause(self) -> None:
        """Wait before the next step."""
        self._go.clear()

    def resume(self) -> None:
        """Go on, also after a single step that is still to be taken."""
        with self._lock:
            self._steps = 0
            self._go.set()

    def step(self) -> None:
        """One step, then wait again."""
        with self._lock:
            self._steps += 1
            self._go.set()

    def stop(self) -> None:
        """End with what has been reached."""
        self._stopped.set()
        self._go.set()

    def join(self, seconds: float) -> bool:
        """Wait for the thread to end; whether it did."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def collect(self) -> B:
        """What is new, taken out of the mailbox."""
        with self._lock:
            mail, self._mail = self._mail, self._empty()
        return mail

    @abstractmethod
    def _post(self, step: Any) -> None:
        """Put what a step has found into the mailbox."""

    def _run(self) -> None:
        try:
            for step in self._start(self._stopped.is_set):
                self._post(step)
                self._wait()
                PAGE.wait()
        except Cancelled:
            pass
        except PgmError as error:
            self._fail(str(error))
        except Exception as error:  # a bug of ours must reach the user, not die with the thread
            self._fail(f"{self._name} failed unexpectedly: {type(error).__name__}: {error}. Please report this.")
        with self._lock:
            self._mail.done = True

    def _wait(self) -> None:
        self._go.wait()
        with self._lock:
            if self._steps:
                self._steps -= 1
                if not self._steps and not self._stopped.is_set():
                    self._go.clear()

    def _fail(self, message: str) -> None:
        with self._lock:
            self._mail.error = message
