"""The mode and the predictive of the selected variable's table, side by side."""

from __future__ import annotations

import pytest

from engine.learning.learn import learn
from engine.model.table_prior import LogisticNormal
from pgmgui.project.examples import find_example
from pgmgui.state.session import Session
from pgmgui.tabs.variable.estimates import NOTHING, Estimates


def open_estimates(example, *selected):
    session = Session()
    session.open_example(find_example(example))
    session.select(selected)
    return session, Estimates(session)


def said(view):
    return view._text._pane.object


def learn_it(session, method="d-em"):
    options = {"prior": session.scene.whole_prior, "task": session.parts.task}
    *_, last = learn(session.network, session.seen, method, **options)
    session.report(last)
    return last


def test_counts_mode_and_predictive_stand_side_by_side():
    session, view = open_estimates("asia", "bronc")
    assert (said(view), view._grid.visible) == (f"<p>{NOTHING}</p>", False)
    session.set_prior("bronc", 3.0)
    last = learn_it(session)
    source = view._grid.source
    assert [column.title for column in source.columns] == ["smoke", "bronc", "Count n", "Mode", "Predictive"]
    counts = last.task.layout.tables(last.counts[0])[session.network.index["bronc"]]
    assert counts.sum() == pytest.approx(500)
    rows = source.cells(0, 3)
    assert [row[:2] for row in rows] == [["yes", "yes"], ["yes", "no"], ["no", "yes"], ["no", "no"]]
    for row, n, total in zip(rows, counts.reshape(-1), counts.sum(axis=1).repeat(2), strict=True):
        assert float(row[2]) == pytest.approx(n, abs=0.01)
        assert float(row[3]) == pytest.approx((n + 2) / (total + 4), abs=1e-6)
        assert float(row[4]) == pytest.approx((n + 3) / (total + 6), abs=1e-6)
    assert "Values are missing" not in said(view)  # its family is seen in every row
    session.select(["tub"])
    assert "Values are missing: n are the counts that are expected at the learned parameters." in said(view)
    session.select([])
    assert not view._view.visible


def test_a_prior_without_a_formula_has_no_predictive():
    session, view = open_estimates("asia", "bronc")
    session.set_table_prior(LogisticNormal(1.0))
    learn_it(session, "d-numerical-em")
    assert "has no formula with a logistic-normal prior of width 1" in said(view)
    assert not view._grid.visible


def test_a_markov_network_has_none():
    _, view = open_estimates("thesis-grid", "2")
    assert not view._view.visible
