"""``structure --search l1``: the edges of a Markov network."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from app.commands import show
from app.structure_input import StructureInput
from engine.formats import Document, write_network
from engine.formats.packing import split_name
from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork
from engine.structure.markov import drop_ones, learn_pairs, suggest_scale
from pgmgui.project.words import count

NOT_FOR_EDGES = ("max_parents", "require", "forbid", "tiers", "truth", "resamples", "root", "order", "prior")


def learn_edges(problem: StructureInput, options: argparse.Namespace) -> None:
    """Learn which pairs need a factor, and these factors. Ctrl+C keeps what the last iteration has reached."""
    for name in NOT_FOR_EDGES:
        if getattr(options, name):
            raise PgmError(f"--{name.replace('_', '-')} is for arrows, and l1 finds edges without; leave it out")
    scale = suggest_scale(problem.data) if options.l1 is None else options.l1
    last = None
    try:
        for last in learn_pairs(problem.data, scale):
            if sys.stderr.isatty():
                told = f"iteration {last.iteration}  objective {float(last.objective.sum()):,.4f}"
                print(f"\r\x1b[K{told}", end="\r\x1b[K" if last.stop else "", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        if last is None:
            raise
    assert last is not None
    whole = last.network()
    assert isinstance(whole, MarkovNetwork)
    network = drop_ones(whole)
    if options.out:
        write_network(options.out, Document(network, split_name(options.data)[0]))
    edges = [[problem.names[a], problem.names[b]] for a, b in network.edges]
    result: dict[str, Any] = {
        "search": "l1",
        "l1": scale,
        "score": float(last.objective.sum()),
        "log_likelihood": float(last.log_likelihood.sum()),
        "bound": None,
        "kind": None,
        "edges": edges,
        "steps": last.iteration,
        "seconds": last.seconds,
        "stop": last.stop or "cancelled",
        "rows": problem.n_rows,
        "out": options.out,
    }
    pairs = len(problem.names) * (len(problem.names) - 1) // 2
    lines = [
        f"L1 of width {scale:.3g}: {count(len(edges), 'edge')} of {pairs:,} pairs after "
        f"{count(last.iteration, 'iteration')}, log-likelihood {result['log_likelihood']:,.4f}"
    ]
    lines.append("no bound of the score is looked for: it is the log-likelihood less the L1 penalty")
    lines += [f"{a} – {b}  strength {_find_strength(network, k):.3f}" for k, (a, b) in enumerate(edges)]
    lines += [f"wrote the learned network to {options.out}"] if options.out else []
    show(options, problem.notes, result, lines)


def _find_strength(network: MarkovNetwork, edge: int) -> float:
    """The largest logarithm in the factor of an edge, whatever its sign."""
    table = network.tables[network.scopes.index(network.edges[edge])]
    return float(np.abs(np.log(table)).max())
