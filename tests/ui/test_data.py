"""The Data panel: opening files that fit or do not, and looking; with a real pointer and keyboard."""

from __future__ import annotations

import itertools
import re
import time

import pytest
from playwright.sync_api import expect

from pgmgui.project.examples import load_gallery
from tests.shared_data import DATA, needs_data
from tests.ui.data_tab import ASIA, HOSTILE, DataTab, asia_csv, write


@pytest.fixture
def tab(open_panel) -> DataTab:
    return DataTab(open_panel("data"))


def test_the_data_is_summed_up_and_shown_as_the_marks_let_it_be_seen(tab):
    tab.expect_rows(500)
    expect(tab.page.get_by_text("Data: 500 rows, 8 variables.")).to_be_visible()
    tab.page.get_by_role("button", name="Variables", exact=True).click()
    expect(tab.cell(tab.summary, 1, 1)).to_have_text("hidden")
    expect(tab.cell(tab.summary, 1, 2)).to_have_text("100%")
    data = load_gallery()[0].read()[1].dataset
    yes = int((data.codes[2] == 0).sum())
    expect(tab.cell(tab.summary, 2, 3)).to_contain_text(f"{yes} · {500 - yes}")
    expect(tab.cell(tab.summary, 2, 3).locator(".bar")).to_have_count(2)
    tab.cell(tab.summary, 2, 0).click()
    expect(tab.node("smoke")).to_have_class(re.compile("selected"))
    states = tab.page.get_by_role("grid", name="States of smoke in the data")
    expect(tab.cell(states, 0, 1)).to_have_text(f"{yes}")
    expect(tab.rows).to_be_hidden()
    tab.page.get_by_role("button", name="Rows", exact=True).click()
    expect(tab.cell(tab.rows, 0, 2)).to_have_text("?")  # tub is hidden
    expect(tab.cell(tab.rows, 0, 1)).to_have_text("no")
    tab.rows.get_by_role("columnheader", name="xray").click()
    expect(tab.node("xray")).to_have_class(re.compile("selected"))
    tab.node("smoke").focus()
    tab.page.keyboard.press("h")
    expect(tab.cell(tab.rows, 0, 3)).to_have_text("?")


def test_a_dropped_file_becomes_the_data_and_so_does_a_path_on_this_machine(tab, tmp_path):
    tab.drop(asia_csv(tmp_path / "small.csv"))
    tab.expect_rows(2)
    expect(tab.page.get_by_text("Note: read from small.csv.")).to_be_visible()
    expect(tab.cell(tab.rows, 0, 2)).to_have_text("no")  # tub has a column here
    expect(tab.cell(tab.rows, 1, 5)).to_have_text("?")
    tab.page.get_by_role("button", name="Undo").click()
    tab.expect_rows(500)
    path = asia_csv(tmp_path / "by path.csv")
    tab.field("Data path on this machine").fill(f'"{path}"')
    tab.page.keyboard.press("Enter")
    tab.expect_rows(2)
    tab.read(tmp_path / "nowhere.csv")
    expect(tab.message).to_contain_text("nowhere.csv: cannot read the file: No such file or directory")
    tab.expect_rows(2)
    tab.field("Data path on this machine").fill("  ")
    tab.button("Read").click()
    expect(tab.message).to_contain_text("Type the path of a data file")


