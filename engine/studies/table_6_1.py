"""Table 6.1 [thesis]: how many times faster D-EM is than EM, by the share of observed variables.

As in §6.4, EM stops when no parameter changes by more than 10⁻⁴, and D-EM when none of a component does
by more than 10⁻⁵; both start from the same parameters, and D-EM's time includes the decomposition. The
speed-up is the ratio of the times summed over the datasets.

There are two EMs here. Ours conditions on observed variables, so that inference falls apart by itself.
The textbook's makes one inference on the whole network per distinct row, which is nearer to what the
thesis compares with (its own engine may also have made use of the evidence). Its steps are those of EM,
only slower (but for hidden leaves, which it does not prune), so a few of them are timed; its time is that
of its set-up and as many steps as EM takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.learning.stopping import Stopping
from engine.model.errors import MemoryLimitError
from engine.studies.chart import Chart, make_series
from engine.studies.live import Live
from engine.studies.problem import LearningProblem
from engine.studies.problems import list_problems, run_method
from engine.studies.study import Row, Settings, Study, Table, Verdict, describe_range, known_numbers

EM_TOLERANCE = 1e-4
DECOMPOSED_TOLERANCE = 1e-5
TIMED_STEPS, TIMED_SECONDS = 3, 5.0
"""Steps of the textbook's EM that are timed, unless that takes longer than this."""
HIDDEN = (0.05, 0.10, 0.20, 0.30, 0.40, 0.50)
COLUMNS = ("textbook EM / D-EM", "EM / D-EM")
THESIS = {
    "alarm": (267.67, 173.47, 115.4, 87.67, 92.65, 12.09),
    "diagnose": (43.03, 17.16, 11.86, 3.25, 3.48, 3.73),
    "andes": (155.54, 52.63, 14.27, 2.96, 0.77, 1.01),
    "win95pts": (591.38, 112.57, 22.41, 17.92, 4.8, 7.99),
    "water": (811.48, 110.27, 7.23, 1.5, 2.03, 4.4),
    "pigs": (235.63, 37.61, 34.19, 16.23, 4.1, 3.16),
}
"""By network; observed 95, 90, 80, 70, 60 and 50%."""
NETWORKS = tuple(THESIS)
STAND_IN = (
    "the thesis' EM is not to be had: textbook EM is ours, one inference on the whole network per distinct row; "
    "EM is ours too, and conditions on what is observed"
)

DECOMPOSED = Live(
    ("em-textbook", "em", "d-em"),
    "Which is sooner at the same height? The plot counts seconds of computing: textbook EM infers in the whole network "
    "for every row, EM where something is hidden, and decomposed EM once for rows that are equal there.",
    tol=EM_TOLERANCE,
    criterion="parameters",
    across="seconds",
)


@dataclass(frozen=True)
class Timing:
    """EM and D-EM on one problem.

    Attributes
    ----------
    em_seconds, decomposed_seconds : float
        Processor time, set-up included.
    textbook_seconds : float or None
        None where the whole network's tables do not fit into memory.
    em_iterations, decomposed_iterations : int
        Of the component that took the most.
    em_stop, decomposed_stop : str
        Why each ended. Its time is only a lower bound if that was "time".
    """

    network: str
    hidden: float
    em_seconds: float
    decomposed_seconds: float
    textbook_seconds: float | None
    em_iterations: int
    decomposed_iterations: int
    em_stop: str
    decomposed_stop: str


def solve(problem: LearningProblem, settings: Settings, cancelled: Callable[[], bool]) -> Timing:
    """Time all three on a problem."""
    until_still = Stopping(EM_TOLERANCE, "parameters", settings.max_iter, patience=1)
    closer = Stopping(DECOMPOSED_TOLERANCE, "parameters", settings.max_iter, patience=1)
    em = run_method(problem, "em", settings, until_still, cancelled=cancelled)
    decomposed = run_method(problem, "d-em", settings, closer, cancelled=cancelled)
    return Timing(
        problem.name,
        problem.hidden,
        float(em.seconds[-1]),
        float(decomposed.seconds[-1]),
        time_textbook(problem, settings, em.iterations, cancelled),
        em.iterations,
        decomposed.iterations,
        em.stop,
        decomposed.stop,
    )


