"""Markov networks on the page: their components, learners under the bound, slopes, and what is saved."""

from __future__ import annotations

import csv
import io
import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import Document, read_network, write_dataset, write_network
from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.network import MarkovNetwork
from engine.model.prior import Laplace
from engine.model.variable import Variable
from engine.simulation.generators import grid_markov
from engine.simulation.sampling import simulate
from pgmgui.project.examples import find_example
from pgmgui.project.settings import Settings
from pgmgui.state.session import Session
from tests import oracles
from tests.plain import plain_model
from tests.ui.lab import Lab
from tests.ui.stage import Stage
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
    lines = lab.expect_lines("decomposed EM", "decomposed L-BFGS", "upper bound (proven)")
    assert lines["upper bound (proven)"]["y"][0] == pytest.approx(bound.total, abs=1e-6)
    stopping = Stopping(settings.tol, settings.criterion, settings.max_iter)
    *_, last = learn(session.network, session.seen, "d-em", random_state=settings.seed, stopping=stopping)
    assert lines["decomposed EM"]["y"][-1] == pytest.approx(last.objective.sum(), abs=1e-6)
    assert max(lines["decomposed L-BFGS"]["y"]) < bound.total
    expect(lab.certificate).to_contain_text("the best possible")
    # A component alone, and its two distinct rows.
    cell(lab, "Components", 0, 0).click()
    expect(lab.page.get_by_text("Component 1 has the data of 1–2, 1–4.")).to_be_visible()
    assert len(shown(lab, "Data of component 1")) == 2
    # Less is known of 1: what was learned is of another problem.
    lab.button("Show all").click()
    expect(lab.page.locator(".node.ghost")).to_have_count(0)
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
    width = lab.page.get_by_role("textbox", name=re.compile("^Prior's width"))
    expect(width).to_be_enabled()
    lab.set_option("Prior's width", "nothing")
    expect(lab.page.get_by_text("Prior's width: 'nothing'")).to_be_attached()
    expect(width).to_have_value("1")  # what holds stands there again
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


HIDDEN = ("1", "6", "8")
GRID = find_example("thesis-grid").network


def strong_rows() -> str:
    """Rows of a grid whose neighbours mostly agree: with 1, 6 and 8 hidden its bound is met, and soon."""
    network = read_network(GRID).network
    network = network.with_tables([np.exp(0.8 * np.array([[1.0, -1.0], [-1.0, 1.0]])) for _ in network.scopes])
    stream = io.StringIO()
    rows = simulate(network, 300, random_state=3).codes.T
    csv.writer(stream).writerows([[v.name for v in network.variables], *np.array(["t", "f"])[rows]])
    return stream.getvalue()


def load_rows(lab: Lab, rows: str) -> None:
    """Choose a data file."""
    file = {"name": "rows.csv", "mimeType": "", "buffer": rows.encode()}
    lab.page.get_by_label("Choose a data file, or drop it here").set_input_files(file)
    expect(lab.facts.filter(has_text="300 rows")).to_be_visible()


def hide(lab: Lab) -> None:
    """Mark 1, 6 and 8 as hidden: three components to iterate are drawn."""
    lab.select(*HIDDEN)
    lab.page.keyboard.press("h")
    for name in HIDDEN:
        expect(lab.node(name)).to_have_attribute("data-role", "hidden")
    expect(lab.page.locator("[data-hull]")).to_have_count(3)


def learn_to_the_bound(lab: Lab) -> None:
    """Until the objective is at it; then the parameters are the network's."""
    lab.button("Start").click()
    lab.expect_state("converged")
    lines = lab.expect_lines("decomposed EM", "upper bound (proven)")
    bound = lines["upper bound (proven)"]["y"][0]
    assert bound == pytest.approx(bound_task(lab.session.parts.task).total, abs=1e-6)
    line = lines["decomposed EM"]
    assert line["y"][0] < bound - 10
    assert bound - 1e-3 <= line["y"][-1] <= bound + 1e-6
    expect(
        lab.page.get_by_text("Certified: the objective is at its upper bound, so no parameters are better.")
    ).to_be_visible()
    lab.button("Apply").click()
    expect(lab.page.get_by_text("Applied: the network has the learned parameters.")).to_be_visible()


