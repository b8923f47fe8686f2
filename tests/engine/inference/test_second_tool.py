"""Real networks under random evidence: posteriors and log evidence equal those of pyAgrum.

pyAgrum's network is built from our tables, name by name: some of its readers are of single precision, and
what it reads is tested with the formats. Here only inference is compared.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from engine.formats import read_network
from engine.inference.junction_tree import compile_tree
from engine.inference.posterior import infer
from engine.model.dataset import make_dataset
from engine.model.network import BayesianNetwork
from engine.simulation.sampling import simulate
from tests.shared_data import DATA, needs_data

pyagrum = pytest.importorskip("pyagrum")
pytestmark = needs_data

CASES = [  # file, fraction of variables with evidence, rows
    ("bif/alarm.bif", 0.0, 1),
    ("bif/alarm.bif", 0.2, 10),
    ("bif/hailfinder.bif", 0.2, 5),
    ("bif/hepar2.bif", 0.2, 5),
    ("bif/water.bif", 0.4, 4),
    ("bif/pigs.bif", 0.2, 3),
    ("bif/andes.bif", 0.1, 5),
    ("net/munin.net", 0.6, 2),  # with less evidence pyAgrum takes seconds to half a minute for a row
]


@cache
def load(path: str) -> BayesianNetwork:
    network = read_network(DATA / "networks" / path).network
    assert isinstance(network, BayesianNetwork)
    return network


def as_pyagrum(network):
    theirs = pyagrum.BayesNet()
    for variable in network.variables:
        theirs.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.states)))
    for parent, child in network.edges:
        theirs.addArc(network.variables[parent].name, network.variables[child].name)
    for child, table in enumerate(network.tables):
        ours = [network.variables[i].name for i in network.scopes[child]]
        cpt = theirs.cpt(ours[-1])
        cpt[:] = np.ascontiguousarray(table.transpose([ours.index(name) for name in reversed(cpt.names)]))
    return theirs


def random_rows(network, fraction, rows):
    """States drawn from the network, so that they are possible, and likelihoods that exclude none of them."""
    chance = np.random.default_rng(len(network.variables))
    drawn = simulate(network, rows, chance).codes
    found = []
    for r in range(rows):
        row: list[str | tuple[float, ...] | None] = [None] * len(network.variables)
        for v in chance.choice(len(row), size=round(fraction * len(row)), replace=False):
            variable = network.variables[v]
            if chance.random() < 0.6:
                row[v] = variable.states[drawn[v, r]]
            else:
                row[v] = tuple(chance.uniform(0.01, 2, size=variable.cardinality).tolist())
        found.append(row)
    return found


def their_evidence(network, row):
    cells = zip(network.variables, row, strict=True)
    return {
        variable.name: np.eye(variable.cardinality)[variable.code(cell)].tolist() if isinstance(cell, str) else [*cell]
        for variable, cell in cells
        if cell is not None
    }


@pytest.mark.parametrize(("path", "fraction", "rows"), CASES)
def test_posteriors_and_log_evidence_equal_those_of_pyagrum(path, fraction, rows):
    network = load(path)
    cells = random_rows(network, fraction, rows)
    posterior = infer(network, make_dataset(network.variables, cells))
    marginals = [posterior.marginal(v) for v in range(len(network.variables))]
    theirs = as_pyagrum(network)
    for r, row in enumerate(cells):
        inference = pyagrum.LazyPropagation(theirs)
        inference.setEvidence(their_evidence(network, row))
        inference.makeInference()
        for variable, found in zip(network.variables, marginals, strict=True):
            expected = inference.posterior(variable.name).toarray()
            np.testing.assert_allclose(found[r], expected, rtol=0, atol=1e-9, err_msg=variable.name)
        expected = math.log(inference.evidenceProbability())
        assert posterior.log_evidence[r] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("path", "variables", "most_cells"),
    [
        ("bif/alarm.bif", 37, 1_000),
        ("bif/hailfinder.bif", 56, 4_000),
        ("bif/hepar2.bif", 70, 1_000),
        ("bif/water.bif", 32, 2_000_000),
        ("bif/pigs.bif", 441, 250_000),
        ("bif/andes.bif", 223, 300_000),
        ("net/munin.net", 1041, 1_500_000),
    ],
)
def test_the_junction_trees_of_real_networks_are_small(path, variables, most_cells):
    network = load(path)
    tree = compile_tree([v.cardinality for v in network.variables], network.scopes)
    assert len(network.variables) == variables
    assert tree.largest <= most_cells