def time_textbook(
    problem: LearningProblem, settings: Settings, iterations: int, cancelled: Callable[[], bool]
) -> float | None:
    """The seconds of the textbook's EM for so many steps, from a few of them; None where it needs too much memory."""
    few = Stopping(0.0, "parameters", min(TIMED_STEPS, iterations), patience=iterations + 1)
    short = replace(settings, max_seconds=min(TIMED_SECONDS, settings.max_seconds))
    try:
        begun = run_method(problem, "em-textbook", short, few, cancelled=cancelled)
    except MemoryLimitError:
        return None
    step = (begun.seconds[-1] - begun.seconds[0]) / max(1, begun.iterations)
    return float(begun.seconds[0] + iterations * step)


def tabulate(
    outcomes: Sequence[Timing], notes: Sequence[str], title: str = "Table 6.1: how many times faster D-EM is than EM"
) -> Table[Timing]:
    """The table of some timings."""
    groups: dict[tuple[str, float], list[Timing]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.network, outcome.hidden), []).append(outcome)
    rows = []
    for (network, hidden), group in groups.items():
        ours = {
            COLUMNS[0]: _speed_up(group, [t.textbook_seconds for t in group]),
            COLUMNS[1]: _speed_up(group, [t.em_seconds for t in group]),
        }
        known = network in THESIS and hidden in HIDDEN
        theirs = THESIS[network][HIDDEN.index(hidden)] if known else None
        rows.append(
            Row(f"{network}, {1 - hidden:.0%} observed", len(group), ours, {COLUMNS[0]: theirs, COLUMNS[1]: None})
        )
    return Table(title, "x", COLUMNS, tuple(rows), tuple(outcomes), (*notes, *_describe_limits(outcomes)))


def _speed_up(group: Sequence[Timing], seconds: Sequence[float | None]) -> float | None:
    """How many times D-EM's time some others are; None if one is not known, or D-EM did not come to its end."""
    known = [value for value in seconds if value is not None]
    if len(known) < len(group) or any(t.decomposed_stop == "time" for t in group):
        return None
    return sum(known) / sum(t.decomposed_seconds for t in group)


def _describe_limits(outcomes: Sequence[Timing]) -> list[str]:
    limits = {
        "the textbook's EM needs too much memory": [t.textbook_seconds is None for t in outcomes],
        "D-EM ran out of time: there is no speed-up": [t.decomposed_stop == "time" for t in outcomes],
        "EM ran out of time: its speed-up is a lower bound": [
            t.em_stop == "time" and t.decomposed_stop != "time" for t in outcomes
        ],
        "EM stopped at the iteration limit": [t.em_stop == "iterations" for t in outcomes],
    }
    return [f"in {sum(found)} of {len(outcomes)} problems {what}" for what, found in limits.items() if any(found)]


def chart(table: Table[Timing]) -> list[Chart]:
    """Speed-ups by the share of observed variables, a line a network; against the textbook's EM, and against ours."""
    return [chart_shares(table, column) for column in COLUMNS]


def chart_shares(table: Table[Timing], column: str, kind: str = "") -> Chart:
    """One column by the share of observed variables; of the networks whose names begin so."""
    places = list(dict.fromkeys((t.network, t.hidden) for t in table.outcomes))
    rows = dict(zip(places, table.rows, strict=True))
    series = []
    for name in dict.fromkeys(network for network, _ in places):
        if not name.startswith(kind):
            continue
        at = {100 * (1 - hidden): row for (network, hidden), row in rows.items() if network == name}
        series.append(make_series(name, [(x, row.ours[column]) for x, row in at.items()]))
        theirs = make_series(name, [(x, row.thesis[column]) for x, row in at.items()], is_paper=True)
        series += [theirs] if theirs.points else []
    return Chart(table.title, "observed variables (%)", f"{column} (times)", tuple(series), up_base=10)


def judge(table: Table[Timing]) -> Verdict:
    """Whether D-EM is faster than the textbook's EM everywhere."""
    textbook, em = (known_numbers(table, column) for column in COLUMNS)
    told = f"{describe_range(textbook, '×')} as fast as the textbook's EM, {describe_range(em, '×')} as our own"
    return Verdict(bool(textbook) and min(textbook) > 1, f"D-EM is {told}, which conditions on what is observed")


STUDY = Study(
    "Table 6.1 [thesis]: D-EM is up to 811 times faster than EM, the more so the more is observed",
    Timing,
    partial(list_problems, solve=solve),
    tabulate,
    chart,
    judge=judge,
    live=DECOMPOSED,
    networks=NETWORKS,
    settings=Settings(hidden=HIDDEN),
    stand_ins=(STAND_IN,),
)
