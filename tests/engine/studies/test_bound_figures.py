"""The bound paper's figures: EM below every bound, and bounds in the order that theory gives them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.studies import bound_figure_26, bound_figures
from engine.studies.bound_figures import BAYESIAN, MARKOV, Bounded
from engine.studies.problems import draw_problem
from tests.engine.studies.quick import ASIA, run_quick

SLACK = 1e-6
DRAWN = [name for name, study in bound_figures.STUDIES.items() if study.drawn]


def check_order(outcome, order):
    """From EM up, each no higher than the next, but for rounding; and EM below the naive bound."""
    names = MARKOV if outcome.is_markov else BAYESIAN
    known = dict(zip(names, outcome.bounds, strict=True))
    climbing = [outcome.objective, *(known[name] for name in order if known[name] is not None)]
    assert np.all(np.diff(climbing) >= -SLACK * outcome.rows)
    assert outcome.objective <= known["naive"] + SLACK
    assert outcome.lowest <= known["naive"]


@pytest.mark.parametrize("name", ["bound-figure-11", "bound-figure-18", "bound-figure-20"])
def test_em_is_below_every_bound_of_a_bayesian_network(name):
    table, (chart,) = run_quick(name, rows=128, max_iter=100)
    assert len(table.outcomes) == 2
    for outcome in table.outcomes:
        check_order(outcome, ("I-map", "patterns", "decomposition"))
    assert [series.name for series in chart.series] == ["EM", *BAYESIAN]
    assert [x for x, _ in chart.series[0].points] == [80, 50]


def test_em_is_below_every_bound_of_a_markov_network():
    table, (chart,) = run_quick("bound-figure-23", rows=128, max_iter=100)
    for outcome in table.outcomes:
        check_order(outcome, ("scopes", "cliques", "triangulated"))
    assert [series.name for series in chart.series] == ["EM", *MARKOV]


def test_the_papers_bound_coincides_with_em_on_chains_and_trees_with_enough_rows():
    for name in ("bound-figure-18", "bound-figure-20"):
        table, _ = run_quick(name, hidden=(0.2,))
        assert bound_figures.STUDIES[name].judge(table).is_confirmed
        (outcome,) = table.outcomes
        naive, decomposition = outcome.bounds[:2]
        assert decomposition - outcome.objective < 0.01 * (naive - outcome.objective)


def test_complete_data_has_its_bound_reached():
    study = bound_figures.STUDIES["bound-figure-11"]
    settings = replace(study.quick, rows=64)
    problem = draw_problem("asia", ASIA, 64, 0.0, 1, settings)
    found = bound_figures.solve(settings, problem, lambda: False)
    assert found.objective == pytest.approx(found.lowest, abs=1e-9)


def test_means_are_over_datasets_and_a_fit_that_is_no_bound_is_left_out():
    one = Bounded("grid", 0.5, 100, True, -10.0, (-1.0, -2.0, None, -9.5), 5, "converged")
    other = replace(one, objective=-12.0, bounds=(-3.0, -4.0, -11.0, -11.5), stop="iterations")
    table = bound_figures.tabulate([one, other], ["before"], figure=23)
    assert table.rows[0].ours == {"EM": -11, "naive": -2, "triangulated": -3, "cliques": None, "scopes": -10.5}
    assert table.notes[0] == "before"
    told = "EM is within 1% of the figure's height of our lowest bound in 0 of 2 problems, of the paper's in 0"
    assert table.notes[1] == told
    near = [replace(each, objective=bound - 0.1) for each, bound in ((one, -9.5), (other, -11.5))]
    assert (
        "lowest bound in 2 of 2 problems, of the paper's in 0" in bound_figures.tabulate(near, [], figure=23).notes[0]
    )
    assert table.notes[2] == "in 1 of 2 problems EM was ended before it converged"


def test_no_start_is_above_the_bound():
    table, (chart,) = run_quick("bound-figure-26", rows=128, datasets=5, max_iter=50)
    assert [outcome.start for outcome in table.outcomes] == [1, 2, 3, 4, 5]
    assert len({outcome.bound for outcome in table.outcomes}) == 1, "one dataset"
    assert len({outcome.objective for outcome in table.outcomes}) > 1, "different starts"
    assert all(outcome.gap >= 0 for outcome in table.outcomes)
    (row,) = table.rows
    assert row.ours["least gap"] <= row.ours["median gap"] <= row.ours["largest gap"]
    assert len(chart.series) == 2
    assert bound_figure_26.tabulate([], []).rows[0].ours["least gap"] is None


def test_there_is_a_study_for_every_figure():
    assert list(bound_figures.STUDIES) == [f"bound-figure-{number}" for number in range(10, 26)]
    assert len(DRAWN) == 8
