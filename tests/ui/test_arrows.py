"""What the arrows are worth, in the browser: on the canvas by more than colour, in a table, and in words."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.ui.board import Board
from tests.ui.lab import Lab
from tests.ui.test_accessibility import FIRST, judge_settled
from tests.ui.test_pictures import fetch, read_svg, texts


def open_arrows(open_panel) -> Lab:
    lab = Lab(open_panel("structure", scene="drawn"))
    lab.button("arrows").click()
    expect(lab.page.get_by_role("grid", name="Arrows")).to_be_visible()
    return lab


def list_labels(board: Board) -> list[str]:
    return board.page.locator(".arrow-label").all_text_contents()


def test_a_colouring_is_told_by_labels_and_a_legend_and_a_row_selects_its_arrow(stage, open_panel):
    lab = open_arrows(open_panel)
    page = lab.page
    lab.button("class").click()
    expect(page.locator(".graph .edge.arrow-reversible")).to_have_count(3)
    expect(page.locator(".graph .edge.arrow-compelled")).to_have_count(5)
    expect(page.locator(".arrow-label")).to_have_text(["⇄"] * 3)
    expect(page.get_by_role("note", name="What arrows show")).to_contain_text(
        "all equivalent networks have it this way"
    )
    page.get_by_role("rowheader", name="tub → either").click()
    expect(lab.edge("tub", "either")).to_contain_class("selected")
    expect(page.get_by_role("status").filter(has_text="tub → either. Without it the BIC is")).to_be_visible()
    assert lab.session.edge == ("tub", "either")
    lab.select_edge("smoke", "bronc").synced()
    assert lab.session.edge == ("smoke", "bronc")
    expect(page.get_by_role("row", selected=True)).to_contain_text("smoke → bronc")
    page.evaluate(Axe().axe_script)
    assert judge_settled(lab, "light", FIRST) == []


def test_an_arrow_that_lacks_is_a_ghost_and_nothing_is_left_of_a_colouring(stage, open_panel):
    lab = open_arrows(open_panel)
    page = lab.page
    lab.button("comparison").click()
    expect(page.locator(".arrow-label")).to_have_text(["✓"] * 8)
    stage.do(lambda: lab.session.remove([], [("tub", "either")]))
    expect(page.locator("[data-ghost='tub → either']")).to_have_count(1)
    expect(page.get_by_text("7 right, 0 turned, 1 missing, 0 extra; SHD 1")).to_be_visible()
    expect(page.locator(".arrow-label")).to_have_text(["missing", *["✓"] * 7])
    lab.button("Picture").click()
    picture = read_svg(fetch(page, page.get_by_role("menuitem", name="SVG").click, "Drawn.svg"))
    legend = {"Arrows beside the true network:", "✓ right", "missing: only in the true network"}
    assert {"missing", "✓"} | legend <= set(texts(picture))
    page.get_by_role("rowheader", name="tub → either").click()
    expect(lab.node("tub")).to_contain_class("selected")
    lab.button("nothing").click()
    expect(page.locator("[data-ghost], .arrow-label, .graph [class*='edge arrow-']")).to_have_count(0)
    expect(page.get_by_role("note", name="What arrows show")).to_be_hidden()


def test_resampling_shows_how_sure_arrows_are(open_panel):
    lab = open_arrows(open_panel)
    page = lab.page
    lab.button("confidence").click()
    expect(page.get_by_role("note", name="What arrows show")).to_contain_text("nothing yet")
    lab.button("Resample").click()
    expect(page.get_by_text("50 resamples, hill climbing by BIC.")).to_be_visible()
    expect(page.locator(".graph .edge.arrow-sure-3")).not_to_have_count(0)
    assert all(label.endswith("%") for label in list_labels(lab))
    expect(page.get_by_role("columnheader", name="Found")).to_be_visible()
