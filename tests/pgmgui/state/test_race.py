"""The race without widgets: what is kept, what is discarded, what is told."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from engine.formats import DataDocument
from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.network import BayesianNetwork
from engine.simulation.sampling import simulate
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden, Partial
from pgmgui.project.results import Point
from pgmgui.project.session_file import dump, parse
from pgmgui.state.curve import MOST_POINTS, Curve
from pgmgui.state.race import Race, offered
from pgmgui.state.session import Session

GALLERY = {example.id: example for example in load_gallery()}


def make_race(example="asia", **settings):
    session = Session()
    session.open_example(GALLERY[example])
    session.configure(**settings)
    return session, Race(session)


def follow(race, until=lambda race: not race.running):
    """Look at the mailboxes until something holds; the runs post, so that waiting is bounded by the test's timeout."""
    while not until(race):
        race.tick()
    race.tick()


def learner_threads():
    return [thread for thread in threading.enumerate() if thread.name == "Learning" and thread.is_alive()]


def test_learners_race_from_the_same_start_and_the_best_is_reported():
    session, race = make_race(methods=("d-em", "em", "em-textbook", "d-lbfgs"), seed=3)
    race.begin()
    follow(race)
    assert [curve.state for curve in race.curves.values()] == ["converged"] * 4
    starts = {curve.points[0].objective for curve in race.curves.values()}
    assert max(starts) - min(starts) < 1e-9
    assert all(curve.points[0].iteration == 0 for curve in race.curves.values())
    ends = [curve.snapshot.objective.sum() for curve in race.curves.values()]
    assert session.learned is race.best
    assert session.learned.objective.sum() == max(ends)
    assert race.can_apply
    assert race.describe()[0].startswith("Within")
    assert sum("converged" in line for line in race.describe()) == 4


def test_small_steps_do_not_hide_what_is_left_to_climb(monkeypatch):
    """On asia, EM's steps are small when it has some thousandths of a nat still to go."""
    session, race = make_race(seed=0)
    race.begin()
    follow(race)
    (line,) = (line for line in race.describe() if line.startswith("Still to go"))
    assert line.endswith("nats.")
    with monkeypatch.context() as patch:
        patch.setattr("pgmgui.state.race_words.find_gaps", lambda *_: [1e-5])
        assert not any(line.startswith("Still to go") for line in race.describe())  # the bound knows better
    session.mark(["bronc"], Hidden())
    assert not any(line.startswith("Still to go") for line in race.describe())  # it is stale


def test_settings_and_prior_reach_the_engine():
    session, race = make_race(methods=("em",), seed=7, restarts=3, tol=1e-3, criterion="parameters", max_iter=40)
    session.set_common_prior(2.0)
    race.begin()
    follow(race)
    expected = list(
        learn(
            session.network,
            session.seen,
            "em",
            random_state=7,
            n_init=3,
            prior=2.0,
            stopping=Stopping(1e-3, "parameters", 40),
        )
    )[-1]
    found = race.curves["em"].snapshot
    np.testing.assert_array_equal(found.theta, expected.theta)
    assert found.objective.shape == (3, len(session.parts.task.decomposition.components) + 1)


def test_the_textbooks_learner_is_split_by_component():
    _, race = make_race(methods=("em-textbook", "em"), max_iter=5, tol=0.0)
    race.begin()
    follow(race)
    textbook, plain = race.curves["em-textbook"].snapshot, race.curves["em"].snapshot
    np.testing.assert_allclose(textbook.objective, plain.objective, rtol=1e-9)
    assert textbook.iterations.shape == plain.iterations.shape
    assert textbook.inferences > plain.inferences


def test_pause_step_resume_stop(endless):
    session, race = make_race(max_iter=10**9)
    race.begin(paused=True)
    follow(race, lambda race: race.curves["d-em"].points)
    assert race.running
    assert race.paused
    assert session.learned.iteration == 0
    for k in (1, 2):
        race.step()
        follow(race, lambda race, k=k: race.curves["d-em"].snapshot.iteration == k)
    follow(race, lambda race: race.paused)
    assert race.curves["d-em"].state == "paused"
    assert not race.can_apply
    race.resume()
    follow(race, lambda race: race.curves["d-em"].snapshot.iteration > 20)
    assert race.curves["d-em"].state == "running"
    race.stop()
    follow(race)
    assert race.curves["d-em"].state == "stopped by you"
    assert session.learned is race.curves["d-em"].snapshot
    assert race.can_apply


