"""Propagation of a few rows in log space: slower, and exact where the linear scale underflows."""

from __future__ import annotations

import numpy as np

from engine.inference.plan import Part
from engine.inference.tape import Scope, align, group_pieces, other_axes, table_shape
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
    tree = part.tree
    with np.errstate(divide="ignore"):
        logs = np.log(pool)
    groups = group_pieces(part)
    tables: list[Floats] = []
    messages: list[Floats] = []
    for clique, variables in enumerate(tree.cliques):
        table = np.zeros((*table_shape(tree, variables), len(rows)))
        for scope, pieces in groups[clique].items():
            for k in pieces:
                piece = part.pieces[k]
                table += align(logs[piece.offsets[:, None] + piece.base[rows]], scope, tree, clique)
        for child in tree.children[clique]:
            table += align(messages[child], tree.separators[child], tree, clique)
        tables.append(table)
        messages.append(_log_sum(table, other_axes(tree, clique, tree.separators[clique])))
    log_z = sum((messages[k] for k, parent in enumerate(tree.parents) if parent < 0), np.zeros(len(rows)))
    marginals: dict[Scope, Floats] = {}
    for clique in reversed(range(len(tree.cliques))):
        _distribute(part, tables, messages, clique)
        posterior = np.where(np.isneginf(log_z), np.nan, np.exp(tables[clique]))
        for scope in groups[clique]:
            marginals[scope] = posterior.sum(axis=other_axes(tree, clique, scope)).reshape(-1, len(rows))
    return log_z, marginals


def _distribute(part: Part, tables: list[Floats], messages: list[Floats], clique: int) -> None:
    """Add to a clique's table what its parent knows beyond its own message (at a root: −log Z)."""
    tree = part.tree
    parent = tree.parents[clique]
    known = np.zeros_like(messages[clique])
    if parent >= 0:
        known = _log_sum(tables[parent], other_axes(tree, parent, tree.separators[clique]))
    ratio = known - np.where(np.isneginf(messages[clique]), 0.0, messages[clique])
    tables[clique] += align(ratio, tree.separators[clique], tree, clique)


def _log_sum(table: Floats, axes: tuple[int, ...]) -> Floats:
    """log Σ exp over axes; −∞ where every term is."""
    largest = table.max(axis=axes, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(table - largest).sum(axis=axes)) + largest.squeeze(axes))
