"""What holds the event loop long is done one at a time, when the loop has nothing else to do."""

import asyncio
import time

import pytest

from pgmgui.components import turns
from pgmgui.components.turns import get_turns
from tests.own_loop import run_apart


def work(seconds: float) -> None:
    """Hold the loop."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_turns_are_given_in_order_and_other_work_comes_between():
    seen: list[str] = []

    async def build(name: str) -> None:
        await get_turns().wait()
        seen.append(name)
        asyncio.get_running_loop().call_soon(lambda: asyncio.get_running_loop().call_soon(seen.append, "answer"))

    async def build_all() -> None:
        await asyncio.gather(*(build(name) for name in "abc"))

    run_apart(build_all)
    assert seen[:-1] == ["a", "answer", "b", "answer", "c"]


@pytest.mark.parametrize(("longest", "is_waited_for"), [(60.0, True), (0.0, False)])
def test_a_turn_waits_for_other_work_but_not_for_ever(monkeypatch, longest, is_waited_for):
    monkeypatch.setattr(turns, "LONGEST", longest)
    left = [10]  # more than one rest

    async def answer() -> None:
        while left[0]:
            work(2 * turns.BUSY)
            left[0] -= 1
            await asyncio.sleep(0)

    async def build() -> bool:
        answering = asyncio.create_task(answer())
        await get_turns().wait()
        is_done = answering.done()
        await answering
        return is_done

    assert run_apart(build) == is_waited_for


def test_what_waited_for_a_long_turn_is_done_before_the_next(monkeypatch):
    """However long the last turn took: it does not count as time that the others had."""
    monkeypatch.setattr(turns, "LONGEST", 0.2)
    seen: list[str] = []

    async def build(name: str, seconds: float) -> None:
        await get_turns().wait()
        asyncio.get_running_loop().call_soon(hold, name, seconds)  # as Bokeh does it

    def hold(name: str, seconds: float) -> None:
        work(seconds)
        seen.append(name)
        if name == "a":
            asyncio.get_running_loop().call_soon(answer, 6)

    def answer(steps: int) -> None:
        work(turns.BUSY)
        if steps:
            asyncio.get_running_loop().call_soon(answer, steps - 1)
        else:
            seen.append("answer")

    async def build_both() -> None:
        await asyncio.gather(build("a", 1.5 * turns.LONGEST), build("b", 0.0))
        await asyncio.sleep(2 * turns.REST)

    run_apart(build_both)
    assert seen == ["a", "answer", "b"]


def test_what_a_busy_machine_has_held_up_is_done_before_the_next_turn():
    """A click goes through the loop several times before anything is computed; meanwhile a rest may be over."""
    seen: list[str] = []

    def answer(steps: int) -> None:
        if steps:
            asyncio.get_running_loop().call_soon(answer, steps - 1)
        else:
            work(2 * turns.BUSY)
            seen.append("answer")

    def hold_up() -> None:
        time.sleep(2 * turns.REST)  # others have the processor
        asyncio.get_running_loop().call_soon(answer, 4)

    async def build() -> None:
        asyncio.get_running_loop().call_soon(hold_up)
        await get_turns().wait()
        seen.append("build")

    run_apart(build)
    assert seen == ["answer", "build"]


def test_it_is_known_whether_somebody_waits():
    async def ask() -> list[bool]:
        found = [get_turns().is_free]
        waiting = asyncio.create_task(get_turns().wait())
        await asyncio.sleep(0)
        found.append(get_turns().is_free)
        await waiting
        return [*found, get_turns().is_free]

    assert run_apart(ask) == [True, False, True]
