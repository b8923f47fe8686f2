"""The lines of the live plot, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.bounds import Bounds
from engine.learning.markov_bounds import Fit, MarkovBounds
from pgmgui.project.axes import Axes
from pgmgui.project.results import Point
from pgmgui.state.curve import Curve
from pgmgui.strip.plot_lines import cut_lines, find_frame, find_unseen, make_lines

LOWEST = np.array([-6.0, -3.0, 0.0])
BOUNDS = Bounds(
    -2.0, np.array([-5.0, -3.0, 0.0]), np.array([-5.5, -3.0, 0.0]), LOWEST, LOWEST[:2], ((0,), (1,)), ((), ())
)


def make_curve(objectives, method="d-em"):
    return Curve(method).add([Point(k, 0.5 * k, 7 * k, objective) for k, objective in enumerate(objectives)])


@pytest.mark.parametrize(
    ("across", "expected"), [("iterations", [0, 1, 2]), ("inferences", [0, 7, 14]), ("seconds", [0.0, 0.5, 1.0])]
)
def test_across(across, expected):
    lines = make_lines({"d-em": make_curve([-30.0, -12.0, -9.5])}, BOUNDS, Axes(across))
    np.testing.assert_array_equal(lines["decomposed EM"].x, expected)
    np.testing.assert_array_equal(lines["decomposed EM"].y, [-30.0, -12.0, -9.5])
    np.testing.assert_array_equal(lines["upper bound (I-map)"].x, [0, expected[-1]])


def test_bounds_are_labelled_and_the_naive_one_only_on_demand():
    lines = make_lines({}, BOUNDS, Axes())
    assert {name: line.y[0] for name, line in lines.items()} == {"upper bound (I-map)": -9.0}
    looser = make_lines({}, BOUNDS, Axes(fit="bounds"))
    assert {name: line.y.tolist() for name, line in looser.items()} == {
        "upper bound (I-map)": [-9.0, -9.0],
        "bound by components": [-8.0, -8.0],
        "naive bound": [-2.0, -2.0],
    }
    assert make_lines({}, None, Axes()) == {}


def test_a_markov_networks_bounds_are_told_by_kind_and_an_estimate_is_none_of_them():
    found = MarkovBounds(-2.0, -3.0, Fit(-5.0, "certified"), Fit(-4.0, "exact"))
    assert {name: line.y[0] for name, line in make_lines({}, found, Axes()).items()} == {"upper bound (proven)": -5.0}
    looser = make_lines({}, found, Axes(fit="bounds"))
    assert {name: line.y[0] for name, line in looser.items()} == {
        "upper bound (proven)": -5.0,
        "bound by cliques": -4.0,
        "naive bound": -2.0,
    }
    for cliques in (Fit(-4.5, "estimate"), Fit(-5.0, "exact"), None):
        found = MarkovBounds(-2.0, -3.0, Fit(-5.0, "exact"), cliques)
        assert set(make_lines({}, found, Axes(fit="bounds"))) == {"upper bound (closed form)", "naive bound"}


def test_the_gap_is_to_the_smallest_bound_and_ends_on_the_floor():
    """−9 is the smallest bound; what cannot be drawn on a log scale lies at 0.001, where it is certified."""
    lines = make_lines({"d-em": make_curve([-np.inf, -19.0, -9.5, -9.0, -9.0 + 1e-12])}, BOUNDS, Axes(up="log gap"))
    gaps = lines["decomposed EM"].y
    assert np.isnan(gaps[0])
    np.testing.assert_allclose(gaps[1:], [10.0, 0.5, 0.001, 0.001])
    assert lines["certified"].y.tolist() == [0.001, 0.001]
    assert "naive bound" not in lines


def test_the_frame_leaves_the_beginning_out_but_not_on_a_log_scale():
    curves = {"d-em": make_curve([-1e6, -1e3, *np.linspace(-20, -10, 98)])}
    lines = make_lines(curves, BOUNDS, Axes())
    x, y = find_frame(lines, Axes())
    assert x.tolist() == [0, 99]
    shown = curves["d-em"].points[10].objective  # the first tenth may be out of sight
    assert y.tolist() == [shown, -9.0]
    log = Axes(up="log gap")
    _, heights = find_frame(make_lines(curves, BOUNDS, log), log)
    assert heights.tolist() == [0.001, 1e6 - 9.0]


@pytest.mark.parametrize(
    ("fit", "bottom", "top"), [("curves", -110.5, -110.0), ("bounds", -110.5, -2.0), ("all", -1000.0, -9.0)]
)
def test_what_is_to_be_in_the_picture(fit, bottom, top):
    """Four curves end 101 nats below a bound, half a nat apart: beside the bound they would be one."""
    names = ("d-em", "d-edml", "d-lbfgs", "d-hybrid")
    ends = zip(names, (-110.0, -110.1, -110.3, -110.5), strict=True)
    curves = {name: make_curve([-1000.0, *[end] * 40], name) for name, end in ends}
    lines = make_lines(curves, BOUNDS, Axes(fit=fit))
    _, heights = find_frame(lines, Axes(fit=fit))
    assert heights.tolist() == [bottom, top]
    assert find_unseen(lines, heights) == ({"upper bound (I-map)"} if fit == "curves" else set())


def test_a_bound_that_is_near_is_in_the_picture():
    """One nat above curves of one and a half."""
    curves = {"d-em": make_curve([-1000.0, -11.5, *[-10.0] * 8])}
    lines = make_lines(curves, BOUNDS, Axes())
    assert find_frame(lines, Axes())[1].tolist() == [-11.5, -9.0]


def test_the_floor_of_a_log_scale_is_out_of_the_picture_where_gaps_are_far_above_it():
    log = Axes(up="log gap")
    far = make_lines({"d-em": make_curve([-309.0, -209.0])}, BOUNDS, log)
    assert find_frame(far, log)[1].tolist() == [200.0, 300.0]
    near = make_lines({"d-em": make_curve([-309.0, -9.01])}, BOUNDS, log)
    assert find_frame(near, log)[1].tolist() == [0.001, 300.0]


def test_a_short_curve_is_in_the_frame_beside_a_long_one():
    curves = {"d-em": make_curve([-50.0] * 100), "d-lbfgs": make_curve([-90.0, -70.0], "d-lbfgs")}
    _, heights = find_frame(make_lines(curves, BOUNDS, Axes()), Axes())
    assert heights.tolist() == [-70.0, -50.0]


def test_nothing_is_framed_too():
    assert [corner.tolist() for corner in find_frame({}, Axes())] == [[0.0, 1.0], [0.0, 1.0]]
    lines = make_lines({"em": Curve("em")}, None, Axes())
    assert [corner.tolist() for corner in find_frame(lines, Axes())] == [[0.0, 1.0], [0.0, 1.0]]


def test_curves_are_drawn_as_far_as_they_are_played_and_bounds_whole():
    curves = {"d-em": make_curve([-30.0, -20.0, -10.0]), "em": make_curve([-30.0, -11.0], "em")}
    lines = make_lines(curves, BOUNDS, Axes())
    cut = cut_lines(lines, 1.5)
    assert (cut["decomposed EM"].x.tolist(), cut["decomposed EM"].y.tolist()) == ([0, 1, 1.5], [-30, -20, -15])
    assert cut["EM"].y.tolist() == [-30, -11]
    assert cut["upper bound (I-map)"].x.tolist() == [0, 2]
    assert cut_lines(lines, 0.0)["decomposed EM"].x.tolist() == [0, 0]
    assert cut_lines(lines, None) == lines
