"""Dirichlet exponents in their three forms."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.errors import ModelError, UnknownNameError
from engine.model.network import BayesianNetwork
from engine.model.prior import flat_exponents
from engine.model.variable import Variable


def network():
    nodes = (Variable("A", ("x", "y")), Variable("B", ("x", "y", "z")))
    return BayesianNetwork(nodes, ((), (0,)), ([0.5, 0.5], np.full((2, 3), 1 / 3)))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1.0, [1] * 8),
        (2, [2] * 8),
        ({}, [1] * 8),
        ({"A": 3.0}, [3, 3, 1, 1, 1, 1, 1, 1]),
        ({"B": [[1, 2, 3], [4, 5, 6]]}, [1, 1, 1, 2, 3, 4, 5, 6]),
        ({"B": [2, 1, 1], "A": np.array([1.5, 1])}, [1.5, 1, 2, 1, 1, 2, 1, 1]),
    ],
)
def test_exponents_follow_the_tables(given, expected):
    assert flat_exponents(network(), given).tolist() == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (0.5, "'A' is below 1"),
        (float("nan"), "'A'"),
        (float("inf"), "'A' is above 1e\\+90"),
        ({"B": 1e200}, "'B' is above 1e\\+90"),
        ({"B": [[1, 2, 0.9], [1, 1, 1]]}, "'B' is below 1"),
        ({"B": [[1, 2], [1, 1]]}, r"'B' have shape \(2, 2\); expected \(2, 3\)"),
        ({"B": np.ones((4, 2, 3))}, "'B' have shape"),
        ({"B": "many"}, "'B'"),
    ],
)
def test_other_exponents_are_refused(given, message):
    with pytest.raises(ModelError, match=message):
        flat_exponents(network(), given)


def test_an_unknown_variable_is_named():
    with pytest.raises(UnknownNameError, match=r"'Z'.*'A', 'B'"):
        flat_exponents(network(), {"Z": 2.0})


def test_no_variables_have_no_exponents():
    assert flat_exponents(BayesianNetwork((), (), ()), 2.0).shape == (0,)
