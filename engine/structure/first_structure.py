"""Where structural EM starts: a tree from the values that were seen together, and hidden variables above it."""

from __future__ import annotations

import numpy as np

from engine.model.arrays import Floats, xlogy
from engine.model.dataset import Dataset, Role
from engine.model.variable import Variable
from engine.structure.constraints import Constraints
from engine.structure.counts import Counts, find_constant
from engine.structure.families import Parents
from engine.structure.trees import find_arrows


def find_first_structure(dataset: Dataset, constraints: Constraints) -> Parents:
    """A structure to start from: the required arrows, a tree over what is seen, hidden variables as parents of it.

    A column that has one value is left alone: arrows tell nothing of it, and no penalty would take them away.

    With other required arrows there is no tree: it might close a cycle with them. Rows count where they have both
    values of a pair, which is right where cells are missing completely at random.
    """
    hidden = [v for v, role in enumerate(dataset.roles) if role is Role.HIDDEN]
    constant = find_constant(dataset)
    seen = [v for v in range(len(dataset.variables)) if v not in hidden and v not in constant]
    parents = [set(family) for family in constraints.required_parents]
    if not constraints.required:
        for parent, child in find_arrows(_weigh_pairs(dataset), seen, seen[0] if seen else 0, constraints, 1):
            parents[child].add(parent)
    for h in hidden:
        for child in seen if not constraints.required_parents[h] else ():
            if constraints.allowed[h, child] and len(parents[child]) < constraints.cap:
                parents[child].add(h)
    return tuple(tuple(sorted(family)) for family in parents)


def _weigh_pairs(dataset: Dataset) -> Floats:
    """Per parent and child, what an arrow is worth by BIC, from the rows that have both."""
    merged = dataset.project(range(len(dataset.variables)))
    # Whatever is not known is one more state, which is counted and left out.
    variables = tuple(Variable(v.name, tuple(map(str, range(v.cardinality + 1)))) for v in dataset.variables)
    unknown = np.array([v.cardinality for v in dataset.variables])[:, None]
    counts = Counts(variables, np.where(merged.codes < 0, unknown, merged.codes), merged.weights)
    n, penalty = len(variables), np.log(max(1.0, dataset.total_weight)) / 2
    weights = np.full((n, n), -np.inf)
    for child in range(n):
        states = counts.count_extended(child, counts.configurations(()))[:, 0, :-1].T
        for parent in range(n):
            if parent != child:
                table = states[:, counts.starts[parent] : counts.starts[parent] + counts.sizes[parent] - 1]
                size = (table.shape[0] - 1) * (table.shape[1] - 1)
                weights[parent, child] = _find_information(table) - penalty * size
    return weights


def _find_information(table: Floats) -> float:
    """N times the mutual information of the two axes of a table of counts."""
    margins = [table.sum(axis=axis) for axis in range(2)]
    total = table.sum(keepdims=True)
    terms = [xlogy(part, part).sum() for part in (table, *margins, total)]
    return float(terms[0] - terms[1] - terms[2] + terms[3])
