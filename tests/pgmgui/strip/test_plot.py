"""The figure of the live plot: lines are made when they are first needed, and look as the others do."""

import numpy as np
import pytest

from pgmgui.project.axes import Axes
from pgmgui.strip.plot import Plot
from pgmgui.strip.plot_lines import BOUNDS, Line

LINE = Line(np.array([0.0, 1.0]), np.array([-2.0, -1.0]))


@pytest.fixture
def plot():
    return Plot("objective", lambda _place: None)


def draw(plot, *names):
    plot.fill(dict.fromkeys(names, LINE), Axes(), 1, None)


def listed(plot):
    """What the legend lists."""
    return [item.label.value for item in plot._legend.items if item.visible]


def find_lines(plot):
    return {line.name: line for line in plot.figure.renderers if line.name in {*BOUNDS, "EM", "EDML"}}


def test_a_line_is_made_when_it_is_first_drawn(plot):
    assert not find_lines(plot)
    draw(plot, "EM", BOUNDS[0])
    made = find_lines(plot)
    assert made.keys() == {"EM", BOUNDS[0]}
    draw(plot, "EM", BOUNDS[0])
    assert find_lines(plot) == made
    assert set(plot._hover.renderers) == set(made.values())


def test_bounds_are_listed_first_and_lie_below_whenever_they_come(plot):
    draw(plot, "EM", BOUNDS[0])
    draw(plot, "EM", "EDML", BOUNDS[0], BOUNDS[2], BOUNDS[1])
    assert listed(plot) == [*BOUNDS[:3], "EM", "EDML"]
    assert {name: line.level for name, line in find_lines(plot).items()} == {
        **dict.fromkeys(BOUNDS[:3], "underlay"),
        **dict.fromkeys(["EM", "EDML"], "glyph"),
    }
    draw(plot, "EM", BOUNDS[0])
    assert listed(plot) == [BOUNDS[0], "EM"]


def test_a_line_that_comes_later_is_as_wide_as_the_others(plot):
    draw(plot, "EM")
    plot.enlarge(True)
    draw(plot, "EM", "EDML", BOUNDS[0])
    assert {line.glyph.line_width for line in find_lines(plot).values()} == {4.0}


@pytest.mark.parametrize(("large", "size", "spacing"), [(False, "12px", 2), (True, "17px", 1)])
def test_type_stays_though_the_browser_sets_its_own_with_each_theme(plot, large, size, spacing):
    """Lines of a legend that are far apart are below the picture when there are many."""
    plot.enlarge(large)
    legend = plot.figure.legend[0]
    legend.label_text_font_size, legend.spacing = "0.95em", 8
    assert (legend.label_text_font_size, legend.spacing) == (size, spacing)


def test_the_legend_says_where_a_bound_is_that_is_not_in_the_picture(plot):
    far = Line(np.array([0.0, 1.0]), np.array([50.0, 50.0]))
    curve = Line(np.array([0.0, 1.0, 2.0]), np.array([-2.0, -1.0, -0.5]))
    plot.fill({"EM": curve, BOUNDS[0]: far}, Axes(), 1, None)
    assert listed(plot) == [f"{BOUNDS[0]} ↑", "EM"]
    plot.fill({"EM": curve, BOUNDS[0]: far}, Axes(fit="all"), 2, None)
    assert listed(plot) == [BOUNDS[0], "EM"]
