"""Mechanisms of missing values on a scene: the mark, the indicator, what is known of them, and the bias."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.formats import DataDocument
from engine.insight.absence import Identification
from engine.model.dataset import MISSING, Role
from engine.model.errors import Cancelled, FormatError, ModelError
from engine.model.mechanism import ABSENT, PRESENT
from engine.model.network import as_markov
from pgmgui.project.absence import add_indicator, compare, find_facts, has_holes, make_mark
from pgmgui.project.absence_words import (
    describe_compared,
    describe_identification,
    describe_kind,
    describe_shares,
    describe_unknown,
)
from pgmgui.project.examples import find_example
from pgmgui.project.layout import arrange
from pgmgui.project.marks import Absent, Hidden, Partial, apply_marks, describe_mark
from pgmgui.project.scene import Scene, derive
from pgmgui.project.session_file import Saved, dump, parse
from pgmgui.project.simulated_data import Simulation, simulate_scene
from pgmgui.state.session import Session

OWN = Absent(("smoke",), (0.6, 0.1))
BY_BRONC = Absent(("bronc", "smoke"), (0.6, 0.1, 0.3, 0.2))


def make_scene(rows=4000, **marks):
    document = arrange(find_example("asia").read()[0])
    scene = simulate_scene(Scene("Asia", "", document), Simulation(rows=rows, seed=1))
    return replace(scene, marks=marks)


def gone(scene, name):
    seen = apply_marks(scene.data.dataset, scene.marks)
    return seen.codes[scene.document.network.index[name]] == MISSING


def open_session(scene):
    session = Session()
    assert session.open(scene)
    return session


def test_a_mark_takes_values_by_the_states_of_their_causes():
    scene = make_scene(smoke=OWN)
    values = scene.data.dataset.codes[scene.document.network.index["smoke"]]
    taken = gone(scene, "smoke")
    assert [taken[values == code].mean() for code in (0, 1)] == pytest.approx([0.6, 0.1], abs=0.04)
    hidden = replace(scene, marks={"smoke": Absent(("bronc",), (1.0, 0.0)), "bronc": Hidden()})
    bronc = scene.data.dataset.codes[scene.document.network.index["bronc"]]
    np.testing.assert_array_equal(gone(hidden, "smoke"), bronc == 0)


def test_a_mark_that_only_says_why_takes_nothing():
    assert not gone(make_scene(100, smoke=Absent(("smoke",))), "smoke").any()


def test_the_indicator_tells_which_values_are_there_and_can_be_undone():
    session = open_session(make_scene(smoke=OWN))
    before = session.scene
    taken = gone(before, "smoke")
    session.replace_scene("add the indicator", add_indicator(before, "smoke"))
    network, dataset = session.network, session.data.dataset
    assert [network.variables[p].name for p in network.parents[network.index["O_smoke"]]] == ["smoke"]
    np.testing.assert_allclose(network.tables[-1], [[0.4, 0.6], [0.9, 0.1]])
    np.testing.assert_array_equal(dataset.codes[-1], np.where(taken, ABSENT, PRESENT))
    np.testing.assert_array_equal(dataset.codes[:-1], before.data.dataset.codes)
    np.testing.assert_array_equal(gone(session.scene, "smoke"), taken)
    assert session.seen.roles[-1] is Role.OBSERVED
    session.undo()
    assert session.scene.marks == before.marks
    assert session.data.dataset.variables == before.data.dataset.variables


def test_the_values_stay_away_as_the_indicator_tells_whatever_else_is_edited():
    session = open_session(make_scene(smoke=OWN))
    session.replace_scene("add the indicator", add_indicator(session.scene, "smoke"))
    taken = gone(session.scene, "smoke")
    session.remove(["asia"])
    session.rename("O_smoke", "seen?")
    session.rename("smoke", "smokes")
    assert session.marks["smokes"] == Absent(("smokes",), OWN.chances, "seen?")
    np.testing.assert_array_equal(gone(session.scene, "smokes"), taken)
    session.set_states("seen?", [(1, "absent"), (0, "present")])
    assert session.marks["smokes"].indicator == ""
    session.undo()
    session.remove(["seen?"])
    assert session.marks["smokes"] == Absent(("smokes",), OWN.chances)


def test_a_mechanism_follows_its_causes():
    session = open_session(make_scene(100, smoke=BY_BRONC))
    session.set_states("bronc", [(1, "no"), (0, "yes")])
    assert session.marks["smoke"].chances == (0.3, 0.2, 0.6, 0.1)
    session.set_states("smoke", [(0, "yes"), (1, "no"), (None, "sometimes")])
    assert "smoke" not in session.marks
    assert "mechanism of missing values of 'smoke' no longer fits" in session.message
    session.undo()
    session.remove(["bronc"])
    assert "smoke" not in session.marks


def test_copies_have_no_mechanism():
    session = open_session(make_scene(100, smoke=OWN))
    assert session.duplicate(["smoke"])
    assert set(session.marks) == {"smoke"}


def test_simulating_again_keeps_a_mechanism():
    scene = simulate_scene(make_scene(100, smoke=OWN, lung=Partial(0.5)), Simulation(rows=200, hide=("tub",)))
    assert scene.marks == {"smoke": OWN, "tub": Hidden()}


def test_an_indicator_has_room():
    scene = add_indicator(make_scene(100, smoke=OWN), "smoke")
    places = np.array([scene.document.positions[v.name] for v in scene.document.network.variables])
    apart = abs(places[:-1] - places[-1])
    assert ((apart[:, 0] > 60) | (apart[:, 1] > 40)).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: add_indicator(s, "bronc"), "say first what decides"),
        (lambda s: add_indicator(add_indicator(s, "smoke"), "smoke"), "tells already"),
        (lambda s: compare(s, derive(s).seen, "bronc", 0, print, bool), "say first what decides"),
        (lambda s: derive(replace(s, marks={"smoke": Absent(("bronc",), (0.5,))})), "1 probabilities; expected 2"),
        (lambda s: derive(replace(s, marks={"smoke": Absent(("x",), (0.5, 0.5))})), "'x' is said to decide"),
        (lambda s: derive(replace(s, marks={"smoke": Absent((), (1.5,))})), "a probability of 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused(change, said):
    with pytest.raises(ModelError, match=said):
        change(make_scene(50, smoke=OWN))


# --- sessions


def test_a_mechanism_is_kept_in_a_session():
    scene = add_indicator(make_scene(50, smoke=OWN, bronc=Absent((), (0.5,)), xray=Absent(("xray",))), "smoke")
    again = parse(dump(Saved(scene))).scene
    assert again.marks == scene.marks
    np.testing.assert_array_equal(gone(again, "smoke"), gone(scene, "smoke"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"causes": ["x"]}, "is no variable of the network"),
        ({"causes": ["bronc", "bronc"]}, "each cause once"),
        ({"chances": [0.5]}, "expected none or 2, got 1"),
        ({"chances": [0.5, 2]}, "from 0 to 1"),
        ({"causes": "smoke"}, "a list"),
        ({"indicator": "smoke"}, "another variable"),
        ({"indicator": "x"}, "is no variable of the network"),
        ({"indicator": 3}, "a text"),
    ],
)
def test_what_a_session_says_of_a_mechanism_is_not_believed(fields, said):
    root = json.loads(dump(Saved(make_scene(20, smoke=OWN))))
    root["marks"]["smoke"] |= fields
    with pytest.raises(FormatError, match=said):
        parse(json.dumps(root))


def test_a_mechanism_has_no_more_causes_than_can_be_listed():
    """30 causes of two states would be a table of gigabytes, made on the page."""
    scene = simulate_scene(Scene("", "", find_example("chain-12").read()[0]), Simulation(rows=20, seed=1))
    first, *causes = scene.document.network.index
    assert parse(dump(Saved(replace(scene, marks={first: Absent(tuple(causes[:8]))})))).scene.marks
    with pytest.raises(FormatError, match="at most 400 combinations"):
        parse(dump(Saved(replace(scene, marks={first: Absent(tuple(causes))}))))
    session = open_session(replace(scene, marks={first: Absent(tuple(causes[:8]))}))
    session.set_states(causes[0], [(0, "a"), (1, "b"), (None, "c"), (None, "d")])
    assert not session.marks
    assert "no longer fits" in session.message


# --- what is known


def find(scene, name):
    return find_facts(scene, derive(scene).seen, name)


def test_facts_of_data_that_was_drawn_here():
    scene = make_scene(smoke=OWN)
    facts = find(scene, "smoke")
    assert (facts.kind, facts.by_truth, facts.knows_values) == ("nmar", True, True)
    np.testing.assert_allclose(facts.expected.states, [0.6, 0.1], atol=1e-12)
    assert facts.expected.whole == pytest.approx(0.35)
    np.testing.assert_allclose(facts.counted.states, [0.6, 0.1], atol=0.04)
    np.testing.assert_array_equal(facts.by_cause, facts.counted.states)
    assert "depends on its own value" in describe_kind(facts)
    assert "the network that the data was drawn from: 35%" in describe_shares(facts, 4000)
    assert "the mechanism can be learned" in describe_identification(facts, scene.document.network)


def test_facts_do_not_change_with_the_indicator():
    scene = make_scene(smoke=OWN)
    plain, grown = find(scene, "smoke"), find(add_indicator(scene, "smoke"), "smoke")
    assert (plain.kind, plain.identification) == (grown.kind, grown.identification)
    np.testing.assert_allclose(plain.expected.states, grown.expected.states, atol=1e-12)
    np.testing.assert_array_equal(plain.counted.states, grown.counted.states)


@pytest.mark.parametrize("make", [lambda network: network, as_markov], ids=["bayesian", "markov"])
def test_what_is_connected_with_the_indicator_is_a_cause(make):
    scene = make_scene(200, smoke=Absent(("bronc",), (0.6, 0.1)))
    scene = replace(scene, document=scene.document.with_network(make(scene.document.network)))
    session = open_session(add_indicator(scene, "smoke"))
    assert find(session.scene, "smoke").kind == "mar"
    session.connect("smoke", "O_smoke")
    facts = find(session.scene, "smoke")
    assert (set(facts.causes), facts.kind) == ({"bronc", "smoke"}, "nmar")
    assert "its own value and on bronc" in describe_kind(facts)


def test_a_mechanism_by_others_is_at_random_if_every_row_tells_them():
    facts = find(make_scene(smoke=Absent(("bronc",), (0.6, 0.1))), "smoke")
    assert (facts.kind, facts.identification) == ("mar", Identification("ignorable", ()))
    np.testing.assert_allclose(facts.expected.states, [0.6 * 0.6 + 0.4 * 0.1, 0.3 * 0.6 + 0.7 * 0.1], atol=1e-9)
    assert "has no bias" in describe_kind(facts)
    hidden = find(make_scene(smoke=Absent(("bronc",), (0.6, 0.1)), bronc=Hidden()), "smoke")
    assert hidden.kind == "nmar"
    assert "which not every row tells" in describe_kind(hidden)
    assert "depends on nothing" in describe_kind(find(make_scene(smoke=Absent((), (0.5,))), "smoke"))


def test_where_nothing_tells_of_the_value_that_is_said():
    others = {name: Hidden() for name in ("tub", "lung", "bronc", "either", "xray", "dysp", "asia")}
    scene = make_scene(smoke=OWN, **others)
    facts = find(scene, "smoke")
    assert facts.identification.kind == "none"
    assert "many answers fit it equally well" in describe_identification(facts, scene.document.network)


def read_with_holes():
    """A scene whose data came with holes."""
    scene = make_scene(2000, smoke=OWN)
    return replace(scene, data=DataDocument(derive(scene).seen), marks={}, truth=None)


def test_of_data_with_holes_the_missing_values_are_not_known():
    scene = read_with_holes()
    assert has_holes(scene, "smoke")
    mark = make_mark(scene, "smoke", ("smoke",))
    assert mark == Absent(("smoke",))
    scene = replace(scene, marks={"smoke": mark})
    facts = find(scene, "smoke")
    assert (facts.knows_values, facts.expected, facts.by_cause) == (False, None, None)
    assert "never recorded" in describe_unknown(facts)
    grown = add_indicator(scene, "smoke")
    np.testing.assert_array_equal(grown.data.dataset.codes[-1] == ABSENT, gone(scene, "smoke"))
    np.testing.assert_allclose(grown.document.network.tables[-1], 0.5)
    by_bronc = find(replace(scene, marks={"smoke": make_mark(scene, "smoke", ("bronc",))}), "smoke")
    assert by_bronc.by_cause.shape == (2,)


def test_many_combinations_are_refused():
    scene = make_scene(20)
    with pytest.raises(ModelError, match="512 combinations"):
        make_mark(scene, "smoke", (*list(scene.document.network.index)[:8], "dysp"))


# --- the bias


def run_compare(scene, name="smoke"):
    steps = []
    found = compare(scene, derive(scene).seen, name, 0, lambda *step: steps.append(step), lambda: False)
    assert [way for way in ("ignoring", "modelling") if any(step[0] == way for step in steps)] == [
        "ignoring",
        "modelling",
    ]
    variable = scene.document.network.variables[scene.document.network.index[name]]
    return found, " ".join(describe_compared(found, variable, scene.marks[name]))


@pytest.mark.parametrize("with_indicator", [False, True])
def test_the_bias_beside_the_truth(with_indicator):
    scene = make_scene(20_000, smoke=OWN)
    found, said = run_compare(add_indicator(scene, "smoke") if with_indicator else scene)
    np.testing.assert_allclose(found.reference, [0.5, 0.5], atol=1e-9)
    assert found.by_truth
    assert abs(found.bias.ignoring.marginal - found.reference).max() > 0.1
    assert abs(found.bias.modelling.marginal - found.reference).max() < 0.05
    assert "As if at random, smoke is off the true distribution by up to 0.1" in said


def test_without_the_truth_the_complete_data_stands_for_it_or_nothing():
    scene = replace(make_scene(2000, smoke=OWN), truth=None)
    found, said = run_compare(scene)
    smoke = scene.data.dataset.codes[scene.document.network.index["smoke"]]
    np.testing.assert_allclose(found.reference, [np.mean(smoke == 0), np.mean(smoke == 1)])
    assert "off the distribution in the complete data" in said
    holes = read_with_holes()
    found, said = run_compare(replace(holes, marks={"smoke": Absent(("smoke",))}))
    assert found.reference is None
    assert "The truth is not known, for the data came with its holes" in said


def test_markov_networks_are_compared_too():
    scene = make_scene(3000, smoke=OWN)
    scene = replace(scene, document=scene.document.with_network(as_markov(scene.document.network)))
    found, _ = run_compare(add_indicator(scene, "smoke"))
    off = [abs(way.marginal - found.reference).max() for way in (found.bias.ignoring, found.bias.modelling)]
    assert off[1] < off[0]


def test_it_can_be_stopped():
    scene = make_scene(200, smoke=OWN)
    with pytest.raises(Cancelled):
        compare(scene, derive(scene).seen, "smoke", 0, lambda *_: None, lambda: True)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (OWN, "missing by a mechanism, decided by smoke"),
        (BY_BRONC, "missing by a mechanism, decided by bronc and smoke"),
        (Absent((), (0.3,)), "missing by a mechanism, completely at random"),
        (Absent(("smoke",)), "as in the data, its absence decided by smoke"),
    ],
)
def test_a_mechanism_in_words(mark, said):
    assert describe_mark(mark) == said
