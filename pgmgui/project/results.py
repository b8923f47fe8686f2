"""What learners have reached, as a session file keeps it: the curve of each, and the parameters it ended with.

Only these are believed, and only if they fit the network: the likelihood, the counts and the gap are found anew
from the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.learning.methods import METHODS
from engine.learning.snapshot import Snapshot
from engine.learning.workspace import Workspace
from engine.model.arrays import Bools, Floats, Ints
from engine.model.errors import FormatError, PgmError
from pgmgui.project.scene import Parts
from pgmgui.project.words import STOPS

MOST_POINTS = 5000
"""Points of a curve that are read."""
MOST_NUMBERS = 100_000
"""Parameters of all restarts that are kept; of more, only the best restart is."""
SAME = 1e-6
"""How far, relatively, the end of a curve may be from the objective of its parameters."""


@dataclass(frozen=True)
class Point:
    """The best objective after an iteration.

    Attributes
    ----------
    iteration : int
        Counted on when a second batch of restarts begins.
    seconds : float
        Of computing by this run alone: neither pauses nor its rivals' share of the machine count.
    inferences : int
    objective : float
    """

    iteration: int
    seconds: float
    inferences: int
    objective: float


@dataclass(frozen=True, eq=False)
class Result:
    """What one learner has reached.

    Attributes
    ----------
    state, note : str
        As in :class:`pgmgui.state.curve.Curve`.
    stop : str
        Why it ended, as in a Snapshot; empty if it had not.
    points : tuple of Point
    theta : array (restarts, parameters)
    iterations, converged : array (restarts, components + 1)
    """

    method: str
    state: str
    note: str
    stop: str
    iteration: int
    inferences: int
    seconds: float
    points: tuple[Point, ...]
    theta: Floats
    iterations: Ints
    converged: Bools


def make_result(method: str, state: str, note: str, snapshot: Snapshot, points: Sequence[Point]) -> Result:
    """What a learner has reached with a snapshot."""
    ended = np.flatnonzero(np.isfinite(snapshot.objective.sum(axis=1)))
    if not ended.size or snapshot.theta[ended].size > MOST_NUMBERS:
        ended = np.array([snapshot.best])
    return Result(
        method,
        state,
        note,
        snapshot.stop,
        snapshot.iteration,
        snapshot.inferences,
        snapshot.seconds,
        tuple(points),
        snapshot.theta[ended],
        snapshot.iterations[ended],
        snapshot.converged[ended],
    )


def revive(result: Result, parts: Parts | None) -> Snapshot:
    """The snapshot of a result, with all that follows from its parameters found anew.

    Raises
    ------
    PgmError
        If it is not of this problem.
    """
    if parts is None:
        raise PgmError("there is nothing to learn here")
    task = parts.task
    objective, theta = task.objective, result.theta
    by_component = (len(theta), objective.n_components)
    fits = theta.ndim == 2 and theta.shape[1] == objective.n_parameters and len(theta) > 0
    if not fits or not result.iterations.shape == result.converged.shape == by_component:
        raise PgmError("they are of another network or of other components")
    sums = np.add.reduceat(theta, objective.geometry.starts, axis=1) if theta.size else theta
    if (theta < 0).any() or not np.allclose(sums, 1.0, atol=1e-6):
        raise PgmError("their parameters are no probabilities")
    work = Workspace(objective)
    found = [work.evaluate(one) for one in theta]
    likelihood = np.stack([evaluation.log_likelihood for evaluation in found])
    reached = likelihood + np.stack([objective.log_prior(one) for one in theta])
    best = reached.sum(axis=1).max()
    if not abs(best - result.points[-1].objective) <= SAME * max(1.0, abs(best)):
        raise PgmError("the data, the marks or the prior are others than those they were learned with")
    return Snapshot(
        task,
        result.iteration,
        result.seconds,
        result.inferences,
        theta,
        np.stack([evaluation.counts for evaluation in found]),
        likelihood,
        reached,
        result.iterations,
        result.converged,
        result.stop,
    )


def dump_result(result: Result) -> dict[str, Any]:
    """A result as JSON has it. What is infinite is null there."""
    points = [[_finite(value) for value in asdict(point).values()] for point in result.points]
    lists = {name: getattr(result, name).tolist() for name in ("theta", "iterations", "converged")}
    plain = ("method", "state", "note", "stop", "iteration", "inferences", "seconds")
    return {**{name: getattr(result, name) for name in plain}, "points": points, **lists}


def parse_result(item: Any) -> Result:
    """The result that JSON holds; whether it fits a problem is found by :func:`revive`."""
    if not isinstance(item, dict) or item.get("method") not in list(METHODS):
        raise FormatError("a result needs the name of a learner")
    where = f"the result of {item['method']!r}"
    points = item.get("points")
    if not isinstance(points, list) or not 0 < len(points) <= MOST_POINTS:
        raise FormatError(f"{where} needs from 1 to {MOST_POINTS:,} points")
    if item.get("stop") not in ("", *STOPS):
        raise FormatError(f"{where} has ended for the unknown reason {item.get('stop')!r}")
    return Result(
        item["method"],
        str(item.get("state") or "")[:200],
        str(item.get("note") or "")[:2000],
        item["stop"],
        int(_number(item.get("iteration"), where)),
        int(_number(item.get("inferences"), where)),
        _number(item.get("seconds"), where),
        tuple(_parse_point(point, where) for point in points),
        _array(item.get("theta"), where).astype(np.float64),
        _array(item.get("iterations"), where).astype(np.int64),
        _array(item.get("converged"), where).astype(bool),
    )


def _parse_point(item: Any, where: str) -> Point:
    if not isinstance(item, list) or len(item) != 4:
        raise FormatError(f"{where} needs points of four numbers")
    iteration, seconds, inferences, objective = item
    height = -math.inf if objective is None else _number(objective, where, -math.inf)
    return Point(int(_number(iteration, where)), _number(seconds, where), int(_number(inferences, where)), height)


def _array(item: Any, where: str) -> Floats:
    """Rows of numbers, one for each restart and all of one length."""
    if not isinstance(item, list) or not all(isinstance(row, list) for row in item):
        raise FormatError(f"{where} needs a list of numbers for each restart")
    rows = [[float(one) if isinstance(one, bool) else _number(one, where) for one in row] for row in item]
    if len({len(row) for row in rows}) != 1:
        raise FormatError(f"{where} needs lists of numbers of one length")
    return np.array(rows)


def _number(value: Any, where: str, least: float = 0.0) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= 1e15:
        raise FormatError(f"{where} needs numbers from {least:g} on; got {value!r}")
    return float(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
