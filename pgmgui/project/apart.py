"""Reading in a process of its own: whatever a file does to its reader, the page goes on.

A thread is not enough, for much of reading holds the interpreter, and nothing ends a thread. The process is started
anew, not forked (a server has threads), and one is kept ready: to start takes about a second. It is used again
unless it was stopped, ran into a limit or has grown large.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from engine.model.errors import Cancelled, PgmError
from pgmgui.project import reading_process

T = TypeVar("T")
SECONDS = float(os.environ.get("PGMGUI_READING_SECONDS") or 30)
"""How long reading may take, besides what the size of the file adds."""
SECONDS_PER_MB = 1.0
MEGABYTES = 2048
"""How much memory reading may take, besides what the size of the file adds."""
MEGABYTES_PER_MB = 20
AT_ONCE = 2
"""How many files are read at once; others wait."""
_TURNS = threading.Semaphore(AT_ONCE)


class _Process:
    """A process that does what it is asked, one thing after another."""

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        # -P: nothing is imported from the folder that the server happens to run in. A session of its own keeps
        # the Ctrl+C of the server's terminal away from it; it ends when the server does, for then its input ends.
        self._popen = subprocess.Popen(  # noqa: S603 (ourselves)
            [sys.executable, "-P", "-c", f"from {reading_process.__name__} import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        self._is_ready = False
        atexit.register(self.kill)

    def wait(self) -> None:
        """Wait until it has started."""
        if not self._is_ready:
            self._receive()
            self._is_ready = True

    def ask(self, question: reading_process.Question) -> reading_process.Answer:
        """Have something done; an EOFError if the process ends meanwhile."""
        assert self._popen.stdin is not None
        try:
            pickle.dump(question, self._popen.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._popen.stdin.flush()
        except BrokenPipeError:
            raise EOFError from None
        answer = self._receive()
        assert isinstance(answer, reading_process.Answer)
        return answer

    def _receive(self) -> object:
        assert self._popen.stdout is not None
        try:
            return pickle.load(self._popen.stdout)  # noqa: S301 (objects of ours, from a process of ours)
        except pickle.UnpicklingError:  # it was cut off
            raise EOFError from None

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._popen.poll() is None

    def kill(self) -> None:
        """End it, whatever it does."""
        self._popen.kill()

    def close(self) -> None:
        """End it, and wait until it has ended."""
        self.kill()
        atexit.unregister(self.kill)
        with suppress(OSError), self._popen:  # closing flushes what it never read
            pass


class _Idle:
    """The processes that wait for work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: list[_Process] = []

    def take(self) -> _Process:
        """One that waits, or a new one."""
        with self._lock:
            process = self._processes.pop() if self._processes else _Process()
        if process.is_alive:
            return process
        process.close()
        return _Process()

    def keep(self, process: _Process | None = None) -> None:
        """Keep a process for later, if none is kept; without one, a new one."""
        with self._lock:
            if not self._processes:
                self._processes.append(process or _Process())
                process = None
        if process is not None:
            process.close()


_IDLE = _Idle()


def prepare() -> None:
    """Have a process ready, where one can be had. It starts beside: this returns at once."""
    with suppress(OSError):
        _IDLE.keep()


class Apart(Generic[T]):
    """Something to be done with a file, once, in a process of its own.

    Parameters
    ----------
    do : callable
        It and what it returns can be pickled. An error that it raises is raised here.
    name : str
        The file's name, for the user.
    size : int
        The file's bytes; larger ones may take longer, and more memory.
    """

    def __init__(self, do: Callable[[], T], name: str, size: int, seconds: float | None = None) -> None:
        self._do, self._name = do, name
        self._seconds = (SECONDS if seconds is None else seconds) + SECONDS_PER_MB * size / 2**20
        self._megabytes = MEGABYTES + MEGABYTES_PER_MB * size / 2**20
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._why: Exception | None = None

    def run(self) -> T:
        """Do it, and wait for it. Where it takes too long or too much memory, that is a PgmError."""
        with _TURNS:
            if self._why is not None:
                raise self._why
            answer = self._run()
        if isinstance(answer.error, MemoryError):
            raise self._refuse(f"took more than {self._megabytes:,.0f} MB of memory and was stopped")
        if answer.error is not None:
            raise answer.error
        return answer.value  # type: ignore[return-value]

    def _run(self) -> reading_process.Answer:
        try:
            process = _IDLE.take()
        except OSError as error:
            raise PgmError(f"{self._name}: cannot start a process to read it in: {error.strerror}") from None
        answer = reading_process.Answer(again=False)
        try:
            self._begin(process)
            process.wait()
            answer = self._ask(process)
        except EOFError:
            answer = reading_process.Answer(
                error=self._why or self._refuse("ended by itself, as happens where memory runs out"), again=False
            )
        finally:
            with self._lock:
                self._process = None
            if answer.again and self._why is None:
                _IDLE.keep(process)
            else:
                process.close()
                prepare()
        return answer

    def _begin(self, process: _Process) -> None:
        with self._lock:
            self._process = process
            if self._why is not None:  # before there was a process to end
                process.kill()

    def _ask(self, process: _Process) -> reading_process.Answer:
        late = self._refuse(f"took more than {self._seconds:,.0f} s and was stopped")
        timer = threading.Timer(self._seconds, partial(self._end, late))
        timer.start()
        try:
            return process.ask(reading_process.Question(self._do, self._seconds, self._megabytes))
        finally:
            timer.cancel()

    def stop(self) -> None:
        """Have it end at once, done or not; ``run`` then raises Cancelled."""
        self._end(Cancelled())

    def _end(self, why: Exception) -> None:
        with self._lock:
            self._why = self._why or why
            if self._process is not None:
                self._process.kill()

    def _refuse(self, what: str) -> PgmError:
        way_out = "start the page with the file, as 'pgmgui FILE', where reading has no such limit"
        return PgmError(f"{self._name}: reading it {what}; {way_out}")


def start(do: Callable[[], T]) -> Future[T]:
    """Do something in a thread of its own that does not hold up the end of the program, as those of a pool would."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(do())
        except BaseException as error:  # whoever waits for it is told
            future.set_exception(error)

    threading.Thread(target=work, name="reading", daemon=True).start()
    return future
