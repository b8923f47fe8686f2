"""The networks and datasets that are measured, with fixed seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from engine.formats import read_network
from engine.model.dataset import Dataset, Role
from engine.model.network import BayesianNetwork
from engine.model.randomness import make_generator
from engine.simulation.generators import binary_tree, chain
from engine.simulation.missingness import hide_fraction, remove_mcar
from engine.simulation.sampling import simulate
from tests.shared_data import DATA


class NetworkAbsentError(Exception):
    """A network file that is not there."""


@dataclass(frozen=True)
class Case:
    """A learning problem and what to call it."""

    title: str
    network: BayesianNetwork
    dataset: Dataset

    @property
    def hidden(self) -> list[int]:
        return [v for v, role in enumerate(self.dataset.roles) if role is Role.HIDDEN]

    @property
    def is_partial(self) -> bool:
        return Role.PARTIAL in self.dataset.roles


@cache
def load(name: str) -> BayesianNetwork:
    """A network by name: ``chain-180``, ``tree-63``, or a BIF file of the shared data."""
    kind, _, size = name.partition("-")
    if kind in ("chain", "tree"):
        return chain(int(size), random_state=1) if kind == "chain" else binary_tree(int(size), random_state=1)
    network = read_network(find_network(name)).network
    assert isinstance(network, BayesianNetwork)
    return network


def find_network(name: str) -> Path:
    """A BIF file of the shared data."""
    path = DATA / "networks" / "bif" / f"{name}.bif"
    if not path.is_file():
        raise NetworkAbsentError(f"there is no file {path}")
    return path


def hidden_case(name: str, rows: int, fraction: float, seed: int = 1) -> Case:
    """Rows drawn from a network, a fraction of its variables hidden."""
    network = load(name)
    dataset = hide_fraction(simulate(network, rows, seed), fraction, seed)
    return Case(f"{name}, {_power(rows)} rows, {fraction:.0%} hidden", network, dataset)


def partial_case(name: str, rows: int, fraction: float, rate: float, seed: int = 1) -> Case:
    """Rows drawn from a network, a fraction of its variables missing completely at random."""
    network = load(name)
    n = len(network.variables)
    chosen = make_generator(seed).choice(n, size=round(fraction * n), replace=False)
    names = [network.variables[v].name for v in sorted(chosen)]
    dataset = remove_mcar(simulate(network, rows, seed), rate, seed, names)
    which = "all columns" if fraction == 1 else f"{fraction:.0%} of columns"
    return Case(f"{name}, {_power(rows)} rows, {which} {rate:.0%} missing", network, dataset)


def distinct(case: Case, rows: int) -> Case:
    """The first distinct rows of a case, as many as are asked for."""
    merged = case.dataset.project(range(len(case.network.variables)))
    if merged.n_rows < rows:
        raise ValueError(f"{merged.n_rows} distinct rows; expected at least {rows}")
    chosen = make_generator(1).permutation(merged.n_rows)[:rows]
    dataset = Dataset(merged.variables, merged.codes[:, chosen], np.ones(rows), merged.likelihoods)
    return Case(case.title, case.network, dataset)


def _power(rows: int) -> str:
    exponent = rows.bit_length() - 1
    return f"2^{exponent}" if rows == 2**exponent else f"{rows:,}"