def test_columns_that_are_no_variables_are_given_a_meaning(tab, tmp_path):
    names = ["Asia", "tuberculosis", "smoking", "lung", "bronc", "thing", "xray", "shift"]
    tab.drop(asia_csv(tmp_path / "short.csv", ["yes,no"]))
    expect(tab.message).to_contain_text("short.csv:line 2: the row has 2 cells; expected 8")
    tab.drop(asia_csv(tmp_path / "odd.csv", names=names))
    expect(tab.misfits).to_have_attribute("aria-rowcount", "5")
    expect(tab.message).to_be_hidden()  # that was another file
    shown = [[tab.cell(tab.misfits, row, column).inner_text() for column in (0, 2)] for row in range(4)]
    assert shown == [["tuberculosis", "tub"], ["smoking", "smoke"], ["thing", "(left out)"], ["shift", "(left out)"]]
    assert len(tab.names()) == 8
    tab.choose_meaning(2, "either")
    tab.choose_meaning(3, "(a new variable)")
    tab.button("Use with these fixes").click()
    tab.expect_rows(2)
    expect(tab.misfits).to_be_hidden()
    expect(tab.node("shift")).to_be_visible()
    assert set(tab.names()) == {*ASIA, "shift"}
    headings = tab.rows.get_by_role("columnheader").all_inner_texts()
    assert headings == ["Row", *ASIA, "shift"]
    assert [tab.cell(tab.rows, 0, k).inner_text() for k in range(1, 10)] == [
        *("yes", "no", "yes", "no", "yes", "no", "no"),
        "?",
        "no",
    ]
    tab.page.get_by_role("button", name="Undo").click()
    tab.expect_rows(500)
    assert set(tab.names()) == set(ASIA)


def test_values_that_are_no_states_are_given_a_meaning(tab, tmp_path):
    rows = ["Yes,0,yes,no,yes,no,no,no", "no,1,perhaps,no,yes,no,no,soon", "no,0,yes,no,yes,no,no,soon"]
    tab.drop(asia_csv(tmp_path / "values.csv", rows))
    expect(tab.misfits).to_have_attribute("aria-rowcount", "10")
    found = {
        tab.cell(tab.misfits, row, 0).inner_text().strip(): tab.cell(tab.misfits, row, 2).inner_text()
        for row in range(9)
    }
    assert found == {
        **{name: name for name in ("asia", "tub", "smoke", "dysp")},
        "Yes": "yes",
        "0": "no",
        "1": "yes",
        "perhaps": "(missing)",
        "soon": "(missing)",
    }
    tab.choose_meaning(8, "(a new state)")
    tab.button("Use with these fixes").click()
    tab.expect_rows(3)
    expect(tab.cell(tab.rows, 0, 1)).to_have_text("yes")
    expect(tab.cell(tab.rows, 1, 2)).to_have_text("yes")
    expect(tab.cell(tab.rows, 1, 3)).to_have_text("?")
    expect(tab.cell(tab.rows, 1, 8)).to_have_text("soon")
    expect(tab.node("dysp").locator("title")).to_contain_text("yes, no, soon")


def test_a_file_that_cannot_be_read_ends_the_question_about_the_one_before(tab, tmp_path):
    tab.drop(asia_csv(tmp_path / "values.csv", ["perhaps,no,yes,no,yes,no,no,no"]))
    expect(tab.misfits).to_be_visible()
    expect(tab.rows).to_be_hidden()
    tab.drop(asia_csv(tmp_path / "ragged.csv", ["yes,no,yes"]))
    expect(tab.message).to_contain_text("ragged.csv:line 2")
    expect(tab.misfits).to_be_hidden()
    tab.expect_rows(500)
    expect(tab.rows).to_be_visible()
    expect(tab.page.get_by_text("Data: 500 rows, 8 variables.")).to_be_visible()


def test_the_list_works_with_the_keyboard_and_one_choice_for_all(tab, tmp_path):
    tab.drop(asia_csv(tmp_path / "keys.csv", names=[*ASIA[:5], "a1", "b2", "c3"]))
    expect(tab.misfits).to_have_attribute("aria-rowcount", "4")
    # What changes between the first drawing of a Material widget and the end of that, Panel forgets.
    expect(tab.page.get_by_role("combobox", name="Column a1 means")).to_be_visible()
    tab.misfits.focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_role("combobox", name="Column b2 means")).to_be_visible()
    tab.button("All: a new variable").press("Enter")
    for row in range(3):
        expect(tab.cell(tab.misfits, row, 2)).to_have_text("(a new variable)")
    tab.button("All: left out").press("Enter")
    for row in range(3):
        expect(tab.cell(tab.misfits, row, 2)).to_have_text("(left out)")
    tab.button("Do not open it").press("Enter")
    expect(tab.misfits).to_be_hidden()
    tab.expect_rows(500)


