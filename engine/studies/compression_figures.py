"""Figures 2 and 3 [compression], 7.2 and 7.3 [thesis]: what data decomposition saves, by observed share and by rows.

Figure 2 has 2^12 rows, Figure 3 hides 20% of the variables. Both have no numbers, but for what the text says
of the grid with 2^16 rows: 3 minutes against 17 hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.model.network import as_markov
from engine.simulation.generators import chain_markov, grid_markov, tree_markov
from engine.studies.chart import Chart, make_series
from engine.studies.gradients import LIVE, Climb, describe_limits, time_gradients
from engine.studies.problems import draw_problem
from engine.studies.study import Cell, Networks, Row, Settings, Study, Table, Verdict, describe_range, known_numbers

COLUMNS = ("speed-up", "work saved")
SMALLEST_POWER = 10
THESIS = {("grid-9x9", 2**16): 17 * 60 / 3}
DRAWN = {
    "grid-9x9": partial(grid_markov, 9, 9),
    "chain-50": partial(chain_markov, 50),
    "tree-63": partial(tree_markov, 63),
}
STAND_IN = "the papers' random chain, tree and grid are not to be had: ours are drawn anew"


def list_cells(networks: Networks, settings: Settings, sizes: Sequence[int] | None = None) -> list[Cell[Climb]]:
    """A cell for every network, number of rows and hidden share."""
    return [
        Cell(
            f"{name}, {rows} rows, {hidden:.0%} hidden",
            partial(draw_problem, name, as_markov(network), rows, hidden, 1, settings),
            partial(time_gradients, rows, settings),
        )
        for rows in sizes or [settings.rows]
        for hidden in settings.hidden
        for name, network in networks.items()
    ]


def list_by_rows(networks: Networks, settings: Settings) -> list[Cell[Climb]]:
    """As many rows as powers of two up to the most, from 2^10, or a quarter of the most if that is less."""
    last = settings.rows.bit_length() - 1
    sizes = [2**power for power in range(min(SMALLEST_POWER, max(0, last - 2)), last + 1)]
    return list_cells(networks, settings, sizes)


def tabulate(outcomes: Sequence[Climb], notes: Sequence[str], title: str) -> Table[Climb]:
    """The speed-ups of some climbs."""
    rows = []
    for each in outcomes:
        ours = dict(zip(COLUMNS, (each.speed_up, each.work_saved), strict=True))
        thesis = {"speed-up": THESIS.get((each.network, each.rows)) if each.hidden == 0.2 else None, "work saved": None}
        rows.append(Row(f"{each.network}, {each.rows:,} rows, {1 - each.hidden:.0%} observed", 1, ours, thesis))
    return Table(title, "x", COLUMNS, tuple(rows), tuple(outcomes), (*notes, *describe_limits(outcomes)))


def chart(table: Table[Climb], by_rows: bool) -> list[Chart]:
    """A line a network: the speed-up, and the work saved."""
    across = "rows" if by_rows else "observed variables (%)"
    charts = []
    for column in COLUMNS:
        series = []
        for name in dict.fromkeys(each.network for each in table.outcomes):
            found = [
                (float(each.rows) if by_rows else 100 * (1 - each.hidden), row)
                for each, row in zip(table.outcomes, table.rows, strict=True)
                if each.network == name
            ]
            series.append(make_series(name, [(x, row.ours[column]) for x, row in found]))
            paper = make_series(name, [(x, row.thesis[column]) for x, row in found], is_paper=True)
            series += [paper] if paper.points else []
        title = f"{table.title.split(':')[0]}: {column}"
        charts.append(Chart(title, across, column, tuple(series), across_base=2 if by_rows else 0, up_base=10))
    return charts


def judge(table: Table[Climb], by_rows: bool) -> Verdict:
    """Whether what is saved grows to the end, for every network; by cells visited, which no clock disturbs."""
    grows = []
    for name in dict.fromkeys(each.network for each in table.outcomes):
        found = [each for each in table.outcomes if each.network == name and each.work_saved is not None]
        found.sort(key=lambda each: each.rows if by_rows else -each.hidden)
        saved = [each.work_saved or 0.0 for each in found]
        grows.append(len(saved) > 1 and saved[-1] > saved[0])
    times = known_numbers(table, "speed-up")
    what = "rows" if by_rows else "observed variables"
    told = f"on {sum(grows)} of {len(grows)} networks by cells visited; {describe_range(times, '×')} by time"
    return Verdict(all(grows), f"what decomposition saves grows with the {what} {told}")


BY_SHARE = Study(
    "Figure 2 [compression], 7.2 [thesis]: the more is observed, the more data decomposition saves the gradient",
    Climb,
    list_cells,
    partial(tabulate, title="Compression figure 2: speed-up by data decomposition, by the share of observed variables"),
    partial(chart, by_rows=False),
    judge=partial(judge, by_rows=False),
    live=LIVE,
    networks=("alarm",),
    drawn=DRAWN,
    quick_networks=("chain-50", "tree-63"),
    settings=Settings(
        rows=2**12, datasets=1, hidden=(0.05, 0.1, 0.2, 0.3, 0.4, 0.5), max_iter=3000, max_seconds=600, prior=1.0
    ),
    quick=Settings(rows=2**12, datasets=1, hidden=(0.1, 0.5), max_iter=3000, max_seconds=10, prior=1.0),
    stand_ins=(STAND_IN,),
    takes_markov=True,
)
BY_ROWS = Study(
    "Figure 3 [compression], 7.3 [thesis]: what data decomposition saves the gradient grows with the rows",
    Climb,
    list_by_rows,
    partial(tabulate, title="Compression figure 3: speed-up by data decomposition, by rows"),
    partial(chart, by_rows=True),
    judge=partial(judge, by_rows=True),
    live=LIVE,
    networks=("alarm",),
    drawn=DRAWN,
    quick_networks=("chain-50", "tree-63"),
    settings=Settings(rows=2**16, datasets=1, hidden=(0.2,), max_iter=3000, max_seconds=600, prior=1.0),
    quick=Settings(rows=2**12, datasets=1, hidden=(0.2,), max_iter=3000, max_seconds=10, prior=1.0),
    stand_ins=(STAND_IN,),
    takes_markov=True,
)
