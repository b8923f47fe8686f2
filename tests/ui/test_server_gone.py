"""The page says when its server is gone, and finds its work again when it is back."""

import time
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.ui.conftest import wait_for_page
from tests.ui.serving import start_process

TOLD = 2000
"""Milliseconds in which the page must say it."""


def test_the_page_says_when_its_server_is_gone_and_reconnects(page, tmp_path):
    server = start_process((), tmp_path / "log")
    try:
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
