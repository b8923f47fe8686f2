"""Posteriors of all variables and families for every row of a dataset, and the rows' probabilities."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from engine.inference.plan import MEMORY_LIMIT, Block, Plan
from engine.inference.planner import make_plan
from engine.inference.pool import Piece
from engine.inference.propagate import PartResult, propagate
from engine.model.arrays import Codes, Floats
from engine.model.dataset import Dataset, make_dataset
from engine.model.errors import ModelError
from engine.model.network import MarkovNetwork, Network


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posteriors given each row of a dataset, put together on demand.

    Attributes
    ----------
    log_sum : array (rows,)
        The logarithm of the sum of the product of all tables over what a row leaves open; −∞ where the row is
        impossible. With likelihood cells, these are multiplied in.
    results : tuple
        What propagation found, per block and part of the plan.
    memory_limit : int
        In bytes, for what is still to be found.
    model : network, optional
        Whose log Z counts, where the plan's network has further factors for what posteriors shall be.
    """

    plan: Plan
    log_sum: Floats
    results: tuple[tuple[PartResult, ...], ...] = field(repr=False)
    memory_limit: int = MEMORY_LIMIT
    model: Network | None = None

    @cached_property
    def log_partition(self) -> float:
        """log Z of a Markov network; 0 for a Bayesian network.

        Found when it is asked for: no posterior needs it, and without evidence it can need more memory than these.
        """
        return find_log_partition(self.model or self.plan.network, self.memory_limit)

    @property
    def log_evidence(self) -> Floats:
        """log Pr(row); −∞ where the row is impossible. With likelihood cells, log Σ_x λ(x) Pr(x, rest)."""
        return np.asarray(self.log_sum - self.log_partition)

    @property
    def impossible(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Per row, whether its probability is zero."""
        return np.isneginf(self.log_sum)

    def marginal(self, variable: int) -> Floats:
        """Pr(variable | row), shape (rows, states); NaN in impossible rows."""
        cardinality = self.plan.network.variables[variable].cardinality
        block = self._block_of_variable.get(variable)
        if block is None:
            out = _indicators(self.plan.codes[variable], cardinality)
        else:
            local = _indicators(block.codes[variable], cardinality)
            for result in self._results_of_variable[variable]:
                local[:, result.part.local_rows] = _marginal(result, variable)[:, result.part.row]
            out = block.spread(local)
        out[:, self.impossible] = np.nan
        return out.T

    def family(self, factor: int) -> Floats:
        """Pr(variables of a table | row), shape (rows, *shape of the table); NaN in impossible rows."""
        table = self.plan.network.tables[factor]
        start = int(self.plan.pool.layout.starts[factor])
        block = self._block_of_factor.get(factor)
        if block is None:
            out = _indicators(self.plan.observed_cells(factor), table.size)
        else:
            local = np.zeros((table.size, block.rows))
            for complete in block.complete:
                if complete.factor == factor:
                    local[complete.index - start, complete.local_rows] = 1.0
            for result, piece in self._pieces_of_factor[factor]:
                row = result.part.row
                cells = piece.offsets[:, None] + (piece.base[row] - start)
                local[cells, result.part.local_rows] = result.marginals[piece.scope][:, row]
            out = block.spread(local)
        out[:, self.impossible] = np.nan
        return out.T.reshape(-1, *table.shape)

    @cached_property
    def _block_of_variable(self) -> dict[int, Block]:
        return {v: block for block in self.plan.blocks for v in block.variables}

    @cached_property
    def _block_of_factor(self) -> dict[int, Block]:
        return {f: block for block in self.plan.blocks for f in block.factors}

    @cached_property
    def _results_of_variable(self) -> dict[int, list[PartResult]]:
        found = defaultdict(list)
        for results in self.results:
            for result in results:
                for variable in result.part.variables:
                    found[variable].append(result)
        return found

    @cached_property
    def _pieces_of_factor(self) -> dict[int, list[tuple[PartResult, Piece]]]:
        found = defaultdict(list)
        for results in self.results:
            for result in results:
                for piece in result.part.pieces:
                    found[piece.factor].append((result, piece))
        return found


def infer(network: Network, dataset: Dataset, memory_limit: int = MEMORY_LIMIT, *, condition: bool = True) -> Posterior:
    """Posteriors given every row of a dataset over the network's variables.

    Parameters
    ----------
    condition : bool
        False propagates the whole network with every row: for many rows that each observe something else.

    Examples
    --------
    >>> from engine.model.network import BayesianNetwork
    >>> from engine.model.variable import Variable
    >>> rain, wet = Variable("Rain", ("yes", "no")), Variable("Wet", ("yes", "no"))
    >>> network = BayesianNetwork((rain, wet), ((), (0,)), ([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]))
    >>> posterior = infer(network, make_dataset([rain, wet], [[None, "yes"]]))
    >>> posterior.marginal(0).round(4).tolist(), round(float(np.exp(posterior.log_evidence[0])), 4)
    ([[0.6923, 0.3077]], 0.26)
    """
    plan = make_plan(network, dataset, memory_limit, condition=condition)
    result = propagate(plan, network, memory_limit)
    return Posterior(plan, result.log_sum, result.blocks, memory_limit)


def find_log_partition(network: Network, memory_limit: int = MEMORY_LIMIT) -> float:
    """log Z, the logarithm of the sum of the product of all tables; 0 for a Bayesian network."""
    if not isinstance(network, MarkovNetwork):
        return 0.0
    nothing = make_dataset(network.variables, [[None] * len(network.variables)])
    log_z = float(propagate(make_plan(network, nothing, memory_limit), network, memory_limit).log_sum[0])
    if log_z == -np.inf:
        raise ModelError("the factors of this Markov network exclude every configuration: its partition function is 0")
    return log_z


def _indicators(codes: Codes, size: int) -> Floats:
    """Per column, 1 at its code; zeros where the code is negative."""
    out = np.zeros((size, len(codes)))
    known = np.flatnonzero(codes >= 0)
    out[codes[known], known] = 1.0
    return out


def _marginal(result: PartResult, variable: int) -> Floats:
    """Pr(variable | row), shape (states, rows of the part)."""
    number = result.part.variables.index(variable)
    scope = result.smallest_scope[number]
    shape = [result.part.tree.cardinalities[k] for k in scope]
    table = result.marginals[scope].reshape(*shape, -1)
    weights = table.sum(axis=tuple(axis for axis, k in enumerate(scope) if k != number))
    with np.errstate(invalid="ignore"):  # impossible rows
        return np.asarray(weights / weights.sum(axis=0))
