"""The canvas after many changes of marks looks as one that is drawn anew: only what changed is sent."""

from __future__ import annotations

from tests.ui.lab import Lab

# What can be seen of the nodes and hulls.
SEEN = """() => {
  const all = (root, query) => [...root.querySelectorAll(query)]
    .concat(...[...root.querySelectorAll("*")].filter(e => e.shadowRoot).map(e => all(e.shadowRoot, query)))
  const nodes = all(document, "[data-node]").map(node => [
    node.dataset.node, node.dataset.role, node.dataset.component, node.getAttribute("aria-label"),
    node.querySelector("title")?.textContent, node.className.baseVal, node.textContent,
  ])
  const hulls = all(document, "[data-hull]").map(hull => [
    hull.dataset.hull, hull.className.baseVal, hull.getAttribute("d"), hull.textContent,
  ])
  const names = all(document, ".hull-name").map(name => [name.textContent, name.className.baseVal])
  return JSON.stringify({nodes: nodes.sort(), hulls, names})
}"""


def test_marks_one_after_another_look_as_if_drawn_at_once(open_scene):
    lab = Lab(open_scene("asia"))
    loads = lab.canvas.get_attribute("data-loads")
    for name in ("tub", "bronc", "lung", "either", "tub", "smoke", "lung"):
        lab.select(name)
        lab.press("h")
        lab.synced()
    assert lab.canvas.get_attribute("data-loads") == loads  # the graph itself was not sent again
    drawn = lab.page.evaluate(SEEN)
    again = Lab(open_scene("?example=asia&hide=bronc,either,smoke"))
    again.select("lung")
    again.synced()
    assert again.page.evaluate(SEEN) == drawn
