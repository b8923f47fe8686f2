"""The lessons say what is true: every sentence with a number in it is computed."""

import itertools
import re

import numpy as np
import pytest

from engine.insight.relabelling import group_restarts
from engine.learning.bounds import CERTIFIED
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.structure.comparison import align_structure, compare
from pgmgui.project.axes import Axes
from pgmgui.project.lessons import load_lessons
from pgmgui.project.links import parse_link
from pgmgui.project.scene import derive
from pgmgui.project.structure_problem import make_problem
from pgmgui.state.answers import answer
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.standings import Standings
from tests.pgmgui.state.test_race import follow

LESSONS = {lesson.id: lesson for lesson in load_lessons()}


def opened(lesson, step):
    link = parse_link(LESSONS[lesson].steps[step].link)
    return link, derive(link.scene)


def run(lesson, step):
    """What each learner of a step reaches."""
    link, derived = opened(lesson, step)
    settings, found = link.settings, {}
    for method in settings.methods:
        found[method] = list(
            learn(
                link.scene.document.network,
                derived.seen,
                method,
                start=settings.start,
                random_state=settings.seed,
                n_init=settings.restarts,
                prior=link.scene.whole_prior,
                given=link.scene.given,
                stopping=Stopping(settings.tol, settings.criterion, settings.max_iter),
            )
        )
    return found, derived.parts.bounds.total


def height(snapshot):
    return float(snapshot.objective.sum(axis=1).max())


def components(lesson, step):
    _, derived = opened(lesson, step)
    decomposition = derived.parts.task.decomposition
    names = [variable.name for variable in decomposition.network.variables]
    return [{names[v] for v in component.variables} for component in decomposition.components]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_lesson_has_three_steps_that_open(lesson):
    assert len(lesson.steps) == 3
    for step in lesson.steps:
        assert step.do.endswith(".")
        assert step.see.endswith(".")
        assert derive(parse_link(step.link).scene).parts is not None


def test_decomposition():
    assert components("decomposition", 0) == [{"V"}, {"X"}, {"Y", "Z"}]
    assert components("decomposition", 1) == [{"V"}, {"X"}, {"Y"}, {"Z"}]
    assert components("decomposition", 2) == [{"V"}, {"X", "Y", "Z"}]


@pytest.mark.parametrize("step", [1, 2])
def test_with_only_leaves_missing_edml_needs_one_step(step):
    found, bound = run("leaves", step)
    assert opened("leaves", step)[0].axes == Axes(up="log gap")
    assert bound - height(found["edml"][1]) < CERTIFIED
    assert bound - height(found["em"][1]) > 1
    assert 15 <= found["em"][-1].iteration <= 30


def test_a_local_optimum_and_its_gap():
    (low, bound), (high, _), (several, _) = (run("local-optimum", step) for step in range(3))
    low, high, several = low["d-em"][-1], high["d-em"][-1], several["d-em"][-1]
    assert {low.stop, high.stop} == {"converged"}
    assert bound - height(low) > 11
    assert height(high) > height(low) + 1
    assert abs(height(several) - height(high)) < 0.01
    assert 3 <= len(set(group_restarts(several))) <= 8
    assert bound - height(several) > 5


def test_a_certified_optimum():
    (first, bound), (second, _) = run("certificate", 1), run("certificate", 2)
    first, second = first["d-em"][-1], second["d-em"][-1]
    assert bound - height(first) < CERTIFIED
    assert bound - height(second) < CERTIFIED
    assert np.abs(first.theta - second.theta).max() > 0.05


def test_three_bounds():
    _, derived = opened("bounds", 0)
    bounds = derived.parts.bounds
    found = [bounds.naive, bounds.decomposition.sum(), bounds.total]
    assert [round(float(bound), 2) for bound in found] == [-841.46, -844.88, -845.97]
    found, bound = run("bounds", 1)
    assert bound - height(found["d-lbfgs"][-1]) < CERTIFIED
    _, derived = opened("bounds", 2)
    bounds = derived.parts.bounds
    assert (bounds.naive, bounds.decomposition.sum()) == pytest.approx((0, 0), abs=1e-9)
    assert sum(not component.is_complete for component in derived.parts.task.decomposition.components) == 1
    found, bound = run("bounds", 2)
    assert round(bound, 2) == -948.28
    assert 20 <= bound - height(found["d-em"][-1]) < 21


