"""What was learned comes back from a session's file, as far as it is of the same problem."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.model.errors import FormatError
from engine.model.prior import Gaussian
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Given, Hidden
from pgmgui.project.scene import derive
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.wanted import Supposed
from pgmgui.project.words import LEARNERS
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.state.travel import Traveller
from tests import oracles
from tests.pgmgui.state.test_race import follow

GALLERY = {example.id: example for example in load_gallery()}


def learned(example="thesis-chain", **settings):
    session = Session()
    session.open_example(GALLERY[example])
    session.configure(**{"methods": ("d-em", "em-textbook"), "restarts": 3, **settings})
    race = Race(session)
    race.begin()
    follow(race)
    return session, race


def reopened(saved):
    session = Session()
    race = Race(session)
    assert race.open(parse(dump(saved)) if isinstance(saved, Saved) else parse(saved))
    return session, race


def test_all_that_the_page_tells_of_a_run_comes_back():
    session, race = learned()
    again, found = reopened(race.saved())
    assert found.describe() == race.describe()
    assert again.settings == session.settings
    assert list(found.curves) == ["d-em", "em-textbook"]
    for method, curve in race.curves.items():
        assert found.curves[method].points == curve.points
        assert (found.curves[method].state, found.curves[method].note) == (curve.state, curve.note)
    best, before = again.learned, session.learned
    np.testing.assert_array_equal(best.theta, before.theta)
    np.testing.assert_allclose(best.objective, before.objective, rtol=1e-9)
    np.testing.assert_array_equal(best.iterations, before.iterations)
    np.testing.assert_array_equal(best.converged, before.converged)
    assert best.unseen() == before.unseen()
    assert found.can_apply
    found.apply()
    np.testing.assert_array_equal(again.network.tables[2], before.network().tables[2])


@pytest.fixture(scope="module")
def by_auto():
    """A run by auto, which takes seconds: whoever asks for it only looks at it."""
    return learned("burglary", methods=("auto",), restarts=8)


def test_what_auto_says_of_each_component_comes_back(by_auto):
    session, race = by_auto
    again, _ = reopened(race.saved())
    assert session.learned.courses
    assert again.learned.courses == session.learned.courses


def test_a_file_from_before_courses_were_kept_opens_without_them(by_auto):
    _, race = by_auto
    plain = json.loads(dump(race.saved()))
    del plain["results"][0]["courses"]
    session, found = reopened(json.dumps(plain))
    assert session.learned.courses == ()
    assert found.describe() == race.describe()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("end", "won", r"results\[0\].courses\[0\].end: expected one of .*, got 'won'"),
        ("polished_by", "<b>me</b>", r"courses\[0\].polished_by: expected one of"),
        ("tried", -1, r"courses\[0\].tried: expected a whole number"),
    ],
)
def test_a_course_that_no_learner_takes_is_refused(by_auto, field, value, message):
    _, race = by_auto
    plain = json.loads(dump(race.saved()))
    plain["results"][0]["courses"][0][field] = value
    with pytest.raises(FormatError, match=message):
        parse(json.dumps(plain))


def test_courses_of_other_components_are_not_believed(by_auto):
    _, race = by_auto
    plain = json.loads(dump(race.saved()))
    plain["results"][0]["courses"] *= 2
    session, _ = reopened(json.dumps(plain))
    assert session.learned is None


def test_the_objective_is_found_anew_by_the_engine():
    _, race = learned("burglary", methods=("d-em",), restarts=1)
    session, found = reopened(race.saved())
    network, data = found.best.network(), session.seen
    sizes = [variable.cardinality for variable in network.variables]
    joint = oracles.joint_weights(sizes, network.scopes, network.tables, {})
    rows = {}
    for *codes, weight in zip(*data.codes.tolist(), data.weights.tolist(), strict=True):
        cells = tuple(None if code < 0 else code for code in codes)
        rows[cells] = rows.get(cells, 0.0) + weight
    expected = sum(w * oracles.log(oracles.row_joint(sizes, joint, cells).sum()) for cells, w in rows.items())
    assert found.best.log_likelihood.sum() == pytest.approx(expected, abs=1e-6)


def test_of_very_many_numbers_only_the_best_restart_is_kept(monkeypatch):
    monkeypatch.setattr("pgmgui.project.results.MOST_NUMBERS", 20)
    session, race = learned(methods=("d-em",))
    _, found = reopened(race.saved())
    assert len(found.best.theta) == 1
    np.testing.assert_array_equal(found.best.theta[0], session.learned.theta[session.learned.best])
    assert found.describe() == race.describe()


def test_what_was_applied_is_still_applied():
    _, race = learned()
    race.apply()
    _, found = reopened(race.saved())
    assert (found.applied, found.can_apply) == (True, False)
    assert found.describe() == race.describe()


def test_a_run_that_goes_on_is_kept_as_far_as_it_came(endless):
    session = Session()
    session.open_example(GALLERY["asia"])
    session.configure(max_iter=10**9)
    race = Race(session)
    race.begin()
    follow(race, lambda race: race.best is not None)
    saved = race.saved()
    race.stop()
    _, found = reopened(saved)
    assert found.curves["d-em"].state == "interrupted"
    assert not found.running


def test_what_is_stale_is_not_kept():
    session, race = learned()
    session.mark(["X"], Hidden())
    assert race.stale
    assert race.saved().results == ()


def test_a_session_of_the_first_version_has_no_results():
    _, race = learned()
    root = json.loads(dump(race.saved()))
    root["version"] = 1
    del root["results"], root["evidence"]
    again, found = reopened(json.dumps(root))
    assert (found.curves, again.learned, dict(again.evidence)) == ({}, None, {})


def spoil_theta(result):
    result["theta"][0][0] += 0.5


SPOILT = [
    (lambda root: root["results"][0]["theta"][0].pop(), "another network"),
    (lambda root: root["results"][0]["iterations"][0].pop(), "other components"),
    (lambda root: spoil_theta(root["results"][0]), "no probabilities"),
    (lambda root: root["results"][0]["points"][-1].__setitem__(3, -1.0), "the data, the marks or the prior"),
    (lambda root: root["results"][0]["points"][-1].__setitem__(3, None), "the data, the marks or the prior"),
    (lambda root: root.update(common_prior=2.0), "the data, the marks or the prior"),
    (lambda root: root.update(marks={}), "components"),
    (lambda root: root.update(data=None, marks={}), "nothing to learn"),
]


@pytest.mark.parametrize(("spoil", "why"), SPOILT)
def test_a_result_that_does_not_fit_is_left_out_with_a_note(spoil, why):
    _, race = learned(methods=("d-em",), restarts=1)
    root = json.loads(dump(race.saved()))
    spoil(root)
    session, found = reopened(json.dumps(root))
    assert found.curves == {}
    assert session.learned is None
    assert session.message.startswith("The results of decomposed EM in the session's file were left out: ")
    assert why in session.message


BAD = [
    (lambda root: root.update(results=5), "results: expected a list"),
    (lambda root: root.update(results=[5]), r"results\[0\]: expected an object"),
    (lambda root: root["results"][0].update(method="magic"), "method: expected one of"),
    (lambda root: root["results"][0].update(points=[]), "points: expected a list of 1 to 5,000 items, got 0"),
    (lambda root: root["results"][0].update(points=[[1, 2]]), r"points\[0\]: expected a list of 4 numbers"),
    (lambda root: root["results"][0].update(theta=[["x"]]), r"theta\[0\]\[0\]: expected a number"),
    (lambda root: root["results"][0].update(theta=[[float("nan")]]), "expected a number .* got nan"),
    (lambda root: root["results"][0].update(theta=None), "theta: expected a list"),
    (lambda root: root["results"][0].update(theta=[]), "theta: expected a list of 1 to"),
    (lambda root: root["results"][0].update(theta=[[1], [1, 2]]), "one length"),
    (lambda root: root["results"][0].update(iteration=-1), "iteration: expected a whole number"),
    (lambda root: root["results"][0].update(stop="magic"), "stop: expected one of '', 'converged'"),
    (
        lambda root: root["results"][0].update(iterations=[[1.5]]),
        r"results\[0\]\.iterations\[0\]\[0\]: expected a whole number",
    ),
    (lambda root: root["results"][0].update(stop=[]), "stop: expected one of"),
    (lambda root: root["results"][0].update(method=[]), "method: expected one of"),
    (lambda root: root.update(results=root["results"] * 50), "results: expected a list of 0 to"),
    (lambda root: root.update(evidence=[]), "evidence: expected an object"),
    (lambda root: root.update(evidence={"nobody": [1, 1]}), "no variable"),
    (lambda root: root.update(evidence={"X": [1]}), "2 numbers"),
    (lambda root: root.update(evidence={"X": [0, 0]}), "not all of them 0"),
    (lambda root: root.update(evidence={"X": [1, -1]}), "from 0 to"),
    (lambda root: root.update(evidence={"X": 1}), "evidence.X: expected a list of numbers"),
]


@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_results_and_evidence_that_are_none_are_refused(spoil, message):
    _, race = learned(methods=("d-em",), restarts=1)
    root = json.loads(dump(race.saved()))
    spoil(root)
    with pytest.raises(FormatError, match=message):
        parse(json.dumps(root))


def test_opening_brings_settings_evidence_and_results_and_can_be_undone():
    _, race = learned()
    saved = replace(race.saved(), supposed=Supposed({"X": (1.0, 0.0)}))
    session = Session()
    other = Race(session)
    session.open_example(GALLERY["asia"])
    session.suppose("smoke", [1.0, 0.0])
    assert other.open(saved, derive(saved.scene))
    assert session.scene.title == saved.scene.title
    assert session.settings == saved.settings
    assert session.evidence == {"X": (1.0, 0.0)}
    assert session.learned is other.best is not None
    session.undo()
    assert session.scene.title == "Asia"
    assert other.stale


def test_factors_under_a_prior_come_back_whatever_their_scale():
    """Without a prior a factor's cells are at most 1, and files with more than 2 were refused."""
    session = Session()
    session.open_example(GALLERY["thesis-grid"])
    session.mark(["2"], Given())
    session.set_factor_prior(Gaussian(30.0))
    session.configure(methods=("lbfgs",), tol=1e-9)
    race = Race(session)
    race.begin()
    follow(race)
    assert race.best.theta.max() > 2
    again, found = reopened(race.saved())
    assert again.message == ""
    np.testing.assert_array_equal(found.best.theta, race.best.theta)
    assert found.best.objective.sum() == pytest.approx(race.best.objective.sum())
    root = json.loads(dump(race.saved()))
    root["results"][0]["theta"][0] = [1e100] * len(root["results"][0]["theta"][0])
    again, found = reopened(json.dumps(root))
    assert found.curves == {}
    assert "were left out" in again.message