def test_cancel_leaves_nothing(endless):
    session, race = make_race(max_iter=10**9)
    before = len(learner_threads())
    race.begin()
    follow(race, lambda race: race.curves["d-em"].points)
    race.cancel()
    assert not race.running
    assert race.curves == {}
    assert race.describe() == []
    assert session.learned is None
    assert not race.can_apply
    for thread in learner_threads():
        thread.join(20)
    assert len(learner_threads()) <= before
    race.tick()
    assert session.learned is None


def test_apply_is_undoable_and_keeps_the_curves():
    session, race = make_race()
    tables = session.network.tables
    race.begin()
    follow(race)
    race.apply()
    assert race.applied
    assert not race.stale
    assert not race.can_apply
    assert session.learned is race.best
    assert "Applied" in race.describe()[0]
    for table, learned in zip(session.network.tables, race.best.network().tables, strict=True):
        np.testing.assert_array_equal(table, learned)
    session.undo()
    assert (race.stale, race.applied, race.can_apply) == (False, False, True)
    assert session.learned is race.best
    assert race.parts is session.parts
    assert len(race.saved().results) == 1
    for table, before in zip(session.network.tables, tables, strict=True):
        np.testing.assert_array_equal(table, before)
    session.redo()
    assert (race.stale, race.applied) == (False, True)


def test_a_run_is_of_use_again_when_what_was_changed_is_taken_back():
    session, race = make_race()
    race.begin()
    follow(race)
    for k in range(8):  # more steps than those of which all is remembered
        session.mark(["bronc"], None if k % 2 else Hidden())
        assert race.stale == (k % 2 == 0)  # marked and unmarked, the problem is the same
    session.mark(["smoke"], Hidden())
    session.move({"asia": (10.0, 20.0)})
    assert race.stale
    while session.undoable:
        session.undo()
    assert not race.stale
    assert session.learned is race.best
    fresh = Race(session)
    assert fresh.open(parse(dump(race.saved())))
    fresh.apply()
    session.undo()
    assert (fresh.stale, fresh.applied) == (False, False)
    session.set_table(0, session.network.tables[0][::-1])
    assert fresh.stale


def test_a_changed_problem_stops_the_run_and_makes_it_stale(endless):
    session, race = make_race(max_iter=10**9)
    race.begin()
    follow(race, lambda race: race.curves["d-em"].points)
    bounds = race.parts.bounds
    session.mark(["bronc"], Hidden())
    assert race.stale
    follow(race)
    assert session.learned is None  # what ran is of another problem
    assert race.curves["d-em"].state == "stopped"
    assert race.describe()[0].startswith("Stale")
    assert not race.can_apply
    assert race.parts.bounds is bounds
    race.begin(paused=True)
    assert not race.stale
    assert race.parts is session.parts
    race.cancel()


def test_moving_a_node_does_not_disturb_a_run(endless):
    session, race = make_race(max_iter=10**9)
    race.begin()
    follow(race, lambda race: race.curves["d-em"].points)
    session.move({"asia": (10.0, 20.0)})
    assert race.running
    assert not race.stale
    race.cancel()


def test_a_failing_run_tells_why_and_the_others_go_on():
    """A table that rules out what the data shows, and a start from it."""
    session, race = make_race(methods=("d-em", "d-lbfgs"), start="current")
    network = session.network
    assert isinstance(network, BayesianNetwork)
    child = network.index["either"]
    table = np.zeros_like(network.tables[child])
    table[..., 0] = 1.0
    session.set_table(child, table)
    race.begin()
    follow(race)
    assert [curve.state for curve in race.curves.values()] == ["failed", "failed"]
    assert "probability 0" in session.message
    assert "failed" in session.message
    assert session.learned is None
    assert not race.can_apply
    assert race.describe() == ["decomposed EM: failed.", "decomposed L-BFGS: failed."]
    session.configure(start="random")
    race.begin()
    assert session.message == ""
    follow(race)
    assert race.can_apply


def test_wrong_settings_are_told():
    session, race = make_race(tol=-1.0)
    race.begin()
    assert "tol must be 0 or more" in session.message
    assert not race.running
    assert race.curves == {}


def test_a_symmetric_start_is_named_and_so_are_unseen_configurations():
    session, race = make_race("latent-class", start="current", max_iter=3)
    network = session.network
    uniform = [np.full_like(table, 1 / table.shape[-1]) for table in network.tables]
    for number, table in enumerate(uniform):
        session.set_table(number, table)
    race.begin()
    follow(race)
    hidden = next(name for name, role in zip(network.index, session.seen.roles, strict=True) if role.value == "hidden")
    assert any(line.startswith("A symmetric start") and hidden in line for line in race.describe())
    session.configure(start="random")
    race.begin()
    follow(race)
    assert not any("symmetric" in line for line in race.describe())


