"""The posterior predictive estimate, by hand and from the oracle's expected counts."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.estimates import find_predictive
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork
from engine.model.table_prior import LogisticNormal
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests import oracles
from tests.engine.learning.models import cells, random_network
from tests.plain import plain_data, plain_model


def coins():
    return random_network("AB", [(), (0,)], seed=1)


def find_tables(last):
    return last.task.layout.tables(find_predictive(last))


def test_complete_data_by_hand():
    """A: a 3 times, b once; B given a: a once, b twice; given b: a once."""
    data = cells(coins(), ["aa", "ab", "ab", "ba"])
    *_, last = learn(coins(), data, "d-em", prior={"A": 2.0, "B": [[1.0, 1.0], [3.0, 1.0]]})
    a, b = find_tables(last)
    np.testing.assert_allclose(a, [5 / 8, 3 / 8])  # (3 + 2) / (4 + 4)
    np.testing.assert_allclose(b, [[2 / 5, 3 / 5], [4 / 5, 1 / 5]])
    np.testing.assert_allclose(last.network().tables[0], [4 / 6, 2 / 6])  # the mode: (3 + 2 − 1) / (4 + 4 − 2)
    np.testing.assert_allclose(last.network().tables[1], [[1 / 3, 2 / 3], [1.0, 0.0]])


def test_missing_values_have_their_expected_counts_at_the_learned_parameters():
    network = random_network("HABC", [(), (0,), (0,), (1,)], seed=3)
    data = hide(remove_mcar(simulate(network, 40, 5), 0.4, 6, ["B"]), ["H"])
    *_, last = learn(network, data, "d-em", n_init=2, prior=1.5, stopping=Stopping(max_iter=20))
    learned = last.network()
    counts = oracles.expected_counts(*plain_model(learned), *plain_data(data))
    for found, expected in zip(find_tables(last), counts, strict=True):
        weights = expected + 1.5
        np.testing.assert_allclose(found, weights / weights.sum(axis=-1, keepdims=True), rtol=1e-9)


def test_what_the_data_says_nothing_of_has_the_mean_of_the_prior():
    data = hide(cells(coins(), ["aa", "ab", "bb"]), ["B"])  # a hidden leaf
    *_, last = learn(coins(), data, "d-em", prior={"B": [[1.0, 1.0], [3.0, 1.0]]})
    np.testing.assert_allclose(find_tables(last)[1], [[0.5, 0.5], [0.75, 0.25]])


def test_other_priors_and_markov_networks_have_none():
    network, data = coins(), cells(coins(), ["aa", "ab", "bb"])
    *_, last = learn(network, data, "numerical-em", prior=LogisticNormal(1.0))
    with pytest.raises(ModelError, match=r"predictive estimate has no formula with a logistic-normal prior of width 1"):
        find_predictive(last)
    markov = MarkovNetwork(network.variables, network.scopes, network.tables)
    *_, last = learn(markov, data, "em", stopping=Stopping(max_iter=2))
    with pytest.raises(ModelError, match="is for Bayesian networks"):
        find_predictive(last)
