"""The page says when its server is gone, and finds its work again when it is back."""

import signal
import time
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.ui.conftest import wait_for_page
from tests.ui.serving import start_process

TOLD = 2000
"""Milliseconds in which the page must say it."""
IMPATIENT = """
const {setTimeout} = window, {timeout} = AbortSignal
window.setTimeout = (what, wait, ...values) => setTimeout(what, wait === 5000 ? 100 : wait, ...values)
AbortSignal.timeout = () => timeout.call(AbortSignal, 500)
"""
"""Has the page ask often whether its server is there, and not wait long for the answer."""


def test_the_page_says_when_its_server_is_gone_and_reconnects(page, tmp_path):
    server = start_process((), tmp_path / "log")
    try:
        page.add_init_script(IMPATIENT)
        page.goto(server.url)
        board = wait_for_page(page)
        alert = page.locator("#gone")
        board.node("smoke").focus()
        page.keyboard.press("h")
        expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
        page.wait_for_url("**/?tab=*")
        page.reload()
        board = wait_for_page(page)
        expect(alert).to_be_empty()  # a reload is no loss
        server.process.send_signal(signal.SIGSTOP)  # it hangs
        expect(alert).to_contain_text("The connection to pgmgui is lost")
        server.process.send_signal(signal.SIGCONT)
        expect(alert).to_be_empty()
        server.process.kill()
        begun = time.monotonic()
        expect(alert).to_contain_text("The connection to pgmgui is lost", timeout=TOLD)
        assert time.monotonic() - begun < TOLD / 1000
        expect(alert).to_contain_text("Your work was kept")
        reconnect = page.get_by_role("alert").get_by_role("button", name="Reconnect")
        reconnect.click()
        expect(alert).to_contain_text("still does not answer")
        server.process.wait()
        server.process.stdout.close()
        server = start_process((), tmp_path / "log", urlsplit(server.url).port)
        reconnect.click()
        expect(alert).to_be_empty()
        board = wait_for_page(page)
        expect(board.node("smoke")).to_have_attribute("data-role", "hidden")
    finally:
        server.stop()


def test_what_could_not_be_kept_is_not_said_to_be(page, tmp_path):
    (tmp_path / "kept").touch()  # a file where the folder should be
    server = start_process((), tmp_path / "log")
    try:
        page.goto(server.url)
        board = wait_for_page(page)
        board.node("smoke").focus()
        page.keyboard.press("h")
        expect(page.get_by_text("What you do on this page is not kept")).to_be_visible()
        server.process.kill()
        alert = page.locator("#gone")
        expect(alert).to_contain_text("What you did last could not be kept")
        expect(alert).not_to_contain_text("was kept")
    finally:
        server.stop()