def test_compression_on_a_chain():
    _, derived = opened("compression", 0)
    data, task = derived.seen, derived.parts.task
    assert data.n_rows == 2000
    assert data.project(range(12)).n_rows == 288
    incomplete = [k for k, c in enumerate(task.decomposition.components) if not c.is_complete]
    assert [task.distinct_rows[k] for k in incomplete] == [4, 4, 4]
    found, _ = run("compression", 1)
    for plain, decomposed in zip(found["em-textbook"], found["d-em"], strict=True):
        assert abs(height(plain) - height(decomposed)) < 0.01
    last = {method: snapshots[-1] for method, snapshots in found.items()}
    assert [(end.iteration, end.inferences) for end in last.values()] == [(25, 7488), (25, 224)]
    assert opened("compression", 1)[0].axes == Axes("inferences", "log gap")
    before, after = components("compression", 0), components("compression", 2)
    assert {"X3", "X4"} in before
    assert {"X7", "X8"} in before
    assert {"X3", "X4", "X5", "X6", "X7", "X8"} in after


# --- what is supposed


def suppose(lesson, step):
    """What the page says of a step's scene: the first state of each variable in percent, or why not; and the course."""
    link, _ = opened(lesson, step)
    found = answer(link.scene.document.network, link.supposed)
    told = (
        {}
        if found.after is None
        else {name: f"{100 * found.after[v][0]:.1f}%" for name, v in found.network.index.items()}
    )
    for name in told:
        for said in re.findall(rf"{name}(?: is| at)? (\d+\.\d%)", LESSONS[lesson].steps[step].see):
            assert (name, said) == (name, told[name])
    return told, found


def test_targets_before_and_after_what_is_known():
    told, _ = suppose("targets", 0)
    assert [told[name] for name in ("lung", "bronc", "dysp")] == ["10.0%", "60.0%", "55.3%"]
    told, found = suppose("targets", 1)
    assert [told[name] for name in ("dysp", "lung", "bronc", "xray")] == ["70.0%", "20.0%", "67.4%", "24.5%"]
    offs = [max(stand.residuals) for stand in found.course.stands]
    assert len(offs) == 8
    assert all(after < before / 7 for before, after in itertools.pairwise(offs))
    told, _ = suppose("targets", 2)
    assert [told[name] for name in ("dysp", "lung", "bronc", "xray")] == ["79.4%", "30.3%", "71.0%", "34.0%"]


def test_targets_that_cannot_hold_at_once():
    told, found = suppose("conflict", 0)
    assert (told["either"], len(found.course.stands)) == ("64.0%", 2)
    _, found = suppose("conflict", 1)
    assert "come no closer: the target of 'tub' by 0.3" in found.trouble
    told, found = suppose("conflict", 2)
    assert [told[name] for name in ("tub", "lung", "either", "xray")] == ["60.0%", "10.0%", "66.0%", "66.4%"]
    assert found.course.stands[-1].number == 199


# --- Markov networks


def race(lesson, step, until=None):
    """The race that a step begins on the page, when it has ended or is so far; and what the page says."""
    link, _ = opened(lesson, step)
    session = Session()
    found = Race(session)
    assert found.open(link.saved)
    assert link.run
    found.begin()
    follow(found, *([until] if until else []))
    found.stop()
    return found, session.message


def trace(curve):
    return [point.objective for point in curve.points]


def factors(lesson, step):
    """Per component, the scopes of its factors."""
    _, derived = opened(lesson, step)
    task = derived.parts.task
    names = [variable.name for variable in task.network.variables]
    parts = task.decomposition.components
    return [{"".join(names[v] for v in task.network.scopes[f]) for f in part.factors} for part in parts]


def test_the_grid_of_the_paper_falls_apart_by_factors():
    found = factors("grid", 0)
    assert sorted(map(len, found)) == [1, 1, 1, 1, 2, 3, 3]
    for part in ({"12", "14"}, {"36", "56", "69"}, {"58", "78", "89"}, {"23"}, {"25"}, {"45"}, {"47"}):
        assert part in found
    _, derived = opened("grid", 0)
    assert (derived.seen.n_rows, derived.parts.task.distinct_rows[found.index({"12", "14"})]) == (4, 2)
    assert sorted(map(len, factors("grid", 1))) == [1, 1, 2, 8]
    curves = race("grid", 2)[0].curves
    assert [curve.state for curve in curves.values()] == ["converged"] * 2
    np.testing.assert_allclose(trace(curves["em-textbook"]), trace(curves["d-em"]), atol=1e-5)


def test_edml_in_turn_is_ipf_on_the_triangle():
    found, message = race("ipf", 1)
    assert message == ""
    curves = found.curves
    np.testing.assert_allclose(trace(curves["ipf"]), trace(curves["edml-in-turn"]), atol=1e-9)
    assert len(trace(curves["ipf"])) == 11
    assert round(trace(curves["ipf"])[-1], 4) == -155.5134
    assert found.parts.bounds.total - trace(curves["ipf"])[-1] < CERTIFIED
    found, _ = race("ipf", 2)
    assert set(found.curves) == {"edml-in-turn"}
    assert len(trace(found.curves["edml-in-turn"])) > 3
    assert (np.diff(trace(found.curves["edml-in-turn"])) >= -1e-9).all()


