"""Markov networks on the page: their components, learners under the bound, slopes, and what is saved."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import read_network
from engine.inference.posterior import infer
from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.model.prior import Laplace
from pgmgui.project.examples import find_example
from pgmgui.project.settings import Settings
from pgmgui.state.session import Session
from tests.ui.lab import Lab
from tests.ui.test_files import Desk as Files
from tests.ui.test_travel import cell, shown


def open_grid() -> Session:
    session = Session()
    session.open_example(find_example("thesis-grid"))
    return session


def test_the_grid_of_the_paper_falls_apart_and_races_under_its_bound(open_panel):
    """§4 [compression]: seven components, two of them drawn with what they share; a race, and its bound's kind."""
    lab = Lab(open_panel("parts", "strip", scene="thesis-grid"))
    expect(lab.page.get_by_text(re.compile("^7 components of factors: 4 counted once, 3 iterated"))).to_be_visible()
    table = shown(lab, "Components")
    assert [row[:4] for row in table[:3]] == [
        ["1", "1–2, 1–4", "1", "2, 4"],
        ["4", "3–6, 5–6, 6–9", "6", "3, 5, 9"],
        ["7", "5–8, 7–8, 8–9", "8", "5, 7, 9"],
    ]
    assert [row[4] for row in table[:3]] == ["2 of 4", "4 of 4", "4 of 4"]
    expect(lab.page.locator("[data-hull]")).to_have_count(3)
    lab.choose_learners("decomposed L-BFGS")
    lab.button("Start").click()
    lab.expect_state("converged")
    lab.expect_state("converged", "decomposed L-BFGS")
    session, settings = open_grid(), Settings()
    bound = bound_task(make_task(session.network, session.seen))
    lines = lab.expect_lines("decomposed EM", "decomposed L-BFGS", "bound, certified")
    assert lines["bound, certified"]["y"][0] == pytest.approx(bound.total, abs=1e-6)
    stopping = Stopping(settings.tol, settings.criterion, settings.max_iter)
    *_, last = learn(session.network, session.seen, "d-em", random_state=settings.seed, stopping=stopping)
    assert lines["decomposed EM"]["y"][-1] == pytest.approx(last.objective.sum(), abs=1e-6)
    assert max(max(line["y"]) for line in lines.values()) == pytest.approx(bound.total, abs=1e-6)
    expect(lab.certificate).to_contain_text("nats of the best possible")
    # A component alone, and its two distinct rows.
    cell(lab, "Components", 0, 0).click()
    expect(lab.page.get_by_text("Component 1 has the data of 1–2, 1–4.")).to_be_visible()
    assert len(shown(lab, "Data of component 1")) == 2
    # More is known: the network falls further apart.
    lab.button("Show all").click()
    lab.select("1")
    lab.page.keyboard.press("h")
    expect(lab.node("1")).to_have_attribute("data-role", "hidden")
    lab.expect_enabled(Start=True)


def test_slopes_of_a_factor_are_the_data_less_the_model(open_panel):
    lab = Lab(open_panel("runs", "strip", scene="thesis-grid"))
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.page.get_by_text("select one variable on the canvas to see the slopes")).to_be_visible()
    lab.select("1")
    expect(lab.page.get_by_text("each cell of the factors of 1 is pulled")).to_be_visible()
    table = shown(lab, "Slopes")
    assert [row[:2] for row in table[:5]] == [["1–2", f"{a}, {b}"] for a in "tf" for b in "tf"] + [["1–4", "t, t"]]
    counts = np.array([[float(number) for number in row[2:]] for row in table])
    np.testing.assert_allclose(counts[:, 0] - counts[:, 1], counts[:, 2], atol=2e-3)
    for first in (0, 4):  # the four rows of data, shared out
        assert counts[first : first + 4, 0].sum() == pytest.approx(4, abs=1e-2)
        assert counts[first : first + 4, 1].sum() == pytest.approx(4, abs=1e-2)


def test_what_was_learned_is_applied_and_saved_as_the_same_distribution(open_panel, tmp_path):
    lab = Lab(open_panel("open", "strip", scene="thesis-grid"))
    lab.button("Start").click()
    lab.expect_state("converged")
    lab.button("Apply").click()
    expect(lab.page.get_by_text("Applied: the network has the learned parameters.")).to_be_visible()
    ours = lab.session.network
    nothing = make_dataset(ours.variables, [[None] * 9])
    files = Files(lab)
    for suffix in (".json", ".uai"):
        files.choose_format(suffix)
        _, path = files.download()
        theirs = read_network(path.rename(tmp_path / f"grid{suffix}")).network
        for v in range(9):
            before = infer(ours, nothing).marginal(v)
            after = infer(theirs, make_dataset(theirs.variables, [[None] * 9])).marginal(v)
            np.testing.assert_allclose(after, before, atol=1e-9)


