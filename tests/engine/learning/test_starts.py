"""Starts: what they are, that they are reproducible, and what is said of symmetric ones."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learn import learn
from engine.learning.parameters import PERTURBATION
from engine.learning.starts import make_starts
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.errors import ModelError
from engine.model.layout import Layout
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from tests.engine.learning.models import cells, chain, chain_data, latent_class, latent_data, random_network

pytestmark = pytest.mark.filterwarnings("error")


def starts(network, dataset, start, n_init=1, random_state=0):
    task = make_task(network, dataset)
    return make_starts(task, start, n_init, random_state)


def assert_rows_sum_to_one(network, theta):
    for table in Layout(network).tables(theta):
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, atol=1e-12)


@pytest.mark.parametrize("start", ["random", "uniform", "current"])
def test_starts_are_distributions_and_reproducible(start):
    network, dataset = latent_class(), latent_data()
    found = starts(network, dataset, start, 4, 11)
    assert found.shape == (4, sum(t.size for t in network.tables))
    for theta in found:
        assert_rows_sum_to_one(network, theta)
    np.testing.assert_array_equal(found, starts(network, dataset, start, 4, 11))
    np.testing.assert_array_equal(found[:2], starts(network, dataset, start, 2, 11))
    assert not np.array_equal(found[1], starts(network, dataset, start, 4, 12)[1])
    assert len({tuple(theta) for theta in found}) == 4


def test_a_generator_moves_on():
    network, dataset, generator = latent_class(), latent_data(), np.random.default_rng(0)
    first, second = (starts(network, dataset, "random", 1, generator) for _ in range(2))
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, starts(network, dataset, "random", 1, 0))


def test_uniform_starts_are_close_to_uniform_but_not_symmetric():
    network, dataset = latent_class(), latent_data()
    (theta,) = starts(network, dataset, "uniform")
    assert 0 < np.abs(theta * 3 - 1).max() <= 2.1 * PERTURBATION


def test_random_starts_cover_the_simplex_evenly():
    """Dirichlet(1, 1, 1): mean 1/3 and variance 1/18 per state."""
    network, dataset = latent_class(), latent_data()
    found = starts(network, dataset, "random", 2000)[:, :3]
    np.testing.assert_allclose(found.mean(axis=0), 1 / 3, atol=0.02)
    np.testing.assert_allclose(found.var(axis=0), 1 / 18, atol=0.005)


def test_the_current_tables_are_the_first_start():
    network, dataset = chain(), chain_data()
    found = starts(network, dataset, "current", 2)
    np.testing.assert_array_equal(found[0], np.concatenate([t.reshape(-1) for t in network.tables]))
    assert_rows_sum_to_one(network, found[1])


def test_a_start_from_another_network_is_aligned_by_name():
    """Other orders of variables, parents and states."""
    network = BayesianNetwork(
        tuple(Variable(name, ("x", "y")) for name in "ABC"),
        ((), (), (0, 1)),
        ([0.1, 0.9], [0.2, 0.8], [[[0.3, 0.7], [0.4, 0.6]], [[0.5, 0.5], [0.25, 0.75]]]),
    )
    table = network.tables[2].transpose(1, 0, 2)[:, ::-1, ::-1]  # B, A reversed, C reversed
    nodes = (Variable("C", ("y", "x")), Variable("B", ("x", "y")), Variable("A", ("y", "x")))
    other = BayesianNetwork(nodes, ((1, 2), (), ()), (table, [0.2, 0.8], [0.9, 0.1]))
    found = starts(network, cells(network, ["xy?"]), other)
    np.testing.assert_allclose(found[0], np.concatenate([t.reshape(-1) for t in network.tables]))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("best", "'best' is not known; use one of random, uniform, current"),
        (chain(2), "no variable 'X2'"),
        (random_network(["X0", "X1", "X2"], [(), (0,), (0,)]), "'X2' with the same parents"),
        (random_network(["X0", "X1", "X2"], [(), (0,), (1,)], ("a", "z")), "other states for 'X0'"),
        (random_network(["X0", "X1", "X2"], [(), (0,), (1,)], ("a", "b", "c")), "other states for 'X0'"),
    ],
)
def test_other_starts_are_refused(start, message):
    network = chain(3)
    with pytest.raises(ModelError, match=message):
        next(learn(network, cells(network, ["a?b"]), start=start))


def test_no_restarts_are_refused():
    network = chain(3)
    with pytest.raises(ModelError, match="n_init must be 1 or more; got 0"):
        next(learn(network, cells(network, ["a?b"]), n_init=0))


def uniform_tables(network):
    return network.with_tables([np.full(t.shape, 1 / t.shape[-1]) for t in network.tables])


def run(network, dataset, start, prior=1.0, **stopping):
    return list(learn(network, dataset, start=start, prior=prior, stopping=Stopping(**stopping)))


def test_an_exactly_uniform_start_is_symmetric_and_stays_so():
    network, dataset = latent_class(), latent_data()
    snapshots = run(network, dataset, uniform_tables(network), max_iter=5, tol=0.0)
    for snapshot in snapshots:
        (symmetry,) = snapshot.symmetries()
        assert (symmetry.variable, symmetry.states) == (0, (0, 1, 2))
    last = snapshots[-1].network()
    np.testing.assert_allclose(last.tables[0], 1 / 3, rtol=1e-15)
    for table in last.tables[1:]:
        np.testing.assert_array_equal(table[0], table[1])


def test_symmetry_between_some_states_is_named():
    network, dataset = latent_class(), latent_data()
    tables = [t.copy() for t in network.tables]
    tables[0][:] = [0.25, 0.5, 0.25]
    for table in tables[1:]:
        table[2] = table[0]
    snapshots = run(network, dataset, network.with_tables(tables), max_iter=5, tol=0.0)
    assert [s.symmetries()[0].states for s in snapshots] == [(0, 2)] * 6
    assert not np.allclose(snapshots[-1].network().tables[1][0], snapshots[-1].network().tables[1][1])


@pytest.mark.parametrize("start", ["uniform", "random", "current"])
def test_other_starts_are_not_symmetric_and_move(start):
    network, dataset = latent_class(), latent_data()
    first, *_, last = run(network, dataset, start, max_iter=200)
    assert first.symmetries() == last.symmetries() == []
    c = last.network().tables[1]
    assert np.abs(c[0] - c[1]).max() > 0.05


def test_observed_and_pruned_variables_are_never_symmetric():
    """Nothing is learned of a hidden leaf, nor of what only leads to hidden leaves."""
    network = chain(4)
    snapshot = run(network, cells(network, ["ab??", "bb??"]), uniform_tables(network), max_iter=0)[0]
    assert snapshot.symmetries() == []


def test_a_prior_that_tells_states_apart_breaks_the_symmetry():
    network, dataset = latent_class(), latent_data()
    uneven = {"C": [3.0, 2.0, 1.0]}
    snapshots = run(network, dataset, uniform_tables(network), uneven, max_iter=2)
    assert snapshots[0].symmetries() == []
    assert np.ptp(snapshots[1].network().tables[0]) > 0.01
    even = run(network, dataset, uniform_tables(network), {"C": 2.0, "A0": [3.0, 1.0, 1.0]}, max_iter=2)
    assert [s.states for s in even[0].symmetries()] == [(0, 1, 2)]
    np.testing.assert_allclose(even[-1].network().tables[0], 1 / 3, rtol=1e-15)
