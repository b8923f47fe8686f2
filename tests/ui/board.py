"""The page as tests see it: words for what a user does and sees."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


class Board:
    """A tab with the dashboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.canvas = page.locator(".graph-canvas")
        self.heading = page.get_by_role("heading", level=1)
        self.facts = page.get_by_role("list", name="Summary").get_by_role("listitem")

    def wait_for_load(self, loads: int) -> Board:
        """Wait until the canvas has drawn that many graphs and painted the last one."""
        expect(self.canvas).to_have_attribute("data-loads", str(loads), timeout=30_000)
        self.wait_for_paint()
        return self

    def wait_for_paint(self) -> None:
        """Wait until what was asked for is on the screen: the canvas moves once a frame."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def choose(self, title: str) -> Board:
        """Click an example and wait for its drawing."""
        loads = int(self.canvas.get_attribute("data-loads"))
        self.example(title).click()
        return self.wait_for_load(loads + 1)

    def example(self, title: str) -> Locator:
        """The entry of the gallery with that title."""
        return self.page.locator(".MuiListItemButton-root").filter(has=self.page.get_by_text(title, exact=True))

    def node(self, name: str) -> Locator:
        """The node of a variable without quotes in its name."""
        return self.page.locator(f'[data-node="{name}"]')

    def names(self) -> list[str]:
        """The names of the nodes, as drawn."""
        return [node.get_attribute("data-node") for node in self.page.locator("[data-node]").all()]

    def edges(self) -> list[tuple[str, str, str]]:
        """Each edge: its kind, and the names at its ends."""
        keys = ("data-edge", "data-from", "data-to")
        return [tuple(edge.get_attribute(key) for key in keys) for edge in self.page.locator("[data-edge]").all()]

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
