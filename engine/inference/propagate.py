"""Running a plan: every part propagated over all its rows, in chunks that fit the cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.inference import log_space
from engine.inference.operations import Scope
from engine.inference.plan import MEMORY_LIMIT, Block, Part, Plan
from engine.inference.tape import Tape, chunk_rows
from engine.model.arrays import Floats
from engine.model.dataset import FIRST_LIKELIHOOD
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class PartResult:
    """What propagation found for a part.

    Attributes
    ----------
    log_z : array (rows of the part,)
        −∞ where the row is impossible.
    marginals : mapping from scope to array (cells, rows of the part)
        Pr(scope | row) for the open variables of every factor.
    """

    part: Part
    log_z: Floats
    marginals: Mapping[Scope, Floats]

    @cached_property
    def smallest_scope(self) -> Mapping[int, Scope]:
        """For each variable, the scope with the fewest cells that holds it."""
        found: dict[int, Scope] = {}
        for scope in sorted(self.marginals, key=lambda scope: len(self.marginals[scope]), reverse=True):
            found.update(dict.fromkeys(scope, scope))
        return found


@dataclass(frozen=True, eq=False)
class Result:
    """What propagation found for a dataset: per row the logarithm of the sum of the product of all
    tables and evidence, and per block of the plan the results of its parts."""

    log_sum: Floats
    blocks: tuple[tuple[PartResult, ...], ...]


class Propagation:
    """A plan with the tables of a network of its structure, to be run again with other tables of some factors.

    Parameters
    ----------
    keep_tapes : bool
        Whether what a run of a part needs is kept for the next run, which takes memory for all parts at once.
    """

    def __init__(
        self, plan: Plan, network: Network, memory_limit: int = MEMORY_LIMIT, *, keep_tapes: bool = True
    ) -> None:
        self._plan, self._memory_limit = plan, memory_limit
        self._pool, left_out = plan.pool.fill(network.tables)
        with np.errstate(divide="ignore"):
            self._logs = np.log(self._pool)
        self._observed_sum = np.full(plan.dataset.n_rows, left_out)
        for factor in plan.observed_factors:
            start = plan.pool.layout.starts[factor]
            self._observed_sum += self._logs[start:][plan.observed_cells(factor)]
        self._tapes: dict[Part, Tape] | None = {} if keep_tapes else None

    def set_table(self, factor: int, table: Floats) -> None:
        """Change the table of a factor, none of whose variables is observed; no entry may be above 1."""
        start = int(self._plan.pool.layout.starts[factor])
        self._pool[start : start + table.size] = table.reshape(-1)

    def run(self) -> Result:
        """Propagate all rows."""
        log_sum = self._observed_sum.copy()
        for variable, vectors in self._plan.dataset.likelihoods.items():
            codes = self._plan.dataset.rows().codes[variable]
            soft = np.flatnonzero(codes <= FIRST_LIKELIHOOD)
            log_sum[soft] += np.log(vectors.max(axis=1))[FIRST_LIKELIHOOD - codes[soft].astype(np.int64)]
        blocks = []
        for block in self._plan.blocks:
            results = tuple(_propagate_part(part, self._tape(part), self._pool) for part in block.parts)
            log_sum += block.spread(_block_sum(block, results, self._logs))
            blocks.append(results)
        return Result(log_sum, tuple(blocks))

    def _tape(self, part: Part) -> Tape:
        tape = self._tapes.get(part) if self._tapes is not None else None
        if tape is None:
            tape = Tape(part, chunk_rows(part, self._memory_limit), self._pool)
            if self._tapes is not None:
                self._tapes[part] = tape
        return tape


def propagate(plan: Plan, network: Network, memory_limit: int = MEMORY_LIMIT) -> Result:
    """Run a plan once with the tables of a network of the plan's structure."""
    return Propagation(plan, network, memory_limit, keep_tapes=False).run()


def _block_sum(block: Block, results: tuple[PartResult, ...], logs: Floats) -> Floats:
    """Per row of the block, the logarithm of the sum over its open variables."""
    total = np.zeros(block.rows)
    for complete in block.complete:
        total[complete.local_rows] += logs[complete.index]
    for result in results:
        total[result.part.local_rows] += result.log_z[result.part.row]
    return total


def _propagate_part(part: Part, tape: Tape, pool: Floats) -> PartResult:
    log_z = np.empty(part.rows)
    marginals = {scope: np.empty((len(array), part.rows)) for scope, array in tape.marginals.items()}
    for start in tape.starts:
        chunk = slice(start, start + tape.rows)
        with np.errstate(all="ignore"):  # doubtful rows may divide by zero; other rows cannot
            log_z[chunk] = tape.run(start)
        for scope, array in tape.marginals.items():
            marginals[scope][:, chunk] = array
        found = tape.find_doubtful()
        if found is not None:
            doubtful = start + found
            log_z[doubtful], exact = log_space.propagate(part, pool, doubtful)
            for scope, array in exact.items():
                marginals[scope][:, doubtful] = array
    return PartResult(part, log_z, marginals)
