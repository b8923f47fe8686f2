"""Tables compared: where they come from, and what their differences look like."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learn import learn
from pgmgui.project.examples import find_example
from pgmgui.project.simulated_data import Simulation, simulate_scene
from pgmgui.state.frames import Frame
from pgmgui.state.session import Session
from pgmgui.tabs.variable.comparing import (
    choose_pair,
    describe_difference,
    difference_cells,
    find_marginal,
    gather_marginals,
    gather_tables,
    list_sources,
    shrink,
)
from tests import oracles
from tests.plain import plain_model


@pytest.fixture
def session():
    session = Session()
    session.open_example(find_example("asia"))
    return session


def test_what_there_is_to_compare(session):
    assert set(gather_tables(session, "tub", 2.0).found) == {"current"}
    assert gather_tables(session, "nobody", 2.0).found == {}
    session.replace_scene("simulate", simulate_scene(session.scene, Simulation(200, hide=("tub",))))
    truth = session.network.tables[1]
    snapshots = list(learn(session.network, session.seen))
    session.report(snapshots[-1])
    session.apply(snapshots[-1])
    session.report(snapshots[-1])
    tables = gather_tables(session, "tub", 3.0)
    assert set(tables.found) == {"current", "true", "learned", "previous", "predictive", "MAP"}
    assert np.array_equal(tables.found["true"], truth)
    assert np.array_equal(tables.found["previous"], truth)
    assert np.array_equal(tables.found["current"], snapshots[-1].network().tables[1])
    counts = snapshots[-1].task.layout.tables(snapshots[-1].counts[0])[1]
    assert tables.counts == pytest.approx(counts)
    assert tables.found["predictive"] == pytest.approx((counts + 1) / (counts + 1).sum(axis=1, keepdims=True))
    assert tables.found["MAP"] == pytest.approx((counts + 2) / (counts + 2).sum(axis=1, keepdims=True))
    # A moment of the past is what is learned then.
    session.travel_to(Frame(2, snapshots[2].only(), "iteration 2"))
    assert np.array_equal(gather_tables(session, "tub", 3.0).found["learned"], snapshots[2].network().tables[1])


def test_tables_over_other_parents_or_states_are_left_out(session):
    session.replace_scene("simulate", simulate_scene(session.scene, Simulation(50)))
    session.set_table(0, np.array([0.3, 0.7]))
    assert {"true", "previous"} <= set(gather_tables(session, "asia", 2.0).found)
    session.set_states("asia", [(0, "yes"), (1, "no"), (None, "perhaps")])
    assert set(gather_tables(session, "asia", 2.0).found) == {"current"}


def test_other_data_has_no_truth(session):
    session.replace_scene("simulate", simulate_scene(session.scene, Simulation(50)))
    assert session.scene.truth is session.network
    session.set_data(None)
    assert session.scene.truth is None


def test_the_prior_shrinks_towards_uniform():
    counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    otherwise = np.array([[0.5, 0.5], [0.2, 0.8]])
    assert shrink(counts, 1.0, otherwise) == pytest.approx(np.array([[0.75, 0.25], [0.2, 0.8]]))
    assert shrink(counts, 2.0, otherwise) == pytest.approx(np.array([[4 / 6, 2 / 6], [0.5, 0.5]]))
    assert shrink(counts, 1e6, otherwise) == pytest.approx(0.5, abs=1e-5)


def test_cells_say_which_way_and_how_sure():
    up, down = difference_cells(np.array([0.2, 0.8]), np.array([0.45, 0.55]), np.array([10.0, 30.0]), 40.0)
    assert (up["text"], down["text"]) == ("+0.2500", "-0.2500")
    assert up["heat"] == pytest.approx(0.5)
    assert down["heat"] == pytest.approx(-0.5)
    assert up["about"] == "0.2 → 0.45; expected count 10 of 40"
    faint, _ = difference_cells(np.array([0.2, 0.8]), np.array([0.45, 0.55]), np.array([0.0, 0.0]), 40.0)
    assert faint["heat"] == pytest.approx(0.125)
    same, _ = difference_cells(np.array([0.2, 0.8]), np.array([0.2, 0.8]), None, 1.0)
    assert (same["text"], same["heat"]) == ("0", 0.0)


def test_differences_in_words():
    a, b = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [1.0, 0.0]])
    words = describe_difference(a, b, np.array([[3.0, 0.0], [1.0, 0.0]]))
    divergence = 3 / 4 * (0.5 * np.log(0.5 / 0.25) + 0.5 * np.log(0.5 / 0.75))
    assert words == (
        f"Largest difference 0.25, mean 0.125. Mean KL divergence {divergence:.3g} nats, by the rows' expected counts."
    )
    assert "infinite" in describe_difference(a, b[:, ::-1], np.array([[3.0, 0.0], [1.0, 0.0]]))
    assert describe_difference(a, b, None) == "Largest difference 0.25, mean 0.125."


def test_what_is_compared_first():
    assert choose_pair(["current", "learned", "true"], ("current", "previous")) == ("current", "learned")
    assert choose_pair(["current", "true"], ("learned", "learned")) == ("current", "true")
    assert choose_pair(["current", "true", "previous"], ("true", "previous")) == ("true", "previous")


# --- Markov networks


def open_grid():
    session = Session()
    session.open_example(find_example("thesis-grid"))
    return session


def test_marginals_of_any_variables_equal_enumeration(session):
    network = open_grid().network
    joint = oracles.joint_weights(*plain_model(network), {})
    for scope in ((0, 1), (4, 0), (8,)):
        expected = oracles.marginal(joint, scope) / joint.sum()
        np.testing.assert_allclose(find_marginal(network, [network.variables[v] for v in scope]), expected, atol=1e-12)
    # Of a Bayesian network too, from which data may have been simulated.
    asia = session.network
    np.testing.assert_allclose(find_marginal(asia, [asia.variables[0]]), asia.tables[0], atol=1e-12)


def test_factors_are_compared_by_marginals_whatever_their_scale():
    session = open_grid()
    scope = [session.network.variables[v] for v in session.network.scopes[0]]
    assert set(list_sources(session)) == {"current"}
    session.set_table(0, 7.0 * session.network.tables[0])
    tables = gather_marginals(list_sources(session), scope)
    assert set(tables.found) == {"current", "previous"}
    np.testing.assert_allclose(tables.found["current"], tables.found["previous"], atol=1e-12)
    session.set_table(0, np.array([[1.0, 9.0], [9.0, 1.0]]))
    *_, last = learn(session.network, session.seen)
    session.report(last)
    tables = gather_marginals(list_sources(session), scope)
    assert set(tables.found) == {"current", "previous", "learned"}
    assert np.abs(tables.found["current"] - tables.found["previous"]).max() > 0.05
    assert all(table.sum() == pytest.approx(1) for table in tables.found.values())
    # What has not these variables, with these states, is left out.
    session.set_states("1", [(0, "t"), (1, "f"), (None, "perhaps")])
    scope = [session.network.variables[v] for v in session.network.scopes[0]]
    assert set(gather_marginals(list_sources(session), scope).found) == {"current"}
