"""The page with the words of queries: bars on the canvas and in the Query tab."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from tests.ui.board import Board
from tests.ui.lab import Lab

# Whether the bars of a card have these lengths, as shares of their width.
FILLED = """([card, values]) => {
  const rows = [...card.querySelectorAll(".row")]
  const width = (row, kind) => Number(row.querySelector(kind).getAttribute("width"))
  return rows.length === values.length
    && rows.every((row, k) => Math.abs(width(row, ".fill") / width(row, ".track") - values[k]) < 1e-5)
}"""


class Asking(Lab):
    """The page with the words of queries."""

    def __init__(self, shown: Page | Board) -> None:
        super().__init__(shown)
        page = self.page
        self.supposed = page.get_by_role("group", name="Supposed:")

    # --- on the canvas

    def show_bars(self) -> Asking:
        """Press B and wait for the cards."""
        self.canvas.locator("svg").first.focus()
        self.press("b")
        expect(self.page.locator("[data-card]").first).to_be_visible()
        self.wait_for_paint()
        return self

    def card(self, name: str) -> Locator:
        """The card of a variable on the canvas."""
        return self.page.locator(f"[data-card={_quote(name)}]")

    def bar(self, name: str, state: str) -> Locator:
        """The row of a state on the canvas."""
        return self.card(name).locator(f"[data-state={_quote(state)}]")

    def click_bar(self, name: str, state: str) -> Asking:
        """Click in the middle of a row."""
        x, y, _ = self._place(name, state, 0.5)
        self.page.mouse.click(x, y)
        self.synced()
        return self

    def drag_bar(self, name: str, state: str, likelihood: float) -> Asking:
        """Drag along a row to a likelihood, and let go there."""
        x, y, width = self._place(name, state, likelihood)
        self._drag((x + 0.1 * width if likelihood < 0.5 else x - 0.1 * width, y), (x, y))
        self.synced()
        return self

    def _place(self, name: str, state: str, share: float) -> tuple[float, float, float]:
        box = self.bar(name, state).locator(".track").bounding_box()
        return box["x"] + share * box["width"], box["y"] + box["height"] / 2, box["width"]

    def expect_bars(self, expected: dict[str, list[float]]) -> None:
        """Wait until the cards say these probabilities, in percent with one decimal, and are as long."""
        for name, values in expected.items():
            texts = [f"{100 * value:.1f}%" for value in values]
            expect(self.card(name).locator(".percent")).to_have_text(texts)
            self.page.wait_for_function(FILLED, arg=[self.card(name).element_handle(), values])

    # --- in the tab

    def variable(self, name: str) -> Locator:
        """The bars of a variable in the Query tab."""
        return self.page.locator(f"[data-variable={_quote(name)}]")

    def suppose(self, name: str, state: str) -> None:
        """Suppose a state, and wait until what follows has moved to its place."""
        self.state_button(name, state).click()
        expect(self.button("Clear all")).to_be_enabled()

    def state_button(self, name: str, state: str) -> Locator:
        """The button that supposes a state."""
        return self.variable(name).get_by_role("button", name=state, exact=True)

    def slider(self, name: str, state: str) -> Locator:
        """The bar whose likelihood can be changed."""
        return self.variable(name).get_by_role("slider", name=f"Likelihood of {name} = {state}", exact=True)

    def kind(self, name: str, kind: str) -> Locator:
        """The button that makes the evidence on a variable of some kind."""
        return self.variable(name).get_by_role("group", name=f"Evidence on {name}").get_by_role("button", name=kind)

    def expect_told(self, name: str, after: list[float], before: list[float]) -> None:
        """Wait until the tab says these probabilities, and those before the evidence where they differ."""
        expect(self.variable(name).locator(".now")).to_have_text([f"{100 * value:.1f}%" for value in after])
        pairs = zip(after, before, strict=True)
        was = ["" if abs(a - b) < 5e-4 else f"was {100 * b:.1f}%" for a, b in pairs]
        expect(self.variable(name).locator(".was")).to_have_text(was)


def _quote(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
