"""Undo, keys and help on the canvas."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.fixture
def empty(open_scene):
    """An empty Bayesian network."""
    return open_scene("empty")


@pytest.fixture
def chain(open_scene):
    """The example V → X → Y → Z, of which Y is hidden."""
    return open_scene("thesis-chain")


def test_every_step_can_be_undone_and_redone_with_keys(empty, stage):
    """More than a hundred of them: tests/pgmgui/state/test_session.py."""
    empty.add(60, 60)
    before, session = empty.middle("A"), empty.session
    x, y = session.document.positions["A"]
    stage.do(lambda: [session.move({"A": (x + 70 * k, y + 30 * k)}) for k in range(1, 12)])
    while empty.middle("A") != pytest.approx((before[0] + 770, before[1] + 330), abs=1):
        empty.wait_for_paint()
    far = empty.middle("A")
    empty.node("A").focus()
    empty.press(*["Control+z"] * 11)
    assert empty.middle("A") == pytest.approx(before, abs=1)
    empty.press("Control+z")
    assert empty.names() == []
    assert empty.press(*["Control+Shift+z"] * 12).middle("A") == pytest.approx(far, abs=1)


def test_undo_works_on_the_whole_page_but_not_in_a_text_field(chain):
    chain.select("X").press("Delete")
    elsewhere = chain.page.get_by_label("Elsewhere")
    elsewhere.focus()
    chain.press("Control+z", "?")
    assert chain.names() == list("VYZ")
    expect(chain.page.get_by_role("dialog")).to_be_hidden()
    elsewhere.blur()
    chain.press("Control+z")
    assert chain.names() == list("VXYZ")
    chain.press("Control+y")
    assert chain.names() == list("VYZ")
    chain.press("Control+Shift+z")
    chain.page.mouse.dblclick(*chain.middle("V"))
    expect(chain.name_field).to_be_focused()
    chain.page.keyboard.type("W")
    chain.page.keyboard.press("Control+z")
    chain.page.keyboard.press("Escape")
    assert chain.synced().names() == list("VYZ")


def test_a_variable_is_added_beside_the_focus_with_a_key(chain):
    chain.node("Z").focus()
    chain.press("n")
    expect(chain.name_field).to_be_focused()
    chain.page.keyboard.type("W")
    chain.press("Enter")
    assert chain.names() == list("VXYZW")
    assert chain.focused() == "W"
    assert chain.middle("W")[0] > chain.middle("Z")[0]
    chain.button("Add a variable").click()
    expect(chain.name_field).to_be_focused()
    chain.press("Escape")
    assert len(chain.names()) == 6
    boxes = [chain.node(name).locator(".shape").bounding_box() for name in chain.names()]
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            apart_x = abs(one["x"] - other["x"]) >= min(one["width"], other["width"])
            assert apart_x or abs(one["y"] - other["y"]) >= min(one["height"], other["height"])


def test_the_shortcuts_are_listed_and_the_focus_returns(chain):
    dialog = chain.page.get_by_role("dialog", name="Shortcuts")
    chain.node("Y").focus()
    chain.page.keyboard.press("?")
    expect(dialog).to_be_visible()
    for words in ("Undo, redo", "Add a variable", "Connect", "Remove the selected", "Look at a component alone"):
        expect(dialog.get_by_role("row").filter(has_text=words)).to_have_count(1)
    chain.page.keyboard.press("Delete")  # not for the canvas
    chain.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert chain.focused() == "Y"
    assert chain.synced().names() == list("VXYZ")
    chain.button("Shortcuts").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    expect(chain.button("Shortcuts")).to_be_focused()


def test_buttons_of_the_canvas_work_with_the_keyboard(chain):
    chain.select("V").drag("V", 0, 40)
    before = chain.middle("V")
    chain.button("Undo").focus()
    chain.press("Enter")
    assert chain.middle("V") == pytest.approx((before[0], before[1] - 40), abs=1)
    expect(chain.button("Undo")).to_be_focused()
    chain.button("Redo").focus()
    chain.press("Space")
    assert chain.middle("V") == pytest.approx(before, abs=1)
