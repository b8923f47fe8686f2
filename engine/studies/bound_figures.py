"""Figures 10 to 25 [bound]: what EM reaches, under every bound that we have, by the share of observed variables.

The paper does not say how many rows it has, nor how its chains, trees and grids were drawn; ours are 2^10 rows.
Parameters are the most likely ones: there is no prior. Bounds are those of :mod:`engine.learning.bounds` and
:mod:`engine.learning.markov_bounds`; the paper has the naive one, and the decomposition's (Def. 2 of a Markov
network: the cliques). A fit that is not certified bounds nothing, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.learning.bounding import AnyBounds, bound_task
from engine.learning.bounds import Bounds
from engine.learning.markov_bounds import Fit
from engine.learning.stopping import Stopping
from engine.model.network import Network
from engine.simulation.generators import binary_tree, chain, grid_markov
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import Run, draw_problem, run_method
from engine.studies.study import Cell, Networks, Row, Settings, Study, Table, Verdict, describe_range

BAYESIAN = ("naive", "decomposition", "patterns", "I-map")
MARKOV = ("naive", "triangulated", "cliques", "scopes")
TOLERANCE = 1e-6
"""Nats: EM ends when it gains no more."""
COINCIDES = 0.01
"""A bound above EM by this part of the figure's height, from EM to the highest bound, cannot be told from it there."""
HIDDEN = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Bounded:
    """EM under its bounds, on one problem.

    Attributes
    ----------
    objective : float
        The log-likelihood that EM reached.
    bounds : tuple of float or None
        As :data:`BAYESIAN` or :data:`MARKOV` name them; None where there is none.
    stop : str
        Why EM ended.
    """

    network: str
    hidden: float
    rows: int
    is_markov: bool
    objective: float
    bounds: tuple[float | None, ...]
    iterations: int
    stop: str

    @property
    def lowest(self) -> float:
        """The bound that says most."""
        return min(bound for bound in self.bounds if bound is not None)


def list_cells(networks: Networks, settings: Settings) -> list[Cell[Bounded]]:
    """A cell for every hidden share and dataset."""
    return [
        Cell(
            f"{name}, {hidden:.0%} hidden, dataset {number}",
            partial(draw_problem, name, network, settings.rows, hidden, number, settings),
            partial(solve, settings),
        )
        for number in range(1, settings.datasets + 1)
        for name, network in networks.items()
        for hidden in settings.hidden
    ]


def solve(settings: Settings, problem: LearningProblem, cancelled: Callable[[], bool]) -> Bounded:
    """Run EM once, and bound it."""
    run = climb_em(problem, settings, cancelled)
    found = bound_task(run.last.task, cancelled=cancelled)
    return Bounded(
        problem.name,
        problem.hidden,
        settings.rows,
        not isinstance(found, Bounds),
        float(run.objective[-1]),
        list_bounds(found),
        run.iterations,
        run.stop,
    )


def climb_em(problem: LearningProblem, settings: Settings, cancelled: Callable[[], bool]) -> Run:
    """EM from one random start to its end."""
    stopping = Stopping(TOLERANCE, "likelihood", settings.max_iter)
    return run_method(problem, "d-em", settings, stopping, cancelled=cancelled)


def list_bounds(found: AnyBounds) -> tuple[float | None, ...]:
    """The bounds in the order of their names."""
    if isinstance(found, Bounds):
        sums = (float(each.sum()) for each in (found.decomposition, found.patterns, found.imap))
        return (found.naive, *sums)
    return found.naive, found.triangulated, _value(found.cliques), _value(found.scopes)


def _value(fit: Fit | None) -> float | None:
    return None if fit is None or fit.kind == "estimate" else fit.value


def tabulate(outcomes: Sequence[Bounded], notes: Sequence[str], figure: int) -> Table[Bounded]:
    """Likelihoods and bounds per share, as means over datasets."""
    groups: dict[tuple[str, float], list[Bounded]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.network, outcome.hidden), []).append(outcome)
    names = MARKOV if outcomes and outcomes[0].is_markov else BAYESIAN
    columns = ("EM", *names)
    rows = []
    for (network, hidden), group in groups.items():
        means = [_mean([each.objective for each in group])]
        means += [_mean([each.bounds[k] for each in group]) for k in range(len(names))]
        ours = dict(zip(columns, means, strict=True))
        rows.append(Row(f"{network}, {1 - hidden:.0%} observed", len(group), ours, dict.fromkeys(columns)))
    title = f"Bound figure {figure}: what EM reaches under its bounds, log-likelihood"
    return Table(title, "", columns, tuple(rows), tuple(outcomes), (*notes, *_describe(outcomes)))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _describe(outcomes: Sequence[Bounded]) -> list[str]:
    """How often bounds cannot be told from EM on the figure, and what was cut short."""
    least = count_near(outcomes, [each.lowest - each.objective for each in outcomes])
    paper = count_near(outcomes, [_paper_gap(each) for each in outcomes])
    told = [
        f"EM is within {COINCIDES:.0%} of the figure's height of our lowest bound in {least} of {len(outcomes)} "
        f"problems, of the paper's in {paper}"
    ]
    cut = sum(each.stop in ("time", "iterations") for each in outcomes)
    return told + ([f"in {cut} of {len(outcomes)} problems EM was ended before it converged"] if cut else [])


