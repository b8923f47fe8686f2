"""Figure 6.5 [thesis]: learning time by rows, on a chain X0 → … → X100 of ten states, every second one hidden.

The thesis compares D-EM with the EM of SMILE and of SamIam, which are not to be had: our textbook EM stands in,
which makes one inference on the whole network per distinct row as they appear to do.
"""

from __future__ import annotations

from functools import partial

from engine.model.network import BayesianNetwork
from engine.simulation.generators import chain
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from engine.studies.figure_6_4 import COLUMNS, Timed, chart, list_cells, tabulate
from engine.studies.problem import LearningProblem
from engine.studies.problems import draw_generator
from engine.studies.study import Settings, Study, Table, Verdict, describe_range, known_numbers
from engine.studies.table_6_1 import DECOMPOSED


def make_alternating(
    name: str, network: BayesianNetwork, hidden: float, number: int, settings: Settings
) -> LearningProblem:
    """A problem in which every second variable is hidden; the share is that, whatever is asked for."""
    generator = draw_generator(name, hidden, number, settings)
    complete = simulate(network, settings.rows, generator)
    data, start = hide(complete, [v.name for v in network.variables[1::2]]), int(generator.integers(2**31))
    return LearningProblem(name, hidden, number, network, data, start, complete)


def judge(table: Table[Timed]) -> Verdict:
    """Whether D-EM is an order faster with the most rows."""
    times = known_numbers(table, "textbook EM / D-EM")
    is_faster = bool(times) and times[-1] >= 10 and times[-1] > times[0]
    last = f", {times[-1]:.1f}× with the most rows" if times else ""
    return Verdict(is_faster, f"the textbook's EM takes {describe_range(times, '×')} as long as D-EM{last}")


STUDY = Study(
    "Figure 6.5 [thesis]: D-EM is one to two orders faster than SMILE and SamIam on a chain of 101, 10 states each",
    Timed,
    partial(list_cells, make=make_alternating),
    partial(tabulate, title="Figure 6.5: learning time by rows"),
    lambda table: [chart(table, COLUMNS[:3], "seconds"), chart(table, COLUMNS[3:], "times")],
    judge=judge,
    live=DECOMPOSED,
    drawn={"chain-101": partial(chain, 101, cardinality=10)},
    quick_networks=("chain-101",),
    settings=Settings(rows=2**12, datasets=20, hidden=(0.5,)),
    quick=Settings(rows=128, datasets=1, hidden=(0.5,), max_iter=10, max_seconds=5),
    stand_ins=(
        "SMILE and SamIam are not to be had: our textbook EM stands in for both",
        "the thesis' random chain is not to be had: ours is drawn anew",
    ),
)
