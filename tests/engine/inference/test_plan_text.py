"""Plans and trees print what they cost."""

from __future__ import annotations

import re

from engine.inference.junction_tree import MOST_COUNTED, compile_tree
from engine.inference.planner import make_plan
from engine.model.dataset import make_dataset
from engine.simulation.generators import grid_markov


def show_plan(network, rows):
    """The lines of a plan, as words; times, which are estimates, as T."""
    text = str(make_plan(network, make_dataset(network.variables, rows)))
    return [re.sub(r"[\d.]+ (µs|ms|s)$", "T", line).split() for line in text.splitlines()]


def test_a_plan_says_what_it_costs():
    first, second, heads, *parts = show_plan(grid_markov(3, 3), [[None] * 9])
    assert " ".join(first) == "rows: 1; variables: 9; tables observed throughout: 0 of 21"
    assert " ".join(second) == "one pass: 1 parts, 64 cells, T"
    assert " ".join(heads) == "parts variables cliques width largest table cells distinct rows memory time"
    assert parts == [["1", "9", "6", "3", "16", "64", "1", "1.5", "kB", "T"]]


def test_parts_of_one_shape_share_a_line():
    """Two corners of a grid, each alone, and two neighbours."""
    row = [None, "0", "0", "0", None, None, None, "0", "1"]
    *_, one, other = show_plan(grid_markov(3, 3), [row])
    corners, pair = sorted([one, other], reverse=True)
    assert corners == ["2", "1", "1", "0", "2", "2", "2", "48", "B", "T"]
    assert pair == ["1", "2", "1", "1", "4", "4", "1", "96", "B", "T"]


def test_a_plan_with_nothing_to_sum_has_no_parts_to_show():
    first, second = show_plan(grid_markov(3, 3), [["0"] * 9])
    assert " ".join(first) == "rows: 1; variables: 9; tables observed throughout: 21 of 21"
    assert " ".join(second) == "one pass: 0 parts, 0 cells, T"


def test_the_text_of_many_shapes_is_cut():
    cardinalities = list(range(1, 41))
    text = str(compile_tree(cardinalities, [(v, v + 1) for v in range(0, 40, 2)]))
    assert text.splitlines()[0] == "40 variables in 20 cliques: width 1, largest table 1,560 cells, 11,060 cells in all"
    assert text.splitlines()[-1] == "… 8 more"
    assert len(text.splitlines()) == 15


def test_a_tree_that_no_memory_holds_prints_all_the_same():
    network = grid_markov(60, 60)
    text = str(compile_tree([2] * 3600, network.scopes))
    assert f"{MOST_COUNTED:.3g} cells" in text
    assert max(map(len, text.splitlines())) < 120
