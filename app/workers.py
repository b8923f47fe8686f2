"""The workers that a command names: processes of this machine, or a Dask scheduler's."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app import worker_process
from engine.learning.team import Team
from engine.model.errors import PgmError
from engine.model.messages import count

CONNECT_SECONDS = 10
"""How long a scheduler has to answer."""
GONE_SECONDS = 30.0
"""How long all of a scheduler's workers may be gone before this program does by itself what they had to do."""
SHARED_SECONDS = 0.5
"""Estimated seconds of one pass from which on its rows are worth sharing out by Dask: a round trip takes 20 ms."""


@dataclass(frozen=True, eq=False)
class Crew:
    """A team, what to call it, and what is to be said of it."""

    team: Team
    name: str
    notes: list[str]


def add_workers(parser: argparse.ArgumentParser) -> None:
    """The options that say who learns."""
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="share components, restarts and the rows of large components out among so many processes; "
        "what is learned does not depend on how many",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help='the same among the workers of a Dask scheduler, such as tcp://host:8786: pip install "pgmgui[dask]"',
    )


@contextmanager
def call_workers(options: argparse.Namespace) -> Iterator[Crew | None]:
    """The workers that options name, as long as they are needed; None if they name none."""
    if options.workers is not None and options.scheduler is not None:
        raise PgmError("--workers and --scheduler exclude each other: processes of this machine, or Dask's workers")
    if options.scheduler is not None:
        with _call_dask(options.scheduler) as team:
            yield Crew(team, f"{count(team.size, 'worker')} of Dask", [])
    elif options.workers is not None:
        with _call_processes(options.workers) as team:
            yield Crew(team, count(team.size, "process", "processes"), _list_notes(team.size))
    else:
        yield None


@contextmanager
def noting_interrupts() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl+C was pressed, which else does nothing: what workers have reached is kept. Pressed again, it ends
    the command."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def press(*_: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


# --- processes


@contextmanager
def _call_processes(number: int) -> Iterator[Team]:
    if number < 1:
        raise PgmError(f"--workers must be 1 or more; got {number}")
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")  # what is forked beside threads, such as DuckDB's, may hang
    flag = context.RawValue("b", 0)

    def stop() -> None:
        flag.value = 1

    class Processes(ProcessPoolExecutor):
        """Starts a process when it is handed something and none is free."""

        def submit(self, *words: Any, **options: Any) -> Future[Any]:
            with _starting_deaf():
                return super().submit(*words, **options)

    try:
        executor = Processes(number, context, worker_process.begin, (flag,))
    except (ValueError, OverflowError, OSError) as error:
        raise PgmError(f"--workers {number}: so many processes cannot be started: {error}") from None
    try:
        yield Team(executor, number, worker_process.is_stopped, stop)
    finally:
        stop()
        executor.shutdown(cancel_futures=True)


@contextmanager
def _starting_deaf() -> Iterator[None]:
    """What is started here does not hear Ctrl+C, also before it can say so itself; this program hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _list_notes(number: int) -> list[str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if number <= cores:
        return []
    return [f"--workers {number} is more than the {count(cores, 'core')} that there are: more gain nothing."]


# --- Dask


@contextmanager
def _call_dask(address: str) -> Iterator[Team]:
    try:
        import dask
        from distributed import Client, Event
    except ImportError:
        raise PgmError('--scheduler needs Dask: pip install "pgmgui[dask]"; or use --workers') from None
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what becomes of workers is told in our words
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})
    try:
        _ask_apart(address)
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise PgmError(
            f"--scheduler {address}: no Dask scheduler answers there ({_shorten(error)}); "
            "expected an address such as tcp://host:8786, as dask scheduler prints it"
        ) from None
    try:
        size = sum(client.nthreads().values())
        if not size:
            raise PgmError(f"--scheduler {address}: it has no workers; start some with: dask worker {address}")
        _check_versions(client, address)
        flag = Event(f"pgmgui-stop-{uuid.uuid4().hex}", client)
        stopping = worker_process.DaskFlag(flag.name), flag.set
        team = Team(client.get_executor(), size, *stopping, shares_from=SHARED_SECONDS)
        with _watching(client, team):
            yield team
    finally:
        client.close(timeout=CONNECT_SECONDS)


@contextmanager
def _watching(client: Any, team: Team) -> Iterator[None]:
    """Give up what workers have to do once all of them are gone: Dask waits for new ones, for ever."""
    over = threading.Event()

    def watch() -> None:
        seen = time.monotonic()
        while not over.wait(min(1.0, GONE_SECONDS / 4)):
            try:
                is_there = bool(client.nthreads())
            except Exception:  # of a scheduler that is gone the client itself tells
                return
            seen = time.monotonic() if is_there else seen
            if time.monotonic() - seen > GONE_SECONDS:
                team.gone = f"all of Dask's workers were gone for {GONE_SECONDS:.0f} s"
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join(CONNECT_SECONDS)


def _ask_apart(address: str) -> None:
    """Ask who is there in a thread of its own: in that of the caller, a loop may be running."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(asyncio.wait_for(_ask_scheduler(address), CONNECT_SECONDS))).result()


async def _ask_scheduler(address: str) -> None:
    """Ask who is there: a client waits for ever for one that is silent, and complains of a bad address at its end."""
    from distributed.core import rpc
    from distributed.security import Security

    async with rpc(address, connection_args=Security().get_connection_args("client")) as found:
        who = (await found.identity())["type"]
    if who != "Scheduler":
        raise PgmError(f"a {who.lower()} is there")


def _check_versions(client: Any, address: str) -> None:
    """Refuse workers without this program, or with another version of it or of NumPy, which would count otherwise."""
    own = worker_process.tell_versions()
    try:
        found = client.run(worker_process.tell_versions)
    except Exception as error:
        raise PgmError(
            f"--scheduler {address}: its workers cannot learn ({_shorten(error)}); "
            f"install pgmgui {own[0]} where they run"
        ) from None
    for worker, versions in found.items():
        if versions != own:
            raise PgmError(
                f"--scheduler {address}: the worker {worker} has pgmgui {versions[0]}, NumPy {versions[1]}, and this "
                f"program {own[0]}, {own[1]}, so that results might differ; install the same there"
            )


def _shorten(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


# --- what has become of them


def describe_crew(crew: Crew | None, reason: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Who has learned: for JSON, as notes, and in a line."""
    if crew is None:
        return {}, [], []
    team = crew.team
    notes = [*crew.notes]
    if reason:
        notes.append(f"Nothing was shared out, for the method {reason}; --method chooses another.")
    if team.lost:
        notes.append(
            f"Of {count(team.parcels, 'part')} {team.lost} could not be learned by a worker ({team.trouble}), "
            "and this program did it."
        )
    told = {"workers": {"number": team.size, "parts": team.parcels, "lost": team.lost}}
    return told, notes, [f"learned in {count(team.parcels, 'part')} by {crew.name}"] if team.parcels else []
