"""The page for everyone: names, contrast, and the keyboard, judged by axe and by pressing Tab."""

from __future__ import annotations

import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pgmgui.tabs.catalogue import TABS
from tests.ui.lab import Lab
from tests.ui.placing import assert_placed
from tests.ui.serving import WAIT

FIRST = next(iter(TABS))
PLACED = ("Open", "Variable", "Data", "Structure", "Parts")
"""Where it is also asked whether everything has its place."""
PAUSE = 50
"""Milliseconds between two looks: each is at every element of the page."""
TAGS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
# What axe is to look for. Names, roles and order are the same in both themes: in the second, contrast is what differs.
RULES = {"light": {"runOnly": TAGS}, "dark": {"runOnly": {"type": "rule", "values": ["color-contrast"]}}}
# The help sign that panel-material-ui puts beside a label: a <span> with a name, which is not announced. What
# it says is the tooltip; the control itself has its own name.
KNOWN = {"aria-prohibited-attr": "span[sx="}
# Everything that can have the focus, and whether Tab has been on it; roving groups have one such element.
FOCUSABLE = """place => {
  const found = []
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const usable = element.tabIndex >= 0 && !element.disabled && element.checkVisibility({visibilityProperty: true})
      if (usable && element.getBoundingClientRect().width > 0
          && element.matches("button, input, textarea, a[href], [tabindex]"))
        found.push(element)
      if (element.shadowRoot) walk(element.shadowRoot)
    }
  }
  walk(place)
  const name = ({ariaLabel, innerText, title, className}) => ariaLabel || innerText || title || className
  return found.map((element) => [element.dataset.reached === "yes", `${element.tagName} ${name(element)}`])
}"""
# Each shadow root has animations of its own: while one runs, a colour is on its way from one theme to the other.
STILL = """() => {
  const still = (root) => root.getAnimations().length === 0
    && [...root.querySelectorAll("*")].every((element) => !element.shadowRoot || still(element.shadowRoot))
  return still(document) && Bokeh.documents.every((document) => document.is_idle)
}"""
# What is around the tabs and the panel of the one that is open.
OPENED = """() => {
  const find = (root) => root.querySelector("[role=tablist]")?.closest(".MuiBox-root")
    ?? [...root.querySelectorAll("*")].reduce((found, {shadowRoot}) => found ?? (shadowRoot && find(shadowRoot)), null)
  return find(document)
}"""
# The panel beside the canvas, on the stage.
BESIDE = """() => {
  const find = (root) => root.querySelector(".beside")
    ?? [...root.querySelectorAll("*")].reduce((found, {shadowRoot}) => found ?? (shadowRoot && find(shadowRoot)), null)
  return find(document)
}"""
REACH = """() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  if (!element || element === document.body) return false
  element.dataset.reached = "yes"
  return true
}"""


def settle(lab: Lab) -> None:
    """Wait until nothing moves or is still to be drawn."""
    lab.page.wait_for_function(STILL, polling=PAUSE)


def judge(lab: Lab, theme: str, name: str, place: str = "document") -> list[str]:
    """What axe finds in some place of the page as it is."""
    found = []
    # What is right need not be listed, and nothing be loaded for rules on sound: that takes most of the time.
    expect(lab.page.locator("audio, video")).to_have_count(0)
    options = {**RULES[theme], "resultTypes": ["violations"], "preload": False}
    for violation in lab.page.evaluate(f"options => axe.run({place}, options)", options)["violations"]:
        for node in violation["nodes"]:
            target = " ".join(
                part for parts in node["target"] for part in ([parts] if isinstance(parts, str) else parts)
            )
            if KNOWN.get(violation["id"], "\0") not in target:
                checks = [*node["any"], *node["all"], *node["none"]]
                found.append(f"{theme}, {name}: {violation['id']}: {node['html'][:160]}: {checks[0]['message'][:200]}")
    return found


def judge_settled(lab: Lab, theme: str, name: str, place: str = "document") -> list[str]:
    """What axe finds however long it waits: Material draws a new tab in the light theme first, and nothing tells when
    the other has reached all of it."""
    end = time.monotonic() + WAIT
    while True:
        settle(lab)
        found = judge(lab, theme, name, place)
        if not found or time.monotonic() > end:
            return found


def test_axe_finds_nothing_and_everything_has_its_place_in_either_theme(open_board):
    lab = Lab(open_board())
    lab.page.evaluate(Axe().axe_script)
    lab.select("tub")
    lab.button("Start").click()
    lab.expect_state("converged")
    found: list[str] = []
    for theme in RULES:
        for name in TABS:
            lab.tab(name)
            expect(lab.page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
            # On a tab after the first, in the tab alone: the rest was judged.
            found += judge_settled(lab, theme, name, "document" if name == FIRST else f"({OPENED})()")
            if name in PLACED:
                assert_placed(lab, 1024, 768)
                assert_placed(lab, 1440, 900)
        lab.page.get_by_role("button", name="Toggle theme").click()
    assert found == []


def test_tab_reaches_every_control(open_desk):
    lab = Lab(open_desk())
    lab.select("tub")
    # A tab is there when the last that is put into it is.
    lasts = {
        "Open": lab.example("Chain of twelve"),
        "Variable": lab.button("Randomise"),
        "Data": lab.button("Add a row"),
    }
    for name, last in lasts.items():
        lab.tab(name)
        expect(last).to_be_visible()
        settle(lab)
        if name == "Open":
            lab.page.evaluate("() => document.activeElement?.blur()")
            press_tab(lab, "document", 40)
        else:  # in the tab alone: the rest was reached
            lab.page.get_by_role("tab", name=name, exact=True).focus()
            lab.page.evaluate(REACH)
            press_tab(lab, f"({OPENED})()", 10)


def press_tab(lab: Lab, place: str, least: int) -> None:
    """Press Tab as often as there are controls in some place, and be on each of them."""
    look = f"() => ({FOCUSABLE})({place})"
    total = len(lab.page.evaluate(look))
    assert total > least
    for _ in range(total + 10):
        lab.page.keyboard.press("Tab")
        lab.page.evaluate(REACH)
    assert [what for reached, what in lab.page.evaluate(look) if not reached] == []
