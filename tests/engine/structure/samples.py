"""Small complete data in which variables depend on each other, for brute force to look through."""

from __future__ import annotations

import numpy as np

from engine.model.dataset import Dataset
from engine.model.variable import Variable
from engine.structure.constraints import Constraints
from engine.structure.counts import count_rows
from engine.structure.families import Families
from engine.structure.scores import make_score
from tests.structure_oracles import family_score

SCORES = ("likelihood", "bic", "aic", "bdeu", "bde")


def make_variables(*cardinalities):
    return tuple(Variable(f"V{k}", tuple(f"s{x}" for x in range(c))) for k, c in enumerate(cardinalities))


def draw_data(*cardinalities, rows=120, seed=0, whole=False):
    """Rows of which each cell follows from two others before it, or from nothing; with fractional weights, or whole."""
    generator = np.random.default_rng(seed)
    codes = np.empty((len(cardinalities), rows), dtype=np.int8)
    for v, c in enumerate(cardinalities):
        before = codes[generator.permutation(v)[:2]].sum(axis=0) if v else 0
        codes[v] = np.where(generator.random(rows) < 0.6, before, generator.integers(0, c, rows)) % c
    weights = generator.integers(1, 3, rows).astype(float) if whole else generator.choice([0.0, 0.5, 1.0, 2.0], rows)
    order = generator.permutation(len(cardinalities))
    return Dataset(make_variables(*np.array(cardinalities)[order]), codes[order], weights)


def make_families(data, score="bic", sample_size=1.0):
    counts = count_rows(data)
    return Families(counts, make_score(score, counts, sample_size))


def free(data, **options):
    return Constraints(data.variables, **options)


def brute_force(data, score="bic", sample_size=1.0):
    """A function that scores families by brute force, each once."""
    rows, weights = data.codes.T.tolist(), data.weights.tolist()
    cardinalities = [v.cardinality for v in data.variables]
    known = {}

    def find(child, parents):
        key = child, tuple(parents)
        if key not in known:
            known[key] = family_score(score, rows, weights, cardinalities, child, parents, sample_size)
        return known[key]

    return find


def sum_families(find, parents):
    return sum(find(child, family) for child, family in enumerate(parents))