def test_a_network_is_turned_into_the_other_kind_where_that_is_possible(open_panel, stage):
    lab = Lab(open_panel("open", scene="asia"))
    lab.button("Moralise").click()
    expect(lab.edge("tub", "lung")).to_have_attribute("data-edge", "undirected")
    assert lab.session.network.scopes[5] == (3, 1, 5)
    expect(lab.button("Moralise")).to_have_count(0)
    lab.button("Add arrows").click()
    expect(lab.message).to_contain_text("the cycle 'smoke' – 'lung' – 'either' – 'bronc' – 'smoke' has no chord")
    stage.do(lambda: lab.session.connect("smoke", "either"))
    lab.button("Add arrows").click()
    expect(lab.page.locator('[data-edge="directed"]')).to_have_count(11)
    expect(lab.button("Undo")).to_have_attribute("title", "Undo: add arrows (Ctrl+Z)")


def test_a_variable_is_given_and_factors_have_a_prior(open_panel):
    lab = Lab(open_panel("strip", scene="thesis-grid"))
    lab.select("2")
    given = lab.page.get_by_role("button", name="Given", exact=True)
    given.click()
    expect(given).to_have_attribute("aria-pressed", "true")
    expect(lab.node("2")).to_have_attribute("data-role", "given")
    expect(lab.node("2").locator(".below")).to_have_text("given")  # in words as well
    lab.open_options()
    lab.page.get_by_role("button", name="Laplace (L1)").click()
    expect(lab.page.get_by_role("textbox", name=re.compile("^Prior's width"))).to_be_enabled()
    lab.set_option("Prior's width", "nothing")
    expect(lab.page.get_by_text("Prior's width: 'nothing'")).to_be_attached()
    lab.set_option("Prior's width", "0.5").close_options()
    lab.button("Start").click()
    lab.expect_state("converged")
    scene, task = lab.session.scene, lab.session.learned.task
    assert (scene.factor_prior, task.given) == (Laplace(0.5), (1,))
    assert task.geometry.prior == Laplace(0.5)


def test_nothing_is_given_in_a_bayesian_network(open_panel):
    lab = Lab(open_panel("strip"))
    lab.select("smoke")
    given = lab.page.get_by_role("button", name="Given", exact=True)
    expect(given).to_be_disabled()
    expect(given).to_have_attribute("title", re.compile("^Given: for Markov networks only"))


def test_the_grid_drawn_by_hand_has_the_components_of_the_paper(open_panel):
    """§4 [compression]: nine variables, twelve edges, four rows in which 1, 6 and 8 are missing at times."""
    lab = Lab(open_panel("data", "parts", scene="markov"))
    for k in range(9):
        lab.add(60 + 130 * (k % 3), 50 + 110 * (k // 3), str(k + 1))
    beside = [(k, k + 1) for k in range(1, 9) if k % 3]
    for a, b in (*beside, *((k, k + 3) for k in range(1, 7))):
        lab.connect(str(a), str(b))
    assert len(lab.edges()) == 12
    rows = find_example("thesis-grid").data.read_text(encoding="utf-8").replace("t", "yes").replace("f", "no")
    file = {"name": "rows.csv", "mimeType": "", "buffer": rows.encode()}
    lab.page.get_by_label("Choose a data file, or drop it here").set_input_files(file)
    expect(lab.page.get_by_text(re.compile("^7 components of factors: 4 counted once, 3 iterated"))).to_be_visible()
    for name in ("1", "6", "8"):
        expect(lab.node(name)).to_have_attribute("data-role", "partial")
    expect(lab.page.locator("[data-hull]")).to_have_count(3)
    table = shown(lab, "Components")
    assert {row[1]: row[4] for row in table[:3]} == {
        "1–2, 1–4": "2 of 4",
        "5–6, 3–6, 6–9": "4 of 4",
        "7–8, 8–9, 5–8": "4 of 4",
    }
    assert [row[1] for row in table[3:]] == ["2–3", "4–5", "2–5", "4–7"]
