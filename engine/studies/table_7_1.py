"""Table 7.1 [thesis], Table 1 [compression]: what data decomposition saves the gradient of Markov networks.

20% of the variables are hidden. The papers' chains, trees and grids are random, without ranges; so are ours.
smokers is the UAI competition's smokers_20, which has the paper's 120 variables. Family2Recessive is in the
text: 55 minutes, against more than a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.model.network import as_markov
from engine.simulation.generators import chain_markov, grid_markov, tree_markov
from engine.studies.gradients import LIVE, Climb, describe_limits, time_gradients
from engine.studies.problems import draw_problem
from engine.studies.study import (
    Cell,
    Networks,
    Row,
    Settings,
    Study,
    Table,
    Verdict,
    chart_column,
    describe_range,
    known_numbers,
)

ROWS = {
    "chain-50": 4096,
    "chain-100": 4096,
    "tree-63": 4096,
    "tree-127": 4096,
    "tree-255": 4096,
    "grid-9x9": 8192,
    "grid-10x10": 8192,
    "alarm": 4096,
    "54.wcsp": 1024,
    "win95pts": 1024,
    "smokers": 2048,
    "Family2Recessive": 4096,
}
THESIS = {
    "chain-50": (1.7, 4.7 * 60, 165.0),
    "chain-100": (2.9, 12.2 * 60, 253.0),
    "tree-63": (2.36, 6 * 60, 152.0),
    "tree-127": (5.77, 18 * 60, 187.0),
    "tree-255": (13.0, 53 * 60, 236.0),
    "grid-9x9": (73.0, 61 * 60, 50.0),
    "grid-10x10": (34.0, 74 * 60, 130.0),
    "alarm": (13.6, 3.4 * 60, 15.0),
    "54.wcsp": (1.32 * 60, 1.45 * 60, 1.1),
    "win95pts": (7.8, 4.3 * 60, 33.0),
    "smokers": (1.64 * 60, 16 * 60, 9.7),
    "Family2Recessive": (55 * 60, None, None),
}
"""Seconds, decomposed and whole, and their ratio as the thesis has it."""
COLUMNS = ("D-gradient (s)", "gradient (s)", "speed-up", "work saved")


def list_cells(networks: Networks, settings: Settings) -> list[Cell[Climb]]:
    """A cell a network, in the table's order."""
    names = sorted(networks, key=list(ROWS).index)
    return [
        Cell(
            f"{name}, {hidden:.0%}",
            partial(draw_problem, name, as_markov(networks[name]), rows, hidden, 1, settings),
            partial(time_gradients, rows, settings),
        )
        for hidden in settings.hidden
        for name in names
        for rows in [min(ROWS[name], settings.rows)]
    ]


def tabulate(outcomes: Sequence[Climb], notes: Sequence[str]) -> Table[Climb]:
    """The table of some climbs."""
    rows = []
    for each in outcomes:
        ours = (each.seconds, each.whole_seconds, each.speed_up, each.work_saved)
        thesis = (*THESIS[each.network], None)
        paired = dict(zip(COLUMNS, ours, strict=True)), dict(zip(COLUMNS, thesis, strict=True))
        rows.append(Row(f"{each.network}, {each.rows:,} rows", 1, *paired))
    title = "Table 7.1: the gradient of Markov networks with and without data decomposition"
    return Table(title, "", COLUMNS, tuple(rows), tuple(outcomes), (*notes, *describe_limits(outcomes)))


def judge(table: Table[Climb]) -> Verdict:
    """Whether decomposition saves an order in most problems."""
    found, saved = known_numbers(table, "speed-up"), known_numbers(table, "work saved")
    orders = sum(value >= 10 for value in found)
    told = f"{describe_range(found, '×')} by time, {describe_range(saved, '×')} by cells visited"
    return Verdict(
        2 * orders > len(found), f"decomposition saves an order or more in {orders} of {len(found)} problems: {told}"
    )


STUDY = Study(
    "Table 7.1 [thesis], Table 1 [compression]: data decomposition makes the gradient one to two orders faster",
    Climb,
    list_cells,
    tabulate,
    lambda table: [chart_column(table, column, up_base=10) for column in ("speed-up", "work saved")],
    judge=judge,
    live=LIVE,
    networks=("alarm", "54.wcsp", "win95pts", "smokers", "Family2Recessive"),
    drawn={
        "chain-50": partial(chain_markov, 50),
        "chain-100": partial(chain_markov, 100),
        "tree-63": partial(tree_markov, 63),
        "tree-127": partial(tree_markov, 127),
        "tree-255": partial(tree_markov, 255),
        "grid-9x9": partial(grid_markov, 9, 9),
        "grid-10x10": partial(grid_markov, 10, 10),
    },
    quick_networks=("chain-50", "tree-63", "alarm"),
    settings=Settings(rows=2**16, datasets=1, hidden=(0.20,), max_iter=3000, max_seconds=600, prior=1.0),
    quick=Settings(rows=4096, datasets=1, hidden=(0.20,), max_iter=3000, max_seconds=10, prior=1.0),
    stand_ins=("the papers' random chains, trees and grids are not to be had: ours are drawn anew",),
    takes_markov=True,
)
