"""Learners wait while the page has something to do."""

import asyncio
import time

import pytest

from pgmgui.state import precedence
from pgmgui.state.precedence import Precedence


def wait_beside(page: Precedence) -> bool:
    """Whether a learner waits as long as it may."""
    begun = time.monotonic()
    page.wait()
    return time.monotonic() - begun >= precedence.LONGEST


def test_nobody_waits_without_a_page():
    assert not wait_beside(Precedence())


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    yield made
    made.close()


def test_a_learner_waits_while_the_page_is_at_work_and_no_longer_than_it_must(loop):
    page = Precedence()
    page.follow(loop)

    async def serve() -> tuple[bool, bool]:
        await asyncio.sleep(0.001)
        at_work = wait_beside(page)  # on the loop, which therefore is at work
        at_rest = await asyncio.to_thread(wait_beside, page)
        return at_work, at_rest

    assert loop.run_until_complete(serve()) == (True, False)