def test_columns_that_match_nothing_are_told_and_can_become_a_network(tab, tmp_path):
    tab.drop(write(tmp_path / "fruit.csv", "apple,pear\nred,green\ngreen,green\nred,yellow\n"))
    expect(tab.message).to_contain_text("fruit.csv: no column is a variable of the network. Nothing has changed yet")
    expect(tab.page.get_by_text("Columns: apple, pear. Variables: asia, tub, smoke")).to_be_visible()
    tab.button("Use with these fixes").click()
    expect(tab.message).to_contain_text("no column is a variable of the network; the columns are 'apple', 'pear'")
    assert tab.names() == ASIA
    tab.page.get_by_role("button", name=re.compile("^Build variables from the columns")).click()
    expect(tab.heading).to_have_text("fruit")
    tab.expect_rows(3)
    assert tab.names() == ["apple", "pear"]
    assert tab.edges() == []
    expect(tab.cell(tab.rows, 2, 2)).to_have_text("yellow")


def test_an_empty_page_takes_its_variables_from_the_columns(open_panel, tmp_path):
    tab = DataTab(open_panel("data", scene="empty"))
    expect(tab.page.get_by_text("its columns become variables")).to_be_visible()
    tab.drop(write(tmp_path / "weather.csv", "Rain,Sky\nyes,grey\nno,blue\nno,grey\n"))
    tab.expect_rows(3)
    assert tab.names() == ["Rain", "Sky"]
    expect(tab.node("Sky").locator("title")).to_contain_text("grey, blue")


def test_variables_can_be_built_although_the_columns_fit(tab, tmp_path):
    tab.page.get_by_role("checkbox", name="Build variables").check()
    tab.drop(asia_csv(tmp_path / "anew.csv"))
    expect(tab.heading).to_have_text("anew")
    tab.expect_rows(2)
    assert tab.edges() == []
    expect(tab.page.get_by_role("checkbox", name="Build variables")).not_to_be_checked()


BAD = {
    "short.csv": (b"asia,tub\nyes,no\nyes\n", "short.csv:line 3: the row has 1 cells; expected 2"),
    "broken.parquet": (b"PAR1", "broken.parquet: not a Parquet file that can be read"),
}


def test_bad_files_are_told_and_change_nothing(tab):
    """A text and one that is none; all that is said of bad files is in tests/pgmgui/project/test_data_reading.py."""
    scene = tab.session.scene
    for name, (content, message) in BAD.items():
        tab.drop({"name": name, "mimeType": "text/plain", "buffer": content})
        expect(tab.message).to_contain_text(message)
        tab.expect_rows(500)
        assert tab.names() == ASIA
        assert tab.session.scene is scene
    tab.drop({"name": "header.csv", "mimeType": "text/plain", "buffer": b"asia,tub\n"})
    tab.expect_rows(0)  # a header without rows is data without rows
    assert tab.names() == ASIA


@needs_data
def test_short_names_of_another_package_are_matched(open_panel):
    tab = DataTab(open_panel("data", scene=(DATA / "networks/bif/alarm.bif",)))
    tab.drop(DATA / "datasets/bnlearn_alarm.csv")
    expect(tab.misfits).to_have_attribute("aria-rowcount", "28")
    short = tab.misfits.get_by_text("ANES", exact=True)
    tab.choose_meaning(int(short.get_attribute("data-row")), "INSUFFANESTH")
    tab.misfits.focus()
    tab.page.keyboard.press("Control+End")
    expect(tab.cell(tab.misfits, 26, 0)).to_be_visible()
    tab.button("Use with these fixes").click()
    tab.expect_rows(5000)
    expect(tab.page.get_by_text("Data: 5,000 rows, 37 variables.")).to_be_visible()
    expect(tab.page.locator('[data-role="hidden"]')).to_have_count(0)


