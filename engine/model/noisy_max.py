"""Noisy-MAX: a table made of few numbers, an effect of each parent on its own, and a leak.

Each parent causes a state of the variable by itself, and so does what is not in the model (the leak); the variable has
the strongest of these states. The first state is the strongest, the last one is *absent*: a parent in a state that does
nothing causes it for sure. With two states this is noisy-OR. (F. J. Díez, *Parameter adjustment in Bayes networks: the
generalized noisy OR-gate*, UAI 1993; the parameters are those of GeNIe.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.model.arrays import Floats, frozen
from engine.model.errors import ModelError
from engine.model.network import ROW_SUM_TOLERANCE, BayesianNetwork, Network

SAME = 1e-9
"""How far a table may be from what the numbers of a noisy-MAX make, for rounding."""


@dataclass(frozen=True, eq=False)
class NoisyMax:
    """What each parent causes on its own.

    Parameters
    ----------
    causes : tuple of array (states of the parent, own states)
        Per parent, and per state of it, the distribution of what it causes. Of each parent, one state does nothing.
    leak : array (own states,)
        The distribution of what the rest of the world causes.
    """

    causes: tuple[Floats, ...]
    leak: Floats

    def __post_init__(self) -> None:
        causes = tuple(frozen(np.array(cause, dtype=np.float64)) for cause in self.causes)
        leak = frozen(np.array(self.leak, dtype=np.float64))
        object.__setattr__(self, "causes", causes)
        object.__setattr__(self, "leak", leak)
        if leak.ndim != 1 or not leak.size or any(c.ndim != 2 or not len(c) or c.shape[1] != leak.size for c in causes):
            raise ModelError("a noisy-MAX needs a number for each of its states, in each row")
        for rows in (*causes, leak[np.newaxis]):
            if (
                not np.isfinite(rows).all()
                or (rows < 0).any()
                or np.abs(rows.sum(axis=1) - 1).max() > ROW_SUM_TOLERANCE
            ):
                raise ModelError("a row of a noisy-MAX is no distribution; expected numbers ≥ 0 that sum to 1")
        if None in (_find_absent(cause) for cause in causes):
            raise ModelError(
                "of each parent of a noisy-MAX one state must do nothing: its row is 0 but for a 1 in the last state"
            )

    @property
    def absent(self) -> tuple[int, ...]:
        """Per parent, the last of its states that do nothing."""
        return tuple(_find_absent(cause) or 0 for cause in self.causes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole table."""
        return (*(len(cause) for cause in self.causes), self.leak.size)

    def expand(self) -> Floats:
        """The whole table, with the shape of a CPT.

        The strongest of independent states is as weak as x, or weaker, if each of them is:
        Pr(X ≥ x | u) = Pr(leak ≥ x) Π Pr(X_i ≥ x | u_i), where ≥ is *the same or later in the list of states*.
        """
        product = _sum_tails(self.leak)
        for cause in self.causes:
            product = product[..., np.newaxis, :] * _sum_tails(cause)
        product[..., :-1] -= product[..., 1:].copy()
        np.maximum(product, 0, out=product)  # the differences of equal tails can be −1e-17
        product /= product.sum(axis=-1, keepdims=True)
        return product

    def with_parent(self, states: int) -> NoisyMax:
        """The same with one more parent, which causes nothing."""
        return NoisyMax((*self.causes, np.tile(np.eye(self.leak.size)[-1], (states, 1))), self.leak)


def fit_noisy_max(table: Floats) -> NoisyMax:
    """The noisy-MAX that has the rows of a table in which at most one parent is not in its last state.

    It is the table's own, where that is a noisy-MAX of which the last states of the parents do nothing.
    """
    n = table.ndim - 1
    leak = _sum_tails(table[(-1,) * n])
    causes = []
    for i in range(n):
        rows = _sum_tails(table[tuple(slice(None) if k == i else -1 for k in range(n))])
        own = np.where(leak > 0, np.minimum(rows / np.where(leak > 0, leak, 1), 1), 0.0)
        own[..., 0] = 1.0
        own[-1] = 1.0
        tails = np.minimum.accumulate(own, axis=-1)
        causes.append(tails - np.append(tails[:, 1:], np.zeros((len(tails), 1)), axis=1))
    return NoisyMax(tuple(causes), table[(-1,) * n])


def makes_table(noisy: NoisyMax, network: Network, name: str) -> bool:
    """Whether the table of a variable is the one that a noisy-MAX makes."""
    if not isinstance(network, BayesianNetwork) or name not in network.index:
        return False
    table = network.tables[network.index[name]]
    return table.shape == noisy.shape and bool(np.allclose(noisy.expand(), table, rtol=0, atol=SAME))


def _sum_tails(rows: Floats) -> Floats:
    """Of distributions, the probability of each state or a later one."""
    return np.asarray(np.cumsum(rows[..., ::-1], axis=-1)[..., ::-1], dtype=np.float64)


def _find_absent(cause: Floats) -> int | None:
    """The last state of a parent that does nothing, if there is one."""
    idle = np.flatnonzero((cause[:, :-1] == 0).all(axis=1))
    return int(idle[-1]) if idle.size else None


def stack(noisy: NoisyMax) -> Floats:
    """All rows of a noisy-MAX, one below the other: those of each parent, then the leak."""
    return np.concatenate([*noisy.causes, noisy.leak[np.newaxis]])


def unstack(rows: Floats, parents: Sequence[int]) -> NoisyMax:
    """The noisy-MAX of such rows; ``parents`` are the numbers of states of the parents."""
    parts = np.split(rows, np.cumsum(parents))
    return NoisyMax(tuple(parts[:-1]), parts[-1][0])
