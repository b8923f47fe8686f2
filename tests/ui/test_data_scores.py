"""Rows by their probability in the Data panel, and the way to a row."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from engine.insight.row_scores import score_rows
from pgmgui.project.examples import find_example
from tests.ui.data_tab import DataTab, asia_csv

# Push a table down, and again when the page has been scrolled after it, before it is painted.
PUSH_TWICE = """rows => {
  const table = rows.getRootNode().host
  const up = (element) => element.parentElement ?? element.getRootNode().host
  let page = up(table)
  while (page.scrollHeight <= page.clientHeight) page = up(page)
  page.addEventListener("scroll", () => {
    table.style.marginTop = "2000px"
    rows.dataset.pushed = "twice"
  }, {once: true})
  table.style.marginTop = "1000px"
}"""


def test_the_least_probable_rows_come_first_and_are_found_again_among_the_others(open_panel):
    tab = DataTab(open_panel("data"))
    tab.button("by probability").click()
    scores = score_rows(tab.session.network, tab.session.seen)
    row = int(scores.order[0])
    expect(tab.cell(tab.rows, 0, 0)).to_have_text(f"{row + 1}")
    value = f"{scores.log_likelihood[row]:.4f}".replace("-", "−")
    expect(tab.cell(tab.rows, 0, 1)).to_have_text(value)
    expect(tab.cell(tab.rows, 0, 1)).to_have_class(re.compile("warn"))
    expect(tab.page.get_by_text(f"1 is outlying, below −8.25 nats: {row + 1}.")).to_be_visible()
    tab.cell(tab.rows, 0, 0).click()
    tab.button("as read").click()
    expect(tab.cell(tab.rows, row, 0)).to_be_in_viewport()
    expect(tab.cell(tab.rows, row, 0)).to_have_text(f"{row + 1}")
    field = tab.field("Row")
    expect(field).to_have_value(f"{row + 1}")
    field.fill("444")
    field.press("Enter")
    expect(tab.cell(tab.rows, 443, 0)).to_be_in_viewport()
    assert tab.session.row == 443
    field.fill("501")
    field.press("Enter")
    expect(tab.message).to_contain_text("'501' is no row; type a number from 1 to 500")


def test_the_doctor_leads_to_a_row_of_probability_0(open_desk, tmp_path):
    usual, contradiction = "no,no,yes,no,yes,no,no,no", "no,yes,yes,no,yes,no,no,no"
    data = asia_csv(tmp_path / "rows.csv", [usual] * 39 + [contradiction] + [usual] * 20)
    tab = DataTab(open_desk((find_example("asia").network, data)))
    tab.tab("Guide")
    tab.button("Examine the model").click()
    expect(
        tab.page.get_by_text("1 of 60 rows have probability 0 under the current parameters (row 40)")
    ).to_be_visible()
    tab.button("Show the row").click()
    expect(tab.cell(tab.rows, 39, 0)).to_be_in_viewport()
    expect(tab.rows.get_by_role("row", selected=True)).to_have_count(1)
    tab.rows.evaluate(PUSH_TWICE)  # it stays in view
    expect(tab.rows).to_have_attribute("data-pushed", "twice")
    expect(tab.cell(tab.rows, 39, 0)).to_be_in_viewport()
    tab.button("by probability").click()
    expect(tab.cell(tab.rows, 0, 1)).to_have_text("−∞")
    expect(tab.page.get_by_text("1 row has probability 0: 40.")).to_be_visible()
    tab.tab("Guide")
    tab.button("Show the row").click()
    expect(tab.cell(tab.rows, 0, 0)).to_be_in_viewport()
