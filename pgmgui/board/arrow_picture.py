"""How the arrows on the canvas look, by what is known of them.

Colour is never all: a look is also a width, dashes, and what is written on the arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.structure.bootstrap import Confidence
from engine.structure.constraints import Arrow
from pgmgui.components.canvas.graph import ArrowLook, Arrows
from pgmgui.project.arrow_words import describe_arrow, list_lacking, show_worth
from pgmgui.project.arrows import Facts
from pgmgui.project.structure_settings import SCORE_TITLES

WORTHS = (0.0, 10.0, 100.0, 1000.0)
"""Nats: above each, arrows are drawn thicker."""
SHARES = (0.5, 0.8, 0.95)
"""Of the resamples: from each on, arrows are drawn thicker."""
NO_RESAMPLES = "nothing yet: resample the data in the tab Structure"
CLASSES = (("compelled", "all equivalent networks have it this way"), ("reversible", "⇄ some have it the other way"))
VERDICTS = {
    "right": "✓ right",
    "turned": "points the other way",
    "extra": "not in the true network",
    "missing": "missing: only in the true network",
}
_ORDER = {"missing": 0, "extra": 1, "turned": 2, "right": 3}


def draw_arrows(facts: Facts | None, trouble: str, confidence: Confidence | None, colouring: str) -> Arrows | None:
    """The looks of arrows, or a legend that says why there are none; None if nothing is to be told.

    Parameters
    ----------
    trouble : str
        Why there are no facts, if there are none.
    colouring : str
        One of :data:`pgmgui.project.arrows.COLOURINGS`.
    """
    if not colouring or (facts is None and not trouble):
        return None
    if facts is None:
        return Arrows((), (), "", (("", trouble),))
    return _PAINTERS[colouring](facts, confidence)


def _paint(
    facts: Facts, confidence: Confidence | None, looks: Mapping[Arrow, tuple[str, str]], order: Callable[[Arrow], float]
) -> tuple[ArrowLook, ...]:
    """The looks of arrows with the kind and the label of each; the first in an order has the first choice of room."""
    return tuple(
        ArrowLook(arrow, *looks[arrow], describe_arrow(facts, confidence, arrow)) for arrow in sorted(looks, key=order)
    )


def _paint_worths(facts: Facts, confidence: Confidence | None) -> Arrows:
    title = f"Arrows by worth ({SCORE_TITLES[facts.score]})"
    if facts.total is None:
        return Arrows((), (), title, (("", facts.trouble),))
    looks = {
        arrow: (f"worth-{sum(worth > limit for limit in WORTHS)}", show_worth(worth, 2))
        for arrow, worth in facts.worths.items()
    }
    legend = (
        ("worth-0", "nothing"),
        ("worth-1", "to 10 nats"),
        ("worth-2", "to 100"),
        ("worth-3", "to 1,000"),
        ("worth-4", "more"),
    )
    return Arrows(_paint(facts, confidence, looks, lambda arrow: facts.worths[arrow]), (), title, legend)


def _paint_classes(facts: Facts, confidence: Confidence | None) -> Arrows:
    free = {arrow: facts.is_reversible(arrow) for arrow in facts.arrows}
    looks = {arrow: ("reversible", "⇄") if is_free else ("compelled", "") for arrow, is_free in free.items()}
    return Arrows(_paint(facts, confidence, looks, lambda arrow: not free[arrow]), (), "Arrows by class", CLASSES)


def _paint_confidence(facts: Facts, confidence: Confidence | None) -> Arrows:
    title = "Arrows by confidence"
    if confidence is None or len(confidence.arrows) != len(facts.names):
        return Arrows((), (), title, (("", NO_RESAMPLES),))
    edges = confidence.edges

    def look(arrow: Arrow) -> tuple[str, str]:
        share = float(edges[arrow])
        return f"sure-{sum(share >= limit for limit in SHARES)}", f"{share:.0%}"

    looks = {arrow: look(arrow) for arrow in facts.arrows}
    added = {arrow: ("missing", f"{edges[arrow]:.0%}") for arrow in list_lacking(facts, confidence)}
    legend = (
        ("sure-0", "found in under 50%"),
        ("sure-1", "50%"),
        ("sure-2", "80%"),
        ("sure-3", "95% of the resamples, or more"),
        *((("missing", "often found, not here"),) if added else ()),
    )
    by_share = _paint(facts, confidence, looks, lambda arrow: edges[arrow])
    return Arrows(by_share, _paint(facts, confidence, added, lambda arrow: -edges[arrow]), title, legend)


def _paint_comparison(facts: Facts, confidence: Confidence | None) -> Arrows:
    title = "Arrows beside the true network"
    if facts.comparison is None:
        return Arrows((), (), title, (("", facts.untold),))
    looks = {arrow: (kind, "✓" if kind == "right" else kind) for arrow, kind in facts.judged.items()}
    added = {arrow: look for arrow, look in looks.items() if look[0] == "missing"}
    own = {arrow: look for arrow, look in looks.items() if arrow not in added}
    seen = {kind for kind, _ in looks.values()}
    legend = tuple((kind, words) for kind, words in VERDICTS.items() if kind in seen)
    edges = _paint(facts, confidence, own, lambda arrow: _ORDER[own[arrow][0]])
    return Arrows(edges, _paint(facts, confidence, added, lambda arrow: arrow[0]), title, legend)


_PAINTERS: Mapping[str, Callable[[Facts, Confidence | None], Arrows]] = {
    "worth": _paint_worths,
    "class": _paint_classes,
    "confidence": _paint_confidence,
    "comparison": _paint_comparison,
}
