"""What else the Query tab shows, in the browser: against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pgmgui.project.examples import find_example
from tests import oracles
from tests.ui.query_page import Asking
from tests.ui.test_accessibility import BESIDE, judge_settled


@pytest.fixture
def asia():
    return find_example("asia").read()[0].network


def enumerate_joint(network, evidence):
    """Pr(all variables | likelihoods by name), by brute force."""
    sizes = [v.cardinality for v in network.variables]
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.items()}
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, vectors)
    return joint / joint.sum()


def test_an_explanation_of_all_and_of_selected_variables(open_panel, asia):
    page = Asking(open_panel("query"))
    page.suppose("dysp", "yes")
    page.suppose("xray", "yes")
    page.button("explanation").click()
    joint = enumerate_joint(asia, {"dysp": (1, 0), "xray": (1, 0)})
    words = page.page.get_by_text(f"all 8 variables together (MPE): probability {joint.max():.4g} given the evidence.")
    expect(words).to_be_visible()
    best = np.unravel_index(joint.argmax(), joint.shape)
    expected = []
    for v, (variable, state) in enumerate(zip(asia.variables, best, strict=True)):
        alone = oracles.marginal(joint, (v,))
        expected += [
            variable.name,
            variable.states[state],
            f"{variable.states[alone.argmax()]} {100 * alone.max():.1f}%",
        ]
    table = page.page.get_by_role("grid", name="Explanation")
    expect(table.locator("[role=rowheader], [role=gridcell]")).to_have_text(expected)
    page.select("lung")
    lung = oracles.marginal(joint, (asia.index["lung"],))
    expect(page.page.get_by_text("the others summed out (MAP)")).to_contain_text(f"probability {lung.max():.4g} given")
    # Fair coins: whatever they show is as probable as anything else.
    page.button("Clear all").click()
    page.select("smoke")
    expect(page.page.get_by_text("others are as probable, which differ in smoke.")).to_be_visible()
    page.button("bars").click()
    expect(page.variable("smoke")).to_be_visible()


def read_bars(page, label):
    """The texts of the bars of a tornado, from above, once there are any: what each is about, and what it says."""
    bars = page.page.get_by_role("list", name=label).get_by_role("listitem")
    expect(bars.first).to_be_visible()
    return [(bar.locator(".what").inner_text(), bar.locator(".told").inner_text()) for bar in bars.all()]


def find_posterior(network, evidence, name, changed=None):
    """Pr(name = its first state | evidence); ``changed`` is a variable and its table."""
    if changed is not None:
        tables = list(network.tables)
        tables[network.index[changed[0]]] = changed[1]
        network = network.with_tables(tables)
    return oracles.marginal(enumerate_joint(network, evidence), (network.index[name],))[0]


def test_the_tornado_says_where_a_posterior_goes(open_panel, asia):
    page = Asking(open_panel("query"))
    page.suppose("xray", "yes")
    page.button("sensitivity").click()
    expect(page.page.get_by_text("Select a variable on the canvas to see which entries")).to_be_visible()
    page.select("lung")
    given = {"xray": (1, 0)}
    posterior = find_posterior(asia, given, "lung")
    expect(page.page.get_by_text(f"lung = yes has {100 * posterior:.1f}%. Bars: where it goes")).to_be_visible()
    told = dict(read_bars(page, "Entries that move the posterior"))
    # The false alarms of the X-ray: 0.05, with half and twice its odds.
    table = np.array(asia.tables[asia.index["xray"]])
    moved = []
    for scale in (0.5, 2.0):
        odds = scale * 0.05 / 0.95
        table[1] = [odds / (1 + odds), 1 / (1 + odds)]
        moved.append(100 * find_posterior(asia, given, "lung", ("xray", table)))
    assert table.shape == (2, 2)
    assert told["xray = yes: 0.05\ngiven either = no"] == f"{moved[0]:.1f} → {moved[1]:.1f}%"
    # Another state of it.
    page.page.get_by_role("group", name="lung:").get_by_role("button", name="no", exact=True).click()
    expect(page.page.get_by_text(f"lung = no has {100 * (1 - posterior):.1f}%.")).to_be_visible()
    # What is known has no sensitivity.
    page.select("xray")
    expect(page.page.get_by_text("'xray' is known: it has the state 'yes'")).to_be_visible()
    bars = page.page.get_by_role("list", name="Entries that move the posterior")
    expect(bars.get_by_role("listitem")).to_have_count(0)


def test_what_to_observe_next(open_panel, asia):
    page = Asking(open_panel("query"))
    page.suppose("dysp", "yes")
    page.button("observe next").click()
    page.select("lung")
    joint = enumerate_joint(asia, {"dysp": (1, 0)})

    def entropy(weights):
        return -sum(p * np.log(p) for p in weights / weights.sum() if p > 0)

    lung = asia.index["lung"]
    before = entropy(oracles.marginal(joint, (lung,)))
    expect(page.page.get_by_text(f"The entropy of lung is {before:.4f} nats.")).to_be_visible()
    gains = {}
    for v, variable in enumerate(asia.variables):
        if variable.name not in ("lung", "dysp"):
            pair = oracles.marginal(joint, (v, lung))
            gains[variable.name] = before - sum(row.sum() * entropy(row) for row in pair)
    ranked = sorted((item for item in gains.items() if item[1] > 5e-5 * before), key=lambda item: -item[1])
    expected = [(name, f"−{gain:.4f}, {100 * gain / before:.1f}%") for name, gain in ranked]
    assert read_bars(page, "What to observe next") == expected


def test_cases_are_kept_and_compared_side_by_side(open_panel, asia):
    board = open_panel("query")
    page = Asking(board)
    page.suppose("dysp", "yes")
    page.button("cases").click()
    page.button("Keep as case").click()
    cases = page.page.get_by_role("group", name="Suppose:")
    expect(cases.get_by_role("button")).to_have_text(["dysp = yes"])
    page.supposed.get_by_role("button").click()
    page.select("lung")
    joints = enumerate_joint(asia, {}), enumerate_joint(asia, {"dysp": (1, 0)})
    expected = []
    for k, state in enumerate(("yes", "no")):
        values = [oracles.marginal(joint, (asia.index["lung"],))[k] for joint in joints]
        expected += ["" if k else "lung", state, *(f"{100 * value:.1f}%" for value in values)]
    table = page.page.get_by_role("grid", name="Cases")
    expect(table.locator("[role=rowheader], [role=gridcell]")).to_have_text(expected)
    cases.get_by_role("button").click()
    expect(page.supposed.get_by_role("button")).to_have_text(["✕ dysp = yes"])
    page.page.get_by_role("group", name="Remove:").get_by_role("button").click()
    expect(cases).to_have_count(0)
    expect(table).to_have_count(0)


def test_a_trail_is_drawn_and_says_where_it_is_blocked(stage, open_panel):
    page = Asking(open_panel("query"))
    page.button("independence").click()
    expect(page.page.get_by_text("Select two variables on the canvas")).to_be_visible()
    page.page.get_by_role("textbox", name="From").fill("tub")
    page.press("Enter")
    expect(page.page.get_by_text("lung: another parent of either")).to_be_visible()
    page.page.get_by_role("textbox", name="To A variable").fill("lung")
    page.press("Enter")
    expect(page.page.get_by_text("tub and lung are independent, whatever the numbers are")).to_be_visible()
    lines, stop = page.canvas.locator(".trail-line"), page.canvas.locator(".trail-stop")
    expect(lines).to_have_count(2)
    expect(stop).to_have_count(1)
    expect(page.page.get_by_text("✗ blocked at either: arrows meet there")).to_be_visible()
    # A likelihood below is an observed child: it opens the collider.
    stage.do(lambda: page.session.suppose("xray", (0.9, 0.2)))
    expect(page.page.get_by_text("and its descendant xray has a likelihood.")).to_be_visible()
    expect(stop).to_have_count(0)
    page.page.get_by_role("group", name="Blocked trails").get_by_role("button").first.click()
    expect(lines).to_have_count(5)
    expect(stop).to_have_count(1)
    # Nobody looks at it any more.
    page.button("bars").click()
    expect(lines).to_have_count(0)


def test_axe_finds_nothing_in_the_views(open_panel):
    page = Asking(open_panel("query", scene="?example=asia&suppose=dysp:yes&suppose-target=smoke:0.3/0.7"))
    page.select("lung")
    page.page.evaluate(Axe().axe_script)
    shown = {
        "evidence lab": page.page.get_by_role("slider", name="Residuals of the targets by rounds"),
        "three meanings": page.page.get_by_role("grid", name="Three meanings"),
        "explanation": page.page.get_by_role("grid", name="Explanation"),
        "sensitivity": page.page.get_by_role("listitem").filter(has_text="given smoke = yes").first,
        "observe next": page.page.get_by_role("listitem").filter(has_text="either").first,
        "independence": page.page.get_by_text("The Markov blanket of lung"),
        "cases": page.page.get_by_role("grid", name="Cases"),
    }
    for name, sign in shown.items():
        if name == "explanation":
            page.page.get_by_role("group", name="Supposed:").get_by_role("button", name="smoke").click()
        page.button(name).click()
        if name == "cases":
            page.button("Keep as case").click()
        expect(sign).to_be_visible()
        page.page.mouse.move(5, 5)  # nothing is under the pointer
        # In the panel alone, after the first: the rest was judged.
        assert judge_settled(page, "light", name, "document" if name == "evidence lab" else f"({BESIDE})()") == []
