"""The page says when its server is gone, and finds its work and its run again when it is back."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.ui.conftest import wait_for_page
from tests.ui.lab import Lab
from tests.ui.serving import ENDLESS, Served, start_process
from tests.ui.test_sessions import look

TOLD = 2000
"""Milliseconds in which the page must say it."""
IMPATIENT = """
const {setTimeout} = window, {timeout} = AbortSignal
window.setTimeout = (what, wait, ...values) => setTimeout(what, wait === 5000 ? 100 : wait, ...values)
AbortSignal.timeout = () => timeout.call(AbortSignal, 500)
"""
"""Has the page ask often whether its server is there, and not wait long for the answer."""
DILIGENT = """
from pgmgui.state import keeper
keeper.EVERY = keeper.AGAIN = 0.2
""" + ENDLESS.format(rest=0.02)
"""Has the server keep a run often, and not wait long before it tries again; the run goes on, but leaves it time."""


def test_the_page_says_when_its_server_is_gone_or_cannot_keep_and_its_run_goes_on_when_it_is_back(page, tmp_path):
    folder = tmp_path / "kept"
    folder.touch()  # a file where the folder should be
    server = start_process((), tmp_path / "log", before=DILIGENT)
    try:
        page.add_init_script(IMPATIENT)
        page.goto(server.url)
        lab = Lab(wait_for_page(page))
        expect(lab.message).to_have_count(0)
        lab.select("smoke").press("h")
        expect(lab.node("smoke")).to_have_attribute("data-role", "hidden")
        assert_told_that_nothing_is_kept(lab)
        lab.tab("Query")
        expect(lab.message).to_be_visible()
        folder.unlink()
        expect(lab.message).to_have_count(0)
        page.wait_for_url(re.compile(r"/\?tab=[\w-]{16}&open=query$"))
        lab.run_for_ever()
        while kept_iteration(folder) <= 41:
            lab.wait_for_paint()
        address = page.url
        stop_and_kill(server, page)
        reached = kept_iteration(folder)
        server = start_process((), tmp_path / "log", urlsplit(server.url).port, DILIGENT)
        page.get_by_role("alert").get_by_role("button", name="Reconnect").click()
        expect(page.locator("#gone")).to_be_empty()
        lab = Lab(wait_for_page(page))
        expect(lab.node("smoke")).to_have_attribute("data-role", "hidden")
        expect(page.get_by_text(f"Continue goes on from iteration {reached:,}.")).to_be_visible()
        lab.expect_state("interrupted")
        expect(page).to_have_url(address)
        lab.button("Continue").click()
        while count_iterations(lab) <= reached:
            lab.wait_for_paint()
        lose_what_is_kept(server, lab, folder)
    finally:
        server.stop()


def assert_told_that_nothing_is_kept(lab: Lab) -> None:
    expect(lab.message).to_contain_text("What you do on this page is not kept")
    expect(lab.message).to_contain_text("cannot make the folder that tabs are kept in: File exists")


def lose_what_is_kept(server: Served, lab: Lab, folder: Path) -> None:
    """Have keeping fail, and then the server be gone: the page says what that means."""
    server.process.send_signal(signal.SIGSTOP)  # it would write meanwhile
    shutil.rmtree(folder)
    folder.touch()
    server.process.send_signal(signal.SIGCONT)
    lab.select("smoke").press("h")
    assert_told_that_nothing_is_kept(lab)
    assert server.errors() == []
    server.process.kill()
    alert = lab.page.locator("#gone")
    expect(alert).to_contain_text("What you did last could not be kept")
    expect(alert).not_to_contain_text("was kept")


def stop_and_kill(server: Served, page: Page) -> None:
    """Let a server hang, go on, and die; the page says so each time."""
    alert = page.locator("#gone")
    server.process.send_signal(signal.SIGSTOP)
    expect(alert).to_contain_text("The connection to pgmgui is lost")
    server.process.send_signal(signal.SIGCONT)
    expect(alert).to_be_empty()
    server.process.kill()
    begun = time.monotonic()
    expect(alert).to_contain_text("The connection to pgmgui is lost", timeout=TOLD)
    assert time.monotonic() - begun < TOLD / 1000
    expect(alert).to_contain_text("Your work was kept")
    page.get_by_role("alert").get_by_role("button", name="Reconnect").click()
    expect(alert).to_contain_text("still does not answer")
    server.process.wait()
    server.process.stdout.close()


def count_iterations(lab: Lab) -> int:
    """What the page says of how far the run has come."""
    return int(re.search(r"after ([\d,]+) iterations", lab.state().inner_text())[1].replace(",", ""))


def kept_iteration(folder: Path) -> int:
    """How far the run of the only tab has come, as it is kept."""
    rows = look(folder, "SELECT text FROM tab") if (folder / "kept-1.db").exists() else []
    results = json.loads(rows[0][0])["results"] if rows else []
    return results[0]["iteration"] if results else 0
