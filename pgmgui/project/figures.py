"""Figures of studies as SVG text: charts side by side, our numbers as filled dots, the paper's as open ones.

They stand on their own: no style sheet, no font file, no script. Names are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from engine.studies.chart import Chart, Points, Series
from pgmgui.project.ticks import find_powers, find_ticks

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#7a5195")
DASHES = ("", "8 4", "8 3 2 3", "2 3")
"""Lines of more names than there are colours are told apart by these."""
INK, FRAME, FAINT = "#222222", "#999999", "#e4e4e4"
WIDTH, HEIGHT = 520, 300
"""Of a chart, its legend apart."""
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 34, 46
SLANTED = 64
"""More room at the bottom for names, which are written aslant."""
LINE = 17
MOST_DOTS = 40
"""A line of more points has no dots."""
MOST_POINTS = 400
"""A line is drawn with no more points than this: more cannot be seen."""
PER_ROW = 2
BARS = 0.8
"""The part of a place that its bars take."""
TITLE = 62
"""Letters of a title that fit over a chart."""


def draw_charts(charts: Sequence[Chart]) -> str:
    """All charts of a figure, two in a row."""
    drawn = [_Drawing(chart) for chart in charts]
    parts, top = [], 0.0
    for first in range(0, len(drawn), PER_ROW):
        row = drawn[first : first + PER_ROW]
        parts += [f'<g transform="translate({WIDTH * k} {top:g})">{each.draw()}</g>' for k, each in enumerate(row)]
        top += max(each.height for each in row)
    width = WIDTH * min(PER_ROW, max(1, len(drawn)))
    label = "; ".join(dict.fromkeys(f"{chart.title}: {chart.up}" for chart in charts))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top:g}" width="{width}" height="{top:g}" '
        f'role="img" font-size="12" fill="{INK}" font-family="system-ui, sans-serif" aria-label="{escape(label)}">'
        f'<rect width="{width}" height="{top:g}" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


class _Scale:
    """An axis: where a number is, in pixels."""

    def __init__(self, numbers: Sequence[float], base: int, first: float, last: float) -> None:
        self.base, self.first, self.last = base, first, last
        self.least, self.most = min(numbers, default=1.0), max(numbers, default=1.0)
        if self.least == self.most:
            room = abs(self.least) * 0.05 or 1.0
            self.least, self.most = self.least - room, self.most + room

    def place(self, number: float) -> float:
        low, high, at = (self._stretch(each) for each in (self.least, self.most, number))
        return self.first + (at - low) / (high - low) * (self.last - self.first)

    def ticks(self) -> list[tuple[float, str]]:
        return find_powers(self.least, self.most, self.base) if self.base else find_ticks(self.least, self.most)

    def _stretch(self, number: float) -> float:
        return math.log(number) if self.base else number


class _Drawing:
    """One chart and how high it is."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        series = [_keep_finite(each, chart) for each in chart.series]
        self.series = [each for each in series if each.points]
        self.colours = list(dict.fromkeys(each.name for each in self.series))
        self.floor = HEIGHT - BOTTOM
        self.foot = self.floor + (SLANTED + 22 if chart.labels else BOTTOM)
        self.height = self.foot + LINE * len(self.series) + 12
        across = [x for each in self.series for x, _ in each.points]
        if chart.labels:
            across = [-0.5, len(chart.labels) - 0.5]
        self.x = _Scale(across, chart.across_base, LEFT, WIDTH - RIGHT)
        up = [y for each in self.series for _, y in each.points]
        self.base = 1.0 if chart.up_base else 0.0
        self.y = _Scale([*up, self.base] if chart.has_bars else up, chart.up_base, self.floor - 8, TOP + 8)

    def draw(self) -> str:
        chart = self.chart
        title = chart.title if len(chart.title) <= TITLE else f"{chart.title[: TITLE - 1]}…"
        middle = (TOP + self.floor) / 2
        parts = [
            f'<text x="{LEFT}" y="20" font-weight="600"><title>{escape(chart.title)}</title>{escape(title)}</text>',
            *self._draw_axes(),
            f'<text x="{(LEFT + WIDTH) / 2}" y="{self.foot - 10}" text-anchor="middle">{escape(chart.across)}</text>',
            f'<text x="14" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 14 {middle:.1f})">'
            f"{escape(chart.up)}</text>",
        ]
        for k, each in enumerate(self.series):
            drawn = self._draw_bars(each, k) if chart.has_bars else self._draw_line(each)
            parts += [drawn, self._draw_legend(each, self.foot + LINE * (k + 1) - 5)]
        return "".join(parts)

    def _draw_axes(self) -> list[str]:
        parts = []
        for value, text in self.y.ticks():
            y = self.y.place(value)
            parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{FAINT}"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        if self.chart.labels:
            for k, label in enumerate(self.chart.labels):
                x, y = self.x.place(k), self.floor + 12
                parts.append(
                    f'<text x="{x:.1f}" y="{y}" text-anchor="end" font-size="11" '
                    f'transform="rotate(-40 {x:.1f} {y})">{escape(label)}</text>'
                )
        else:
            parts += [
                f'<text x="{self.x.place(at):.1f}" y="{self.floor + 17}" text-anchor="middle">{text}</text>'
                for at, text in self.x.ticks()
            ]
        parts.append(f'<path d="M{LEFT} {TOP}V{self.floor}H{WIDTH - RIGHT}" fill="none" stroke="{FRAME}"/>')
        return parts

    def _look(self, series: Series) -> tuple[str, str]:
        """The colour and the dashes of a series."""
        k = self.colours.index(series.name)
        return COLOURS[k % len(COLOURS)], "3 3" if series.is_paper else DASHES[k // len(COLOURS) % len(DASHES)]

    def _draw_line(self, series: Series) -> str:
        colour, dash = self._look(series)
        places = [(self.x.place(x), self.y.place(y)) for x, y in _thin(series.points)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        pen = f'fill="none" stroke="{colour}" stroke-width="{1.5 if series.is_paper else 2.2}"'
        line = f'<path d="M{path}" {pen} stroke-dasharray="{dash}"/>' if not self.chart.labels else ""
        if len(places) > MOST_DOTS:
            return line
        dots = zip(places, series.points, strict=True)
        return line + "".join(_draw_dot(*at, series, colour, _tell(*point)) for at, point in dots)

    def _draw_bars(self, series: Series, number: int) -> str:
        """Bars of a series, the paper's open, beside those of the others; and the line that they stand on."""
        colour, _ = self._look(series)
        place = self.x.place(1) - self.x.place(0)
        width, floor = BARS * place / len(self.series), self.y.place(self.base)
        parts = [f'<path d="M{LEFT} {floor:.1f}H{WIDTH - RIGHT}" stroke="{FRAME}"/>'] if not number else []
        for at, value in series.points:
            left, top = self.x.place(at) - BARS * place / 2 + number * width, self.y.place(value)
            told = escape(f"{series.name}, {self.chart.labels[int(at)]}: {value:.4g}")
            parts.append(
                f'<rect x="{left + 1:.1f}" y="{min(top, floor):.1f}" width="{width - 2:.1f}" '
                f'height="{abs(top - floor):.1f}" fill="{"#ffffff" if series.is_paper else colour}" stroke="{colour}" '
                f'stroke-width="1.5"><title>{told}</title></rect>'
            )
        return "".join(parts)

    def _draw_legend(self, series: Series, y: float) -> str:
        colour, dash = self._look(series)
        pen = f'stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}"'
        line = f'<path d="M{LEFT} {y - 4}h30" {pen}/>' if not self.chart.labels else ""
        name = f"{series.name}, the paper" if series.is_paper else series.name
        dot = _draw_dot(LEFT + 15, y - 4, series, colour, "")
        return f'{line}{dot}<text x="{LEFT + 40}" y="{y}">{escape(name)}</text>'


def _draw_dot(x: float, y: float, series: Series, colour: str, about: str) -> str:
    fill = "#ffffff" if series.is_paper else colour
    title = f"<title>{escape(f'{series.name}: {about}')}</title>" if about else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}" stroke="{colour}" stroke-width="1.5">{title}</circle>'
    )


def _tell(x: float, y: float) -> str:
    return f"{x:.6g}, {y:.6g}"


def _keep_finite(series: Series, chart: Chart) -> Series:
    """The points that can be drawn: numbers, and on a logarithmic axis more than 0."""
    points = tuple(
        (x, y)
        for x, y in series.points
        if math.isfinite(x) and math.isfinite(y) and (not chart.across_base or x > 0) and (not chart.up_base or y > 0)
    )
    return Series(series.name, points, series.is_paper)


def _thin(points: Points) -> Points:
    """So many points as can be seen, among them the first and the last."""
    if len(points) <= MOST_POINTS:
        return points
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return tuple(points[round(k * step)] for k in range(MOST_POINTS))
