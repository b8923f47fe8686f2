"""Brute force: the joint distribution as one array. Shares no code with the engine."""

from __future__ import annotations

import itertools
import math

import numpy as np


def joint_weights(cardinalities, scopes, tables, evidence):
    """The product of all tables and evidence vectors, as an array over all variables.

    ``evidence`` maps a variable to a vector that is multiplied in.
    """
    joint = np.zeros(tuple(cardinalities))
    for x in itertools.product(*(range(c) for c in cardinalities)):
        weight = 1.0
        for scope, table in zip(scopes, tables, strict=True):
            weight *= float(np.asarray(table)[tuple(x[v] for v in scope)])
        for v, vector in evidence.items():
            weight *= float(vector[x[v]])
        joint[x] = weight
    return joint


def marginal(joint, scope):
    """The sum of a joint over all variables but those of a scope, axes in the scope's order."""
    kept = sorted(scope)
    summed = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in kept))
    return summed.transpose([kept.index(v) for v in scope])


def row_evidence(cells):
    """Evidence vectors of a row of cells: (cardinality, None | state code | vector)."""
    vectors = {}
    for v, (cardinality, cell) in enumerate(cells):
        if cell is None:
            continue
        vectors[v] = np.eye(cardinality)[cell] if isinstance(cell, int | np.integer) else np.asarray(cell)
    return vectors


def log(x):
    return math.log(x) if x > 0 else -math.inf
