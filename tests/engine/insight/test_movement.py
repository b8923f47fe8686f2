"""How far tables have moved, against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.insight.movement import rank_tables
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable

A, B, C = Variable("A", ("0", "1")), Variable("B", ("0", "1", "2")), Variable("C", ("0", "1"))
PARENTS = ((), (0,), (1, 0))


def make(seed: int) -> BayesianNetwork:
    rng = np.random.default_rng(seed)
    tables = (rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(2), (3, 2)))
    return BayesianNetwork((A, B, C), PARENTS, tables)


def enumerate_joint(network) -> np.ndarray:
    """Pr of each configuration, by multiplying all tables."""
    joint = np.ones((2, 3, 2))
    for at in itertools.product(range(2), range(3), range(2)):
        for scope, table in zip(network.scopes, network.tables, strict=True):
            joint[at] *= table[tuple(at[v] for v in scope)]
    return joint / joint.sum()


def test_a_variable_moves_as_often_as_its_draws_differ():
    first, second = make(1), make(2)
    joint = enumerate_joint(first)
    expected = {}
    for k, parents in enumerate(PARENTS):
        total = 0.0
        for at in itertools.product(range(2), range(3), range(2)):
            row = tuple(at[v] for v in parents)
            total += joint[at] * 0.5 * np.abs(first.tables[k][row] - second.tables[k][row]).sum()
        expected[k] = total
    found = rank_tables(first, second)
    assert {movement.table: movement.distance for movement in found} == pytest.approx(expected)
    assert [movement.distance for movement in found] == pytest.approx(sorted(expected.values(), reverse=True))
    for movement in found:
        k = movement.table
        assert movement.largest == pytest.approx(np.abs(first.tables[k] - second.tables[k]).max())


def test_a_factor_moves_as_what_it_makes_probable():
    rng = np.random.default_rng(3)
    scopes = ((0, 1), (1, 2))
    first, second = (
        MarkovNetwork((A, B, C), scopes, (rng.uniform(0.1, 2, (2, 3)), rng.uniform(0.1, 2, (3, 2)))) for _ in range(2)
    )
    a, b = enumerate_joint(first), enumerate_joint(second)
    expected = {0: 0.5 * np.abs((a - b).sum(axis=2)).sum(), 1: 0.5 * np.abs((a - b).sum(axis=0)).sum()}
    assert {m.table: m.distance for m in rank_tables(first, second)} == pytest.approx(expected)


def test_what_means_the_same_has_not_moved():
    first = make(1)
    assert all(movement.distance == 0 for movement in rank_tables(first, first))
    table = np.random.default_rng(0).uniform(0.1, 1, (2, 3))
    factors = MarkovNetwork((A, B), ((0, 1),), (table,))
    scaled = MarkovNetwork((A, B), ((0, 1),), (7 * table,))
    assert rank_tables(factors, scaled)[0].distance == pytest.approx(0, abs=1e-12)
