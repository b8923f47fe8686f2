"""Comparing networks and documents in tests."""

from __future__ import annotations

import numpy as np

from engine.formats import Document
from engine.model.network import BayesianNetwork


def assert_same_by_names(left: BayesianNetwork, right: BayesianNetwork, tolerance: float = 0.0) -> None:
    """Equal graphs and tables, whatever the order of variables, states and parents."""
    assert set(left.index) == set(right.index)
    for name, i in left.index.items():
        j = right.index[name]
        left_names = [left.variables[k].name for k in left.scopes[i]]
        right_names = [right.variables[k].name for k in right.scopes[j]]
        assert sorted(left_names) == sorted(right_names), name
        table = right.tables[j].transpose([right_names.index(other) for other in left_names])
        for axis, k in enumerate(left.scopes[i]):
            other = right.variables[right.index[left.variables[k].name]]
            assert sorted(other.states) == sorted(left.variables[k].states), name
            table = table.take([other.states.index(state) for state in left.variables[k].states], axis=axis)
        assert np.abs(table - left.tables[i]).max() <= tolerance, name


def assert_same_document(left: Document, right: Document) -> None:
    """Equal to the bit, in the same order, with everything that belongs to the file."""
    assert isinstance(left.network, BayesianNetwork)
    assert isinstance(right.network, BayesianNetwork)
    assert left.network.variables == right.network.variables
    assert left.network.parents == right.network.parents
    for table, other in zip(left.network.tables, right.network.tables, strict=True):
        assert table.tobytes() == other.tobytes()
    assert left.name == right.name
    assert dict(left.positions) == dict(right.positions)
    assert dict(left.properties) == dict(right.properties)
    assert left.variable_properties == right.variable_properties
