"""Figures: points are where they should be, on linear and logarithmic axes, and names cannot break out."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from engine.studies.chart import Chart, Series
from pgmgui.project.figures import COLOURS, MOST_DOTS, MOST_POINTS, RIGHT, WIDTH, draw_charts
from pgmgui.project.ticks import find_powers

SVG = "{http://www.w3.org/2000/svg}"


def dots(picture):
    """Per dot that is no legend's, its place."""
    circles = ElementTree.fromstring(picture).iter(f"{SVG}circle")
    return [(float(c.get("cx")), float(c.get("cy")), c) for c in circles if c.find(f"{SVG}title") is not None]


def chart(*series, **options):
    return Chart("A title", "rows", "times", series, **options)


@pytest.mark.parametrize(("base", "stretch"), [(0, float), (2, math.log), (10, math.log)])
def test_points_are_spaced_as_their_axis_says(base, stretch):
    points = ((1.0, 4.0), (2.0, 8.0), (8.0, 512.0))
    found = dots(draw_charts([chart(Series("ours", points), across_base=base, up_base=base)]))
    for axis in (0, 1):
        places = [dot[axis] for dot in found]
        low, middle, high = (stretch(point[axis]) for point in points)
        share = (places[1] - places[0]) / (places[2] - places[0])
        assert share == pytest.approx((middle - low) / (high - low), abs=1e-3)
    assert found[0][1] > found[2][1], "more is higher up"


def test_the_papers_numbers_have_the_colour_of_ours_and_open_dots():
    ours, other = Series("alarm", ((1.0, 2.0),)), Series("water", ((1.0, 3.0),))
    paper = Series("alarm", ((1.0, 2.5),), is_paper=True)
    picture = draw_charts([chart(ours, other, paper)])
    looks = [(c.get("stroke"), c.get("fill")) for *_, c in dots(picture)]
    assert looks == [(COLOURS[0], COLOURS[0]), (COLOURS[1], COLOURS[1]), (COLOURS[0], "#ffffff")]
    assert ">alarm, the paper<" in picture


def test_bars_stand_on_1_where_they_are_ratios():
    ours, paper = Series("<S>", ((0.0, 10.0), (1.0, 0.1))), Series("<S>", ((0.0, 100.0),), is_paper=True)
    picture = draw_charts([chart(ours, paper, up_base=10, labels=("one", "two"), has_bars=True)])
    bars = [bar for bar in ElementTree.fromstring(picture).iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None]
    more, less, theirs = ({key: float(bar.get(key)) for key in ("x", "y", "width", "height")} for bar in bars)
    assert more["height"] == pytest.approx(less["height"], abs=0.2), "ten times faster, and ten times slower"
    assert theirs["height"] == pytest.approx(2 * more["height"], abs=0.2)
    floor = more["y"] + more["height"]
    assert [less["y"], theirs["y"] + theirs["height"]] == pytest.approx([floor, floor], abs=0.2)
    assert more["x"] + more["width"] <= theirs["x"], "side by side"
    assert theirs["x"] + theirs["width"] < less["x"], "by network"
    assert [bar.get("fill") for bar in bars] == [COLOURS[0], COLOURS[0], "#ffffff"]
    assert [bar.find(f"{SVG}title").text for bar in bars] == ["<S>, one: 10", "<S>, two: 0.1", "<S>, one: 100"]


def test_what_cannot_be_drawn_is_left_out():
    points = ((1.0, 0.0), (2.0, math.inf), (3.0, 10.0), (4.0, -1.0))
    assert len(dots(draw_charts([chart(Series("ours", points), up_base=10)]))) == 1
    assert dots(draw_charts([chart()])) == []
    assert ElementTree.fromstring(draw_charts([])).get("width") == str(WIDTH)


def test_long_lines_are_thinned_and_keep_their_ends():
    points = tuple((float(k), float(k % 7)) for k in range(10 * MOST_POINTS))
    picture = draw_charts([chart(Series("ours", points))])
    assert dots(picture) == []
    path = max((p.get("d") for p in ElementTree.fromstring(picture).iter(f"{SVG}path")), key=len)
    assert path.count("L") == MOST_POINTS - 1
    assert len(points) > MOST_DOTS
    assert path.split("L")[-1].startswith(f"{WIDTH - RIGHT}.0 ")


def test_rows_of_a_table_have_names_and_no_line():
    picture = draw_charts([chart(Series("ours", ((0.0, 1.0), (1.0, 2.0))), labels=("alarm", "<b>&"))])
    assert "&lt;b&gt;&amp;" in picture
    assert "<b>" not in picture
    assert len(dots(picture)) == 2


def test_names_are_escaped():
    hostile = '"><script>alert(1)</script>'
    picture = draw_charts([Chart(hostile, hostile, hostile, (Series(hostile, ((1.0, 1.0),)),))])
    assert "<script" not in picture
    ElementTree.fromstring(picture)


@pytest.mark.parametrize(("least", "most", "base"), [(1e-3, 1e9, 10), (1, 2**20, 2), (5, 5.5, 10), (7, 1000, 10)])
def test_powers_are_few_and_inside(least, most, base):
    found = find_powers(least, most, base)
    assert 2 <= len(found) <= 8
    assert all(least * (1 - 1e-9) <= value <= most * (1 + 1e-9) for value, _ in found)
    assert len({text for _, text in found}) == len(found)