def test_hostile_names_and_values_are_only_text(tab, tmp_path):
    tab.drop(write(tmp_path / "hostile.csv", f"asia,{HOSTILE}\nyes,</title><b>\n{HOSTILE},1\n"))
    expect(tab.misfits).to_have_attribute("aria-rowcount", "4")
    tab.choose_meaning(2, "(a new variable)")
    tab.choose_meaning(1, "(a new state)")
    expect(tab.page.get_by_role("combobox", name=f"Value {HOSTILE} of asia means")).to_be_visible()
    tab.button("Use with these fixes").click()
    tab.expect_rows(2)
    expect(tab.cell(tab.rows, 1, 1)).to_have_text(HOSTILE)
    expect(tab.cell(tab.rows, 0, 9)).to_have_text("</title><b>")
    tab.page.get_by_role("button", name="Variables", exact=True).click()
    tab.summary.focus()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_role("grid", name=f"States of {HOSTILE} in the data")).to_be_visible()
    tab.button("Simulate…").click()
    expect(tab.hiding(HOSTILE)).to_be_visible()
    expect(tab.page.locator("img")).to_have_count(0)
    expect(tab.page.locator("[onerror]")).to_have_count(0)


@pytest.fixture(scope="module")
def large_csv(tmp_path_factory):
    """About 40 MB for the variables of Asia: enough for a second of reading."""
    block = "".join(
        ",".join(("yes", "no")[(row * 7919 >> k) & 1] for k in range(8)) + "\n" for row in range(20_000)
    ).encode()
    path = tmp_path_factory.mktemp("large") / "large.csv"
    with path.open("wb") as file:
        file.write((",".join(ASIA) + "\n").encode())
        for _ in range(40 * 2**20 // len(block)):
            file.write(block)
    return path, 20_000 * (40 * 2**20 // len(block))


def test_the_page_answers_while_a_large_file_is_read(tab, large_csv):
    path, rows = large_csv
    tab.read(path)
    expect(tab.page.get_by_text("Reading", exact=False)).to_be_visible()
    waits = []
    for name in ("smoke", "bronc", "xray", "dysp"):
        start = time.perf_counter()
        tab.node(name).click()
        expect(tab.page.get_by_text(f"Selected: {name}")).to_be_visible()
        waits.append(time.perf_counter() - start)
    tab.expect_rows(rows)
    print(f"\nclicks while 40 MB were read: {', '.join(f'{wait:.2f} s' for wait in waits)}")
    tab.cell(tab.rows, 0, 1).click()
    tab.page.keyboard.press("Control+End")
    expect(tab.cell(tab.rows, rows - 1, 0)).to_have_text(f"{rows:,}")


def test_a_large_file_can_be_dropped(tab, large_csv, tmp_path):
    """A third of it, in four pieces: what is dropped goes through the browser."""
    rows = large_csv[1] // 3
    path = tmp_path / "dropped.csv"
    with large_csv[0].open("rb") as file:
        path.write_bytes(b"".join(itertools.islice(file, rows + 1)))
    tab.drop(path)
    tab.expect_rows(rows)


def test_reading_can_be_abandoned(tab, large_csv):
    tab.read(large_csv[0])
    tab.button("Abandon").click()
    expect(tab.page.get_by_text("Abandoned: the page is as it was.")).to_be_visible()
    tab.button("Simulate…").click()
    tab.field("Rows to draw").fill("30")
    tab.button("Draw the data").click()
    tab.expect_rows(30)
    expect(tab.facts).to_contain_text(["30 rows"])


def test_an_edit_while_the_question_is_open_asks_again(tab, tmp_path):
    tab.drop(asia_csv(tmp_path / "ask.csv", names=[*ASIA[:7], "shift"]))
    expect(tab.misfits).to_have_attribute("aria-rowcount", "2")
    tab.node("xray").click()
    tab.page.keyboard.press("Delete")
    expect(tab.node("xray")).to_have_count(0)
    expect(tab.misfits).to_have_attribute("aria-rowcount", "3")
    tab.button("Use with these fixes").click()
    tab.expect_rows(2)
