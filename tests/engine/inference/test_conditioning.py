"""Rows with cells missing at random: the components of their open variables, and whether they are worth having."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.inference import planner
from engine.inference.conditioning import Patterns
from engine.inference.graphs import as_mask, joined
from engine.inference.planner import make_plan
from engine.model.dataset import Dataset
from engine.simulation.generators import random_dag
from tests.engine.inference.test_junction_tree import SCOPES


@settings(max_examples=100, deadline=None)
@given(SCOPES, st.data())
def test_components_are_those_of_each_row(scopes, data):
    graph = nx.Graph([(u, v) for scope in scopes for u in scope for v in scope if u != v])
    graph.add_nodes_from([v for scope in scopes for v in scope] or [3])
    variables = sorted(graph)
    open_cells = data.draw(arrays.arrays(bool, (len(variables), data.draw(st.integers(1, 8)))))
    expected: dict[int, list[int]] = {}
    for row, is_open in enumerate(open_cells.T):
        inside = graph.subgraph(v for v, o in zip(variables, is_open, strict=True) if o)
        for component in nx.connected_components(inside):
            expected.setdefault(as_mask(component), []).append(row)
    patterns = Patterns(variables, open_cells)
    found = patterns.find_components(joined(scopes))
    assert {component: sorted(patterns.rows(ks).tolist()) for component, ks in found.items()} == expected
    assert len(patterns) == len({tuple(column) for column in open_cells.T})


def incomplete(network, share, rows):
    """Data of which a share of all cells is missing."""
    chance = np.random.default_rng(0)
    codes = chance.integers(0, 2, size=(len(network.variables), rows)).astype(np.int8)
    codes[chance.random(codes.shape) < share] = -1
    return Dataset(network.variables, codes, np.ones(rows))


@pytest.fixture
def made(monkeypatch):
    """How many parts were built."""
    found = []
    make = planner._Planner._make_part
    monkeypatch.setattr(
        planner._Planner, "_make_part", lambda self, *args, **how: found.append(1) or make(self, *args, **how)
    )
    return found


def test_few_missing_cells_are_summed_in_small_parts(made):
    network = random_dag(30, 2, 0.8, random_state=1)
    plan = make_plan(network, incomplete(network, 0.02, 400), passes=30)
    assert len(plan.parts) > 30
    assert plan.width < 5
    assert len(made) == len(plan.parts)  # the whole is estimated, not built


def test_many_missing_cells_are_summed_in_the_whole_without_building_parts(made):
    """Two thousand components, each in a row or two: more work than one narrow tree."""
    network = random_dag(30, 2, 0.8, random_state=1)
    plan = make_plan(network, incomplete(network, 0.3, 400), passes=30)
    assert len(plan.parts) == len(plan.blocks)
    assert len(made) == len(plan.blocks)


@pytest.mark.parametrize(("passes", "are_many"), [(1, False), (1000, True)])
def test_parts_that_take_long_to_plan_are_for_many_passes(passes, are_many):
    network = random_dag(60, 2, 0.8, random_state=2)
    plan = make_plan(network, incomplete(network, 0.1, 400), passes=passes)
    assert (len(plan.parts) > len(plan.blocks)) is are_many
