"""Propagation of a few rows in log space: slower, and exact where the linear scale underflows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.inference.operations import Operations, Scope, other_axes
from engine.inference.plan import Part
from engine.inference.tape import align, group_pieces
from engine.model.arrays import Floats, Ints


def propagate(part: Part, pool: Floats, rows: Ints) -> tuple[Floats, dict[Scope, Floats]]:
    """Propagate some of a part's rows.

    Returns
    -------
    log_z : array (rows,)
        −∞ for an impossible row.
    marginals : dict from scope to array (cells, rows)
        Pr(scope | row); NaN for an impossible row.
    """
    log_z, posteriors = calibrate(part, pool, rows)
    marginals: dict[Scope, Floats] = {}
    for clique, scopes in enumerate(group_pieces(part)):
        marginals |= _sum_posterior(part, posteriors[clique], clique, list(scopes))
    impossible = np.isneginf(log_z)
    flat = {scope: marginal.reshape(-1, len(rows)) for scope, marginal in marginals.items()}
    for marginal in flat.values():
        marginal[:, impossible] = np.nan
    return log_z, flat


def calibrate(part: Part, pool: Floats, rows: Ints) -> tuple[Floats, list[Floats]]:
    """log Z of some of a part's rows, and Pr(clique | row) for each clique, shape (states…, rows)."""
    tree = part.tree
    with np.errstate(divide="ignore"):
        logs = np.log(pool)
    groups = group_pieces(part)
    tables: list[Floats] = []
    messages: list[Floats] = []
    for clique, variables in enumerate(tree.cliques):
        table = np.zeros((*tree.shape(variables), len(rows)))
        for scope, pieces in groups[clique].items():
            for k in pieces:
                piece = part.pieces[k]
                table += align(logs[piece.offsets[:, None] + piece.base[rows]], scope, tree, clique)
        for child in tree.children[clique]:
            table += align(messages[child], tree.separators[child], tree, clique)
        tables.append(table)
        messages.append(log_sum(table, other_axes(tree.cliques[clique], tree.separators[clique])))
    log_z = sum((messages[k] for k, parent in enumerate(tree.parents) if parent < 0), np.zeros(len(rows)))
    known: list[Floats] = [np.zeros_like(message) for message in messages]
    for clique in reversed(range(len(tree.cliques))):
        # What the parent's posterior says beyond the clique's own message; at a root, −log Z.
        ratio = known[clique] - np.where(np.isneginf(messages[clique]), 0.0, messages[clique])
        tables[clique] = np.exp(tables[clique] + align(ratio, tree.separators[clique], tree, clique))
        separators = [tree.separators[child] for child in tree.children[clique]]
        found = _sum_posterior(part, tables[clique], clique, separators)
        with np.errstate(divide="ignore"):
            for child in tree.children[clique]:
                known[child] = np.log(found[tree.separators[child]])
    return log_z, tables


def _sum_posterior(part: Part, posterior: Floats, clique: int, scopes: Sequence[Scope]) -> dict[Scope, Floats]:
    """A clique's posterior summed to scopes inside it."""
    found: dict[Scope, Floats] = {}
    operations = Operations(part.tree.cardinalities, posterior.shape[-1])
    operations.sum_all(posterior, part.tree.cliques[clique], list(dict.fromkeys(scopes)), found)
    operations.run()
    return found


def log_sum(table: Floats, axes: tuple[int, ...]) -> Floats:
    """log Σ exp over axes; −∞ where every term is."""
    largest = table.max(axis=axes, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(table - largest).sum(axis=axes)) + largest.squeeze(axes))
