"""What else the Query tab shows, in the browser: against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from pgmgui.project.examples import find_example
from tests import oracles
from tests.ui.query_page import Asking


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


def enumerate_joint(network, evidence):
    """Pr(all variables | likelihoods by name), by brute force."""
    sizes = [v.cardinality for v in network.variables]
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.items()}
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, vectors)
    return joint / joint.sum()


def read_rows(page, label):
    """The texts of a table, row by row."""
    return [
        row.locator("[role=gridcell], [role=rowheader]").all_inner_texts()
        for row in page.page.get_by_role("grid", name=label).get_by_role("row").all()[1:]
    ]


def test_an_explanation_of_all_and_of_selected_variables(open_panel, asia):
    page = Asking(open_panel("query"))
    page.state_button("dysp", "yes").click()
    page.state_button("xray", "yes").click()
    page.button("explanation").click()
    joint = enumerate_joint(asia, {"dysp": (1, 0), "xray": (1, 0)})
    words = page.page.get_by_text(f"all 8 variables together (MPE): probability {joint.max():.4g} given the evidence.")
    expect(words).to_be_visible()
    best = np.unravel_index(joint.argmax(), joint.shape)
    rows = read_rows(page, "Explanation")
    expected = [[v.name, v.states[k]] for v, k in zip(asia.variables, best, strict=True)]
    assert [row[:2] for row in rows] == expected
    for row, v in zip(rows, range(8), strict=True):
        alone = oracles.marginal(joint, (v,))
        assert row[2] == f"{('yes', 'no')[alone.argmax()]} {100 * alone.max():.1f}%"
    page.select("lung")
    lung = oracles.marginal(joint, (asia.index["lung"],))
    expect(page.page.get_by_text("the others summed out (MAP)")).to_contain_text(f"probability {lung.max():.4g} given")
    # Fair coins: whatever they show is as probable as anything else.
    page.button("Clear all").click()
    page.select("smoke")
    expect(page.page.get_by_text("others are as probable, which differ in smoke.")).to_be_visible()
    page.button("bars").click()
    expect(page.variable("smoke")).to_be_visible()