def count_near(outcomes: Sequence[Bounded], gaps: Sequence[float]) -> int:
    """How many gaps cannot be seen on a figure with all curves of some problems."""
    heights = [value for each in outcomes for value in (each.objective, *each.bounds) if value is not None]
    return sum(gap <= COINCIDES * (max(heights) - min(heights)) for gap in gaps)


def _paper_bound(each: Bounded) -> float:
    """The paper's bound: the decomposition's, or the cliques'; where that is not known, the triangulated one."""
    if not each.is_markov:
        bound = each.bounds[BAYESIAN.index("decomposition")]
    else:
        bound = each.bounds[MARKOV.index("cliques")]
        bound = each.bounds[MARKOV.index("triangulated")] if bound is None else bound
    return np.inf if bound is None else bound


def _paper_gap(each: Bounded) -> float:
    """How far EM is below the paper's bound."""
    return _paper_bound(each) - each.objective


def chart(table: Table[Bounded]) -> list[Chart]:
    """The curves of the paper, and ours below them."""
    places = list(dict.fromkeys((each.network, each.hidden) for each in table.outcomes))
    charts = []
    for name in dict.fromkeys(network for network, _ in places):
        rows = [(100 * (1 - hidden), row) for (n, hidden), row in zip(places, table.rows, strict=True) if n == name]
        lines = [make_series(column, [(x, row.ours[column]) for x, row in rows]) for column in table.columns]
        title = f"{table.title.split(':')[0]}: {name}"
        charts.append(Chart(title, "observed variables (%)", "log-likelihood", tuple(lines)))
    return charts


def judge(table: Table[Bounded], saw: str) -> Verdict:
    """Whether what the paper saw of its bound is seen again."""
    gaps = {each.hidden: _paper_gap(each) / each.rows for each in table.outcomes}
    told = f"EM is {describe_range(list(gaps.values()))} nats a row below the paper's bound"
    ours = [(each.lowest - each.objective) / each.rows for each in table.outcomes]
    told += f", {describe_range(ours)} below our lowest"
    if saw == COINCIDE:
        near = count_near(table.outcomes, [_paper_gap(each) for each in table.outcomes])
        told += f"; within {COINCIDES:.0%} of the figure's height in {near} of {len(table.outcomes)} problems"
        return Verdict(2 * near > len(table.outcomes), told)
    if saw == SHRINKS:  # where hardly anything is observed there is no gap either: it is measured from its largest
        last, largest = gaps[min(gaps)], max(gaps.values())
        return Verdict(2 * last <= largest, f"{told}; {last:.2g} of the paper's where most is observed")
    tighter = sum(_paper_bound(each) < each.bounds[0] for each in table.outcomes if each.bounds[0] is not None)
    return Verdict(
        tighter == len(table.outcomes), f"{told}; tighter than the naive one in {tighter} of {len(gaps)} shares"
    )


def make_study(figure: int, name: str, saw: str, draw: Callable[..., Network] | None = None) -> Study[Bounded]:
    """The study of one figure: of a network that is read, or drawn."""
    return Study(
        f"Figure {figure} [bound]: the upper bound for {name}; {saw}",
        Bounded,
        list_cells,
        partial(tabulate, figure=figure),
        chart,
        judge=partial(judge, saw=saw),
        live=Live(("d-em",), "How far below the lowest bound does the curve end?", tol=TOLERANCE, fit="bounds"),
        networks=() if draw else (name,),
        drawn={name: draw} if draw else {},
        quick_networks=(name,),
        settings=Settings(datasets=1, hidden=HIDDEN, max_seconds=120, prior=1.0),
        quick=Settings(datasets=1, hidden=(0.2, 0.5), max_iter=300, max_seconds=10, prior=1.0),
        stand_ins=("the paper's random network is not to be had: ours is drawn anew",) if draw else (),
    )


SHRINKS, COINCIDE, TIGHTER = (
    "the gap shrinks the more is observed",
    "it coincides or almost coincides with EM",
    "it is tighter than the naive one",
)
FIGURES = (
    (10, "alarm", SHRINKS, None),
    (11, "asia", COINCIDE, None),
    (12, "win95pts", TIGHTER, None),
    (13, "diagnose", TIGHTER, None),
    (14, "andes", SHRINKS, None),
    (15, "spect", COINCIDE, None),
    (16, "water", TIGHTER, None),
    (17, "pigs", SHRINKS, None),
    (18, "chain-50", COINCIDE, partial(chain, 50)),
    (19, "chain-180", COINCIDE, partial(chain, 180)),
    (20, "tree-63", COINCIDE, partial(binary_tree, 63)),
    (21, "tree-127", COINCIDE, partial(binary_tree, 127)),
    (22, "tree-255", COINCIDE, partial(binary_tree, 255)),
    (23, "grid-3x3", COINCIDE, partial(grid_markov, 3, 3)),
    (24, "grid-6x6", COINCIDE, partial(grid_markov, 6, 6)),
    (25, "grid-9x9", COINCIDE, partial(grid_markov, 9, 9)),
)
STUDIES = {f"bound-figure-{figure}": make_study(figure, *about) for figure, *about in FIGURES}
