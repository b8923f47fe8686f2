"""The Open tab: new networks, files, paths, and saving; with files as a user would have them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import NETWORK_FORMATS, read_network
from engine.model.network import BayesianNetwork, MarkovNetwork
from pgmgui.project import apart
from tests.shared_data import DATA, needs_data
from tests.ui.board import Board

BIF = """network rain {}
variable Rain { type discrete [2] { yes, no }; }
variable Wet { type discrete [2] { yes, no }; }
probability (Rain) { table 0.2, 0.8; }
probability (Wet | Rain) { (yes) 0.9, 0.1; (no) 0.3, 0.7; }
"""
ASIA = ["8 variables", "8 arrows", "18 parameters", "500 rows", "2 hidden: tub, lung"]


class Desk(Board):
    """The Open panel beside the canvas."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        page = self.page
        self.place = page.get_by_label("Choose a network file")
        self.path = page.get_by_role("textbox", name="Path on this machine")
        self.name = page.get_by_role("textbox", name="File name")
        self.format = page.get_by_role("combobox", name="Format")
        self.target = page.get_by_role("textbox", name="Folder or file on this machine")
        self.options = page.locator(".MuiMenuItem-root")
        self.alert = page.get_by_role("alert")

    def button(self, name: str):
        return self.page.get_by_role("button", name=re.compile(f"^{name}"))

    def says(self, text: str):
        return self.page.get_by_text(text)

    def upload(self, name: str, content: str | bytes) -> None:
        content = content.encode() if isinstance(content, str) else content
        self.place.set_input_files({"name": name, "mimeType": "", "buffer": content})

    def choose_format(self, suffix: str) -> None:
        self.format.click()
        self.options.filter(has_text=f"({suffix})").click()
        expect(self.page.locator(".MuiMenu-root")).to_have_count(0)  # else it swallows the next click

    def download(self) -> tuple[str, Path]:
        """What the button gives: the suggested name, and the file."""
        with self.page.expect_download() as found:
            self.button("Download").click()
        return found.value.suggested_filename, found.value.path()


@pytest.fixture
def desk(open_panel) -> Desk:
    return Desk(open_panel("open"))


def assert_untouched(desk: Desk) -> None:
    expect(desk.heading).to_have_text("Asia")
    expect(desk.facts).to_have_text(ASIA)


def test_an_uploaded_file_opens_and_the_data_goes_with_the_network_before(desk, tmp_path):
    desk.upload("rain.bif", BIF)
    expect(desk.heading).to_have_text("rain")
    expect(desk.facts).to_have_text(["2 variables", "1 arrow", "3 parameters", "no data"])
    expect(desk.says("The data of Asia (500 rows) was closed with it; undo brings both back.")).to_be_visible()
    desk.upload("rain.bif", BIF.replace("rain", "again"))  # the same file may be chosen again
    expect(desk.says("Open: rain, 2 variables, 1 arrow.")).to_be_visible()
    large = tmp_path / "large.bif"  # ten megabytes, which are sent in pieces
    large.write_text(BIF + f"// {'x' * 1000}\n" * 10_000, encoding="utf-8")
    desk.place.set_input_files(large)
    expect(desk.heading).to_have_text("large")


def test_a_dropped_file_opens_as_does_a_path_and_one_that_misses_does_not_replace_the_page(desk, tmp_path):
    drop = """([element, count, content]) => {
      const transfer = new DataTransfer()
      for (let k = 0; k < count; k++) transfer.items.add(new File([content], "rain.bif"))
      const event = new DragEvent("drop", {dataTransfer: transfer, bubbles: true, composed: true, cancelable: true})
      element.dispatchEvent(event)
      return event.defaultPrevented
    }"""
    assert desk.page.evaluate(drop, [desk.canvas.element_handle(), 1, BIF])
    assert desk.page.evaluate(drop, [desk.place.element_handle(), 2, BIF])
    expect(desk.alert).to_have_text("Several files were dropped at once; drop one.")
    assert_untouched(desk)
    assert desk.page.evaluate(drop, [desk.place.element_handle(), 1, BIF])
    expect(desk.heading).to_have_text("rain")
    for k, name in enumerate(("one", "two")):
        file = tmp_path / f"{name}.bif"
        file.write_text(BIF, encoding="utf-8")
        desk.path.fill(str(file))
        desk.page.keyboard.press("Enter") if k else desk.button("Open:").click()
        expect(desk.heading).to_have_text(name)