def test_undamped_edml_diverges_beside_the_damped_one():
    def has_fallen(race):
        damped, undamped = (race.curves[name] for name in ("edml", "edml-undamped"))
        return damped.state == "converged" and min(trace(undamped), default=0.0) < -10_000

    found, _ = race("damping", 1, has_fallen)
    damped, undamped = found.curves["edml"], found.curves["edml-undamped"]
    assert damped.state == "converged"
    assert trace(damped)[0] == trace(undamped)[0] == pytest.approx(found.parts.bounds.total - 52.43, abs=0.01)
    assert len(trace(damped)) == 29
    assert found.parts.bounds.total - trace(damped)[-1] < CERTIFIED
    assert [round(height, 2) for height in trace(undamped)[1:3]] == [-173.45, -207.51]
    # That it then says so is tested with the learner itself, and on the page.
    assert found.leader is damped
    in_turn = race("damping", 2)[0].curves["edml-in-turn"]
    assert (len(trace(in_turn)), (np.diff(trace(in_turn)) >= 0).all()) == (11, True)


def test_a_grid_whose_bound_is_met():
    assert sorted(map(len, factors("grid-bound", 0))) == [1, 1, 1, 1, 2, 2, 2, 2]
    _, derived = opened("grid-bound", 0)
    assert (derived.seen.n_rows, derived.parts.bounds.scopes.kind) == (300, "certified")
    found, _ = race("grid-bound", 1)
    for curve in found.curves.values():
        assert curve.state == "converged"
        assert 0 <= found.parts.bounds.total - trace(curve)[-1] < CERTIFIED
    assert "Certified" in found.describe()[0]
    found, _ = race("grid-bound", 2)
    assert 2 < found.parts.bounds.total - trace(found.curves["d-lbfgs"])[-1] < 3


def test_more_learning_is_worse_for_the_rows_held_out():
    _, derived = opened("overfitting", 0)
    assert (derived.seen.n_rows, derived.parts.split.train.n_rows) == (150, 75)
    bare = stand("overfitting", 1)
    assert [round(value, 4) for value in (bare[-1].train, bare[-1].test)] == [-2.4582, -3.1085]
    best = max(bare, key=lambda one: one.test)
    assert (best.iteration, round(best.test, 4)) == (6, -2.7264)
    assert (np.diff([one.train for one in bare]) > 0).all()
    assert (np.diff([one.test for one in bare[6:]]) < 0).all()
    smoothed = stand("overfitting", 2)
    assert [round(value, 4) for value in (smoothed[-1].train, smoothed[-1].test)] == [-2.5104, -2.6680]
    assert max(smoothed, key=lambda one: one.test) is smoothed[-1]


def stand(lesson, step):
    """How the learner of a step stands on the rows held out, iteration by iteration."""
    found = Session()
    running = Race(found)
    Standings(found, running, lambda do: do()())
    assert running.open(opened(lesson, step)[0].saved)
    running.begin()
    follow(running)
    (curve,) = running.curves.values()
    assert len(curve.tested) == curve.points[-1].iteration + 1
    return curve.tested


@pytest.mark.parametrize("lesson", ["targets", "conflict"])
def test_what_lies_in_the_query_tab_is_said_to_lie_there(lesson):
    """Show me stays in the Guide."""
    for step in LESSONS[lesson].steps:
        for text in (step.do, step.see):
            assert text.count("evidence lab") == text.count("Query → evidence lab")
            assert text.count("three meanings") == text.count("Query → three meanings")


@pytest.mark.parametrize(("step", "search", "arrows", "gap"), [(0, "chow-liu", 6, 247.6), (1, "hill-climbing", 7, 0.0)])
def test_asias_arrows(step, search, arrows, gap):
    link, derived = opened("structure", step)
    assert link.structure == link.saved.search.search == search
    problem = make_problem(derived.seen, link.scene.document.network, link.saved.search)
    assert problem.dataset.total_weight == 5000
    *_, stand = problem.run(lambda: False)
    *_, bound = problem.bound(lambda: False)
    assert len(stand.now.edges) == arrows
    assert bound.value - stand.now.best_score == pytest.approx(gap, abs=0.05)
    found = compare(stand.now.best, align_structure(link.scene.truth, problem.dataset.variables))
    index = link.scene.document.network.index
    if search == "hill-climbing":
        assert (len(found.right), found.missing) == (7, ((index["asia"], index["tub"]),))
    else:
        assert max(map(len, stand.now.best)) == 1