def test_markov_networks_race_and_are_found_again():
    session, race = make_race("thesis-grid", methods=("d-em", "d-lbfgs", "edml-in-turn", "em-textbook"), restarts=3)
    race.begin()
    follow(race)
    reached = {name: curve.points[-1].objective for name, curve in race.curves.items()}
    assert len(reached) == 4
    assert max(reached.values()) <= session.parts.bounds.total + 1e-9
    assert any("the best possible" in line for line in race.describe())
    found = Race(Session())
    assert found.open(parse(dump(race.saved())))
    assert {name: curve.points[-1].objective for name, curve in found.curves.items()} == pytest.approx(reached)
    assert found.best.objective.sum(axis=1).max() == pytest.approx(max(reached.values()))
    race.apply()
    assert race.applied
    session.undo()
    assert (race.applied, race.stale) == (False, False)


def test_learners_of_a_markov_network_meet_its_bound_and_are_certified():
    """On rows of a grid whose neighbours mostly agree."""
    session, race = make_race("thesis-grid", methods=("d-em", "d-lbfgs"))
    network = session.network
    strong = network.with_tables([np.exp(0.8 * np.array([[1.0, -1.0], [-1.0, 1.0]])) for _ in network.scopes])
    session.set_data(DataDocument(simulate(strong, 300, random_state=3)))
    session.mark(["1", "6", "8"], Hidden())
    race.begin()
    follow(race)
    bound = bound_task(session.parts.task).total
    assert len(race.curves) == 2
    for curve in race.curves.values():
        assert curve.points[0].objective < bound - 10
        assert bound - 1e-3 <= curve.points[-1].objective <= bound + 1e-6
    certified = "Certified: the objective is at its upper bound, so no parameters are better."
    assert any(certified in line for line in race.describe())


def test_learners_of_the_other_kind_are_not_offered():
    markov, bayesian = (offered(make_race(example)[0].parts) for example in ("thesis-grid", "asia"))
    assert "edml-in-turn" in markov
    assert "edml-in-turn" not in bayesian
    assert "ipf" not in markov  # its data is not complete
    assert "ipf" in offered(make_race("thesis-triangle")[0].parts)


def test_counting_is_offered_for_complete_data_only():
    session, _ = make_race("cancer")
    assert "counting" in offered(session.parts)
    session.mark(["Cancer"], Partial(0.5))
    assert "counting" not in offered(session.parts)
    session.configure(methods=("counting",))
    assert not Race(session).can_begin


@pytest.mark.parametrize("many", [10, MOST_POINTS - 1, MOST_POINTS, 7 * MOST_POINTS + 3])
def test_a_curve_is_thinned_evenly_and_keeps_both_ends(many):
    curve = Curve("em")
    points = [Point(k, 0.1 * k, 5 * k, -1.0 / (k + 1)) for k in range(many)]
    for first in range(0, many, 37):
        curve = curve.add(points[first : first + 37])
    kept = [point.iteration for point in curve.points]
    assert len(kept) <= MOST_POINTS + 1
    assert kept[0] == 0
    assert kept[-1] == many - 1
    steps = set(np.diff(kept[:-1]).tolist())
    assert len(steps) <= 1  # evenly
    assert steps == {1} or many >= MOST_POINTS


def test_a_long_run_keeps_little():
    _, race = make_race(tol=0.0, max_iter=2 * MOST_POINTS)
    race.begin()
    follow(race)
    curve = race.curves["d-em"]
    assert curve.snapshot.iteration == 2 * MOST_POINTS
    assert len(curve.points) <= MOST_POINTS + 1
    assert curve.points[-1].iteration == 2 * MOST_POINTS
    increasing = [(p.iteration, p.inferences, p.seconds) for p in curve.points]
    assert increasing == sorted(increasing)


# --- what those who watch it see


def listen(race):
    """What a view is told of the race: what has changed, and how it then stands."""
    told = []
    names = ["curves", "running", "paused", "stale", "applied"]
    race.param.watch(lambda *events: told.append({event.name: event.new for event in events}), names)
    return told


