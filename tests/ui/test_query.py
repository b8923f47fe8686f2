"""Queries in the browser: what bars say after clicks, drags and keys is what enumeration says."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import Document, write_network
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from pgmgui.components.bars.bars import Bars
from pgmgui.project.examples import load_gallery
from pgmgui.state.session import Session
from tests import oracles
from tests.ui.query_page import Asking

# Presses a key three times on a bar of its own, while the first answer comes: what is sent, and what the bar says.
PRESS_QUICKLY = """async source => {
  const file = URL.createObjectURL(new Blob([source], {type: "text/javascript"}))
  const sent = []
  let hear
  const model = {on: (_, listen) => { hear = listen }, send_msg: message => sent.push(message)}
  const root = (await import(file)).render({model})
  const answer = numbers => hear({type: "load", cards: [
    {name: "A", states: ["yes", "no"], before: [0.5, 0.5], after: [0.5, 0.5], kind: numbers.length ? "likelihood" : "",
     numbers, margin: [], hard: -1, more: 0}]})
  answer([])
  const bar = root.querySelectorAll("[role=slider]")[1]
  const press = () => bar.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft"}))
  press()
  press()
  answer([1, 0.95])
  press()
  hear({type: "done"})
  answer([1, 0.85])
  hear({type: "done"})
  answer([0.5, 1])
  return [sent.slice(1).map(({weight}) => weight), ...[...root.querySelectorAll("[role=slider]")].map(
    slider => slider.getAttribute("aria-valuenow"))]
}"""
HOSTILE = "<img src=x onerror=alert(1)>"


def enumerate_marginals(network, evidence):
    """By name the marginals given likelihoods, and the log evidence: by brute force."""
    sizes = [v.cardinality for v in network.variables]
    vectors = {network.index[name]: np.asarray(vector) for name, vector in evidence.items()}
    free = oracles.joint_weights(sizes, network.scopes, network.tables, {})
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, vectors) / free.sum()
    found = {v.name: (oracles.marginal(joint, (k,)) / joint.sum()).tolist() for k, v in enumerate(network.variables)}
    return found, math.log(joint.sum())


@pytest.fixture
def asia():
    return next(example for example in load_gallery() if example.id == "asia").read()[0].network


def test_bars_on_the_canvas_say_what_enumeration_says(open_panel, asia):
    page = Asking(open_panel("query"))
    before, _ = enumerate_marginals(asia, {})
    expect(page.card("asia")).to_have_count(0)
    page.show_bars()
    expect(page.button("Bars")).to_have_attribute("aria-pressed", "true")
    page.expect_bars(before)
    page.click_bar("dysp", "yes")
    after, log_evidence = enumerate_marginals(asia, {"dysp": (1, 0)})
    page.expect_bars(after)
    # Marked by a pin and an outline; what was probable before stays as a thin line of that length.
    expect(page.bar("dysp", "yes").locator(".state")).to_have_text("▸yes")
    expect(page.node("dysp").locator(".pin")).to_have_text("▸")
    expect(page.node("dysp")).to_have_attribute("aria-label", re.compile("Supposed: dysp = yes"))
    line, track = page.bar("smoke", "yes").locator(".before"), page.bar("smoke", "yes").locator(".track")
    share = float(line.get_attribute("width")) / float(track.get_attribute("width"))
    assert share == pytest.approx(before["smoke"][0], abs=1e-6)
    expect(page.bar("asia", "yes").locator(".before")).to_be_visible(visible=False)
    # A drag along a bar: likelihood 0.2 for yes.
    page.drag_bar("xray", "yes", 0.2)
    expect(page.supposed.get_by_role("button")).to_have_text(
        ["✕ dysp = yes", re.compile(r"^✕ xray: likelihood yes 0\.")]
    )
    weight = float(re.search(r"yes ([\d.]+)", page.supposed.get_by_role("button").nth(1).inner_text())[1])
    assert weight == pytest.approx(0.2, abs=0.02)
    after, log_evidence = enumerate_marginals(asia, {"dysp": (1, 0), "xray": (weight, 1)})
    page.expect_bars(after)
    for name in asia.index:
        page.expect_told(name, after[name], before[name])
    expect(page.page.get_by_text(f"Log evidence −{-log_evidence:.4f} nats: probability")).to_be_visible()
    # Escape gives a drag up.
    x, y, _ = page._place("smoke", "no", 0.6)
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 30, y, steps=4)
    expect(page.status).to_contain_text("smoke = no: likelihood")
    expect(page.supposed.get_by_role("button")).to_have_count(3)
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.synced()
    expect(page.supposed.get_by_role("button")).to_have_count(2)
    # The same state again lets it go; so does the list in the tab; double-clicks add no variable.
    page.click_bar("dysp", "yes")
    expect(page.supposed.get_by_role("button")).to_have_count(1)
    page.supposed.get_by_role("button").click()
    page.expect_bars(before)
    expect(page.button("Clear all")).to_be_disabled()
    x, y, _ = page._place("asia", "no", 0.5)
    page.page.mouse.dblclick(x, y)
    page.synced()
    assert len(page.names()) == 8
    # Bars follow their node, and can be hidden.
    moved = page.card("asia").bounding_box()["x"]
    page.drag("asia", 40, 0)
    assert page.card("asia").bounding_box()["x"] == pytest.approx(moved + 40, abs=1)
    page.button("Bars").click()
    expect(page.card("asia")).to_have_count(0)


def test_the_tab_works_with_the_keyboard_and_explains_what_is_impossible(open_panel, asia):
    page = Asking(open_panel("query"))
    before, _ = enumerate_marginals(asia, {})
    expect(
        page.page.get_by_text("Click a state to suppose it; drag its bar for a likelihood, or press target")
    ).to_be_visible()
    page.expect_told("bronc", before["bronc"], before["bronc"])
    page.state_button("tub", "yes").focus()
    page.page.keyboard.press("Enter")
    expect(page.state_button("tub", "yes")).to_have_attribute("aria-pressed", "true")
    after, _ = enumerate_marginals(asia, {"tub": (1, 0)})
    page.expect_told("xray", after["xray"], before["xray"])
    expect(page.state_button("tub", "yes")).to_be_focused()
    # tub and not either: impossible.
    page.state_button("either", "no").focus()
    page.page.keyboard.press("Space")
    words = page.page.get_by_text("tub = yes and either = no cannot hold together")
    expect(words).to_contain_text("Remove one of them.")
    expect(page.variable("xray")).to_have_class(re.compile("impossible"))
    expect(page.variable("xray").locator(".now")).to_have_text(["–", "–"])
    page.button("Clear all").click()
    page.expect_told("either", before["either"], before["either"])
    expect(words).to_have_count(0)
    # Arrow keys change a likelihood.
    slider = page.slider("dysp", "no")
    slider.focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "0.8")
    after, _ = enumerate_marginals(asia, {"dysp": (1, 0.8)})
    page.expect_told("bronc", after["bronc"], before["bronc"])
    page.page.keyboard.press("PageDown")
    after, _ = enumerate_marginals(asia, {"dysp": (1, 0.55)})
    page.expect_told("bronc", after["bronc"], before["bronc"])
    told = f"likelihood 0.55; probability {100 * after['dysp'][1]:.1f}%, before evidence {100 * before['dysp'][1]:.1f}%"
    expect(slider).to_have_attribute("aria-valuetext", told)
    expect(slider).to_be_focused()
    page.page.keyboard.press("Enter")  # no state but this
    after, _ = enumerate_marginals(asia, {"dysp": (0, 1)})
    page.expect_told("bronc", after["bronc"], before["bronc"])
    # The pointer drags a bar here as well.
    page.slider("smoke", "yes").scroll_into_view_if_needed()
    box = page.slider("smoke", "yes").bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2
    page._drag((x + 30, y), (x, y))
    expect(page.supposed.get_by_role("button").nth(1)).to_have_text(
        re.compile(r"^✕ smoke: likelihood yes 0\.(49|5|51), no")
    )
    # Only what is selected is shown.
    page.select("lung")
    expect(page.variable("smoke")).to_have_count(0)
    expect(page.variable("lung")).to_be_visible()


def test_keys_pressed_before_the_answer_comes_are_not_lost(page):
    page.goto("about:blank")
    assert page.evaluate(PRESS_QUICKLY, Bars._esm) == [[0.95, 0.85], "0.5", "1"]


def test_learned_parameters_can_be_asked(open_panel, asia):
    session = Session()
    session.open_example(next(example for example in load_gallery() if example.id == "asia"))
    stopping = Stopping(session.settings.tol, session.settings.criterion, session.settings.max_iter)
    snapshots = list(learn(session.network, session.seen, random_state=session.settings.seed, stopping=stopping))
    last = snapshots[-1]
    own, _ = enumerate_marginals(asia, {"xray": (1, 0)})
    learned, _ = enumerate_marginals(last.network(), {"xray": (1, 0)})
    own_before, _ = enumerate_marginals(asia, {})
    learned_before, _ = enumerate_marginals(last.network(), {})
    page = Asking(open_panel("query", "strip"))
    page.state_button("xray", "yes").click()
    page.expect_told("smoke", own["smoke"], own_before["smoke"])
    choice = page.page.get_by_role("button", name="learned", exact=True)
    expect(choice).to_be_disabled()
    expect(page.page.get_by_text("The network's own parameters; press Start to learn others.")).to_be_visible()
    page.button("Start").click()
    page.expect_state("converged")
    choice.click()
    expect(page.page.get_by_text(f"Learned parameters: the newest iteration, {last.iteration:,}.")).to_be_visible()
    page.expect_told("smoke", learned["smoke"], learned_before["smoke"])
    assert abs(learned["smoke"][0] - own["smoke"][0]) > 1e-3
    # A past iteration: comma goes back, wherever the focus is.
    page.page.keyboard.press(",")
    words = page.page.get_by_text(re.compile(r"^Learned parameters: iteration [\d,]+ of decomposed EM\.$"))
    told = int(re.search(r"[\d,]+", words.inner_text())[0].replace(",", ""))
    past = next(snapshot for snapshot in snapshots if snapshot.iteration == told)
    assert told < last.iteration
    tub, tub_before = (enumerate_marginals(past.network(), given)[0]["tub"] for given in ({"xray": (1, 0)}, {}))
    page.expect_told("tub", tub, tub_before)
    page.page.get_by_role("button", name="current", exact=True).click()
    page.expect_told("smoke", own["smoke"], own_before["smoke"])


def test_hostile_names_are_just_names(open_panel, tmp_path):
    variables = (Variable(HOSTILE, (HOSTILE, "__proto__")), Variable("B", tuple(f"s{k}" for k in range(8))))
    tables = (np.array([0.3, 0.7]), np.random.default_rng(1).dirichlet(np.ones(8), size=2))
    network = BayesianNetwork(variables, ((), (0,)), tables)
    write_network(tmp_path / "hostile.json", Document(network))
    page = Asking(open_panel("query", scene=(tmp_path / "hostile.json",)))
    page.state_button(HOSTILE, HOSTILE).click()
    expect(page.supposed.get_by_role("button")).to_have_text([f"✕ {HOSTILE} = {HOSTILE}"])
    after, _ = enumerate_marginals(network, {HOSTILE: (1, 0)})
    before, _ = enumerate_marginals(network, {})
    page.expect_told("B", after["B"], before["B"])
    page.show_bars()
    page.expect_bars({HOSTILE: [1, 0], "B": after["B"][:6]})
    expect(page.card("B").locator(".more")).to_have_text("+ 2 more")
    page.click_bar(HOSTILE, "__proto__")
    page.expect_bars({HOSTILE: [0, 1]})
    page.drag_bar(HOSTILE, HOSTILE, 0.7)
    expect(page.supposed.get_by_role("button")).to_have_text(
        re.compile(re.escape(f"{HOSTILE}: likelihood {HOSTILE} 0."))
    )
    page.rename("B", HOSTILE + "2")
    expect(page.card(HOSTILE + "2")).to_be_visible()
    expect(page.page.locator("img")).to_have_count(0)
