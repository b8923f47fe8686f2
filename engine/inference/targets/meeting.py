"""Meeting targets: the way of least estimated time, or the one that is asked for, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.inference.plan import SECONDS_PER_CELL, SECONDS_PER_OPERATION, Plan
from engine.inference.planner import make_plan
from engine.inference.posterior import Posterior, infer
from engine.inference.propagate import Propagation, propagate
from engine.inference.targets.fitting import Round, Way, fit
from engine.inference.targets.modified_tree import ModifiedTree, estimate_round
from engine.inference.targets.target import Target
from engine.inference.targets.ways import JointTable, VirtualEvidence, with_factors
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.errors import MemoryLimitError
from engine.model.network import MarkovNetwork, Network

SOLVERS = ("bn-ipfp-1", "bn-ipfp-2", "big-clique", "modified-tree")
MOST_JOINT = 4096
"""Cells of a table of all constrained variables up to which it is considered, if no way is asked for."""
ROUNDS = 20
"""How many rounds fitting is taken to need when ways are compared; they need as many as each other."""


@dataclass(frozen=True, eq=False)
class Met:
    """Targets that are met.

    Attributes
    ----------
    posterior : Posterior
        Of one row. Its log evidence is that of the states and likelihoods: under the model if targets are fixed,
        under the model that has the targets if they are not.
    solver : str
    targets : tuple of Target
        Without those of variables that have one state only, which are met by themselves.
    rounds : tuple of Round
        From that before the first to the last.
    """

    posterior: Posterior
    solver: str
    targets: tuple[Target, ...]
    rounds: tuple[Round, ...]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Targets that some variables of one row shall meet.

    Attributes
    ----------
    row : Dataset
        One row: what is known besides.
    fixed : bool
        Whether the targets hold after all findings; if not, they hold before them, and findings change what they said.
    """

    network: Network
    row: Dataset
    targets: tuple[Target, ...]
    fixed: bool
    memory_limit: int

    def solve(self, solver: str | None, tol: float, max_rounds: int) -> Met:
        """Meet the targets by one of :data:`SOLVERS`, or by that of least estimated time.

        Raises
        ------
        ImpossibleEvidenceError
            If they cannot be met.
        """
        chosen = solver or self.choose()
        rounds = tuple(self.iterate(chosen, tol, max_rounds))
        return Met(self.finish(rounds[-1]), chosen, self._moving, rounds)

    def iterate(self, solver: str, tol: float, max_rounds: int) -> Iterator[Round]:
        """Round after round."""
        return fit(self.network, self._make_way(solver), self._moving, tol, max_rounds)

    @property
    def _moving(self) -> tuple[Target, ...]:
        """The targets that are not met by themselves, as those of variables with one state are."""
        return tuple(target for target in self.targets if target.table.size > 1)

    @property
    def _before(self) -> Dataset:
        """What is known when targets are met."""
        if self.fixed:
            return self.row
        return Dataset(self.row.variables, np.full_like(self.row.codes, -1), self.row.weights)

    # --- ways

    def _make_way(self, solver: str) -> Way:
        targets, limit = self._moving, self.memory_limit
        if solver == "bn-ipfp-1":
            return VirtualEvidence(self._plan(self._scopes), targets, limit)
        if solver == "modified-tree":
            return ModifiedTree(self._plan(self._scopes), targets, limit)
        find = self._find_by_rows if solver == "bn-ipfp-2" else self._find_by_clique
        return JointTable(self._constrained, *find(), targets)

    def _plan(self, scopes: Sequence[tuple[int, ...]]) -> Plan:
        return make_plan(with_factors(self.network, scopes), self._before, self.memory_limit)

    @property
    def _constrained(self) -> list[int]:
        """All variables that have a target."""
        return sorted({v for target in self._moving for v in target.variables})

    @property
    def _joint_shape(self) -> tuple[int, ...]:
        return tuple(self.network.variables[v].cardinality for v in self._constrained)

    def _find_by_rows(self) -> tuple[Floats, int]:
        """P(Y | what is known) of all constrained variables, each configuration as a row; and the cells it took."""
        plan = self._plan_rows()
        log_sum = propagate(plan, self.network, self.memory_limit).log_sum
        weights = np.exp(log_sum - log_sum.max())
        return (weights / weights.sum()).reshape(self._joint_shape), plan.cells

    def _plan_rows(self) -> Plan:
        shape, before = self._joint_shape, self._before
        size = math.prod(shape)
        if 8 * size > self.memory_limit:
            raise MemoryLimitError(
                f"the {len(shape)} variables that have targets have {size:,} configurations together, too many for a "
                "table; use --solver modified-tree",
                8 * size,
                self.memory_limit,
            )
        codes = np.repeat(before.codes, size, axis=1).astype(np.int32)
        codes[self._constrained] = np.indices(shape).reshape(len(shape), size)
        rows = replace(before, codes=codes, weights=np.ones(size))
        return make_plan(self.network, rows, self.memory_limit)

    def _find_by_clique(self) -> tuple[Floats, int]:
        """P(Y | what is known) of all constrained variables, from a clique that holds them; and the cells it took."""
        plan = self._plan([tuple(self._constrained)])
        result = propagate(plan, plan.network, self.memory_limit)
        posterior = Posterior(plan, result.log_sum, result.blocks, self.memory_limit)
        return np.asarray(posterior.family(len(plan.network.tables) - 1)[0]), plan.cells

    # --- cost

    def choose(self) -> str:
        """The way that takes least time, by estimate."""
        targets = self._moving
        plan = self._plan(self._scopes)
        if not targets:
            return SOLVERS[0]
        steps = ROUNDS * len(targets)
        seconds = {
            "bn-ipfp-1": steps * plan.seconds,
            "modified-tree": plan.seconds + ROUNDS * estimate_round(plan, targets),
        }
        size = math.prod(self._joint_shape)
        if size <= MOST_JOINT:
            on_table = 2 * steps * (4 * SECONDS_PER_OPERATION + size * SECONDS_PER_CELL)
            seconds["bn-ipfp-2"] = self._plan_rows().seconds + on_table
            seconds["big-clique"] = self._plan([tuple(self._constrained)]).seconds + on_table
        return min(seconds, key=seconds.__getitem__)

    # --- the answer

    @property
    def _scopes(self) -> list[tuple[int, ...]]:
        return [target.variables for target in self._moving]

    def absorb(self, last: Round) -> MarkovNetwork:
        """The network with a factor for each target, by which they are met once the rest is known as well."""
        factors = [np.exp(logs - logs.max()) for logs in last.logs]
        return with_factors(self.network, self._scopes).with_tables([*self.network.tables, *factors])

    def finish(self, last: Round) -> Posterior:
        """The posterior in which the targets are met: each is a factor of the network then."""
        fitted = self.absorb(last)
        if not self.fixed:
            return infer(fitted, self.row, self.memory_limit)
        plan = make_plan(with_factors(self.network, self._scopes), self.row, self.memory_limit)
        propagation = Propagation(plan, plan.network, self.memory_limit)
        log_sum = propagation.run().log_sum
        for number in range(len(self.network.tables), len(fitted.tables)):
            propagation.set_table(number, fitted.tables[number])
        plan = replace(plan, network=fitted, pool=replace(plan.pool, network=fitted))
        return Posterior(plan, log_sum, propagation.run().blocks, self.memory_limit, self.network)
