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
from pgmgui.tabs.variable.fresh_tables import draw_tables
from tests import oracles
from tests.ui.board import Board
from tests.ui.stage import Stage

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


def draw_sprinkler(bench: Bench, stage: Stage) -> None:
    """The first scenario: a network drawn by hand, a table, data, something hidden; what is alike, by hand but once."""
    bench.new()
    bench.add(150, 60, "Cloudy").add(260, 180, "Rain").connect("Cloudy", "Rain")
    (x, y), (right, below) = (bench.session.document.positions[name] for name in ("Cloudy", "Rain"))

    def draw_rest() -> None:
        bench.session.add_variable(2 * x - right, below, "Sprinkler")
        bench.session.add_variable(x, 2 * below - y, "Wet")
        for a, b in (("Cloudy", "Sprinkler"), ("Sprinkler", "Wet"), ("Rain", "Wet")):
            bench.session.connect(a, b)
        bench.session.set_tables("randomise all tables", draw_tables(bench.session.network, 1))

    stage.do(draw_rest)
    expect(bench.page.locator("[data-edge]")).to_have_count(4)
    bench.tab("Variable").select("Wet")
    expect(bench.page.get_by_role("grid", name="Table of Wet", exact=True)).to_be_visible()
    bench.button("Randomise").click()
    expect(bench.cell("Table of Wet", 0, 2)).not_to_have_text("0.5")
    bench.select("Cloudy")
    bench.type_into("Table of Cloudy", 0, 0, "0.3")
    bench.type_into("Table of Cloudy", 0, 1, "0.7")
    bench.simulate(800)
    bench.select("Rain")
    bench.page.keyboard.press("h")
    expect(bench.node("Rain")).to_have_attribute("data-role", "hidden")


def test_draw_a_network_by_hand_learn_it_and_save_it(bench, stage, tmp_path):
    draw_sprinkler(bench, stage)
    assert bench.groups() == [["Cloudy"], ["Rain", "Wet"], ["Sprinkler"]]
    drawn = read_network(bench.save_network(tmp_path)).network
    assert drawn.tables[0].tolist() == [0.3, 0.7]
    objective = bench.learn()
    bench.button("Apply").click()
    expect(bench.button("Apply")).to_be_disabled()
    learned = assert_saved_as_told(bench, tmp_path, objective)
    assert [variable.name for variable in learned.variables] == ["Cloudy", "Rain", "Sprinkler", "Wet"]
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