def test_what_cannot_be_read_is_named_and_leaves_the_page_as_it_was(desk, tmp_path):
    """An upload and a path; all that is said of bad files is in tests/pgmgui/project/test_network_files.py."""
    desk.upload("../../<b>.bif", b"")
    expect(desk.alert).to_contain_text("<b>.bif:line 1: the file is empty")
    expect(desk.alert).not_to_contain_text("/tmp")
    assert_untouched(desk)
    desk.button("Dismiss").click()
    expect(desk.alert).to_have_count(0)
    desk.path.fill(str(tmp_path / "nothing.bif"))
    desk.button("Open:").click()
    expect(desk.alert).to_contain_text("nothing.bif: cannot read the file: No such file or directory")
    desk.path.fill("  ")
    desk.button("Open:").click()
    expect(desk.alert).to_contain_text("no path to open")
    assert_untouched(desk)
    expect(desk.button("Undo")).to_be_disabled()
    # Rows that do not sum to one can be normalised.
    desk.upload("rain.bif", BIF.replace("0.9, 0.1", "9, 1"))
    expect(desk.alert).to_contain_text("rain.bif:line 5: the table of 'Wet' has a row ('Rain'='yes') that sums to 10")
    expect(desk.alert).to_contain_text("press “Normalise and open”")
    assert_untouched(desk)
    desk.button("Normalise and open").click()
    expect(desk.heading).to_have_text("rain")
    expect(desk.says("Note: the table of 'Wet' has a row ('Rain'='yes') that sums to 10, not 1")).to_be_visible()
    expect(desk.button("Normalise and open")).to_be_hidden()
    expect(desk.alert).to_have_count(0)


@needs_data
def test_pathfinder_opens_when_normalised(desk):
    desk.path.fill(str(DATA / "networks" / "net" / "pathfinder.net"))
    desk.button("Open:").click()
    desk.button("Normalise and open").click()
    expect(desk.heading).to_have_text("pathfinder")
    expect(desk.facts.first).to_have_text("135 variables")


def test_reading_can_be_abandoned_and_is_stopped_where_it_takes_too_long(desk, tmp_path, monkeypatch):
    slow = tmp_path / "slow.bif"
    variables = "".join(f"variable V{k} {{ type discrete [2] {{ yes, no }}; }}\n" for k in range(5_000))
    tables = "".join(f"probability (V{k}) {{ table 0.5, 0.5; }}\n" for k in range(5_000))
    slow.write_text(f"network slow {{}}\n{variables}{tables}", encoding="utf-8")
    desk.path.fill(str(slow))
    desk.button("Open:").click()
    expect(desk.says("Reading")).to_be_visible()
    desk.button("Abandon").click()
    expect(desk.says("Abandoned: what was open is still open.")).to_be_visible()
    assert_untouched(desk)
    monkeypatch.setattr(apart, "SECONDS", 0.0)
    monkeypatch.setattr(apart, "SECONDS_PER_MB", 0.0)
    desk.upload("slow.bif", f"network slow {{}}\n{variables}")
    expect(desk.alert).to_contain_text("slow.bif: reading it took more than 0 s and was stopped; start the page with")
    expect(desk.says("Reading slow.bif …")).to_be_hidden()
    assert_untouched(desk)
    monkeypatch.undo()
    desk.upload("rain.bif", BIF)
    expect(desk.heading).to_have_text("rain")


