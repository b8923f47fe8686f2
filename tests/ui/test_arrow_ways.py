"""Arrows on the canvas: around nodes that are not theirs, and turned round."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

# At how many points of an arrow a node is that is not one of its ends.
COVERED = """(canvas, [from, to]) => {
  const line = canvas.querySelector(`[data-from="${from}"][data-to="${to}"]`)
  const whole = line.getTotalLength()
  const boxes = [...canvas.querySelectorAll(".node")].filter(({dataset}) => ![from, to].includes(dataset.node))
    .map((node) => node.querySelector(".shape").getBoundingClientRect())
  const point = (k) => line.getPointAtLength(k / 400 * whole).matrixTransform(line.getScreenCTM())
  const covers = ({left, right, top, bottom}, {x, y}) => x > left && x < right && y > top && y < bottom
  return Array.from({length: 400}, (_, k) => point(k)).filter((at) => boxes.some((box) => covers(box, at))).length
}"""


@pytest.fixture
def chain(open_scene):
    """The example V → X → Y → Z."""
    return open_scene("thesis-chain")


def test_an_arrow_goes_around_a_node_in_its_way_and_straight_when_that_is_gone(chain):
    chain.connect("V", "Z")
    assert chain.canvas.evaluate(COVERED, ["V", "Z"]) == 0
    arrow = chain.edge("V", "Z")
    assert "Q" in arrow.get_attribute("d")
    for name in ("X", "Y"):
        chain.drag(name, 0, -120)
    assert "Q" not in arrow.get_attribute("d")
    chain.undo()
    assert "Q" in arrow.get_attribute("d")
    assert chain.canvas.evaluate(COVERED, ["V", "Z"]) == 0


def test_an_arrow_is_reversed_in_its_menu_or_the_cycle_is_named(chain):
    def reverse(a, b):
        (ax, ay), (bx, by) = chain.middle(a), chain.middle(b)
        chain.page.mouse.click((ax + bx) / 2, (ay + by) / 2, button="right")
        chain.page.get_by_role("menuitem", name="Reverse arrow").click()
        chain.synced()

    reverse("V", "X")
    assert chain.arrows() == {("X", "V"), ("X", "Y"), ("Y", "Z")}
    chain.undo()
    assert chain.arrows() == {("V", "X"), ("X", "Y"), ("Y", "Z")}
    chain.add(60, 60, "W").connect("V", "W").connect("W", "X")
    reverse("V", "X")
    expect(chain.message).to_contain_text("An arrow from 'X' to 'V' would close a cycle: V → W → X → V")
    assert ("V", "X") in chain.arrows()