def draw_grid(lab: Lab, stage: Stage) -> None:
    """Nine variables, twelve edges: the first two and what joins them by hand, the others likewise, but at once."""
    lab.add(60, 50, "1").add(190, 50, "2").connect("1", "2")
    (x, y), (right, _) = (lab.session.document.positions[name] for name in "12")
    step = right - x
    beside = [(k, k + 1) for k in range(2, 9) if k % 3]

    def draw_rest() -> None:
        for k in range(2, 9):
            lab.session.add_variable(x + step * (k % 3), y + step * (k // 3), str(k + 1))
        for a, b in (*beside, *((k, k + 3) for k in range(1, 7))):
            lab.session.connect(str(a), str(b))

    stage.do(draw_rest)
    expect(lab.page.locator("[data-edge]")).to_have_count(12)


def test_the_grid_that_was_drawn_is_marked_falls_apart_and_is_learned_to_its_bound(open_panel, stage):
    """§4 [compression]: with 1, 6 and 8 hidden, seven components."""
    lab = Lab(open_panel("data", "parts", "strip", scene="markov"))
    draw_grid(lab, stage)
    load_rows(lab, strong_rows().replace("t", "yes").replace("f", "no"))
    expect(lab.page.get_by_text(re.compile("^12 components of factors: 12 counted once"))).to_be_visible()
    hide(lab)
    expect(lab.page.get_by_text(re.compile("^7 components of factors: 4 counted once, 3 iterated"))).to_be_visible()
    expect(cell(lab, "Components", 0, 3)).to_have_text("2, 4")
    table = shown(lab, "Components")
    assert [(row[2], row[3]) for row in table[:3]] == [("1", "2, 4"), ("6", "3, 5, 9"), ("8", "5, 7, 9")]
    assert sorted(map(len, (row[1].split(", ") for row in table))) == [1, 1, 1, 1, 2, 3, 3]
    learn_to_the_bound(lab)


def test_a_grid_from_a_file_is_marked_saved_and_read_back(open_panel, tmp_path):
    """As JSON and as UAI: the same distribution, in the file and on the page."""
    lab = Lab(open_panel("open", "data"))
    files = Files(lab)
    files.upload("grid.json", GRID.read_bytes())
    expect(lab.heading).to_have_text("grid")
    load_rows(lab, strong_rows())
    hide(lab)
    joint = enumerate_joint(lab.session.network)
    for suffix in (".json", ".uai"):
        files.choose_format(suffix)
        _, path = files.download()
        saved = read_network(path.rename(tmp_path / f"grid{suffix}")).network
        np.testing.assert_allclose(enumerate_joint(saved), joint, rtol=1e-12)
    files.upload("again.uai", (tmp_path / "grid.uai").read_bytes())
    expect(lab.heading).to_have_text("again")
    np.testing.assert_allclose(enumerate_joint(lab.session.network), joint, rtol=1e-12)


def enumerate_joint(network):
    joint = oracles.joint_weights(*plain_model(network), {})
    return joint / joint.sum()


def test_the_bound_of_a_larger_grid_comes_after_the_rest(open_panel, tmp_path):
    """First the one that is found at once, then the tightest, without any more clicks."""
    network = grid_markov(5, 5, random_state=1)
    write_network(tmp_path / "grid.json", Document(network))
    write_dataset(tmp_path / "rows.csv", simulate(network, 200, random_state=2))
    lab = Lab(open_panel("strip", scene=(tmp_path / "grid.json", tmp_path / "rows.csv")))
    lab.select("X6", "X13")
    lab.page.keyboard.press("h")
    expect(lab.node("X13")).to_have_attribute("data-role", "hidden")
    tightest = bound_task(lab.session.parts.task)
    assert tightest.total < tightest.triangulated
    lab.expect_start("upper bound (proven)", tightest.total)


# --- what cannot be is refused, with its reason


def test_a_row_that_needs_a_zero_is_named_with_its_factor(open_panel, tmp_path):
    network = read_network(GRID).network
    network = network.with_tables([np.array([[1.0, 0.0], [1.0, 2.0]]), *network.tables[1:]])
    write_network(tmp_path / "zero.json", Document(network))
    (tmp_path / "rows.csv").write_text("1,2,3\nt,t,t\nt,f,f\n", encoding="utf-8")
    lab = Lab(open_panel("strip", scene=(tmp_path / "zero.json", tmp_path / "rows.csv")))
    lab.button("Start").click()
    said = "row 2 has '1' = 't', '2' = 'f', and is excluded by zeros of the factor over '1' and '2'"
    expect(lab.message).to_contain_text(f"decomposed EM failed: {said}")
    expect(lab.message).to_contain_text("make them positive, or leave out the row")
    expect(lab.state()).to_have_text("decomposed EM: failed.")


def test_without_data_there_is_nothing_to_learn(open_panel, tmp_path):
    (tmp_path / "none.csv").write_text("1,2,3\n", encoding="utf-8")
    lab = Lab(open_panel("data", "parts", "strip", scene=(GRID,)))
    expect(lab.page.get_by_text("Learning needs a network with data.")).to_be_visible()
    expect(lab.page.get_by_text("Components are those of a network with data.")).to_be_visible()
    lab.expect_enabled(Start=False, Step=False)
    lab.page.get_by_label("Choose a data file, or drop it here").set_input_files(tmp_path / "none.csv")
    expect(lab.page.get_by_text("There is nothing to learn from: the data has no rows.").first).to_be_visible()
    lab.expect_enabled(Start=False, Step=False)


def test_a_network_that_is_too_wide_says_what_joins_too_much(open_panel, tmp_path):
    """Forty variables, each joined with all others."""
    nodes = tuple(Variable(f"X{k}", ("a", "b")) for k in range(40))
    pairs = tuple(itertools.combinations(range(40), 2))
    network = MarkovNetwork(nodes, pairs, tuple(np.ones((2, 2)) for _ in pairs))
    write_network(tmp_path / "wide.json", Document(network))
    (tmp_path / "rows.csv").write_text("X0,X1\na,b\nb,b\n", encoding="utf-8")
    lab = Lab(open_panel("strip", scene=(tmp_path / "wide.json", tmp_path / "rows.csv")))
    said = re.compile(
        r"Learning is out of reach: .* over the limit of 2\.0 GB; the largest joins \d+ unobserved variables"
    )
    expect(lab.page.get_by_text(said).first).to_be_visible()
    expect(lab.page.get_by_text(re.compile("Observe some of them, simplify the network")).first).to_be_visible()
    lab.expect_enabled(Start=False)


def test_ipf_says_what_is_missing(open_panel):
    lab = Lab(open_panel("strip", scene="thesis-grid"))
    lab.button("Learners").click()
    box = lab.page.get_by_role("checkbox", name="IPF", exact=True)
    expect(box).to_be_disabled()
    expect(box).to_have_accessible_description(
        "needs complete data, but values of '1', '6', '8' are missing (8 of 36 cells); use EM"
    )
    lab.page.keyboard.press("Escape")
