"""The factors of a Markov network: squares on the canvas, the factor graph, and the table of one."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import Document, write_network
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from tests.ui.board import Board
from tests.ui.inspector import Inspector
from tests.ui.panels import VAST
from tests.ui.test_vast import AROUND, find_seen, zoom_in

TITLE = "{http://www.w3.org/2000/svg}title"
PLACES = {"A": (0.0, 0.0), "B": (160.0, 0.0), "C": (320.0, 0.0), "D": (160.0, 200.0)}


@pytest.fixture
def path(tmp_path):
    """Factors of one, two (twice the same) and three variables, one with a zero."""
    variables = tuple(Variable(name, ("yes", "no")) for name in PLACES)
    scopes = ((0,), (0, 1), (1, 0), (1, 2, 3))
    tables = (np.array([1.0, 0.0]), np.full((2, 2), 2.0), np.ones((2, 2)), np.exp(np.arange(8.0)).reshape(2, 2, 2))
    write_network(tmp_path / "four.json", Document(MarkovNetwork(variables, scopes, tables), positions=PLACES))
    return tmp_path / "four.json"


def squares(board: Board) -> list[str]:
    """The tooltips of the squares."""
    return board.page.locator("[data-factor] title").evaluate_all("all => all.map(one => one.textContent)")


def middle(board: Board, number: int) -> tuple[float, float]:
    """Where the middle of a square is on the screen."""
    box = board.page.locator(f'[data-factor="{number}"] rect').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_factors_are_squares_and_have_a_graph_of_their_own(open_scene, path, stage):
    board = open_scene((path,))
    names = ["Factor 2 over A, B", "Factor 3 over B, A", "Factor 4 over B, C, D"]
    assert squares(board) == names
    assert board.arrows() == {("A", "B"), ("B", "C"), ("B", "D"), ("C", "D")}
    (ax, ay), (bx, _) = board.middle("A"), board.middle("B")
    assert middle(board, 1) == pytest.approx(((ax + bx) / 2, ay), abs=1)
    assert middle(board, 2)[0] != pytest.approx((ax + bx) / 2, abs=10)  # beside the other
    board.drag("A", 30, 40)
    (ax, ay), (bx, by) = board.middle("A"), board.middle("B")
    assert middle(board, 1) == pytest.approx(((ax + bx) / 2, (ay + by) / 2), abs=5)
    # The factor graph: no variable is joined with another.
    board.press("f")
    expect(board.button("Factor graph")).to_have_attribute("aria-pressed", "true")
    every = ["Factor 1 over A", *names]
    assert squares(board) == every
    assert board.arrows() == {(name, title) for title in every for name in title.partition(" over ")[2].split(", ")}
    board.button("Picture").click()
    with board.page.expect_download() as download:
        board.page.get_by_role("menuitem", name="SVG").click()
    assert {title.text for title in ElementTree.parse(download.value.path()).iter(TITLE)} >= set(every)
    # L goes through the factors of the node in focus; Delete removes one.
    board.node("B").focus()
    board.press("l", "l", "l")
    expect(board.status).to_have_text("Selected: Factor 4 over B, C, D")
    expect(board.page.locator(".factor.selected")).to_have_attribute("data-factor", "3")
    board.press("Delete")
    assert board.session.network.scopes == ((0,), (0, 1), (1, 0))
    assert squares(board) == every[:3]
    board.button("Factor graph").click()
    board.synced()
    assert board.arrows() == {("A", "B")}
    stage.do(board.session.new)
    expect(board.button("Factor graph")).to_be_hidden()


def test_the_table_of_a_factor_is_seen_as_values_logs_and_scale_free(open_panel, path):
    board = Inspector(open_panel("variable", scene=(path,)))
    board.page.locator('[data-factor="3"]').click()
    board.synced()
    table = "Table of factor 4"
    expect(board.says("Factor over B, C, D: 4 rows; the columns are states of D")).to_be_visible()
    assert board.texts(table)[3] == ["no", "no", "403.429", "1096.63"]
    board.button("Logs").click()
    expect(board.cell(table, 3, 3)).to_have_text("7")
    board.button("Scale-free").click()
    expect(board.cell(table, 3, 3)).to_have_text("3.5")
    expect(board.page.get_by_text("read-only: to edit, show values")).to_be_visible()
    expect(board.button("Uniform")).to_be_disabled()
    board.cell(table, 0, 2).dblclick()
    expect(board.grid(table).locator("input")).to_have_count(0)
    # The factor of a variable is shown in the same way.
    board.page.get_by_role("group", name="Variables of the factor").get_by_role("button", name="B").click()
    expect(board.name).to_have_value("B")
    board.select("A")
    expect(board.cell("Table of A", 0, 0)).to_have_text("0")
    expect(board.cell("Table of A", 0, 1)).to_have_text("−∞")
    board.button("Values").click()
    expect(board.cell("Table of A", 0, 1)).to_have_text("0")
    board.type_into("Table of A", 0, 1, "3")
    expect(board.button("Undo")).to_have_attribute("title", re.compile("^Undo: change the table of"))
    assert board.session.network.tables[0].tolist() == [1, 3]


def test_only_squares_in_view_are_drawn(open_scene):
    board = open_scene("vast markov")
    assert squares(board) == []
    assert board.page.locator(".far-square").get_attribute("d").count("M") == VAST - 1
    zoom_in(board)
    expect(board.page.locator(".far-square")).to_have_count(0)
    drawn = {tuple(title.partition(" over ")[2].split(", ")) for title in squares(board)}
    seen, around = find_seen(board), find_seen(board, AROUND + 200)
    edges = {(f"X{k}", f"X{k + 1}") for k in range(VAST - 1)}
    assert {edge for edge in edges if set(edge) <= seen} <= drawn <= {edge for edge in edges if set(edge) <= around}
    assert seen
