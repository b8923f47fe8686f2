"""The page as tests see it: words for what a user does and sees."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, expect

from pgmgui.state.session import Session

RIM = 6
"""Pixels of the drawing from the outline of a node to the middle of the ring that connects."""


class Board:
    """A tab with the dashboard.

    Parameters
    ----------
    shown : Page or Board
        Another board is of the same tab, with fewer words.
    session : Session, optional
        What is shown, where it is in this process.
    """

    def __init__(self, shown: Page | Board, session: Session | None = None) -> None:
        self.page: Page = shown.page if isinstance(shown, Board) else shown
        self.session: Session | None = shown.session if isinstance(shown, Board) else session
        page = self.page
        self.canvas = page.locator(".graph-canvas")
        self.heading = page.get_by_role("heading", level=1)
        self.facts = page.get_by_role("list", name="Summary").get_by_role("listitem")
        self.message = page.get_by_role("alert")
        self.status = self.canvas.get_by_role("status")
        self.name_field = self.canvas.get_by_role("textbox", name="Name of the variable")

    # --- waiting

    def wait_for_load(self, loads: int) -> Board:
        """Wait until the canvas has been sent that many graphs and has painted the last one."""
        expect(self.canvas).to_have_attribute("data-loads", str(loads))
        expect(self.canvas).to_have_attribute("data-styles", re.compile(r"\d"))
        self.wait_for_paint()
        return self

    def wait_for_paint(self) -> None:
        """Wait until what was asked for is on the screen: the canvas moves once a frame."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def synced(self) -> Board:
        """Wait until Python has answered all that the canvas has sent, and the answer is painted."""
        self.page.wait_for_function(
            "canvas => canvas.dataset.sent === canvas.dataset.acked", arg=self.canvas.element_handle()
        )
        self.wait_for_paint()
        return self

    def after_style(self, act) -> None:
        """Do something and wait until the looks of the nodes are drawn anew."""
        canvas = self.canvas.element_handle()
        styles = canvas.get_attribute("data-styles")
        act()
        self.page.wait_for_function(
            "([canvas, styles]) => canvas.dataset.styles && canvas.dataset.styles !== styles", arg=[canvas, styles]
        )

    # --- the rest of the page

    def tab(self, name: str) -> Board:
        """Open one of the tabs on the right: Open, Variable, Data or Parts."""
        self.page.get_by_role("tab", name=name, exact=True).click()
        return self

    def choose(self, title: str) -> Board:
        """Open an example in its tab and wait for its drawing."""
        return self.tab("Open").pick(title)

    def pick(self, title: str) -> Board:
        """Open an example of the gallery, which is in view, and wait for its drawing."""
        loads = int(self.canvas.get_attribute("data-loads"))
        self.example(title).click()
        return self.wait_for_load(loads + 1)

    def new(self, kind: str = "Bayesian") -> Board:
        """Begin with an empty network, Bayesian or Markov."""
        self.tab("Open")
        loads = int(self.canvas.get_attribute("data-loads"))
        self.button(f"New {kind} network").click()
        return self.wait_for_load(loads + 1)

    def example(self, title: str) -> Locator:
        """The entry of the gallery with that title."""
        return self.page.locator(".MuiListItemButton-root").filter(has=self.page.get_by_text(title, exact=True))

    def button(self, name: str) -> Locator:
        """The button whose accessible name begins so."""
        return self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))

    def press(self, *keys: str) -> Board:
        """Press keys, one after another, and wait for what they do."""
        for key in keys:
            self.page.keyboard.press(key)
        return self.synced()

    # --- what is drawn

    def node(self, name: str) -> Locator:
        """The node of a variable."""
        return self.page.locator(f"[data-node={_quote(name)}]")

    def edge(self, a: str, b: str) -> Locator:
        """The arrow from a to b; an edge is drawn from the variable that comes first in the network."""
        return self.page.locator(f"[data-from={_quote(a)}][data-to={_quote(b)}]")

    def hull(self, number: int) -> Locator:
        """The outline of a component, by its number on the page (from 1)."""
        return self.page.locator(f'[data-hull="{number}"]')

    def names(self) -> list[str]:
        """The names of the nodes, as drawn."""
        return self.page.locator("[data-node]").evaluate_all("all => all.map(node => node.dataset.node)")

    def edges(self) -> list[tuple[str, str, str]]:
        """Each edge: its kind, and the names at its ends."""
        found = self.page.locator("[data-edge]").evaluate_all(
            "all => all.map(({dataset}) => [dataset.edge, dataset.from, dataset.to])"
        )
        return [tuple(edge) for edge in found]

    def arrows(self) -> set[tuple[str, str]]:
        """The names at the ends of each edge."""
        return {(a, b) for _, a, b in self.edges()}

    def selected(self) -> list[str]:
        """The names of the selected nodes."""
        return self.page.locator("[data-node].selected").evaluate_all("all => all.map(node => node.dataset.node)")

    def components(self) -> dict[str, set[str]]:
        """The variables of each component, by its number on the canvas."""
        found: dict[str, set[str]] = {}
        pairs = self.page.locator("[data-node]").evaluate_all(
            "all => all.map(({dataset}) => [dataset.node, dataset.component])"
        )
        for name, component in pairs:
            if component != "0":
                found.setdefault(component, set()).add(name)
        return found

    def middle(self, name: str) -> tuple[float, float]:
        """Where the middle of a node is on the screen."""
        box = self.node(name).locator(".shape").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def zoom(self) -> float:
        """How many pixels of the screen a pixel of the drawing takes."""
        return float(self.page.locator(".viewport").get_attribute("transform").split("scale(")[1].rstrip(")"))

    def focused(self) -> str | None:
        """The name of the node that has the focus, through all shadow roots."""
        return self.page.evaluate(
            """() => {
              let element = document.activeElement
              while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
              return element?.getAttribute("data-node")
            }"""
        )

    # --- editing with the pointer

    def add(self, x: float, y: float, name: str = "") -> Board:
        """Double-click on the canvas, (x, y) from its corner, and give the new variable a name, if any."""
        frame = self.canvas.bounding_box()
        self.page.mouse.dblclick(frame["x"] + x, frame["y"] + y)
        return self._write_name(name)

    def rename(self, name: str, to: str) -> Board:
        """Double-click on a node and type another name."""
        self.page.mouse.dblclick(*self.middle(name))
        return self._write_name(to)

    def _write_name(self, name: str) -> Board:
        expect(self.name_field).to_be_focused()
        if name:
            self.page.keyboard.press("ControlOrMeta+a")
            self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")
        expect(self.name_field).to_have_count(0)
        return self.synced()

    def connect(self, a: str, b: str) -> Board:
        """Drag from the rim of one node to another."""
        box = self.node(a).locator(".shape").bounding_box()
        rim = box["x"] + box["width"] / 2, box["y"] + box["height"] + RIM * self.zoom()
        self._drag(rim, self.middle(b))
        return self.synced()

    def drag(self, name: str, dx: float, dy: float) -> Board:
        """Drag a node that far on the screen."""
        x, y = self.middle(name)
        self._drag((x, y), (x + dx, y + dy))
        return self.synced()

    def _drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=5)
        self.page.mouse.up()

    def select(self, *names: str) -> Board:
        """Click the first node, and the others with Shift."""
        for k, name in enumerate(names):
            if k:
                self.page.keyboard.down("Shift")
            self.page.mouse.click(*self.middle(name))
            if k:
                self.page.keyboard.up("Shift")
        return self.synced()

    def select_edge(self, a: str, b: str) -> Board:
        """Click half-way between two nodes."""
        (ax, ay), (bx, by) = self.middle(a), self.middle(b)
        self.page.mouse.click((ax + bx) / 2, (ay + by) / 2)
        return self.synced()

    def click_hull(self, number: int) -> Board:
        """Click the outline of a component where no node or edge lies over it."""
        self.wait_for_paint()
        point = self.hull(number).evaluate(
            """hull => {
              const box = hull.getBoundingClientRect()
              for (let x = box.left + 1; x < box.right; x += 3)
                for (let y = box.top + 1; y < box.bottom; y += 3)
                  if (hull.getRootNode().elementFromPoint(x, y) === hull) return [x, y]
            }"""
        )
        self.page.mouse.click(*point)
        return self

    def undo(self, times: int = 1) -> Board:
        """Press the button that takes the last change back."""
        for _ in range(times):
            self.button("Undo").click()
        return self.synced()

    def redo(self, times: int = 1) -> Board:
        """Press the button that does again what was taken back."""
        for _ in range(times):
            self.button("Redo").click()
        return self.synced()


def _quote(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
