"""Figure 6.3 [thesis]: how many times faster D-EM is than EM on chains and trees, by the share of observed variables.

Set up as Table 6.1, with 2^10 rows and three datasets.
"""

from __future__ import annotations

from functools import partial

from engine.simulation.generators import binary_tree, chain
from engine.studies.problems import list_problems
from engine.studies.study import QUICK, Settings, Study, Table, Verdict, describe_range, known_numbers
from engine.studies.table_6_1 import COLUMNS, DECOMPOSED, STAND_IN, Timing, chart_shares, solve, tabulate

TWO_ORDERS, ALMOST_ALL = 100, 0.8


def judge(table: Table[Timing]) -> Verdict:
    """Whether D-EM is two orders faster than the textbook's EM for almost all shares."""
    textbook, em = (known_numbers(table, column) for column in COLUMNS)
    reached = sum(times >= TWO_ORDERS for times in textbook)
    told = f"{describe_range(textbook, '×')} as fast as the textbook's EM, {describe_range(em, '×')} as our own"
    why = f"D-EM is {told}; two orders faster than the textbook's in {reached} of {len(textbook)} cases"
    return Verdict(bool(textbook) and reached >= ALMOST_ALL * len(textbook), why)


STUDY = Study(
    "Figure 6.3 [thesis]: D-EM is two orders faster than EM on chains and trees, for almost all shares observed",
    Timing,
    partial(list_problems, solve=solve),
    partial(tabulate, title="Figure 6.3: how many times faster D-EM is than EM on chains and trees"),
    lambda table: [chart_shares(table, column, kind) for column in COLUMNS for kind in ("chain", "tree")],
    judge=judge,
    live=DECOMPOSED,
    drawn={
        **{f"chain-{size}": partial(chain, size) for size in (180, 380, 500)},
        **{f"tree-{size}": partial(binary_tree, size) for size in (63, 127, 255, 511)},
    },
    quick_networks=("chain-180", "tree-63"),
    settings=Settings(hidden=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
    quick=QUICK,
    stand_ins=("the thesis' random chains and trees are not to be had: ours are drawn anew", STAND_IN),
)
