"""The plot per row: two lines a learner, told apart without colour."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learn import learn
from pgmgui.project.axes import Axes
from pgmgui.project.links import parse_link
from pgmgui.project.results import Point, Standing
from pgmgui.state.curve import Curve
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.strip.plot_lines import Line
from pgmgui.strip.row_lines import HELD_OUT, make_row_lines
from pgmgui.strip.row_plot import RowPlot
from tests.pgmgui.state.test_race import follow

AXES = Axes(up="per row")
LINE = Line(np.array([0.0, 1.0]), np.array([-2.0, -1.0]))


def test_lines_are_at_the_iterations_that_were_tested():
    points = [Point(k, 0.5 * k, 10 * k, -5.0) for k in range(5)]
    tested = (Standing(0, -3.0, -np.inf), Standing(2, -2.0, -2.5), Standing(4, -1.0, -2.75))
    curve = Curve("em", tested=tested).add(points)
    lines = make_row_lines({"em": curve}, Axes("seconds", "per row"))
    assert list(lines) == ["EM", "EM" + HELD_OUT]
    np.testing.assert_array_equal(lines["EM"].x, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(lines["EM"].y, [-3.0, -2.0, -1.0])
    # An impossible row has no height.
    np.testing.assert_array_equal(lines["EM, held out"].y, [np.nan, -2.5, -2.75])


def test_the_rows_learned_from_have_a_line_without_any_held_out():
    session = Session()
    race = Race(session)
    race.open(parse_link({"example": "sprinkler", "prior": "2"}).saved)
    race.begin()
    follow(race)
    (line,) = make_row_lines(race.curves, AXES).values()
    last = race.best
    assert line.y[-1] == pytest.approx(float(last.log_likelihood.sum()) / 200)
    assert len(line.x) == last.iteration + 1


def test_a_run_that_the_page_has_not_heard_of_has_no_line():
    session = Session()
    Race(session).open(parse_link({"example": "sprinkler"}).saved)
    curve = Curve("em")
    curve.frames.add(0, next(learn(session.network, session.seen)))
    assert make_row_lines({"em": curve}, AXES) == {}


def draw(plot, *names):
    plot.fill(dict.fromkeys(names, LINE), AXES, 1, None)
    return {item.label.value: item for item in plot._legend.items if item.visible}


def test_pairs_are_solid_and_dashed_and_end_in_marks_of_their_own():
    plot = RowPlot("per row", lambda _place: None)
    assert list(draw(plot, "EM", "EM" + HELD_OUT)) == ["EM", "held out"]
    listed = draw(plot, "EM", "EM" + HELD_OUT, "EDML", "EDML" + HELD_OUT)
    assert list(listed) == ["EM", "EDML", "held out"]
    lines = {line.name: line.glyph for line in plot.figure.renderers if line.name}
    assert [lines[name].line_dash for name in ("EM", "EDML")] == [[], []]
    assert all(lines[name + HELD_OUT].line_dash for name in ("EM", "EDML"))
    assert lines["EM"].line_color == lines["EM" + HELD_OUT].line_color != lines["EDML"].line_color
    marks = [listed[name].renderers[1] for name in ("EM", "EDML")]
    assert marks[0].glyph.marker != marks[1].glyph.marker
    assert marks[1].data_source.data == {"x": [1.0, 1.0], "y": [-1.0, -1.0]}
    assert {line.name for line in plot._hover.renderers} == set(lines)


def test_a_run_without_rows_held_out_hides_their_lines():
    plot = RowPlot("per row", lambda _place: None)
    draw(plot, "EM", "EM" + HELD_OUT, "EDML", "EDML" + HELD_OUT)
    assert list(draw(plot, "EM")) == ["EM"]
    assert [line.name for line in plot.figure.renderers if line.visible and line.name] == ["EM"]
