"""Networks and data that several tests of learners use."""

from __future__ import annotations

import numpy as np

from engine.learning.learner import evaluate_state
from engine.learning.workspace import Workspace
from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate

COIN = ("a", "b")


def evaluate(task, theta):
    """The state of a task at some parameters."""
    return evaluate_state(Workspace(task.objective), theta)[0]


def positive(network, generator):
    """The factors with other positive numbers, above and below 1."""
    return network.with_tables([generator.lognormal(0, 1.5, table.shape) for table in network.tables])


def random_network(names, parents, states=COIN, seed=0) -> BayesianNetwork:
    """A network with tables drawn at random, none near zero."""
    nodes = tuple(Variable(name, states) for name in names)
    generator = np.random.default_rng(seed)
    size = len(states)
    tables = tuple(generator.dirichlet(np.full(size, 2.0), size=(size,) * len(p)) for p in parents)
    return BayesianNetwork(nodes, tuple(parents), tables)


def chain(n=9, seed=0) -> BayesianNetwork:
    """X0 → X1 → …"""
    return random_network([f"X{i}" for i in range(n)], [(i - 1,) if i else () for i in range(n)], seed=seed)


def chain_data(rows=50, n=9, seed=1) -> Dataset:
    """Every third variable observed; of the others, those before an observed one are partial: components of
    different speeds."""
    data = simulate(chain(n), rows, seed)
    data = hide(data, [f"X{i}" for i in range(1, n, 3)])
    return remove_mcar(data, 0.4, seed, [f"X{i}" for i in range(2, n, 3)])


def latent_class(attributes=4, states=("a", "b", "c")) -> BayesianNetwork:
    """A hidden class C and what it causes."""
    return random_network(["C", *(f"A{i}" for i in range(attributes))], [(), *[(0,)] * attributes], states, seed=7)


def latent_data(rows=60) -> Dataset:
    network = latent_class()
    return hide(simulate(network, rows, 3), ["C"])


def cells(network, rows, weights=None) -> Dataset:
    """Data written as one word a row: a letter is a state, ? is missing."""
    return make_dataset(network.variables, [[None if c == "?" else c for c in row] for row in rows], weights)
