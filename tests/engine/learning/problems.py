"""Learning problems drawn at random, larger than those of hypothesis: all kinds of cells, weights and priors."""

from __future__ import annotations

import numpy as np

from engine.model.dataset import Dataset, make_dataset
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate

ROLES = ("observed", "observed", "hidden", "partial", "soft", "mixed")


def draw_network(generator, most=8) -> BayesianNetwork:
    """A network of some variables with up to three parents each; some parameters are zero."""
    n = int(generator.integers(3, most + 1))
    sizes = generator.choice([1, 2, 2, 2, 3, 3], n)
    order = generator.permutation(n)
    parents = [()] * n
    for place, child in enumerate(order):
        many = int(generator.integers(0, min(place, 3) + 1))
        parents[child] = tuple(int(p) for p in generator.choice(order[:place], many, replace=False))
    tables = []
    for child, above in enumerate(parents):
        table = generator.gamma(0.7, size=(*(sizes[p] for p in above), sizes[child]))
        table[..., 1:][generator.random(table[..., 1:].shape) < 0.1] = 0.0
        tables.append(table / table.sum(axis=-1, keepdims=True))
    variables = tuple(Variable(f"V{k}", tuple(f"s{j}" for j in range(size))) for k, size in enumerate(sizes))
    return BayesianNetwork(variables, tuple(parents), tuple(tables))


def draw_data(generator, network, most_rows=40) -> Dataset:
    """Rows of the network, of which each variable is observed, hidden, partly missing, uncertain, or all of these."""
    whole = simulate(network, int(generator.integers(1, most_rows + 1)), int(generator.integers(2**31)))
    columns = []
    for v, variable in enumerate(network.variables):
        role, share = ROLES[generator.integers(len(ROLES))], generator.random()
        column = []
        for code in whole.codes[v].tolist():
            kind = role if role != "mixed" else ROLES[generator.integers(len(ROLES) - 1)]
            if kind == "hidden" or (kind == "partial" and generator.random() < share):
                column.append(None)
            elif kind == "soft":
                vector = generator.choice([0.0, 0.25, 1.0, 3.0], variable.cardinality)
                vector[code] = max(vector[code], 0.5)
                column.append(tuple(vector.tolist()))
            else:
                column.append(variable.states[code])
        columns.append(column)
    weights = generator.choice([0.0, 0.5, 1.0, 1.0, 1.0, 4.0], whole.n_rows)
    return make_dataset(network.variables, list(zip(*columns, strict=True)), weights)


def draw_prior(generator, network):
    """None, a number, or exponents of some tables."""
    kind = generator.integers(3)
    if kind < 2:
        return (1.0, 2.0)[kind]
    chosen = [v for v in range(len(network.variables)) if generator.random() < 0.5]
    return {
        network.variables[v].name: generator.choice([1.0, 1.25, 3.0], network.tables[v].shape).astype(float)
        for v in chosen
    }


def draw_latent_problem(seed):
    """A cause that is hidden, or partly, with many observed effects; some of these have another cause each."""
    generator = np.random.default_rng(seed)
    effects, size = int(generator.integers(3, 9)), int(generator.integers(2, 4))
    names, parents, sizes = ["C"], [()], [size]
    for k in range(effects):
        above = (0,)
        if generator.random() < 0.3:
            above = (0, len(names))
            names, parents, sizes = [*names, f"B{k}"], [*parents, ()], [*sizes, 2]
        names, parents = [*names, f"A{k}"], [*parents, above]
        sizes.append(int(generator.integers(2, 4)))
    tables = [
        generator.dirichlet(np.full(s, 0.7), tuple(sizes[p] for p in u)) for s, u in zip(sizes, parents, strict=True)
    ]
    variables = tuple(Variable(name, tuple("abc"[:s])) for name, s in zip(names, sizes, strict=True))
    network = BayesianNetwork(variables, tuple(parents), tuple(tables))
    dataset = simulate(network, int(generator.integers(20, 300)), seed)
    some = [name for name in names[1:] if generator.random() < 0.1]
    dataset = remove_mcar(dataset, 0.3, seed, some) if some else dataset
    dataset = hide(dataset, ["C"]) if generator.random() < 0.8 else remove_mcar(dataset, 0.9, seed, ["C"])
    return network, dataset, (1.0, 1.0, 2.0)[generator.integers(3)]


def draw_problem(seed):
    """A network, data and a prior."""
    generator = np.random.default_rng(seed)
    network = draw_network(generator)
    return network, draw_data(generator, network), draw_prior(generator, network)
