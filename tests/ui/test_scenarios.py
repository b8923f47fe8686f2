"""The whole way: draw or open, mark, decompose, learn, save and read back; and what must not break it.

What the page claims is checked against brute force (``tests.oracles``) on the files it gives.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from engine.formats import read_dataset, read_network
from engine.model.dataset import Dataset
from engine.model.network import BayesianNetwork
from tests import oracles
from tests.ui.board import Board

HOSTILE = "<img src=x onerror=alert(1)>"
BIF = """network grass {}
variable Cloudy { type discrete [2] { yes, no }; }
variable Sprinkler { type discrete [2] { yes, no }; }
variable Rain { type discrete [2] { yes, no }; }
variable Wet { type discrete [2] { yes, no }; }
probability (Cloudy) { table 0.5, 0.5; }
probability (Sprinkler | Cloudy) { (yes) 0.1, 0.9; (no) 0.5, 0.5; }
probability (Rain | Cloudy) { (yes) 0.8, 0.2; (no) 0.2, 0.8; }
probability (Wet | Sprinkler, Rain) {
  (yes, yes) 0.99, 0.01; (yes, no) 0.9, 0.1; (no, yes) 0.9, 0.1; (no, no) 0.05, 0.95;
}
"""


class Bench(Board):
    """The page with words for everything on it."""

    def __init__(self, shown: Page | Board) -> None:
        super().__init__(shown)
        page = self.page
        self.alert = page.get_by_role("alert")
        self.run = page.get_by_text(re.compile(r"^decomposed EM: "))
        self.certificate = page.get_by_text(re.compile("^(Within|At most) .* the best possible|^Certified: "))

    def cell(self, grid: str, row: int, column: int) -> Locator:
        return self.page.get_by_role("grid", name=grid, exact=True).locator(
            f'[data-row="{row}"][data-column="{column}"]'
        )

    def type_into(self, grid: str, row: int, column: int, text: str) -> None:
        """Double-click a cell, type over it, and press Enter."""
        self.cell(grid, row, column).dblclick()
        expect(self.page.get_by_role("grid", name=grid, exact=True).locator("input")).to_be_focused()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def upload(self, place: str, name: str, content: str | bytes) -> None:
        """Give a file to the place that is labelled so."""
        self.tab("Open" if place == "network" else "Data")
        content = content.encode() if isinstance(content, str) else content
        file = {"name": name, "mimeType": "", "buffer": content}
        self.page.get_by_label(f"Choose a {place} file, or drop it here").set_input_files(file)

    def simulate(self, rows: int) -> None:
        """Draw data in the Data tab."""
        self.tab("Data")
        self.button("Simulate…").click()
        self.page.get_by_role("textbox", name=re.compile("^Rows to draw")).fill(str(rows))
        self.button("Draw the data").click()
        expect(self.facts.nth(3)).to_have_text(f"{rows:,} rows")

    def learn(self) -> float:
        """Run decomposed EM to its end; the objective that the page tells."""
        self.button("Start").click()
        expect(self.run).to_contain_text("converged")
        expect(self.certificate).to_be_visible()
        return float(re.search(r"EM: (-?[\d,.]+) after", self.run.inner_text())[1].replace(",", ""))

    def save_network(self, folder: Path) -> Path:
        """The network that the Open tab gives."""
        self.tab("Open")
        return self._save("Download:", folder)

    def save_data(self, folder: Path) -> Path:
        """The data that the Data tab gives, as the marks let it be seen."""
        self.tab("Data")
        self.button("Save data…").click()
        return self._save("Download the data", folder)

    def _save(self, button: str, folder: Path) -> Path:
        with self.page.expect_download() as found:
            self.button(button).click()
        path = folder / found.value.suggested_filename
        found.value.save_as(path)
        return path

    def groups(self) -> list[list[str]]:
        """The variables of each component, as the canvas numbers them."""
        return sorted(sorted(names) for names in self.components().values())


@pytest.fixture
def bench(open_desk) -> Bench:
    return Bench(open_desk())


def log_likelihood(network: BayesianNetwork, data: Dataset) -> float:
    """By brute force, over all states of what is hidden."""
    cardinalities = [variable.cardinality for variable in network.variables]
    joint = oracles.joint_weights(cardinalities, network.scopes, network.tables, {})
    rows = zip(*(column.tolist() for column in data.codes), data.weights.tolist(), strict=True)
    found = {}
    for *codes, weight in rows:
        cells = tuple(None if code < 0 else code for code in codes)
        found[cells] = found.get(cells, 0.0) + weight
    return sum(
        weight * oracles.log(oracles.row_joint(cardinalities, joint, cells).sum()) for cells, weight in found.items()
    )


def assert_saved_as_told(bench: Bench, folder: Path, objective: float) -> BayesianNetwork:
    """What was saved has the likelihood, of the data that was saved, that the page told."""
    network = read_network(bench.save_network(folder)).network
    data = read_dataset(bench.save_data(folder), network.variables).dataset
    assert log_likelihood(network, data) == pytest.approx(objective, abs=1e-3)
    return network


def draw_sprinkler(bench: Bench) -> None:
    """The first scenario: a network drawn by hand, a table, data, something hidden."""
    bench.new()
    bench.add(150, 60, "Cloudy").add(60, 180, "Sprinkler").add(260, 180, "Rain").add(150, 300, "Wet")
    for a, b in (("Cloudy", "Sprinkler"), ("Cloudy", "Rain"), ("Sprinkler", "Wet"), ("Rain", "Wet")):
        bench.connect(a, b)
    assert len(bench.arrows()) == 4
    bench.tab("Variable")
    for name in ("Sprinkler", "Rain", "Wet"):
        bench.select(name)
        expect(bench.page.get_by_role("grid", name=f"Table of {name}", exact=True)).to_be_visible()
        bench.button("Randomise").click()
        expect(bench.cell(f"Table of {name}", 0, 1 if name != "Wet" else 2)).not_to_have_text("0.5")
    bench.select("Cloudy")
    bench.type_into("Table of Cloudy", 0, 0, "0.3")
    bench.type_into("Table of Cloudy", 0, 1, "0.7")
    bench.simulate(800)
    bench.select("Rain")
    bench.page.keyboard.press("h")
    expect(bench.node("Rain")).to_have_attribute("data-role", "hidden")


def test_draw_a_network_by_hand_learn_it_and_save_it(bench, tmp_path):
    draw_sprinkler(bench)
    assert bench.groups() == [["Cloudy"], ["Rain", "Wet"], ["Sprinkler"]]
    drawn = read_network(bench.save_network(tmp_path)).network
    assert drawn.tables[0].tolist() == [0.3, 0.7]
    objective = bench.learn()
    bench.button("Apply").click()
    expect(bench.button("Apply")).to_be_disabled()
    learned = assert_saved_as_told(bench, tmp_path, objective)
    assert [variable.name for variable in learned.variables] == ["Cloudy", "Sprinkler", "Rain", "Wet"]
    assert learned.edges == drawn.edges
    assert not np.allclose(learned.tables[3], drawn.tables[3], atol=1e-3)
    bench.undo()
    again = read_network(bench.save_network(tmp_path)).network
    assert all(np.array_equal(a, b) for a, b in zip(again.tables, drawn.tables, strict=True))


class Beside(Bench):
    """Panels that are all in view: there is no tab to turn to."""

    def tab(self, name: str) -> Beside:
        return self


def test_open_a_bif_and_a_csv_from_disk_learn_and_save(open_panel, tmp_path):
    bench = Beside(open_panel("open", "data", "strip"))
    random = np.random.default_rng(5)
    rows = [",".join(random.choice(["yes", "no", "?"], p=[0.45, 0.45, 0.1], size=3)) for _ in range(200)]
    bench.upload("network", "grass.bif", BIF)
    expect(bench.heading).to_have_text("grass")
    bench.upload("data", "grass.csv", "Cloudy,Rain,Wet\n" + "\n".join(rows))
    expect(bench.facts.nth(3)).to_have_text("200 rows")
    expect(bench.node("Sprinkler")).to_have_attribute("data-role", "hidden")
    expect(bench.node("Rain")).to_have_attribute("data-role", "partial")
    objective = bench.learn()
    bench.button("Apply").click()
    expect(bench.button("Apply")).to_be_disabled()
    assert_saved_as_told(bench, tmp_path, objective)


def hostile_network() -> str:
    names, states = [HOSTILE, "</title><svg onload=alert(2)>", "plain"], [HOSTILE, "</script><b>"]
    return json.dumps(
        {
            "format": "pgmgui-network",
            "version": 1,
            "kind": "bayesian",
            "name": HOSTILE,
            "variables": [{"name": name, "states": states} for name in names],
            "tables": [
                {"variables": names[:1], "values": [0.3, 0.7]},
                {"variables": names[:2], "values": [0.9, 0.1, 0.2, 0.8]},
                {"variables": names[1:], "values": [0.6, 0.4, 0.5, 0.5]},
            ],
        }
    )


def assert_just_names(bench: Bench, folder: Path) -> None:
    """What that network has for names is only text on every tab, in a message, and in every file."""
    for tab in ("Variable", "Data", "Parts", "Open"):
        bench.tab(tab)
        expect(bench.page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        bench.wait_for_paint()
    bench.upload("network", f"{HOSTILE}.bif", "network")  # a message with the name
    expect(bench.alert).to_contain_text(f"{HOSTILE}.bif:line 1")
    for suffix in (".bif", ".json"):
        bench.page.get_by_role("combobox", name="Format").click()
        bench.page.locator(".MuiMenuItem-root").filter(has_text=f"({suffix})").click()
        path = bench.save_network(folder)
        assert path.name == f"img src=x onerror=alert(1){suffix}"
        variables = read_network(path).network.variables
        assert [variable.name for variable in variables] == [HOSTILE, "</title><svg onload=alert(2)>", "plain"]
        assert variables[0].states == (HOSTILE, "</script><b>")
    data = read_dataset(bench.save_data(folder), variables)
    assert (data.unmatched, data.absent) == ((), ())
    expect(bench.page.locator("img")).to_have_count(0)
    expect(bench.page.locator("[onload], [onerror]")).to_have_count(0)


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
DARK = "() => getComputedStyle(document.body).getPropertyValue('--panel-surface-color').includes('14181d')"


def test_everything_has_its_place_in_both_themes(open_board, page):
    bench = Bench(open_board())
    bench.select("tub")
    for is_dark in (False, True):
        for size in ((1440, 900), (1024, 768)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            assert_placed(bench, size)
        if not is_dark:
            bench.button("Toggle theme").click()
            page.wait_for_function(DARK)


def assert_placed(bench: Bench, size: tuple[int, int]) -> None:
    """On no tab does a control lie over another, or is one cut; and the canvas has its share of the window."""
    page = bench.page
    for tab in ("Open", "Variable", "Data", "Parts"):
        bench.tab(tab)
        bench.wait_for_paint()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        found = page.evaluate(CONTROLS)
        assert found["count"] > 20
        assert (tab, found["pairs"], found["cut"]) == (tab, [], [])
    frame = bench.canvas.bounding_box()
    share = frame["width"] * frame["height"] / (size[0] * size[1])
    assert share >= (0.3 if size[0] == 1440 else 0.2)
