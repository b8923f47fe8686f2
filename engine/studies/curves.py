"""Learning curves of several methods on the same problems: log posterior by iteration and by time.

Every method starts from the same random parameters and makes all iterations that it is given. As in the thesis,
curves are told by how far they are below the best that any method found, and the first iterations, which are poor,
are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.learning.stopping import Stopping
from engine.model.network import BayesianNetwork
from engine.studies.chart import Chart, make_series
from engine.studies.problem import LearningProblem
from engine.studies.problems import make_problem, name_problem, run_method
from engine.studies.study import Cell, Networks, Row, Settings, Table, Verdict, percentage

OMITTED = 10
"""Iterations at the beginning that are not drawn."""
ARRIVED = 1e-4
"""An error below this is 0 to the thesis; on a logarithmic axis it is drawn as this."""
CLOSE = 1.0
"""Nats: as close as makes no difference to the eye."""
TITLES = {"em": "EM", "edml": "EDML", "hybrid": "hybrid EDML/EM"}


@dataclass(frozen=True)
class Curve:
    """One method on one problem.

    Attributes
    ----------
    objective : tuple of float or None
        The log posterior before the first iteration and after every one; None where it is −∞.
    seconds : tuple of float
        Processor time until then.
    """

    network: str
    hidden: float
    number: int
    method: str
    objective: tuple[float | None, ...]
    seconds: tuple[float, ...]
    stop: str

    @property
    def best(self) -> float:
        """The highest log posterior."""
        return max(value for value in self.objective if value is not None)


def list_cells(
    networks: Networks, settings: Settings, methods: Sequence[str], shares: Mapping[str, float] | None = None
) -> list[Cell[Curve]]:
    """A cell for every problem and method; a network may have a hidden share of its own."""
    return [
        Cell(
            f"{name_problem(name, hidden, number)}, {method}",
            partial(make_problem, name, network, hidden, number, settings),
            partial(solve, method, settings),
        )
        for number in range(1, settings.datasets + 1)
        for name, network in networks.items()
        if isinstance(network, BayesianNetwork)
        for hidden in ([shares[name]] if shares else settings.hidden)
        for method in methods
    ]


def solve(method: str, settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool]) -> Curve:
    """Run a method for all its iterations."""
    stopping = Stopping(0.0, "likelihood", settings.max_iter, patience=settings.max_iter + 1)
    run = run_method(problem, method, settings, stopping, cancelled=cancelled)
    objective = tuple(value if math.isfinite(value) else None for value in run.objective.tolist())
    seconds = tuple(run.seconds.tolist())
    return Curve(problem.name, problem.hidden, problem.number, method, objective, seconds, run.stop)


def group(outcomes: Sequence[Curve]) -> dict[str, list[Curve]]:
    """The curves of each problem."""
    groups: dict[str, list[Curve]] = {}
    for outcome in outcomes:
        groups.setdefault(name_problem(outcome.network, outcome.hidden, outcome.number), []).append(outcome)
    return groups


def find_errors(curve: Curve, best: float) -> list[float | None]:
    """How far each iterate is below the best."""
    return [None if value is None else best - value for value in curve.objective]


def tabulate(outcomes: Sequence[Curve], notes: Sequence[str], title: str, methods: Sequence[str]) -> Table[Curve]:
    """Per problem, how far below the best each method ends, when it comes close, and how often it leads EM."""
    columns = []
    for method in methods:
        columns += [f"{TITLES[method]}: nats below best", f"{TITLES[method]}: iterations to 1 nat"]
    columns += [f"{TITLES[method]}: % above EM" for method in methods if method != "em"]
    rows = []
    for name, curves in group(outcomes).items():
        ours = dict.fromkeys(columns, None) | _summarise(curves)
        rows.append(Row(name, 1, ours, dict.fromkeys(columns)))
    cut = sum(each.stop == "time" for each in outcomes)
    more = [f"{cut} of {len(outcomes)} curves were cut short by the time limit"] if cut else []
    return Table(title, "", tuple(columns), tuple(rows), tuple(outcomes), (*notes, *more))


def _summarise(curves: Sequence[Curve]) -> dict[str, float | None]:
    best = max(curve.best for curve in curves)
    found: dict[str, float | None] = {}
    em = next((curve for curve in curves if curve.method == "em"), None)
    for curve in curves:
        errors, title = find_errors(curve, best), TITLES[curve.method]
        found[f"{title}: nats below best"] = best - curve.best
        close = (k for k, error in enumerate(errors) if error is not None and error <= CLOSE)
        found[f"{title}: iterations to 1 nat"] = next(close, None)
        if em is not None and curve is not em:
            found[f"{title}: % above EM"] = _find_lead(curve, em)
    return found


def _find_lead(curve: Curve, em: Curve) -> float | None:
    """In how many of 100 iterations a curve is above EM's, of those where they differ."""
    pairs = [
        (ours, theirs)
        for ours, theirs in zip(curve.objective[1:], em.objective[1:], strict=False)
        if ours is not None and theirs is not None and abs(ours - theirs) > ARRIVED
    ]
    return percentage(sum(ours > theirs for ours, theirs in pairs), len(pairs))


def chart_problem(name: str, curves: Sequence[Curve], by_time: bool = False, as_error: bool = False) -> Chart:
    """The curves of a problem: below the best, or errors on a logarithmic axis."""
    best = max(curve.best for curve in curves)
    series = []
    for curve in curves:
        errors = find_errors(curve, best)
        heights = [None if e is None else max(e, ARRIVED) if as_error else -e for e in errors]
        across = [1000 * s for s in curve.seconds] if by_time else [float(k) for k in range(len(heights))]
        skipped = min(OMITTED, len(heights) - 1)
        series.append(make_series(TITLES[curve.method], list(zip(across, heights, strict=True))[skipped:]))
    up = "error (nats)" if as_error else "log posterior − best (nats)"
    return Chart(name, "time (ms)" if by_time else "iteration", up, tuple(series), up_base=10 if as_error else 0)


def judge(table: Table[Curve], method: str, by_time: bool = False) -> Verdict:
    """Whether a method leads EM in most problems: in most iterations, or by coming within 1 nat of the best sooner."""
    leads: list[bool | None] = []
    for curves in group(table.outcomes).values():
        found = {curve.method: curve for curve in curves}
        if {method, "em"} <= found.keys():
            best = max(curve.best for curve in curves)
            leads.append((_is_sooner if by_time else _is_above)(found[method], found["em"], best))
    how = "within 1 nat of the best sooner than EM" if by_time else "above EM in most iterations"
    told = f"{TITLES[method]} is {how} in {leads.count(True)} of {len(leads)} problems"
    if None in leads:
        told += f"; in {leads.count(None)} EM had made its iterations before, and nobody knows"
    return Verdict(2 * leads.count(True) > len(leads), told)


def _is_above(curve: Curve, em: Curve, best: float) -> bool:
    lead = _find_lead(curve, em)
    return lead is not None and lead > 50


def _is_sooner(curve: Curve, em: Curve, best: float) -> bool | None:
    """Whether a curve is close to the best before EM; None if EM ended before that and was not there."""
    ours, theirs = _find_arrival(curve, best), _find_arrival(em, best)
    return None if math.isinf(theirs) and ours > em.seconds[-1] else ours < theirs


def _find_arrival(curve: Curve, best: float) -> float:
    """The seconds until a curve is as close to the best as makes no difference; infinite if it never is."""
    pairs = zip(curve.seconds, find_errors(curve, best), strict=True)
    return next((at for at, error in pairs if error is not None and error <= CLOSE), math.inf)
