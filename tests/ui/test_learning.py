"""Marking, decomposing and learning on the page, with a real pointer and keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.ui.board import Board


class Lab(Board):
    """The page with the words of learning."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.state = page.get_by_text(re.compile(r"after [\d,]+ iterations, "))
        self.certificate = page.get_by_text("nats of the best possible")
        self.rows = page.locator("table[aria-label=Components] tbody tr")

    def button(self, name: str):
        return self.page.get_by_role("button", name=re.compile(f"^{name}"))

    def components(self) -> dict[str, set[str]]:
        """The variables of each component, by its number on the canvas."""
        found: dict[str, set[str]] = {}
        for node in self.page.locator("[data-node]").all():
            if node.get_attribute("data-component") != "0":
                found.setdefault(node.get_attribute("data-component"), set()).add(node.get_attribute("data-node"))
        return found

    def after_style(self, act) -> None:
        """Do something and wait until the canvas is drawn anew."""
        styles = int(self.canvas.get_attribute("data-styles"))
        act()
        expect(self.canvas).not_to_have_attribute("data-styles", str(styles), timeout=10_000)


def open_lab(open_board, title=None) -> Lab:
    board = open_board()
    if title:
        board.choose(title)
    lab = Lab(board.page)
    expect(lab.canvas).to_have_attribute("data-styles", re.compile(r"\d+"), timeout=10_000)
    return lab


def test_the_thesis_example_shows_its_components_and_unhiding_gives_four(open_board):
    lab = open_lab(open_board, "Chain of four")
    expect(lab.node("Y")).to_have_attribute("data-role", "hidden")
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X"], ["Y", "Z"]]
    expect(lab.page.locator("[data-hull]")).to_have_count(1)
    expect(lab.rows).to_have_count(3)
    lab.node("X").focus()
    lab.after_style(lambda: lab.page.keyboard.press("h"))
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X", "Y", "Z"]]
    lab.after_style(lambda: lab.page.keyboard.press("h"))
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X"], ["Y", "Z"]]


def test_marks_by_pointer_are_legible_without_colour(open_board):
    lab = open_lab(open_board)
    lab.node("smoke").click()
    expect(lab.page.get_by_text("Selected: smoke")).to_be_visible()
    for name, role in (("Hide", "hidden"), ("Partial", "partial"), ("Soft", "soft")):
        lab.button(name).click()
        expect(lab.node("smoke")).to_have_attribute("data-role", role)
    expect(lab.node("smoke").locator(".ring")).to_have_css("visibility", "visible")
    lab.button("As in the data").click()
    expect(lab.node("smoke")).to_have_attribute("data-role", "observed")
    expect(lab.node("tub").locator(".shape")).to_have_css("stroke-dasharray", re.compile("6"))


def test_learning_climbs_to_the_bound_and_is_certified_or_says_what_is_not(open_board):
    lab = open_lab(open_board)
    lab.button("Start").click()
    expect(lab.state).to_contain_text("converged", timeout=30_000)
    expect(lab.certificate).to_be_visible()
    expect(lab.rows.filter(has_text="certified")).to_have_count(5)
    lab.button("Apply").click()
    expect(lab.button("Apply")).to_be_disabled()
    expect(lab.page.get_by_text("Ready: press Start")).to_be_visible()
    lab.choose("Cancer")
    lab.button("Start").click()
    expect(lab.page.get_by_text("Certified: every component is at its upper bound")).to_be_visible(timeout=30_000)


def test_step_pause_and_stop(open_board):
    lab = open_lab(open_board)
    lab.button("Step").click()
    expect(lab.state).to_contain_text("after 1 iterations, running", timeout=10_000)
    lab.button("Step").click()
    expect(lab.state).to_contain_text("after 2 iterations, running", timeout=10_000)
    lab.button("Stop").click()
    expect(lab.state).to_contain_text("stopped by you", timeout=10_000)
    expect(lab.button("Start")).to_be_enabled()


def test_two_tabs_do_not_see_each_other(open_board, context):
    first = open_lab(open_board)
    first.after_style(lambda: (first.node("bronc").focus(), first.page.keyboard.press("h")))
    other = Lab(open_board(tab=context.new_page()).page)
    expect(other.node("bronc")).to_have_attribute("data-role", "observed")
    expect(first.node("bronc")).to_have_attribute("data-role", "hidden")


def test_what_cannot_be_learned_says_so(open_board):
    lab = open_lab(open_board, "Grid of nine")
    expect(lab.page.get_by_text("Learning needs a Bayesian network with data")).to_be_visible()
    expect(lab.button("Start")).to_be_disabled()
    lab.choose("Earthquake")
    expect(lab.button("Start")).to_be_disabled()
    lab.node("Alarm").click()
    expect(lab.button("Hide")).to_be_disabled()
