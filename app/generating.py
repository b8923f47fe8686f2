"""The command that makes networks of well-known shapes at random."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from app.commands import check_seed, show
from engine.formats import Document, write_network
from engine.model.errors import PgmError
from engine.model.network import Network
from engine.simulation import generators

BAYESIAN: Mapping[str, Callable[..., Network]] = {
    "chain": generators.chain,
    "tree": generators.binary_tree,
    "grid": generators.grid,
}
MARKOV: Mapping[str, Callable[..., Network]] = {
    "chain": generators.chain_markov,
    "tree": generators.tree_markov,
    "grid": generators.grid_markov,
}


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add what the network shall be."""
    parser.add_argument("shape", choices=MARKOV, metavar="SHAPE", help="chain, tree (binary, complete) or grid")
    parser.add_argument(
        "size", metavar="SIZE", help="how many variables, such as 50; of a grid ROWSxCOLUMNS, such as 9x9"
    )
    parser.add_argument("--markov", action="store_true", help="a Markov network: a factor per pair and per variable")
    parser.add_argument("--states", type=int, default=2, metavar="K", help="of every variable (default: %(default)s)")
    parser.add_argument(
        "--spread",
        type=float,
        metavar="S",
        help="with --markov: the standard deviation of the logarithms of the factors' values (default: 1)",
    )
    parser.add_argument(
        "--coupling",
        type=float,
        metavar="F",
        help="with --markov: an Ising model, its couplings uniform from -F to F; 5 and 10 are those of the UAI grids",
    )
    parser.add_argument("--wrap", action="store_true", help="with --markov, for grids: join opposite sides")
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write the network")


def generate(options: argparse.Namespace) -> None:
    """Make a network and write it."""
    network = _make_markov(options) if options.markov else _make_bayesian(options)
    write_network(options.out, Document(network))
    result = {"out": options.out, "variables": len(network.variables), "edges": len(network.edges)}
    edges = "edges" if options.markov else "arrows"
    show(
        options,
        (),
        result,
        [f"wrote {len(network.variables):,} variables and {len(network.edges):,} {edges} to {options.out}"],
    )


def _make_bayesian(options: argparse.Namespace) -> Network:
    for name in ("spread", "coupling", "wrap"):
        if getattr(options, name) not in (None, False):
            raise PgmError(f"--{name} is for Markov networks; add --markov, or leave it out")
    return BAYESIAN[options.shape](*_parse_size(options), **_list_common(options))


def _make_markov(options: argparse.Namespace) -> Network:
    if options.wrap and options.shape != "grid":
        raise PgmError(f"--wrap is for grids; leave it out for a {options.shape}")
    if options.spread is not None and options.coupling is not None:
        raise PgmError("--spread and --coupling are two ways to draw factors; give one of them")
    given = {name: getattr(options, name) for name in ("spread", "coupling") if getattr(options, name) is not None}
    given |= {"wrap": True} if options.wrap else {}
    return MARKOV[options.shape](*_parse_size(options), **_list_common(options), **given)


def _list_common(options: argparse.Namespace) -> dict[str, Any]:
    return {"cardinality": options.states, "random_state": check_seed(options.random_state)}


def _parse_size(options: argparse.Namespace) -> list[int]:
    words, expected = options.size.split("x"), 2 if options.shape == "grid" else 1
    if len(words) != expected or not all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words):
        example = "9x9" if expected == 2 else "50"
        raise PgmError(f"the size of a {options.shape} is {options.size!r}; expected one such as {example}")
    return [int(word) for word in words]
