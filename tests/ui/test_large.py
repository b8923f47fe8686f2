"""A network of five hundred nodes stays smooth: without bars and with them."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from pgmgui.board.picture import draw, look_at
from pgmgui.components.canvas.canvas import Canvas
from pgmgui.state.session import Session
from tests.ui.board import Board
from tests.ui.panels import NODES, open_large
from tests.ui.query_page import Asking

# Counts the frames between two calls, and those in which a node has moved.
COUNT_FRAMES = """node => {
  window.frames_drawn = {all: 0, moved: 0, start: performance.now(), place: node.getAttribute("transform")}
  const count = () => {
    const drawn = window.frames_drawn
    const place = node.getAttribute("transform")
    drawn.all += 1
    drawn.moved += place !== drawn.place
    drawn.place = place
    drawn.seconds = (performance.now() - drawn.start) / 1000
    drawn.frame = requestAnimationFrame(count)
  }
  window.frames_drawn.frame = requestAnimationFrame(count)
}"""
FRAMES = "() => { cancelAnimationFrame(window.frames_drawn.frame); return window.frames_drawn }"

# Draws a graph without a server and dresses it five times: milliseconds until each was painted.
RESTYLE = """async ([source, load, style]) => {
  const file = URL.createObjectURL(new Blob([source, "\\nexport {Canvas}"], {type: "text/javascript"}))
  const root = document.createElement("div")
  root.style.height = "600px"
  document.body.appendChild(root)
  const canvas = new (await import(file)).Canvas(root, () => {})
  canvas.load(load)
  const times = []
  for (let k = 0; k < 5; k++) {
    const start = performance.now()
    canvas.style(style)
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)))
    times.push(performance.now() - start)
  }
  return times
}"""


@pytest.mark.alone
def test_a_large_network_stays_smooth_without_bars_and_with_them(open_scene):
    board = open_scene("large")
    assert len(board.names()) == NODES
    expect(board.canvas).to_have_attribute("data-styles", "1")
    drag_smoothly(board, "N250", "nodes")
    board.node("N251").focus()
    start = time.perf_counter()
    board.after_style(lambda: board.page.keyboard.press("h"))
    print(f"{time.perf_counter() - start:.2f} s from hiding to the new picture")
    start = time.perf_counter()
    Asking(board).show_bars()
    print(f"bars shown in {time.perf_counter() - start:.2f} s")
    expect(board.page.locator("[data-card]")).to_have_count(NODES)
    drag_smoothly(board, "N240", "cards")


def drag_smoothly(board: Board, name: str, what: str) -> None:
    """Drag one of them by 60 moves of the pointer, which must not pile up: most are drawn on their own, each in a frame
    or two."""
    page, (x, y) = board.page, board.middle(name)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 8, y, steps=2)
    board.wait_for_paint()
    board.node(name).evaluate(COUNT_FRAMES)
    page.mouse.move(x + 128, y + 60, steps=60)
    drag = page.evaluate(FRAMES)
    page.mouse.up()
    start = time.perf_counter()
    board.synced()
    print(
        f"500 {what}: {drag['moved']} moves in {drag['all']} frames, {drag['all'] / drag['seconds']:.0f} a second; "
        f"{time.perf_counter() - start:.2f} s until the move was saved"
    )
    assert board.middle(name) == pytest.approx((x + 128, y + 60), abs=1)
    assert drag["moved"] >= 20
    assert drag["all"] <= 4 * drag["moved"]


@pytest.mark.alone
def test_five_hundred_nodes_are_dressed_anew_in_a_fifth_of_a_second(page):
    session, sent = Session(), []
    open_large(session)
    canvas = Canvas(graph=draw(session.document), look=look_at(session))
    canvas._send_msg = sent.append
    canvas._load()
    page.goto("about:blank")
    times = sorted(page.evaluate(RESTYLE, [Canvas._esm, *sent]))
    print("500 nodes restyled and painted in", ", ".join(f"{time:.0f} ms" for time in times))
    assert times[0] < 200
