"""Why a Markov network excludes a row of data whatever is learned: zeros of its factors, which stay as they are."""

from __future__ import annotations

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import infer
from engine.model.dataset import Dataset
from engine.model.messages import shorten
from engine.model.network import MarkovNetwork

MOST_TRIED = 200
"""Factors with zeros among which those that exclude a row are looked for."""
MOST_NAMED = 4


def describe_zeros(network: MarkovNetwork, dataset: Dataset, memory_limit: int = MEMORY_LIMIT) -> str:
    """The first row that zeros exclude, the factors whose zeros these are, and what to do."""
    possible = network.with_tables([(table > 0).astype(np.float64) for table in network.tables])
    excluded = np.flatnonzero(infer(possible, dataset, memory_limit).impossible & (dataset.weights > 0))
    if not excluded.size:
        return "some rows have probability 0 under the starting parameters; start from other ones (random or uniform)"
    row = int(excluded[0])
    factors = _find_guilty(possible, dataset.take(excluded[:1]), memory_limit)
    names, codes = [shorten(variable.name) for variable in network.variables], dataset.codes[:, row]
    scopes = [network.scopes[factor] for factor in factors]
    known = [
        f"{names[v]} = {shorten(network.variables[v].states[codes[v]])}"
        for v in dict.fromkeys(v for scope in scopes for v in scope)
        if codes[v] >= 0
    ]
    has = f" has {', '.join(known)}, and" if known else ""
    over = [" and ".join(names[v] for v in scope) for scope in scopes[:MOST_NAMED]]
    whose = f" of the factor over {', of that over '.join(over)}" if over else ""
    return (
        f"row {row + 1:,}{has} is excluded by zeros{whose}; learning leaves zeros as they are: "
        "make them positive, or leave out the row"
    )


def _find_guilty(possible: MarkovNetwork, row: Dataset, memory_limit: int) -> list[int]:
    """Factors that together exclude a row, none of them to spare; none if there are too many to try."""
    tables = list(possible.tables)
    suspects = [factor for factor, table in enumerate(tables) if not table.all()]
    if len(suspects) > MOST_TRIED:
        return []
    for factor in suspects:
        tables[factor] = np.ones_like(tables[factor])
    guilty = []
    for factor in suspects:
        without, tables[factor] = tables[factor], possible.tables[factor]
        if infer(possible.with_tables(tables), row, memory_limit).impossible[0]:
            guilty.append(factor)
            tables[factor] = without
    return guilty
