"""The session: the only writer, what follows from what is written, and taking it back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats import DataDocument, Document
from engine.learning.learn import learn
from engine.model.dataset import Role, make_dataset
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.data_cells import make_edit
from pgmgui.project.examples import load_gallery
from pgmgui.project.marks import Hidden, Partial, ReadAs, Sensor, Soft
from pgmgui.project.scene import Scene
from pgmgui.project.words import describe_savings, name_factors
from pgmgui.state.history import MOST_DERIVED, MOST_STEPS
from pgmgui.state.session import Session
from tests import strategies
from tests.plain import plain_rows

GALLERY = {item.id: item for item in load_gallery()}
HOSTILE = "<img src=x onerror=alert(1)>"


def opened(name):
    session = Session()
    session.open_example(GALLERY[name])
    return session


def with_three_states():
    """X → Y, X of three states, with a cell of each kind."""
    x, y = Variable("X", ("a", "b", "c")), Variable("Y", ("u", "v"))
    tables = (np.array([0.2, 0.3, 0.5]), np.array([[0.1, 0.9], [0.4, 0.6], [0.7, 0.3]]))
    network = BayesianNetwork((x, y), ((), (0,)), tables)
    rows = [("a", "u"), ("b", "v"), ("c", "v"), ("c", "u"), (None, "u"), ((0.0, 0.0, 1.0), "u"), ((0.5, 0.5, 1.0), "v")]
    session = Session()
    session.open(Scene("three", "", Document(network), DataDocument(make_dataset((x, y), rows))))
    return session


def components(session):
    names = [v.name for v in session.document.network.variables]
    return [{names[v] for v in c.variables} for c in session.parts.task.decomposition.components]


def state_of(session):
    return (
        session.scene,
        session.derived,
        list(session.selected),
        session.component,
        session.learned,
        session.undoable,
        session.redoable,
    )


def assert_unchanged(session, before, *parts):
    """Nothing has changed but the message, which holds the parts."""
    now = state_of(session)
    assert all(a is b for a, b in zip(now[:2], before[:2], strict=True))
    assert now[2:] == before[2:]
    for part in parts:
        assert part in session.message


def test_the_thesis_example_falls_apart_and_unhiding_gives_four():
    session = opened("thesis-chain")
    assert components(session) == [{"V"}, {"X"}, {"Y", "Z"}]
    session.mark(["X"], Hidden())
    assert components(session) == [{"V"}, {"X", "Y", "Z"}]
    session.toggle_hidden(["X"])
    assert components(session) == [{"V"}, {"X"}, {"Y", "Z"}]
    session.toggle_hidden(["Y"])
    assert components(session) == [{"V"}, {"X"}, {"Y"}, {"Z"}]
    assert session.marks == {}


def test_marks_without_data_are_refused_with_a_message():
    session = opened("earthquake")
    before = state_of(session)
    assert not session.mark(["Alarm"], Hidden())
    assert_unchanged(session, before, "no data to mark")
    assert session.parts is None


def test_the_parts_of_a_markov_network_are_sets_of_factors():
    """§4 [compression]: seven components, of which the first sees two distinct rows."""
    session = opened("thesis-grid")
    parts = session.parts
    names = [name_factors(session.network, part.factors) for part in parts.task.decomposition.components]
    assert sorted(names, key=len)[-2:] == [["3–6", "5–6", "6–9"], ["5–8", "7–8", "8–9"]]
    assert len(names) == 7
    assert ["1–2", "1–4"] in names
    assert parts.task.distinct_rows[names.index(["1–2", "1–4"])] == 2
    assert parts.gaps(None) == [None] * 7
    assert describe_savings(parts.task).startswith("7 components of factors: 4 counted once, 3 iterated.")


def test_opening_another_example_forgets_marks_and_selection():
    session = opened("asia")
    session.select(["smoke", "nobody"])
    session.mark(["smoke"], Hidden())
    assert session.selected == ["smoke"]
    session.open_example(load_gallery()[1])
    assert (session.marks, session.selected) == ({}, [])


def test_applying_gives_the_network_the_learned_parameters():
    session = opened("asia")
    *_, last = learn(session.document.network, session.seen)
    session.apply(last)
    assert session.document.network.tables[0] == pytest.approx(last.network().tables[0])
    assert session.document.positions
    session.remove(["dysp"])
    before = state_of(session)
    assert not session.apply(last)
    assert_unchanged(session, before, "belongs to another network")


def test_sentences_for_people():
    assert "1 iterated" in describe_savings(opened("asia").parts.task)
    session = opened("thesis-chain")
    session.mark(["Z"], Hidden())
    assert "all complete: counting solves them" in describe_savings(session.parts.task)


# --- edits: what follows them


def test_a_renamed_variable_keeps_its_place_data_mark_prior_and_selection():
    session = opened("asia")
    place = session.document.positions["smoke"]
    column = session.seen.codes[session.network.index["smoke"]]
    session.mark(["smoke"], Partial(0.3))
    session.set_prior("smoke", 3.0)
    session.select(["tub", "smoke"])
    assert session.rename("smoke", f"  {HOSTILE} ")
    assert session.selected == ["tub", HOSTILE]
    assert session.document.positions[HOSTILE] == place
    assert session.marks == {HOSTILE: Partial(0.3)}
    assert session.scene.prior == {HOSTILE: 3.0}
    assert session.data.dataset.variables == session.network.variables
    assert session.data.dataset.codes[session.network.index[HOSTILE]].tolist() == column.tolist()
    assert "smoke" not in session.document.positions
    session.undo()
    assert session.selected == ["tub", "smoke"]


def test_a_removed_variable_takes_its_mark_prior_and_column_along():
    session = opened("asia")
    session.mark(["smoke", "xray"], Hidden())
    session.set_prior("smoke", 3.0)
    session.select(["smoke", "lung"])
    session.look_at(0)
    assert session.remove(["smoke"])
    assert list(session.marks) == ["xray"]
    assert dict(session.scene.prior) == {}
    assert session.selected == ["lung"]
    assert session.component is None
    assert [v.name for v in session.data.dataset.variables] == [v.name for v in session.network.variables]
    assert len(session.network.variables) == 7


def test_arrows_and_variables_go_in_one_step():
    session = opened("asia")
    assert session.remove(["smoke"], [("asia", "tub"), ("smoke", "lung")])
    assert session.undoable == "remove smoke"
    assert len(session.network.edges) == 5
    session.undo()
    assert len(session.network.edges) == 8
    assert session.remove([], [("asia", "tub"), ("smoke", "lung")])
    assert session.undoable == "remove 2 edges"
    assert not session.remove([])


def test_a_new_variable_is_selected_hidden_in_the_data_and_drawn_where_it_was_asked_for():
    session = opened("asia")
    assert session.add_variable(7.0, 8.0)
    assert session.selected == ["A"]
    assert session.document.positions["A"] == (7.0, 8.0)
    assert session.seen.roles[-1] is Role.HIDDEN
    before = state_of(session)
    assert not session.add_variable(0.0, 0.0, "A")
    assert_unchanged(session, before, "'A'", "names must differ")


def test_free_names_do_not_run_out():
    session = Session()
    for _ in range(30):
        assert session.add_variable(0.0, 0.0)
    names = [v.name for v in session.network.variables]
    assert names[:2] + names[25:28] == ["A", "B", "Z", "X1", "X2"]


def test_cells_that_lose_their_state_are_missing_and_the_user_is_told():
    session = with_three_states()
    assert session.set_states("X", [(0, "a"), (1, "b")])
    assert session.data.dataset.codes[0].tolist() == [0, 1, -1, -1, -1, -1, -2]
    assert session.message == "3 cells of 'X' are missing now: their state is gone. Undo brings it back."
    session.undo()
    assert session.message == ""
    assert session.data.dataset.codes[0].tolist()[:4] == [0, 1, 2, 2]
    session.set_states("X", [(2, "c"), (1, "b"), (0, " other ")])
    assert session.message == ""
    assert session.network.variables[0].states == ("c", "b", "other")
    assert session.data.dataset.codes[0].tolist()[:5] == [2, 1, 0, 0, -1]


def test_targets_follow_the_states_and_come_back():
    session = with_three_states()
    data = session.data.dataset
    edit = make_edit(data, np.array([1, 5]), [0], [["{0.2;0.3;0.5}"], ["{0;0;1}"]])
    assert session.edit_data("type targets", edit)
    before = plain_rows(session.data.dataset)
    assert session.mark(["X"], ReadAs("likelihood"))
    assert not session.seen.targets
    assert session.undo()
    assert session.seen.target_cells.sum() == 2
    assert session.set_states("X", [(1, "b"), (0, "a")])
    cells = [row[0] for row in plain_rows(session.data.dataset)]
    assert cells[1].shares == pytest.approx((0.6, 0.4))
    assert cells[5] is None
    assert cells[6] == (0.5, 0.5)
    session.undo()
    assert plain_rows(session.data.dataset) == before
    session.undo()
    assert plain_rows(session.data.dataset) == plain_rows(data)
    assert not session.data.dataset.targets
    session.redo()
    assert plain_rows(session.data.dataset) == before


def test_a_sensor_follows_its_states_while_it_fits():
    session = with_three_states()
    sensor = Sensor(((0.8, 0.2), (0.3, 0.7)))
    session.mark(["Y"], sensor)
    session.set_states("Y", [(1, "no"), (0, "yes")])
    assert session.marks["Y"] == Sensor(((0.7, 0.3), (0.2, 0.8)))
    session.set_states("Y", [(0, "no"), (1, "yes"), (None, "perhaps")])
    assert session.marks == {}
    assert "sensor table of 'Y' no longer fits" in session.message
    session.undo()
    assert session.marks["Y"] == Sensor(((0.7, 0.3), (0.2, 0.8)))


def test_a_table_of_exponents_follows_parents_and_states():
    session = with_three_states()
    exponents = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    session.set_prior("Y", exponents)
    session.set_states("X", [(2, "c"), (0, "a"), (1, "b")])
    assert session.scene.prior["Y"].tolist() == [[5, 6], [1, 2], [3, 4]]
    session.set_states("Y", [(1, "v"), (0, "u")])
    assert session.scene.prior["Y"].tolist() == [[6, 5], [2, 1], [4, 3]]
    session.rename("X", "W")
    session.remove(["W"])
    assert session.scene.prior["Y"].tolist() == [4, 3]
    session.add_variable(0, 0, "P")
    session.connect("P", "Y")
    assert session.scene.prior["Y"].tolist() == [[4, 3], [4, 3]]
    assert session.parts is not None


def test_a_network_is_moralised_and_gets_arrows_again_with_all_that_is_about_it():
    session = opened("thesis-chain")
    session.mark(["Z"], Hidden())
    session.suppose("V", (1.0, 0.0))
    session.set_prior("Y", np.full((2, 2), 2.0))
    session.set_prior("Z", 3.0)
    before, data, marks = session.network, session.data, dict(session.marks)
    assert session.moralise()
    assert isinstance(session.network, MarkovNetwork)
    assert "exponents of the cells of Y" in session.message
    assert not session.moralise()
    assert session.network.scopes == before.scopes
    session.select_factor(1)
    assert session.add_arrows()
    assert session.factor is None
    assert session.network.parents == before.parents
    for ours, theirs in zip(session.network.tables, before.tables, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert (session.data, dict(session.marks), dict(session.scene.prior)) == (data, marks, {"Z": 3.0})
    assert session.evidence == {"V": (1.0, 0.0)}
    assert not session.add_arrows()
    session.undo()
    session.undo()
    assert session.network is before
    assert set(session.scene.prior) == {"Y", "Z"}


def test_where_arrows_cannot_say_the_same_the_cycle_is_named():
    session = opened("thesis-grid")
    before = session.scene
    assert not session.add_arrows()
    assert session.message.startswith("No arrows can say the same")
    assert "'1' – '4' – '5' – '2' – '1'" in session.message
    assert session.scene is before


def test_everything_is_carried_over_on_a_markov_network_too():
    session = opened("thesis-grid")
    session.mark(["2"], Hidden())
    session.rename("2", "two")
    session.set_states("two", [(1, "no"), (0, "yes")])
    session.remove(["1"])
    assert session.add_variable(0, 0, "new")
    assert session.connect("new", "two")
    assert list(session.marks) == ["two"]
    assert [v.name for v in session.data.dataset.variables] == [v.name for v in session.network.variables]
    assert session.seen.roles[session.network.index["two"]] is Role.HIDDEN


# --- edits that are refused


@pytest.mark.parametrize(
    ("edit", "parts"),
    [
        (lambda s: s.connect("dysp", "asia"), ["close a cycle: asia → tub → either → dysp → asia"]),
        (lambda s: s.connect("asia", "tub"), ["already"]),
        (lambda s: s.connect("asia", "asia"), ["itself"]),
        (lambda s: s.rename("asia", "tub"), ["'tub' already"]),
        (lambda s: s.rename("asia", "  "), ["needs a name"]),
        (lambda s: s.remove(["asia", "nobody"]), ["No variable 'nobody'"]),
        (lambda s: s.remove([], [("asia", "dysp")]), ["not connected"]),
        (lambda s: s.set_states("asia", [(0, "x"), (1, " x ")]), ["twice"]),
        (lambda s: s.set_states("asia", []), ["no states"]),
        (lambda s: s.set_table(0, np.array([0.5, 0.6])), ["does not sum to 1"]),
        (lambda s: s.set_prior("asia", 0.5), ["'asia' is below 1"]),
        (lambda s: s.set_prior("tub", np.ones((3, 2))), ["shape (3, 2); expected (2, 2)"]),
        (lambda s: s.set_prior("tub", float("nan")), ["below 1"]),
        (lambda s: s.set_common_prior(0.0), ["below 1"]),
        (lambda s: s.mark(["nobody"], Hidden()), ["'nobody'"]),
        (lambda s: s.mark(["asia"], Partial(1.5)), ["1.5", "from 0 to 1"]),
        (lambda s: s.mark(["asia"], Partial(0.5, "magic")), ["magic", "mcar"]),
        (lambda s: s.mark(["asia"], Soft(-0.1)), ["-0.1"]),
        (lambda s: s.mark(["asia"], Sensor(((0.5, 0.6), (0, 1)))), ["sum to 1"]),
        (lambda s: s.set_data(GALLERY["cancer"].read()[1]), ["other variables than the network"]),
    ],
)
def test_a_refused_edit_changes_nothing_but_the_message(edit, parts):
    session = opened("asia")
    session.mark(["asia"], Hidden())
    session.undo()
    session.select(["tub"])
    session.look_at(1)
    before = state_of(session)
    assert before[-1] == "mark asia"
    assert not edit(session)
    assert_unchanged(session, before, *parts)
    assert session.message[0] == session.message[0].upper()
    assert session.redo()


def test_a_prior_is_checked_without_data_too():
    session = opened("earthquake")
    assert not session.set_prior("Alarm", 0.5)
    assert "below 1" in session.message
    assert session.set_prior("Alarm", 2.0)
    assert session.scene.whole_prior["Alarm"] == 2.0
    assert session.set_prior("Alarm", None)
    assert dict(session.scene.prior) == {}


@pytest.mark.parametrize(
    "nothing",
    [
        lambda s: s.rename("asia", " asia "),
        lambda s: s.mark(["asia"], None),
        lambda s: s.set_table(0, np.array(s.network.tables[0])),
        lambda s: s.set_states("asia", [(0, "yes"), (1, " no ")]),
        lambda s: s.set_common_prior(1.0),
        lambda s: s.set_prior("asia", None),
    ],
)
def test_what_changes_nothing_is_no_step(nothing):
    session = opened("asia")
    before = state_of(session)
    assert nothing(session)
    assert_unchanged(session, before)


# --- undo


def do_something(session, k):
    name = session.network.variables[k % len(session.network.variables)].name
    actions = [
        lambda: session.mark([name], Soft(0.5 + k / 1000)),
        lambda: session.move({name: (float(k), 0.0)}),
        lambda: session.set_prior(name, 1.0 + k),
        lambda: session.add_variable(0.0, float(k), f"N{k}"),
        lambda: session.set_states(name, [(1, f"{k}"), (0, f"other {k}")]),
        lambda: session.rename(name, f"{name}'"),
        lambda: session.arrange(),
        lambda: session.remove([name]),
    ]
    return actions[k % len(actions)]()


def test_undo_and_redo_return_identical_scenes_for_more_than_a_hundred_steps():
    session = opened("asia")
    assert (session.undoable, session.undo()) == ("", False)
    scenes = [session.scene]
    for k in range(120):
        assert do_something(session, k), session.message
        assert session.scene is not scenes[-1]
        scenes.append(session.scene)
    for scene in reversed(scenes[:-1]):
        assert session.undoable
        assert session.undo()
        assert session.scene is scene
    assert (session.undoable, session.undo()) == ("", False)
    for scene in scenes[1:]:
        assert session.redoable
        assert session.redo()
        assert session.scene is scene
    assert (session.redoable, session.redo()) == ("", False)


def test_undo_brings_back_what_follows_or_finds_the_same_again():
    session = opened("asia")
    first = session.derived
    session.mark(["xray"], Hidden())
    second = session.derived
    session.undo()
    assert session.derived is first
    session.redo()
    assert session.derived is second
    for k in range(MOST_DERIVED + 1):
        session.mark(["asia"], Soft(0.5 + k / 100))
    for _ in range(MOST_DERIVED + 2):
        session.undo()
    assert session.scene.marks == {}
    assert session.derived is not first
    assert session.derived.seen.codes.tolist() == first.seen.codes.tolist()
    assert session.derived.parts.bounds.total == first.parts.bounds.total


def test_the_history_is_long_but_not_endless():
    session = opened("cancer")
    for k in range(MOST_STEPS + 5):
        session.move({"Cancer": (float(k), 0.0)})
    steps = 0
    while session.undo():
        steps += 1
    assert steps == MOST_STEPS
    assert session.document.positions["Cancer"] == (4.0, 0.0)


def test_a_new_change_clears_redo():
    session = opened("asia")
    session.mark(["asia"], Hidden())
    session.undo()
    assert session.redoable == "mark asia"
    session.rename("asia", "Asia")
    assert (session.redoable, session.redo()) == ("", False)
    assert session.undoable == "rename asia"


def test_undo_goes_back_to_what_was_open_before():
    session = opened("asia")
    session.select(["smoke"])
    session.open_example(GALLERY["cancer"])
    session.undo()
    assert session.scene.title == "Asia"
    assert session.selected == ["smoke"]


def test_a_change_resets_what_was_learned_and_moving_does_not():
    session = opened("asia")
    *_, last = learn(session.network, session.seen)
    session.report(last)
    session.move({"asia": (1.0, 2.0)})
    assert session.learned is last
    session.set_prior("asia", 2.0)
    assert session.learned is None


@settings(max_examples=25, deadline=None)
@given(strategies.learning_problems(), st.lists(st.integers(0, 7), max_size=8))
def test_any_edits_can_be_taken_back(problem, choices):
    network, dataset = problem
    session = Session()
    session.open(Scene("any", "", Document(network), DataDocument(dataset)))
    scenes = [session.scene]
    for k, choice in enumerate(choices):
        before = session.scene
        if session.network.variables and do_something(session, 8 * k + choice):
            if session.scene is not before:
                scenes.append(session.scene)
            if session.seen is not None:
                assert session.seen.variables == session.network.variables
        else:
            assert session.scene is before
    for scene in reversed(scenes[:-1]):
        session.undo()
        assert session.scene is scene
    assert session.undoable == ""


# --- what a query supposes


def test_evidence_follows_names_and_states():
    session = with_three_states()
    session.suppose("X", (0, 1, 0.5))
    session.suppose("Y", (1, 0))
    session.rename("X", HOSTILE)
    assert session.evidence == {HOSTILE: (0.0, 1.0, 0.5), "Y": (1.0, 0.0)}
    session.set_states(HOSTILE, [(2, "c"), (1, "b"), (0, "a")])
    assert session.evidence[HOSTILE] == (0.5, 1.0, 0.0)
    session.set_states("Y", [(0, "up"), (1, "down")])
    assert session.evidence["Y"] == (1.0, 0.0)
    session.connect("Y", HOSTILE)  # refused: a cycle
    assert set(session.evidence) == {HOSTILE, "Y"}
    session.set_states(HOSTILE, [(2, "c"), (1, "b")])
    assert set(session.evidence) == {"Y"}
    session.remove(["Y"])
    assert session.evidence == {}


def test_evidence_on_other_states_does_not_outlive_undo():
    session = with_three_states()
    session.set_states("X", [(2, "c"), (1, "b"), (0, "a")])
    session.suppose("X", (1, 0, 0))  # c
    session.suppose("Y", (1, 0))
    session.undo()  # the first state is a again
    assert session.evidence == {"Y": (1.0, 0.0)}


def test_evidence_ends_with_what_it_is_about():
    session = opened("asia")
    session.suppose("asia", (1, 0))
    session.mark(["smoke"], Hidden())
    session.move({"asia": (1, 1)})
    assert session.evidence == {"asia": (1.0, 0.0)}
    session.open_example(GALLERY["asia"])
    assert session.evidence == {}


def test_what_tells_no_states_apart_supposes_nothing():
    session = opened("asia")
    for nothing in ((1, 1), (0, 0), (0.3, 0.3), (float("nan"), 1), None):
        session.suppose("asia", (1, 0))
        session.suppose("asia", nothing)
        assert session.evidence == {}
