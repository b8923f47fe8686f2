"""Small charts as SVG text, in the colour of the text around them: a ROC curve, and a calibration curve."""

from __future__ import annotations

from html import escape

from engine.insight.prediction import Calibration, Prediction, Roc
from engine.model.arrays import Floats
from engine.model.variable import Variable

SIDE, LEFT, BOTTOM, TOP, RIGHT = 150, 44, 38, 22, 10
"""Pixels of the square, and of the room around it."""
COLOUR = "#2f86d1"
LARGEST_DOT, SMALLEST_DOT = 9.0, 2.5
"""Pixels: dots of bins by their rows."""


def draw_roc(roc: Roc, state: str) -> str:
    """The share of a state's rows that are found, against the share of others that are taken for it."""
    points = " ".join(_place(x, y) for x, y in zip(roc.false_positive, roc.true_positive, strict=True))
    curve = f'<polyline points="{points}" fill="none" stroke="{COLOUR}" stroke-width="2.5"/>'
    label = f"ROC curve of {state} against the rest: area {roc.area:.3f}"
    return _frame(f"ROC, area {roc.area:.3f}", "false positives, share", "true positives, share", label, curve)


def draw_calibration(curve: Calibration, state: str) -> str:
    """How often a state came true, against how probable it was said to be; a dot for each bin, larger for more rows."""
    points = " ".join(_place(x, y) for x, y in zip(curve.predicted, curve.observed, strict=True))
    line = f'<polyline points="{points}" fill="none" stroke="{COLOUR}" stroke-width="1.5"/>'
    dots = "".join(
        f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="{radius:.1f}" fill="{COLOUR}" fill-opacity="0.75">'
        f"<title>said {x:.3f}, came true {y:.3f}, {weight:,.6g} rows</title></circle>"
        for x, y, weight, radius in zip(
            curve.predicted, curve.observed, curve.weights, _find_radii(curve.weights), strict=True
        )
    )
    label = f"Calibration of {state}: {describe_bins(curve)}"
    return _frame(f"Calibration, error {curve.error:.3f}", "said to be", "came true", label, line + dots)


def draw_charts(found: Prediction, variable: Variable, state: str) -> str:
    """ROC and calibration of a state, as HTML."""
    k = variable.states.index(state)
    roc = found.roc(k)
    charts = [draw_roc(roc, f"{variable.name} = {state}")] if roc is not None else []
    charts.append(draw_calibration(found.calibration(k), f"{variable.name} = {state}"))
    no_roc = "" if roc is not None else "<p>No ROC curve: all rows held out, or none, have this state.</p>"
    return f'<div class="charts">{"".join(charts)}</div>{no_roc}'


def describe_bins(curve: Calibration) -> str:
    """What each dot stands for, in words."""
    told = [f"said {x:.2f}, came true {y:.2f}" for x, y in zip(curve.predicted, curve.observed, strict=True)]
    return "; ".join(told)


def _find_radii(weights: Floats) -> list[float]:
    shares = (weights / weights.max()) ** 0.5
    return [max(SMALLEST_DOT, LARGEST_DOT * float(share)) for share in shares]


def _frame(title: str, across: str, up: str, label: str, inside: str) -> str:
    """A unit square with its diagonal, ticks and names of its axes."""
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
    ticks = "".join(
        f'<text x="{_x(t):.1f}" y="{_y(0) + 14:.1f}" text-anchor="middle">{t:g}</text>'
        f'<text x="{_x(0) - 5:.1f}" y="{_y(t) + 4:.1f}" text-anchor="end">{t:g}</text>'
        for t in (0, 0.5, 1)
    )
    middle = _y(0.5)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}" font-size="11" fill="currentColor" style="max-width:100%">'
        f'<text x="{_x(0):.1f}" y="14" font-size="12" font-weight="600">{escape(title)}</text>'
        f'<rect x="{_x(0):.1f}" y="{_y(1):.1f}" width="{SIDE}" height="{SIDE}" fill="none" stroke="currentColor" '
        f'stroke-opacity="0.4"/><path d="M{_place(0, 0)}L{_place(1, 1)}" stroke="currentColor" stroke-opacity="0.55" '
        f'stroke-dasharray="4 4"/>{inside}{ticks}'
        f'<text x="{_x(0.5):.1f}" y="{height - 6}" text-anchor="middle">{escape(across)}</text>'
        f'<text x="11" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 11 {middle:.1f})">'
        f"{escape(up)}</text></svg>"
    )


def _place(x: float, y: float) -> str:
    return f"{_x(x):.1f},{_y(y):.1f}"


def _x(share: float) -> float:
    return LEFT + SIDE * float(share)


def _y(share: float) -> float:
    return TOP + SIDE * (1 - float(share))
