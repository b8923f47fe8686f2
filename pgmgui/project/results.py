"""What learners have reached, as a session file keeps it: the curve of each, and the parameters it ended with.

Only these are believed, and only if they fit the network: the likelihood, the counts and the gap are found anew
from the parameters. What a learner has done for each component cannot be, and is told as it was written; nor can how
it stood on rows held out at iterations whose parameters are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.formats.schema import flag, list_of, number, numbers, one_of, optional, record, refuse, text, whole
from engine.learning.course import ENDS, Course
from engine.learning.distance import no_history
from engine.learning.learners.auto.polish import TITLES
from engine.learning.methods import METHODS
from engine.learning.parameters import Simplex
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


@dataclass(frozen=True)
class Standing:
    """The mean log-likelihood of a row after an iteration: of those learned from, and of those held out.

    −∞ where one of the rows is impossible.
    """

    iteration: int
    train: float
    test: float


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
    tested : tuple of Standing
        Where rows were held out: some iterations.
    courses : tuple of Course
        As in a Snapshot; none in files from before they were kept.
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
    courses: tuple[Course, ...] = ()
    tested: tuple[Standing, ...] = ()


def make_result(
    method: str,
    state: str,
    note: str,
    snapshot: Snapshot,
    points: Sequence[Point],
    tested: Sequence[Standing] = (),
) -> Result:
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
        snapshot.courses,
        tuple(tested),
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
    if len(result.courses) not in (0, objective.n_components if objective.is_separable else 1):
        raise PgmError("what was done is said of other components")
    sums = np.add.reduceat(theta, objective.geometry.starts, axis=1) if theta.size else theta
    if (theta < 0).any() or (isinstance(objective.geometry, Simplex) and not np.allclose(sums, 1.0, atol=1e-6)):
        raise PgmError("their parameters are no probabilities")
    if not np.array_equal(objective.geometry.follow(theta), theta):
        raise PgmError("tables that are tied differ in them")
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
        objective.geometry.follow(np.stack([evaluation.counts for evaluation in found])),
        likelihood,
        reached,
        result.iterations,
        result.converged,
        no_history(len(theta))[:, None],
        result.stop,
        result.courses,
    )


def list_tested(result: Result) -> tuple[Standing, ...]:
    """How a result stood on rows held out, iteration by iteration, as far as its curve goes."""
    last = result.points[-1].iteration
    found = {one.iteration: one for one in result.tested if one.iteration <= last}
    return tuple(found[iteration] for iteration in sorted(found))


def dump_result(result: Result) -> dict[str, Any]:
    """A result as JSON has it. What is infinite is null there."""
    points = [[_finite(value) for value in asdict(point).values()] for point in result.points]
    tested = [[_finite(value) for value in asdict(one).values()] for one in result.tested]
    lists = {name: getattr(result, name).tolist() for name in ("theta", "iterations", "converged")}
    courses = [asdict(course) for course in result.courses]
    plain = ("method", "state", "note", "stop", "iteration", "inferences", "seconds")
    lists |= {"courses": courses, "tested": tested}
    return {**{name: getattr(result, name) for name in plain}, "points": points, **lists}


def parse_result(item: Any, place: str) -> Result:
    """The result that JSON holds; whether it fits a problem is found by :func:`revive`."""
    found = _RESULT(item, place)
    for name, kind in (("theta", np.float64), ("iterations", np.int64), ("converged", np.bool_)):
        if len({len(row) for row in found[name]}) != 1:
            raise FormatError(f"{place}.{name}: expected lists of one length")
        found[name] = np.array(found[name], dtype=kind)
    return Result(**found)


def _parse_course(item: Any, place: str) -> Course:
    return Course(**_COURSE(item, place))


def _parse_point(item: Any, place: str) -> Point:
    if not isinstance(item, list) or len(item) != 4:
        refuse(item, place, "a list of 4 numbers")
    iteration, seconds, inferences, objective = item
    return Point(
        _COUNT(iteration, f"{place}[0]"),
        _SECONDS(seconds, f"{place}[1]"),
        _COUNT(inferences, f"{place}[2]"),
        _OBJECTIVE(objective, f"{place}[3]"),
    )


def _parse_standing(item: Any, place: str) -> Standing:
    if not isinstance(item, list) or len(item) != 3:
        refuse(item, place, "a list of 3 numbers")
    iteration, train, test = item
    return Standing(_COUNT(iteration, f"{place}[0]"), _OBJECTIVE(train, f"{place}[1]"), _OBJECTIVE(test, f"{place}[2]"))


_COUNT, _SECONDS = whole(0, 10**15), number(0, 1e15)
_OBJECTIVE = optional(number(-1e300, 1e300), -math.inf)
_COURSE = record(
    {
        "restarts": _COUNT,
        "tried": _COUNT,
        "better": _COUNT,
        "polished_by": one_of(("", *TITLES)),
        "end": one_of(ENDS),
    }
)
_RESULT = record(
    {
        "method": one_of(METHODS),
        "state": optional(text(), ""),
        "note": optional(text(), ""),
        "stop": one_of(("", *STOPS)),
        "iteration": _COUNT,
        "inferences": _COUNT,
        "seconds": _SECONDS,
        "points": list_of(_parse_point, 1, MOST_POINTS),
        "theta": list_of(numbers(0, 1e100), 1),
        "iterations": list_of(list_of(_COUNT), 1),
        "converged": list_of(list_of(flag), 1),
        "courses": optional(list_of(_parse_course), ()),
        "tested": optional(list_of(_parse_standing, 0, MOST_POINTS), ()),
    }
)
"""What each field of a result may be."""


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
