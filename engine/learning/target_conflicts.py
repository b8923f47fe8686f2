"""Which row asks for targets that parameters exclude."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.inference.posterior import infer
from engine.learning.targets.splitting import drop_targets, has_targets
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.arrays import Ints
from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset
from engine.model.messages import shorten
from engine.model.network import Network
from engine.model.variable import list_names

ADVICE = "start from other parameters (random or uniform)"


def describe_conflict(network: Network, dataset: Dataset, fixed: bool = True, memory_limit: int = MEMORY_LIMIT) -> str:
    """The first row whose targets cannot hold under a network, and why; empty if there is none."""
    if not has_targets(dataset):
        return ""
    rows = np.flatnonzero(dataset.target_cells.any(axis=0) & (dataset.weights > 0))
    data = dataset.take(rows)
    if not fixed:  # nothing else is known when they are to hold
        data = replace(data, codes=np.where(data.target_cells, data.codes, MISSING))
    posterior = infer(network, drop_targets(data), memory_limit)
    possible = np.flatnonzero(~posterior.impossible)
    rows, data, first = rows[possible], data.take(possible), None
    for v in data.targets:
        asked = np.flatnonzero(data.target_cells[v])
        shares = data.likelihoods[v][FIRST_LIKELIHOOD - data.codes[v, asked].astype(np.int64)]
        wrong = (shares > 0) & (posterior.marginal(v)[possible[asked]] <= 0)
        for k in np.flatnonzero(wrong.any(axis=1))[:1].tolist():
            found = int(rows[asked[k]]), v, int(np.flatnonzero(wrong[k])[0]), float(shares[k][wrong[k]][0])
            first = found if first is None or found < first else first
    if first is None:
        return _describe_together(network, data, rows, fixed, memory_limit)
    row, v, state, share = first
    variable = network.variables[v]
    besides = " and the row's other cells" if fixed else ""
    return (
        f"row {row + 1:,}: the target of {shorten(variable.name)} gives {shorten(variable.states[state])} "
        f"{share:g}, which the parameters{besides} exclude; give it 0, or {ADVICE}"
    )


def _describe_together(network: Network, data: Dataset, rows: Ints, fixed: bool, memory_limit: int) -> str:
    """The first row with targets each of which can hold, but not all at once."""
    several = np.flatnonzero(data.target_cells.sum(axis=0) > 1)

    def can_hold(some: Ints) -> bool:
        return _can_hold(network, data.take(some), fixed, memory_limit)

    if not several.size or can_hold(several):
        return ""
    low, high = 0, len(several)  # the first ``low`` can hold, of the first ``high`` some cannot
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if can_hold(several[:middle]) else (low, middle)
    row = several[low]
    names = list_names([network.variables[v].name for v in np.flatnonzero(data.target_cells[:, row])], most=6)
    return (
        f"row {rows[row] + 1:,}: the targets of {names} cannot hold at once under the parameters; "
        f"give fewer of them, or {ADVICE}"
    )


def _can_hold(network: Network, data: Dataset, fixed: bool, memory_limit: int) -> bool:
    """Whether the targets of all rows can hold."""
    task = make_task(network, replace(data, weights=np.ones(data.n_rows)), memory_limit=memory_limit, fixed=fixed)
    found = Workspace(task.objective).evaluate(task.layout.flatten(network.tables))
    return bool(np.isfinite(found.log_likelihood).all())