def test_the_iteration_that_was_looked_at_is_looked_at_again():
    session, race = learned()
    other = next(name for name in race.curves if name != race.leader.method)
    traveller = Traveller(session, race)
    traveller.choose(other)
    traveller.go_to(2)
    again, found = reopened(race.saved())
    assert again.moment.title == session.moment.title == f"iteration 2 of {LEARNERS[other]}"
    np.testing.assert_array_equal(again.reached.theta, session.reached.theta)
    assert again.viewed == "learned"
    back = Traveller(again, found)
    assert (back.curve.method, back.iteration) == (other, 2)
    back.step(1)
    assert (back.iteration, back.last) == (race.curves[other].points[-1].iteration,) * 2
    back.go_to(0)
    assert back.iteration == 2
    again.travel_to(None)
    assert reopened(found.saved())[0].moment is None


def test_an_iteration_of_another_problem_is_not_looked_at():
    session, race = learned()
    Traveller(session, race).go_to(2)
    root = json.loads(dump(race.saved()))
    root["looked_at"]["theta"][0] = [0.5] * len(root["looked_at"]["theta"][0])
    again, found = reopened(json.dumps(root))
    assert found.curves
    assert again.moment is None
    root["looked_at"]["method"] = "guess"
    with pytest.raises(FormatError, match="looked_at"):
        parse(json.dumps(root))
