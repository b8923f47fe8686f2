"""The page with the words of learning: what a user does on the run strip, and what the plot shows."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.ui.board import Board

# The lines of the figure that is shown: name, colour, dash, and the points.
LINES = """() => {
  for (const document of Bokeh.documents)
    for (const figure of document._all_models.values()) {
      const view = figure.type === "Figure" && Bokeh.index.find_one(figure)
      if (!view || !view.el.offsetParent || !figure.left.some(axis => axis.axis_label.includes("nats"))) continue
      const lines = figure.renderers.filter(r => r.visible && r.name)
      return lines.map(({name, glyph, data_source: {data}}) => ({
        name, x: [...data.x], y: [...data.y], colour: glyph.line_color.value, dash: JSON.stringify(glyph.line_dash.value),
      }))
    }
  return []
}"""


class Lab(Board):
    """The page with the words of learning."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.certificate = page.get_by_text(re.compile("nats of the best possible|^Certified: every"))
        self.table = page.get_by_role("grid", name="Components")
        self.rows = self.table.locator("[role=row][data-row]")

    def state(self, learner: str = "decomposed EM") -> Locator:
        """The line that says how far a learner has come."""
        return self.page.get_by_text(re.compile(f"^{re.escape(learner)}: "))

    def choose_learners(self, *names: str) -> Lab:
        """Tick these learners in the list, and no others."""
        self.button("Learners").click()
        boxes = self.page.get_by_role("checkbox")
        expect(self.page.get_by_role("checkbox", name="decomposed EM", exact=True)).to_be_visible()
        for name in [*names, "decomposed EM"] if "decomposed EM" not in names else names:
            self.page.get_by_role("checkbox", name=name, exact=True).set_checked(name in names)
        self.page.keyboard.press("Escape")
        expect(boxes.and_(self.page.get_by_role("checkbox", name="decomposed EM", exact=True))).to_have_count(0)
        return self

    def set_number(self, field: str, value: str) -> Lab:
        """Type a number into a field of the options."""
        self.page.get_by_role("textbox", name=re.compile(f"^{field}")).fill(value)
        self.page.keyboard.press("Enter")
        return self

    def set_choice(self, field: str, option: str) -> Lab:
        """Choose from a list of the options."""
        self.page.get_by_role("combobox", name=re.compile(f"^{field}")).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        return self

    def run_for_ever(self) -> Lab:
        """Have the next run go on until it is stopped."""
        self.button("Options").click()
        self.set_choice("Tolerance", "0: to the limit").set_number("Iteration limit", "100000000")
        self.page.keyboard.press("Escape")
        return self

    def lines(self) -> dict[str, dict]:
        """The lines of the plot, by name."""
        return {line["name"]: line for line in self.page.evaluate(LINES)}
