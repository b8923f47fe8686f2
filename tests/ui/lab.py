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
      if (!view || !view.el.offsetParent || !figure.left.some(axis => axis.axis_label?.includes("nats"))) continue
      const lines = figure.renderers.filter(line => line.visible && line.name)
      return lines.map(({name, glyph, data_source: {data}}) => ({
        name,
        x: [...data.x],
        y: [...data.y],
        colour: glyph.line_color.value,
        dash: JSON.stringify(glyph.line_dash.value),
        across: figure.below[0].axis_label,
      }))
    }
  return []
}"""


class Lab(Board):
    """The page with the words of learning."""

    def __init__(self, shown: Page | Board) -> None:
        super().__init__(shown)
        page = self.page
        self.certificate = page.get_by_text(re.compile("^(Within|At most) .* the best possible|^Certified: every"))
        self.table = page.get_by_role("grid", name="Components")

    def state(self, learner: str = "decomposed EM") -> Locator:
        """The line that says how far a learner has come."""
        return self.page.get_by_text(re.compile(f"^{re.escape(learner)}: "))

    def expect_state(self, state: str, learner: str = "decomposed EM") -> None:
        """Wait until a learner is said to be in some state."""
        expect(self.state(learner)).to_contain_text(state)

    def expect_enabled(self, **buttons: bool) -> None:
        """The buttons of the strip, by their first words."""
        for name, enabled in buttons.items():
            (expect(self.button(name)).to_be_enabled if enabled else expect(self.button(name)).to_be_disabled)()

    def choose_learners(self, *names: str) -> Lab:
        """Tick these learners in the list beside decomposed EM; or untick what is ticked."""
        self.button("Learners").click()
        for name in names:
            box = self.page.get_by_role("checkbox", name=name, exact=True)
            ticked = box.is_checked()
            box.click()
            expect(box).to_be_checked(checked=not ticked)
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("checkbox", name="decomposed EM", exact=True)).to_have_count(0)
        return self

    def set_option(self, field: str, value: str) -> Lab:
        """Type into a field of the options, which are open."""
        box = self.page.get_by_role("textbox", name=re.compile(f"^{field}"))
        box.fill(value)
        box.press("Enter")
        return self

    def open_options(self) -> Lab:
        """Open the options."""
        self.button("Options").click()
        expect(self.page.get_by_role("textbox", name=re.compile("^Seed"))).to_be_visible()
        return self

    def close_options(self) -> Lab:
        """Close them with the keyboard."""
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("textbox", name=re.compile("^Seed"))).to_have_count(0)
        return self

    def run_for_ever(self) -> Lab:
        """Begin a run that goes on until it is stopped.

        On a small network it comes to where nothing moves any more, to the last digit, within seconds; unless the
        server was told otherwise: see ``ENDLESS``.
        """
        self.open_options().set_option("Tolerance", "0").set_option("Iteration limit", "100000000").close_options()
        self.button("Start").click()
        self.expect_state("running")
        return self

    def lines(self) -> dict[str, dict]:
        """The lines of the plot, by name."""
        return {line["name"]: line for line in self.page.evaluate(LINES)}

    def expect_lines(self, *names: str) -> dict[str, dict]:
        """Wait until the plot has these lines, and no others."""
        self.page.wait_for_function(
            f"names => JSON.stringify(({LINES})().map(line => line.name).sort()) === JSON.stringify(names)",
            arg=sorted(names),
        )
        return self.lines()

    def expect_start(self, name: str, objective: float) -> None:
        """Wait until a line of the plot begins at some objective, to a millionth of it."""
        self.page.wait_for_function(
            f"""([name, objective]) => {{
              const line = ({LINES})().find(line => line.name === name)
              return line && Math.abs(line.y[0] - objective) <= 1e-6 * Math.abs(objective)
            }}""",
            arg=[name, float(objective)],
        )

    def row(self, component: int) -> Locator:
        """The row of a component in the table, by its number on the page."""
        head = self.page.locator('[data-column="0"]').get_by_text(f"{component}", exact=True)
        return self.table.get_by_role("row").filter(has=head)