def test_all_that_a_race_does_is_observable(endless):
    session, race = make_race(max_iter=10**9)
    told = listen(race)
    race.begin(paused=True)
    assert [set(change) for change in told] == [{"curves", "running", "paused"}]
    follow(race, lambda race: race.curves["d-em"].points)
    assert all(set(change) == {"curves"} for change in told[1:])
    told.clear()
    race.resume()
    assert told == [{"paused": False}]
    race.stop()
    follow(race)
    assert told[-1].keys() >= {"curves", "running"}
    assert told[-1]["running"] is False
    told.clear()
    race.apply()
    assert {key: value for change in told for key, value in change.items()} == {"stale": False, "applied": True}
    told.clear()
    session.mark(["bronc"], Hidden())
    assert told == [{"stale": True, "applied": False}]
    told.clear()
    race.cancel()
    assert told == [{"curves": {}, "stale": False}]


def test_a_curve_that_was_seen_does_not_change(endless):
    """Views keep what they have drawn: the race replaces its curves, and never touches them."""
    _, race = make_race(max_iter=10**9)
    race.begin()
    follow(race, lambda race: race.curves["d-em"].points)
    curves, curve = race.curves, race.curves["d-em"]
    points, snapshot = curve.points, curve.snapshot
    follow(race, lambda race: race.curves["d-em"].points[-1].iteration > points[-1].iteration)
    assert curves["d-em"] is curve
    assert (curve.points, curve.snapshot) == (points, snapshot)
    assert race.curves["d-em"].points[: len(points) - 1] == points[:-1]
    race.cancel()
    assert curves["d-em"] is curve


def test_when_a_run_has_ended_the_last_that_is_told_is_its_end():
    session, race = make_race(restarts=5)
    seen = []
    session.param.watch(lambda event: seen.append(event.new), "learned")
    race.param.watch(lambda event: seen.append("ended"), "running")
    race.begin()
    follow(race)
    last = [item for item in seen if item != "ended"][-1]
    assert last is race.best
    assert last.stop == "converged"
    assert race.curves["d-em"].state == "converged"
    assert seen[-1] == "ended"


# Going on


@pytest.mark.parametrize("reload", [False, True], ids=["on the page", "after a reload"])
def test_a_run_that_was_stopped_goes_on_where_it_was(reload):
    methods = ("d-em", "em", "em-textbook", "d-lbfgs")
    session, race = make_race(methods=methods, restarts=2, tol=0.0, max_iter=6)
    race.begin()
    follow(race)
    ended = {name: curve.points for name, curve in race.curves.items()}
    assert race.goes_on_from == max(points[-1].iteration for points in ended.values())
    assert f"Continue goes on from iteration {race.goes_on_from:,}." in race.describe()
    if reload:
        saved = parse(dump(race.saved()))
        session = Session()
        race = Race(session)
        race.open(saved)
        assert race.goes_on_from == max(points[-1].iteration for points in ended.values())
    race.apply()
    race.proceed()
    assert (race.running, race.applied, race.goes_on_from) == (True, False, None)
    follow(race)
    for name, curve in race.curves.items():
        if name == "d-lbfgs":  # which may have found the best before
            continue
        iterations = [point.iteration for point in curve.points]
        assert iterations[: len(ended[name])] == [point.iteration for point in ended[name]]
        assert (sorted(iterations), iterations[-1]) == (iterations, 12)
        assert all(a.seconds <= b.seconds for a, b in itertools.pairwise(curve.points))
        assert all(a.inferences <= b.inferences for a, b in itertools.pairwise(curve.points))
        assert all(a.objective <= b.objective + 1e-9 for a, b in itertools.pairwise(curve.points))
        assert len(curve.snapshot.theta) == 2
    assert session.learned is race.best


def test_a_run_that_was_stopped_by_hand_keeps_its_limit():
    _, race = make_race(methods=("em",), tol=0.0, max_iter=40)
    race.begin(paused=True)
    for k in range(5):
        race.step()
        follow(race, lambda race, k=k: bool(race.curves["em"].points) and race.curves["em"].points[-1].iteration > k)
    race.stop()
    follow(race)
    assert race.goes_on_from == 5
    race.proceed()
    follow(race)
    assert race.curves["em"].points[-1].iteration == 40
    assert race.curves["em"].state == "stopped at the iteration limit"


def test_what_has_converged_failed_or_is_stale_does_not_go_on():
    session, race = make_race(methods=("em",))
    assert race.goes_on_from is None
    race.begin()
    follow(race)
    assert (race.curves["em"].state, race.goes_on_from) == ("converged", None)
    before = race.curves
    race.proceed()
    assert (race.running, race.curves) == (False, before)
    session.configure(tol=0.0, max_iter=3)
    race.begin()
    follow(race)
    assert race.goes_on_from == 3
    session.mark(["smoke"], Hidden())
    assert race.goes_on_from is None
