"""Doing what takes long beside the page: in a thread, so that the page does not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import panel as pn


def work_beside(do: Callable[[], Callable[[], Any]]) -> None:
    """Do something in a thread; what it returns is called once the page may be changed."""

    async def work() -> None:
        pn.state.execute(await asyncio.to_thread(do), schedule=True)

    pn.state.execute(work)