def test_new_networks_are_empty_and_each_kind_has_its_formats(desk):
    desk.button("New Markov network").click()
    expect(desk.heading).to_have_text("New Markov network")
    expect(desk.facts).to_have_text(["0 variables", "0 edges", "0 parameters", "no data"])
    assert offered(desk) == suffixes(MarkovNetwork)
    desk.button("New Bayesian network").click()
    expect(desk.facts.nth(1)).to_have_text("0 arrows")
    assert offered(desk) == suffixes(BayesianNetwork)


def offered(desk: Desk) -> set[str]:
    desk.format.click()
    expect(desk.options.first).to_be_visible()
    found = {re.search(r"\((\..+)\)", text)[1] for text in desk.options.all_inner_texts()}
    desk.page.keyboard.press("Escape")
    expect(desk.options).to_have_count(0)
    return found


def suffixes(kind) -> set[str]:
    return {suffix for suffix, form in NETWORK_FORMATS.items() if form.dump and kind in form.writes}


def test_a_download_reads_back(desk, tmp_path):
    """As text and as XML; every format is in tests/pgmgui/project/test_network_files.py."""
    desk.upload("rain.bif", BIF)
    expect(desk.name).to_have_value("rain")
    for suffix in (".net", ".xdsl"):
        desk.choose_format(suffix)
        name, file = desk.download()
        assert name == f"rain{suffix}"
        copy = tmp_path / name
        copy.write_bytes(file.read_bytes())
        network = read_network(copy).network
        np.testing.assert_allclose(network.tables[1], [[0.9, 0.1], [0.3, 0.7]], atol=1e-9)
        assert [variable.name for variable in network.variables] == ["Rain", "Wet"]
        expect(desk.says(f"Saved 2 variables, 1 arrow as rain{suffix}.")).to_be_visible()
    # The same comes twice, and a name loses what no file can be called.
    assert desk.download()[1].read_bytes() == desk.download()[1].read_bytes()
    desk.name.fill('a/../<img src=x onerror="alert(1)">')
    assert desk.download()[0] == "a..img src=x onerror=alert(1).xdsl"
    desk.name.fill("asia.net")
    desk.page.keyboard.press("Enter")
    expect(desk.format).to_contain_text("NET (.net)")
    expect(desk.name).to_have_value("asia")
    assert desk.download()[0] == "asia.net"


def test_writing_to_a_path_asks_before_it_replaces(desk, tmp_path):
    desk.target.fill(str(tmp_path))
    desk.button("Write").click()
    file = tmp_path / "Asia.bif"
    expect(desk.says(f"Wrote 8 variables, 8 arrows to {file}.")).to_be_visible()
    assert len(read_network(file).network.variables) == 8
    file.write_text("mine", encoding="utf-8")
    desk.button("Write").click()
    expect(desk.says(f"{file} is there already.")).to_be_visible()
    assert file.read_text(encoding="utf-8") == "mine"
    desk.target.fill(str(tmp_path / "other"))  # another path: nothing to ask
    expect(desk.button("Overwrite it")).to_be_hidden()
    desk.target.fill(str(file))
    desk.button("Write").click()
    desk.button("Overwrite it").click()
    expect(desk.says(f"Wrote 8 variables, 8 arrows to {file}.")).to_be_visible()
    assert len(read_network(file).network.variables) == 8
    desk.target.fill(str(tmp_path / "no" / "where.bif"))
    desk.button("Write").click()
    expect(desk.alert).to_contain_text("cannot write the file: No such file or directory")
    desk.target.fill(str(tmp_path / "read.dsc"))
    desk.button("Write").click()
    expect(desk.alert).to_contain_text("DSC files can be read but not written")


def test_the_open_example_is_marked_and_can_be_opened_again(desk):
    assert "selected" in desk.example("Asia").get_attribute("class")
    desk.upload("rain.bif", BIF)
    expect(desk.heading).to_have_text("rain")
    expect(desk.example("Asia")).not_to_have_class(re.compile("selected"))
    desk.example("Asia").click()
    assert_untouched(desk)
    desk.example("Asia").click()
    expect(desk.example("Asia")).to_have_class(re.compile("selected"))
