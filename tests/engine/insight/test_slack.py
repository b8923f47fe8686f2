"""A component's gap by variable, against the joint of its sub-network, written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.insight.slack import share_gap
from engine.learning.bounds import find_bounds
from engine.learning.task import make_task
from tests import oracles
from tests.engine.learning.models import evaluate
from tests.engine.learning.problems import draw_latent_problem
from tests.plain import filled_exponents, plain_data, plain_model
from tests.strategies import learning_problems, priors


def expected_shares(task, bounds, number, prior):
    """What each variable adds to a component's objective: rows of its sub-network are told cell by cell."""
    network, component = task.network, task.decomposition.components[number]
    cardinalities, scopes, tables = plain_model(network)
    inside = component.variables
    factors = [(scopes[v], tables[v]) for v in inside]
    scopes, tables = zip(*[*factors, *(((v,), np.ones(cardinalities[v])) for v in component.boundary)], strict=True)
    rows, weights = plain_data(task.decomposition.dataset)
    exponents = filled_exponents(network, prior)
    told = [[cell if v in component.boundary else None for v, cell in enumerate(row)] for row in rows]
    # What is neither inside nor on the boundary is in no factor: it multiplies all sums by its number of states.
    score = lambda: oracles.log_likelihood(cardinalities, scopes, tables, told, weights)  # noqa: E731
    shares = {v: oracles.log_prior([network.tables[v]], [exponents[v]]) for v in inside}
    before, soft = score(), dict.fromkeys(shares, 0.0)
    steps = [(v, int) for v in bounds.orders[number]] + [(v, tuple) for v in inside]
    for v, kind in steps:
        for row, cells in zip(told, rows, strict=True):
            row[v] = cells[v] if isinstance(cells[v], kind) else row[v]
        after = score()
        (shares if kind is int else soft)[v] += after - before
        before = after
    for group in bounds.together[number]:  # bounded together, they have equal parts
        part = sum(shares[v] for v in group.variables) / len(group.variables)
        shares |= dict.fromkeys(group.variables, part)
    return {v: share + soft[v] for v, share in shares.items()}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_shares_are_those_of_the_joint_and_add_up_to_the_gap(data):
    network, dataset = data.draw(learning_problems())
    prior = data.draw(priors(network))
    task = make_task(network, dataset, prior)
    bounds = find_bounds(task)
    objective = evaluate(task, task.layout.flatten(network.tables)).objective
    for number, component in enumerate(task.decomposition.components):
        shares = share_gap(task, bounds, network, number)
        assert sorted(share.variable for share in shares) == sorted(component.variables)
        expected = expected_shares(task, bounds, number, prior)
        for share in shares:
            assert share.reached == pytest.approx(expected[share.variable], rel=1e-9, abs=1e-9)
            assert share.reached <= share.bound + 1e-9 * max(1, abs(share.bound))
        assert sum(share.reached for share in shares) == pytest.approx(objective[number], rel=1e-9, abs=1e-9)
        assert sum(share.bound for share in shares) == pytest.approx(bounds.imap[number], rel=1e-9, abs=1e-9)


def test_variables_that_are_bounded_together_share_alike():
    found = 0
    for seed in range(40):
        network, dataset, prior = draw_latent_problem(seed)
        task = make_task(network, dataset, prior)
        bounds = find_bounds(task)
        objective = evaluate(task, task.layout.flatten(network.tables)).objective
        for number, groups in enumerate(bounds.together):
            shares = {share.variable: share for share in share_gap(task, bounds, network, number)}
            gaps = [share.bound - share.reached for share in shares.values()]
            assert min(gaps) >= -1e-9 * max(1, abs(bounds.imap[number]))
            assert sum(gaps) == pytest.approx(bounds.imap[number] - objective[number], rel=1e-9, abs=1e-7)
            found += len(groups)
    assert found > 5
