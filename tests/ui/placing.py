"""Whether everything on the page has its place: nothing lies over something else, is cut, or takes the canvas' room."""

from __future__ import annotations

from tests.ui.board import Board

# The controls that can be seen: what is scrolled or cut away does not count.
CONTROLS = """() => {
  const kinds = "button, input, textarea, a[href], [role=button], [role=combobox], [role=tab]"
  const found = []
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(kinds)) found.push(element)
      if (element.shadowRoot) look(element.shadowRoot)
    }
  }
  look(document)
  const above = (element) => element.parentElement ?? element.getRootNode().host ?? null
  const shown = []
  for (const element of found) {
    if (!element.checkVisibility({visibilityProperty: true}) || element.ariaHidden === "true") continue
    const box = element.getBoundingClientRect()
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom]
    for (let around = above(element); around; around = above(around)) {
      if (getComputedStyle(around).overflow === "visible" || getComputedStyle(around).display === "contents") continue
      const frame = around.getBoundingClientRect()
      left = Math.max(left, frame.left); top = Math.max(top, frame.top)
      right = Math.min(right, frame.right); bottom = Math.min(bottom, frame.bottom)
    }
    if (right - left < 3 || bottom - top < 3) continue
    shown.push({element, left, top, right, bottom})
  }
  const inside = (a, b) => { for (let e = a; e; e = above(e)) if (e === b) return true; return false }
  const name = (e) => `${e.tagName} ${e.getAttribute("aria-label") ?? e.textContent.trim() ?? ""}`.slice(0, 60)
  const pairs = []
  for (const [k, a] of shown.entries())
    for (const b of shown.slice(k + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (across > 2 && down > 2 && !inside(a.element, b.element) && !inside(b.element, a.element))
        pairs.push(`${name(a.element)} / ${name(b.element)}`)
    }
  const cut = shown.filter(({element}) => element.matches("button") && element.scrollWidth > element.clientWidth + 2)
  return {pairs, cut: cut.map(({element}) => name(element)), count: shown.length}
}"""


def assert_placed(board: Board, width: int, height: int) -> None:
    """In a window of that size no control lies over another or is cut; and the canvas has its share of the window."""
    page = board.page
    page.set_viewport_size({"width": width, "height": height})
    board.wait_for_paint()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    found = page.evaluate(CONTROLS)
    assert found["count"] > 20
    assert (found["pairs"], found["cut"]) == ([], [])
    frame = board.canvas.bounding_box()
    assert frame["width"] * frame["height"] >= (0.3 if width == 1440 else 0.2) * width * height
