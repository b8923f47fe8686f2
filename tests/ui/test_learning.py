"""Learning on the page, with a real pointer and keyboard."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.formats import read_network, write_network
from engine.learning.bounds import find_bounds
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model import editing
from engine.model.table_prior import LogisticNormal
from engine.simulation.missingness import hide
from pgmgui.project.examples import load_gallery
from tests.ui.lab import LINES, Lab
from tests.ui.test_first_page import colour, contrast

GALLERY = {example.id: example for example in load_gallery()}
HOSTILE = "<img src=x onerror=alert(1)>"


def asia():
    document, data = GALLERY["asia"].read()
    return document.network, hide(data.dataset, ["tub", "lung"])


def learn_asia(method="d-em", seed=0, tol=1e-4, **options):
    network, data = asia()
    stopping = Stopping(tol, "likelihood")
    return list(learn(network, data, method, random_state=seed, stopping=stopping, **options))


# --- the run


def test_learning_climbs_to_the_bound_and_says_how_close_it_is(open_panel):
    """What is drawn and said, against the engine called by itself."""
    lab = Lab(open_panel("strip"))
    lab.expect_enabled(Start=True, Step=True, Pause=False, Stop=False, Cancel=False, Apply=False)
    lab.button("Start").click()
    lab.expect_state("converged")
    expected, bounds = learn_asia(), find_bounds(make_task(*asia()))
    objective, gap = expected[-1].objective.sum(), bounds.total - expected[-1].objective.sum()
    expect(lab.state()).to_have_text(
        f"decomposed EM: {objective:,.4f} after {len(expected) - 1} iterations, converged."
    )
    expect(lab.certificate).to_have_text(
        f"Within {gap:,.3g} nats of the best possible (under 0.0001 per row); component 2 is not certified."
    )
    lines = lab.expect_lines("decomposed EM", "upper bound (I-map)")
    assert lines["decomposed EM"]["y"] == pytest.approx([s.objective.sum() for s in expected], abs=1e-9)
    assert lines["decomposed EM"]["x"] == list(range(len(expected)))
    assert lines["upper bound (I-map)"]["y"] == pytest.approx([bounds.total] * 2)
    lab.expect_enabled(Start=True, Step=True, Pause=False, Stop=False, Discard=True, Apply=True)
    # On the other axes, and with the other bounds.
    lab.page.get_by_role("button", name="log gap").focus()
    lab.page.keyboard.press("Enter")
    lines = lab.expect_lines("decomposed EM", "certified")
    assert lines["decomposed EM"]["y"][-1] == pytest.approx(gap, rel=1e-6)
    assert lines["certified"]["y"] == [0.001, 0.001]
    lab.page.get_by_role("button", name="seconds").click()
    lab.page.wait_for_function(f"() => ({LINES})().every(line => line.across.startsWith('seconds'))")
    seconds = lab.lines()["decomposed EM"]["x"]
    assert all(a <= b for a, b in itertools.pairwise(seconds))
    assert 0 < seconds[-1] < 60
    lab.page.get_by_role("button", name="objective").click()
    lab.expect_lines("decomposed EM", "upper bound (I-map)")
    lab.page.get_by_role("button", name="bounds", exact=True).click()
    lines = lab.expect_lines("decomposed EM", "upper bound (I-map)", "bound by components", "naive bound")
    assert lines["bound by components"]["y"][0] == pytest.approx(bounds.decomposition.sum())
    assert lines["naive bound"]["y"][0] == pytest.approx(bounds.naive)


def test_complete_data_is_certified_and_can_be_counted(open_panel):
    lab = Lab(open_panel("open", "strip", scene="cancer"))
    lab.choose_learners("counting")
    lab.button("Start").click()
    expect(lab.page.get_by_text("Certified: every component is at its upper bound")).to_be_visible()
    lab.expect_state("converged", "counting")
    lab.pick("Asia")
    lab.button("Learners").click()
    expect(lab.page.get_by_role("checkbox", name="decomposed EM", exact=True)).to_be_visible()
    counting = lab.page.get_by_role("checkbox", name="counting", exact=True)
    expect(counting).to_be_disabled()
    expect(counting).to_have_accessible_description(re.compile("^needs complete data, but values of 'tub', 'lung'"))
    expect(counting).to_be_checked()  # it was chosen, and will be again where it applies
    lab.page.get_by_role("checkbox", name="CG", exact=True).focus()
    lab.page.keyboard.press("Tab")
    expect(lab.page.get_by_role("list", name="Not for this problem")).to_be_focused()


def test_step_pause_resume_stop_discard_cancel_and_what_is_enabled(open_panel, slowly):
    lab = Lab(open_panel("strip"))
    lab.button("Step").click()
    expect(lab.state()).to_contain_text("after 1 iteration, paused")
    lab.expect_enabled(Start=False, Resume=True, Step=True, Stop=True, Cancel=True, Apply=False)
    lab.button("Step").focus()
    lab.page.keyboard.press("Enter")
    expect(lab.state()).to_contain_text("after 2 iterations, paused")
    assert [round(x) for x in lab.lines()["decomposed EM"]["x"]] == [0, 1, 2]
    lab.button("Resume").click()
    lab.expect_state("running")
    lab.expect_enabled(Start=False, Pause=True, Step=True, Stop=True, Cancel=True, Apply=False)
    lab.button("Pause").click()
    lab.expect_state("paused")
    lab.button("Stop").click()
    lab.expect_state("stopped by you")
    lab.expect_enabled(Start=True, Pause=False, Continue=True, Discard=True, Apply=True)
    # Neither what is discarded nor what is cancelled leaves anything.
    lab.button("Discard").click()
    expect(lab.page.get_by_text("Ready: press Start")).to_be_visible()
    lab.expect_lines("upper bound (I-map)")
    lab.button("Start").click()
    lab.expect_state("running")
    lab.expect_lines("decomposed EM", "upper bound (I-map)")
    lab.button("Cancel").click()
    expect(lab.page.get_by_text("Ready: press Start")).to_be_visible()
    lab.expect_lines("upper bound (I-map)")
    lab.expect_enabled(Start=True, Pause=False, Stop=False, Cancel=False, Apply=False)
    # A changed mark makes a run stale.
    lab.button("Start").click()
    lab.expect_state("running")
    lab.after_style(lambda: (lab.node("bronc").focus(), lab.page.keyboard.press("h")))
    expect(lab.page.get_by_text("Stale: the model, the data or the marks have changed")).to_be_visible()
    expect(lab.state()).to_contain_text("stopped.")
    lab.expect_enabled(Start=True, Pause=False, Apply=False)
    lab.button("Start").click()
    lab.expect_state("running")
    expect(lab.page.get_by_text("Stale")).to_have_count(0)
    lab.button("Cancel").click()


def test_what_was_learned_is_saved_applied_undone_and_begun_from(open_panel, tmp_path):
    lab = Lab(open_panel("open", "strip"))
    box = lab.page.get_by_role("checkbox", name="With the learned parameters")
    expect(box).to_be_hidden()
    lab.button("Start").click()
    lab.expect_state("converged")
    box.click()
    with lab.page.expect_download() as found:
        lab.button("Download").click()
    found.value.save_as(tmp_path / "learned.bif")
    saved, learned = read_network(tmp_path / "learned.bif").network, learn_asia()[-1].network()
    for table, expected in zip(saved.tables, learned.tables, strict=True):
        np.testing.assert_allclose(table, expected, atol=1e-12)
    lab.expect_enabled(Undo=False, Apply=True)
    lab.button("Apply").click()
    expect(lab.page.get_by_text("Applied: the network has the learned parameters.")).to_be_visible()
    lab.expect_enabled(Undo=True, Apply=False)
    lab.expect_lines("decomposed EM", "upper bound (I-map)")
    # Undone, the run is still there, and can be applied again.
    lab.button("Undo").click()
    lab.expect_enabled(Undo=False, Apply=True)
    lab.expect_state("converged")
    lab.expect_lines("decomposed EM", "upper bound (I-map)")
    lab.button("Apply").click()
    lab.expect_enabled(Apply=False, Start=True, Undo=True)
    # From the applied parameters the next run has nowhere to go.
    lab.open_options()
    current = lab.page.get_by_role("button", name="current parameters")
    current.click()
    expect(current).to_have_attribute("aria-pressed", "true")
    lab.close_options()
    lab.button("Start").click()
    lab.expect_start("decomposed EM", learn_asia()[-1].objective.sum())
    lab.expect_state("converged")
    expect(box).to_be_visible()
    lab.button("Undo").click()
    expect(lab.page.get_by_text("Stale: the model, the data or the marks have changed")).to_be_visible()
    lab.expect_enabled(Apply=False, Start=True)
    lab.button("Redo").click()
    expect(lab.page.get_by_text("Stale")).to_have_count(0)
    expect(box).to_be_visible()
    lab.button("Discard").click()
    expect(box).to_be_hidden()


def test_learners_race_from_the_same_start(open_panel):
    lab = Lab(open_panel("strip"))
    lab.choose_learners("decomposed L-BFGS")
    assert_names_stay(lab.button("Learners: decomposed EM, decomposed L-BFGS"))
    lab.choose_learners("textbook EM")
    lab.button("Start").click()
    raced = {"decomposed EM": "d-em", "textbook EM": "em-textbook", "decomposed L-BFGS": "d-lbfgs"}
    for learner in raced:
        lab.expect_state("converged", learner)
    lines = lab.expect_lines(*raced, "upper bound (I-map)")
    for learner, method in raced.items():
        assert lines[learner]["y"][0] == pytest.approx(learn_asia()[0].objective.sum())
        assert lines[learner]["y"][-1] == pytest.approx(learn_asia(method)[-1].objective.sum(), abs=1e-6)
    assert len({line["colour"] for line in lines.values()}) == 4
    assert len({lines[learner]["dash"] for learner in raced}) == 3
    lab.page.get_by_role("button", name="inferences").click()
    lab.page.wait_for_function(f"() => ({LINES})().every(line => line.across.startsWith('inferences'))")
    expected = [learn_asia(method)[-1].inferences for method in raced.values()]
    lines = lab.lines()
    assert [lines[learner]["x"][-1] for learner in raced] == expected
    assert expected[0] < expected[1]


def assert_names_stay(button):
    """Names that are too long for their button are cut, not what says that it opens a list."""
    expect(button).to_have_css("overflow", "hidden")
    expect(button).to_have_css("text-overflow", "ellipsis")
    frame, icon = button.bounding_box(), button.locator(".MuiButton-endIcon").bounding_box()
    assert frame["x"] < icon["x"] < icon["x"] + icon["width"] <= frame["x"] + frame["width"]
    assert frame["y"] <= icon["y"] <= icon["y"] + icon["height"] <= frame["y"] + frame["height"]


def test_options_reach_the_run_and_wrong_ones_are_refused(open_panel):
    lab = Lab(open_panel("strip")).open_options()
    lab.set_option("Seed", "5").set_option("Restarts", "3").set_option("Prior", "2")
    lab.set_option("Tolerance", "lots")
    expect(lab.message).to_contain_text("Tolerance: 'lots' is no number")
    expect(lab.page.get_by_role("textbox", name=re.compile("^Tolerance"))).to_have_value("0.0001")
    lab.set_option("Restarts", "0")
    expect(lab.message).to_contain_text("Restarts: '0' is out of range")
    lab.close_options()
    lab.expect_enabled(Undo=True)
    lab.button("Start").click()
    lab.expect_state("converged")
    expected = learn_asia(seed=5, n_init=3, prior=2.0)[-1]
    expect(lab.state()).to_contain_text(f"{expected.objective.sum(axis=1).max():,.4f} after")
    lab.button("Undo").click()  # the prior
    lab.open_options()
    expect(lab.page.get_by_role("textbox", name=re.compile("^Prior"))).to_have_value("1")


def test_a_prior_without_a_formula_is_learned_with_by_numerical_em(open_panel):
    lab = Lab(open_panel("strip")).open_options()
    lab.page.get_by_role("combobox", name=re.compile("^Prior")).click()
    lab.page.locator(".MuiMenuItem-root").filter(has_text="logistic-normal").click()
    expect(lab.page.get_by_role("textbox", name=re.compile("^Prior's exponent"))).to_have_count(0)
    lab.set_option("Prior's width", "0.5").close_options()
    expect(lab.button("Start")).to_be_disabled()
    lab.button("Learners").click()
    lab.page.get_by_role("checkbox", name="decomposed numerical EM", exact=True).click()
    expect(lab.page.get_by_role("checkbox", name="decomposed EM", exact=True)).to_be_disabled()
    lab.page.keyboard.press("Escape")
    lab.button("Start").click()
    lab.expect_state("converged", "decomposed numerical EM")
    expected = learn_asia("d-numerical-em", prior=LogisticNormal(0.5))[-1]
    expect(lab.state("decomposed numerical EM")).to_contain_text(f"{expected.objective.sum():,.4f} after")


# How far the axis of the figure that is shown goes to the right.
RIGHT = """() => Bokeh.documents.flatMap(document => [...document._all_models.values()])
  .find(model => model.name?.startsWith("plot of") && Bokeh.index.find_one(model)?.el.offsetParent)?.x_range.end"""


def test_a_figure_that_is_shown_again_frames_the_new_run_alone(open_panel):
    lab = Lab(open_panel("open", "strip"))
    lab.button("Start").click()
    lab.expect_state("converged")
    for show in ("objective", "log gap"):
        lab.page.get_by_role("button", name=show, exact=True).click()
        lab.page.wait_for_function(f"() => ({RIGHT})() > 200")
    lab.pick("Hidden cause")
    lab.page.get_by_role("button", name="objective", exact=True).click()
    lab.button("Start").click()  # some 140 iterations
    lab.page.wait_for_function(f"() => ({RIGHT})() < 200")
    lab.expect_state("converged")
    lab.page.wait_for_function(f"() => ({RIGHT})() > 100")  # the plot comes after the words
    assert lab.page.evaluate(RIGHT) < 200


# --- what can go wrong


def test_a_failing_run_says_why_and_the_page_lives_on(open_panel, stage):
    """A table that rules out what the data shows, and a start from it."""
    lab = Lab(open_panel("strip", scene="?example=asia&start=current"))
    tables = list(lab.session.network.tables)
    either = lab.session.network.index["either"]
    tables[either] = np.broadcast_to([1.0, 0.0], tables[either].shape)
    stage.do(lambda: lab.session.set_tables("rule out", tables))
    lab.button("Start").click()
    expect(lab.message).to_contain_text("decomposed EM failed: some rows have probability 0")
    expect(lab.state()).to_have_text("decomposed EM: failed.")
    lab.expect_enabled(Start=True, Pause=False, Stop=False, Apply=False)
    lab.open_options()
    lab.page.get_by_role("button", name="random").click()
    lab.close_options()
    lab.button("Start").click()
    lab.expect_state("converged")
    expect(lab.message).to_be_hidden()


def test_a_symmetric_start_is_named(open_panel, stage):
    lab = Lab(open_panel("strip", scene="?example=latent-class&start=current"))
    even = [np.full_like(table, 1 / table.shape[-1]) for table in lab.session.network.tables]
    stage.do(lambda: lab.session.set_tables("even", even))
    lab.button("Start").click()
    expect(lab.page.get_by_text("no table tells hidden states apart, of Class (1, 2)")).to_be_visible()


def test_what_cannot_be_learned_says_so(open_panel):
    lab = Lab(open_panel("open", "parts", "strip", scene="earthquake"))
    expect(lab.page.get_by_text("Learning needs a network with data")).to_be_visible()
    lab.expect_enabled(Start=False, Step=False, Cancel=False)
    assert contrast(colour(lab.button("Start"), "color"), colour(lab.button("Start"), "backgroundColor")) > 4.5
    expect(lab.page.get_by_text("Components are those of a network with data.")).to_be_visible()
    lab.expect_enabled(Start=False)
    lab.pick("Asia")
    lab.choose_learners("decomposed EM")
    expect(lab.page.get_by_text("Choose a learner.")).to_be_visible()
    lab.expect_enabled(Start=False)


# --- components


def test_the_thesis_example_shows_its_components_and_unhiding_gives_four(open_panel):
    lab = Lab(open_panel("parts", "strip", scene="thesis-chain"))
    expect(lab.node("Y")).to_have_attribute("data-role", "hidden")
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X"], ["Y", "Z"]]
    expect(lab.table).to_have_attribute("aria-rowcount", "4")
    lab.node("X").focus()
    lab.after_style(lambda: lab.page.keyboard.press("h"))
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X", "Y", "Z"]]
    expect(lab.table).to_have_attribute("aria-rowcount", "3")
    lab.after_style(lambda: lab.page.keyboard.press("h"))
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X"], ["Y", "Z"]]
    lab.node("Y").focus()
    lab.after_style(lambda: lab.page.keyboard.press("h"))
    expect(lab.node("Y")).to_have_attribute("data-role", "observed")
    assert sorted(map(sorted, lab.components().values())) == [["V"], ["X"], ["Y"], ["Z"]]


def test_the_table_and_the_canvas_are_linked_both_ways_and_tell_what_a_run_has_reached(open_panel, tmp_path):
    """With a name that would run a script, if it were not just a name."""
    path = tmp_path / "hostile.json"
    write_network(path, editing.rename_variable(GALLERY["asia"].read()[0].network, "tub", HOSTILE))
    lab = Lab(open_panel("parts", "strip", scene=(path, GALLERY["asia"].data)))
    expect(lab.row(2)).to_contain_text(f"{HOSTILE}, lung, either")
    lab.row(6).get_by_text("dysp").click()
    expect(lab.node(HOSTILE)).to_have_class(re.compile("ghost"))
    expect(lab.page.get_by_text("Given bronc, either, observed in every row.")).to_be_visible()
    data = lab.page.get_by_role("grid", name="Data of component 6")
    expect(data).to_have_attribute("aria-rowcount", "9")
    network, seen = asia()
    index = [network.index[name] for name in ("bronc", "either", "dysp")]
    rows = {}
    for codes in seen.codes[index].T.tolist():
        rows[tuple(codes)] = rows.get(tuple(codes), 0) + 1
    weights = sorted(int(text) for text in data.locator('[data-column="1"][data-row]').all_inner_texts())
    assert weights == sorted(rows.values())
    lab.button("Show all").click()
    expect(lab.node(HOSTILE)).not_to_have_class(re.compile("ghost"))
    expect(data).to_be_hidden()
    lab.expect_enabled(**{"Show all": False})
    lab.click_hull(2)
    expect(lab.row(2)).to_have_attribute("aria-selected", "true")
    expect(lab.page.get_by_text(f"Component 2 learns {HOSTILE} (hidden), lung (hidden), either.")).to_be_visible()
    expect(lab.page.get_by_role("grid", name="Data of component 2")).to_contain_text(HOSTILE)
    lab.button("Show all").click()
    lab.button("Start").click()
    lab.expect_state("converged")
    assert_table_tells_what_was_reached(lab)


def assert_table_tells_what_was_reached(lab: Lab) -> None:
    """By component, in the table, on the canvas and in the bars of iterations."""
    last, bounds = learn_asia()[-1], find_bounds(make_task(*asia()))
    gap = bounds.imap[1] - last.objective[0, 1]
    expect(lab.row(2).locator('[data-column="3"]')).to_have_text(f"{gap:,.3g}")
    expect(lab.row(2).locator('[data-column="4"]')).to_have_text(f"{last.iterations[0, 1]:,}")
    for k in (1, 3, 4, 5, 6):
        expect(lab.row(k).locator('[data-column="3"]')).to_have_text("certified")
    lab.page.get_by_role("button", name="gap", exact=True).click()
    expect(lab.canvas.get_by_text(f"2: gap {gap:,.3g}", exact=True)).to_be_visible()
    bars = lab.page.evaluate(
        """() => Bokeh.documents.flatMap(d => [...d._all_models.values()])
                 .filter(m => m.type === "Figure" && Bokeh.index.find_one(m)?.el.offsetParent)
                 .map(m => m.renderers[0].data_source.data).filter(data => data.iterations)
                 .map(data => [[...data.number], [...data.iterations]])"""
    )
    assert bars == [[[2], [int(last.iterations[0, 1])]]]
