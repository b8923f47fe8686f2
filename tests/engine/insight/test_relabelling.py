"""Restarts grouped up to the names of hidden states."""

from dataclasses import replace

import numpy as np

from engine.insight.relabelling import find_relabelling, group_restarts, relabel_table
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.simulation.sampling import simulate
from pgmgui.project.examples import load_gallery
from tests import oracles
from tests.plain import plain_data, plain_model

LATENT = next(example for example in load_gallery() if example.id == "latent-class")


def learned(restarts=6, **options):
    document, data = LATENT.read()
    stopping = Stopping(tol=1e-7, criterion="likelihood", max_iter=3000)
    *_, last = learn(document.network, data.dataset, n_init=restarts, stopping=stopping, **options)
    return last


def swapped(snapshot, orders):
    """A snapshot of one restart per order of the hidden variable's states, made from its best restart."""
    network = snapshot.network()
    hidden = network.index["Class"]
    rows = []
    for order in orders:
        tables = []
        for scope, table in zip(network.scopes, network.tables, strict=True):
            tables.append(table.take(order, axis=scope.index(hidden)) if hidden in scope else table)
        rows.append(snapshot.task.layout.flatten(tables))
    best = snapshot.best
    again = [best] * len(orders)
    return replace(snapshot, theta=np.array(rows), objective=snapshot.objective[again])


def test_swapping_hidden_states_is_the_same_solution():
    document, data = LATENT.read()
    last = learned(1)
    states = document.network.variables[document.network.index["Class"]].cardinality
    orders = [np.roll(np.arange(states), k) for k in range(states)]
    several = swapped(last, orders)
    rows, weights = plain_data(data.dataset.project(range(len(data.dataset.variables))))
    values = []
    for r in range(len(orders)):
        cardinalities, scopes, tables = plain_model(several.network(r))
        values.append(oracles.log_likelihood(cardinalities, scopes, tables, rows[:20], weights[:20]))
    np.testing.assert_allclose(values, values[0], atol=1e-9)  # the swap is a true symmetry
    assert group_restarts(several) == (0,) * len(orders)


def test_swapping_the_states_of_only_one_table_is_another_solution():
    last = learned(1)
    network = last.network()
    hidden = network.index["Class"]
    child = next(v for v, scope in enumerate(network.scopes) if hidden in scope[:-1])
    tables = list(network.tables)
    tables[child] = tables[child].take([1, 0, *range(2, tables[hidden].size)], axis=network.scopes[child].index(hidden))
    theta = np.stack([last.theta[0], last.task.layout.flatten(tables)])
    several = replace(last, theta=theta, objective=last.objective[[0, 0]])
    assert group_restarts(several) == (0, 1)


def test_solutions_are_numbered_by_falling_objective_and_far_objectives_differ():
    last = learned(1)
    worse = last.objective.copy()
    worse[0, 0] -= 3.0
    several = replace(last, theta=last.theta[[0, 0]], objective=np.concatenate([worse, last.objective]))
    assert group_restarts(several) == (1, 0)


def test_restarts_of_a_latent_class_fall_into_few_groups():
    last = learned(8)
    groups = group_restarts(last)
    totals = last.objective.sum(axis=1)
    assert groups[int(np.argmax(totals))] == 0
    assert max(groups) + 1 < 8
    for a in range(8):
        for b in range(8):
            if groups[a] == groups[b]:
                assert abs(totals[a] - totals[b]) < 0.1


def test_relabelling_brings_back_a_swap():
    last = learned(1)
    network = last.network()
    hidden = network.index["Class"]
    states = network.variables[hidden].cardinality
    several = swapped(last, [np.arange(states), np.roll(np.arange(states), 1)])
    assert np.abs(several.theta[0] - several.theta[1]).max() > 0.05
    for factor in range(len(network.scopes)):
        way = find_relabelling(last.task, factor, several.theta[1], several.theta[0])
        np.testing.assert_array_equal(several.theta[1][way.source], several.theta[0])
        table = several.network(1).tables[factor]
        back = relabel_table(table, network.scopes[factor], way.orders)
        np.testing.assert_array_equal(back, several.network(0).tables[factor])


def test_what_is_closest_is_not_renamed():
    last = learned(1)
    way = find_relabelling(last.task, 0, last.theta[0], last.theta[0])
    assert all(order == tuple(range(len(order))) for order in way.orders.values())
    assert way.orders


def test_only_hidden_states_are_renamed():
    network = LATENT.read()[0].network
    *_, last = learn(network, simulate(network, 300, 0))
    assert find_relabelling(last.task, 0, last.theta[0], 1 - last.theta[0]).orders == {}


def test_complete_data_has_one_solution():
    network = LATENT.read()[0].network
    *_, last = learn(network, simulate(network, 300, 0), n_init=3)
    assert group_restarts(last) == (0, 0, 0)
