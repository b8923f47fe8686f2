"""The README's pictures, taken anew: ``make pictures``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from app.main import build_page
from pgmgui.project.store import Store
from tests.ui.board import Board
from tests.ui.conftest import PATIENCE, prepare, wait_for_page
from tests.ui.lab import Lab
from tests.ui.serving import House

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "screenshots"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


def run_to_its_end(board: Board) -> Lab:
    lab = Lab(board)
    lab.button("Start").click()
    lab.expect_state("converged")
    return lab


def show_learning(board: Board) -> None:
    run_to_its_end(board).tab("Parts")


def show_run(board: Board) -> None:
    run_to_its_end(board)


def show_runs(board: Board) -> None:
    run_to_its_end(board).tab("Runs")
    slider = board.page.get_by_role("slider").first
    slider.press("Home")
    for _ in range(9):
        slider.press("ArrowRight")
    board.node("tub").click()


def show_query(board: Board) -> None:
    board.page.keyboard.press("b")
    board.tab("Query")
    board.page.locator('[data-card="xray"] [data-state="yes"]').click()


def show_guide(board: Board) -> None:
    board.tab("Guide")


def show_structure(board: Board) -> None:
    board.page.goto("/?example=asia-rows&structure=hill-climbing&arrows=comparison")
    wait_for_page(board.page)
    expect(board.page.get_by_text("Ended: hill climbing")).to_be_visible()


PICTURES = {
    "learning": show_learning,
    "walk-run": show_run,
    "walk-runs": show_runs,
    "walk-query": show_query,
    "walk-guide": show_guide,
    "structure": show_structure,
}


def take(page: Page, url: str, name: str) -> None:
    """Open the page, bring it to what a picture shows, and take it."""
    page.goto(url)
    board = wait_for_page(page)
    PICTURES[name](board)
    board.synced()
    page.mouse.move(2, 2)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1500)  # what fades and slides has come to rest
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"took {name}")


def main() -> None:
    """Take all of them."""
    expect.set_options(timeout=PATIENCE)
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    house = House()
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        url = house.serve(lambda: build_page(None, True, Store(Path(kept))))
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name in PICTURES:
            context = prepare(browser.new_context(viewport={"width": 1440, "height": 900}, base_url=url))
            take(context.new_page(), url, name)
            context.close()
        browser.close()
    house.close()


if __name__ == "__main__":
    main()
