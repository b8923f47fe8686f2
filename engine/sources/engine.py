"""Asking an engine: beside the program, so that what is asked can be watched, and ended by Ctrl+C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from engine.model.errors import PgmError
from engine.model.messages import format_seconds
from engine.sources.failures import explain_failure

CHUNK = 100_000
"""Rows of an answer that are fetched at a time."""
POLL = 0.1
"""Seconds between looks at how far a question is."""


@dataclass(frozen=True)
class Asking:
    """How far the questions are.

    Attributes
    ----------
    done, questions : int
        How many have been answered, and how many there are as far as is known.
    share : float
        How much of the one that is asked now is done, from 0 to 1; 0 where the engine does not tell.
    seconds : float
        Since the first of them was asked.
    rows : int
        The rows of the table; 0 before they are counted.
    """

    done: int
    questions: int
    share: float
    seconds: float
    rows: int

    @property
    def left(self) -> float | None:
        """The seconds that it will take still, at the same pace; None at the beginning."""
        done = self.done + self.share
        return self.seconds * (self.questions - done) / done if done else None

    def describe(self) -> str:
        """How far they are, in words."""
        done = (self.done + self.share) / self.questions
        rows = f"{round(done * self.rows):,} of {self.rows:,} rows, " if self.rows else ""
        left = "" if self.left is None else f", {format_seconds(self.left)} left"
        return f"{rows}{min(self.done + 1, self.questions)} of {self.questions} questions, {done:.0%}{left}"


Watch = Callable[[Asking | None], None]
_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)
_ONLY_KNOWN: ContextVar[bool] = ContextVar("only_known", default=False)


class UncountedError(PgmError):
    """Something that would have to be counted first, where nothing may be asked."""


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Have the questions of this thread watched by another: it may end them by raising an error."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


@contextmanager
def asking_nothing() -> Iterator[None]:
    """Have an UncountedError raised where an engine would be asked: for those who must not wait."""
    token = _ONLY_KNOWN.set(True)
    try:
        yield
    finally:
        _ONLY_KNOWN.reset(token)


class Engine:
    """A connection of Ibis, asked one question at a time; several threads may, and wait for each other.

    Parameters
    ----------
    backend : ibis backend
    name : str
        What to call the data in messages: no secret is in it.
    secrets : sequence of str
        What messages of the engine must not repeat.
    watch : callable
        Called now and then while a question is asked, and with ``None`` when all are answered.
    """

    def __init__(
        self,
        backend: Any,
        name: str,
        secrets: tuple[str, ...] = (),
        watch: Watch = lambda _: None,
    ) -> None:
        self.name = name
        self.questions = 0
        self.rows = 0
        self._connection: Any = getattr(backend, "con", None)
        self._secrets, self._own_watch = secrets, watch
        self._turn = threading.Lock()
        self._planned, self._done, self._begun, self._share = 0, 0, 0.0, 0.0

    def plan(self, questions: int) -> None:
        """Say how many questions come next, for whoever watches."""
        self._planned, self._done, self._begun = questions, 0, time.monotonic()

    def fetch(self, expression: Any, take: Callable[[Any], None]) -> None:
        """Have the answer to a question taken, a batch of Arrow's rows at a time."""

        def ask() -> None:
            for batch in expression.to_pyarrow_batches(chunk_size=CHUNK):
                take(batch)

        self.run(ask)

    def fetch_in_order(self, expression: Any, take: Callable[[Any], None]) -> None:
        """The same, of rows that stand as they do in the table, as far as its engine has an order."""
        settles = hasattr(self._connection, "query_progress")  # DuckDB, which counts faster where it need not care

        def ask() -> None:
            if settles:
                before = self._connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone()[0]
                self._connection.execute("SET preserve_insertion_order = true")
            try:
                for batch in expression.to_pyarrow_batches(chunk_size=CHUNK):
                    take(batch)
            finally:
                if settles and not before:
                    self._connection.execute("SET preserve_insertion_order = false")

        self.run(ask)

    def fetch_rows(self, expression: Any) -> list[dict[str, Any]]:
        """A short answer."""
        rows: list[dict[str, Any]] = []
        self.fetch(expression, lambda batch: rows.extend(batch.to_pylist()))
        return rows

    def run(self, ask: Callable[[], None]) -> None:
        """Do something that the engine takes long for."""
        if _ONLY_KNOWN.get():
            raise UncountedError(f"{self.name}: this has not been counted yet")
        while not self._turn.acquire(timeout=POLL):
            self._tell()
        try:
            self._run(ask)
        finally:
            self._turn.release()

    @property
    def _watch(self) -> Watch:
        return _WATCH.get() or self._own_watch

    def _run(self, ask: Callable[[], None]) -> None:
        failures: list[BaseException] = []
        done = threading.Event()  # a thread whose join was interrupted says that it has ended, whether it has or not

        def work() -> None:
            try:
                ask()
            except BaseException as error:
                failures.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=work, daemon=True)
        self.questions += 1
        self._share = 0.0
        thread.start()
        try:
            while not done.wait(POLL):
                self._tell()
            self._tell()
        except BaseException:
            while not done.is_set() and self._stop():  # again: between two statements nothing is there to be ended
                done.wait(POLL)
            self._watch(None)
            raise
        self._done += 1
        if failures or self._done >= self._planned:
            self._watch(None)
        if failures:
            self._fail(failures[0])

    def _tell(self) -> None:
        if hasattr(self._connection, "query_progress"):  # DuckDB, which forgets it once it has begun to answer
            with suppress(Exception):
                self._share = max(self._share, min(self._connection.query_progress() / 100, 1.0))
        seconds = time.monotonic() - self._begun
        self._watch(Asking(self._done, max(self._planned, self._done + 1), self._share, seconds, self.rows))

    def _stop(self) -> bool:
        """End what is asked, in engines that can; others end with this program."""
        for name in ("interrupt", "cancel"):  # DuckDB, PostgreSQL
            if hasattr(self._connection, name):
                with suppress(Exception):
                    getattr(self._connection, name)()
                return True
        return False

    def _fail(self, error: BaseException) -> None:
        if isinstance(error, (PgmError, MemoryError)) or not isinstance(error, Exception):
            raise error
        raise PgmError(
            f"{self.name}: the data could not be counted: {self.hide(error)}; "
            "nothing was written: run it again when that is mended"
        ) from None

    def hide(self, error: BaseException) -> str:
        """What an engine says about a failure, without secrets."""
        return explain_failure(error, self._secrets)
