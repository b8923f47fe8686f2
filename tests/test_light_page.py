"""A page without a browser can be left at any moment."""

from __future__ import annotations

import asyncio

from tests.light_page import LightPage
from tests.own_loop import run_apart


class Socket:
    """A connection that says what it is told to, when it is told to."""

    def __init__(self) -> None:
        self.asked: list[asyncio.Future[str]] = []

    def read_message(self) -> asyncio.Future[str]:
        self.asked.append(asyncio.get_running_loop().create_future())
        return self.asked[-1]


async def cancel_as_something_comes() -> bool:
    socket = Socket()
    task = asyncio.create_task(LightPage(socket).hear("never"))
    while not socket.asked:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    socket.asked[-1].set_result("{}")
    task.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    return task.cancelled()


def test_who_listens_to_a_page_can_be_cancelled_as_something_comes():
    """A study whose pages learn would else wait for the end of a run that is not to end."""
    assert run_apart(cancel_as_something_comes)
