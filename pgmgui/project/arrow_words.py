"""What is known of arrows, in words."""

from __future__ import annotations

from engine.model.messages import count
from engine.structure.bootstrap import Confidence
from engine.structure.constraints import Arrow
from pgmgui.project.arrows import Facts
from pgmgui.project.structure_settings import SCORE_TITLES
from pgmgui.project.words import cut, show_nats

MOST_ARROWS = 4
"""Arrows that are named in a sentence."""
BAYESIAN = ("bde", "bdeu")
"""Scores that average over parameters."""
OFTEN = 0.5
"""From this share of the resamples on, an edge that the structure lacks is told."""
_VERDICTS = {
    "right": "The true network has it too.",
    "turned": "In the true network it points the other way.",
    "extra": "The true network has no such edge.",
    "missing": "The true network has it, and this one does not.",
}


def show_worth(worth: float, digits: int = 3) -> str:
    """A worth with its sign.

    >>> show_worth(41.23), show_worth(-0.5), show_worth(0.0)
    ('+41.2', '−0.5', '0')
    """
    return f"{'+' if worth > 0 else '−'}{show_nats(abs(worth), digits)}" if worth else "0"


def name_arrow(facts: Facts, arrow: Arrow) -> str:
    """An arrow by the names of its ends."""
    return f"{facts.names[arrow[0]]} → {facts.names[arrow[1]]}"


def describe_arrow(facts: Facts, confidence: Confidence | None, arrow: Arrow) -> str:
    """All that is known of an arrow, which may be one that the structure lacks."""
    said = [f"{name_arrow(facts, arrow)}."]
    worth = facts.worths.get(arrow)
    if worth is not None:
        title, nats = SCORE_TITLES[facts.score], show_nats(abs(worth))
        change = f"{nats} nats {'lower' if worth > 0 else 'higher'}"
        said.append(f"Without it the {title} {'would be as it is' if not worth else f'is {change}'}.")
    if arrow[0] in facts.parents[arrow[1]]:
        said.append(_tell_class(facts, arrow))
    if confidence is not None:
        either, this = confidence.edges[arrow], confidence.arrows[arrow]
        said.append(f"Found in {either:.0%} of {count(confidence.resamples, 'resample')}, {this:.0%} this way.")
    verdict = facts.judged.get(arrow)
    return " ".join([*said, *([_VERDICTS[verdict]] if verdict else [])])


def _tell_class(facts: Facts, arrow: Arrow) -> str:
    if facts.is_reversible(arrow):
        return "Reversible: an equivalent network has it the other way."
    if arrow in facts.fixed:
        return "Held by a constraint: it may not point the other way."
    among = " that meet the constraints" if facts.fixed else ""
    return f"Compelled: all equivalent networks{among} have it this way."


def describe_worths(facts: Facts) -> str:
    """What the arrows are worth together, and which of them nothing."""
    if facts.total is None:
        return facts.trouble
    title, arrows = SCORE_TITLES[facts.score], facts.arrows
    by = f" of the rows as {facts.expected} expects them" if facts.expected else ""
    said = f"{title}{by}: {facts.total:,.2f}.{_tell_difference(facts)}"
    idle = [arrow for arrow in arrows if facts.worths[arrow] <= 0]
    if idle:
        named = cut([name_arrow(facts, arrow) for arrow in idle], MOST_ARROWS)
        return f"{said} It would be no lower without {count(len(idle), 'arrow')}: {named}."
    if arrows:
        weakest = min(arrows, key=lambda arrow: facts.worths[arrow])
        said += f" The weakest arrow is {name_arrow(facts, weakest)}, worth {show_nats(facts.worths[weakest])} nats."
    return said


def _tell_difference(facts: Facts) -> str:
    """Why a search has another score where cells are missing."""
    if not facts.expected:
        return ""
    if facts.score in BAYESIAN:
        return " A search has another score, as it expects the missing cells by the network of its own last round."
    return (
        " A search has another score, a higher one as a rule: that of the known cells alone, which are more likely "
        "than rows with all their cells."
    )


def describe_class(facts: Facts) -> str:
    """Which arrows could point the other way."""
    arrows = facts.arrows
    if not arrows:
        return "There are no arrows."
    free = [arrow for arrow in arrows if facts.is_reversible(arrow)]
    if not free:
        among = ", and meets the constraints" if facts.fixed else ""
        return (
            f"None of the {count(len(arrows), 'arrow')} could point the other way: no other network is "
            f"equivalent{among}."
        )
    named = cut([name_arrow(facts, arrow) for arrow in free], MOST_ARROWS)
    if len(free) == len(arrows):
        return f"Each of the {count(len(arrows), 'arrow')} could point the other way in an equivalent network: {named}."
    among = " that meet the constraints" if facts.fixed else ""
    rest = "the other points" if len(free) == 1 else f"the other {len(free):,} point"
    return (
        f"{len(arrows) - len(free):,} of {count(len(arrows), 'arrow')} could not point the other way: all equivalent "
        f"networks{among} have them so. No data tells how {rest}: {named}."
    )


def describe_comparison(facts: Facts) -> str:
    """How far the structure is from the true one."""
    found = facts.comparison
    if found is None:
        return facts.untold
    if not found.distance:
        return f"Beside the true network: all {count(len(found.right), 'arrow')} right, none missing or extra; SHD 0."
    return (
        f"Beside the true network: {len(found.right):,} right, {len(found.turned):,} turned, {len(found.missing):,} "
        f"missing, {len(found.extra):,} extra; SHD {found.distance:,}, {found.class_distance:,} between the classes of "
        "equivalent networks."
    )


def describe_confidence(facts: Facts, confidence: Confidence) -> str:
    """How sure the arrows are, and which the structure lacks that are often found."""
    arrows, edges = facts.arrows, confidence.edges
    drawn = count(confidence.resamples, "resample")
    sure = sum(edges[arrow] >= OFTEN for arrow in arrows)
    said = f"Found in half of {drawn} or more, either way round: {sure:,} of {count(len(arrows), 'arrow')}."
    lacking = list_lacking(facts, confidence)
    if lacking:
        named = cut([name_arrow(facts, arrow) for arrow in lacking], MOST_ARROWS)
        said += f" As often found, but not here: {named}."
    return said


def list_lacking(facts: Facts, confidence: Confidence) -> list[Arrow]:
    """The edges that the structure lacks and half of the resamples or more have, the most frequent first.

    Each in the direction that is found more often.
    """
    edges, found = confidence.edges, []
    known = {frozenset(arrow) for arrow in facts.arrows}
    for a, b in zip(*(edges >= OFTEN).nonzero(), strict=True):
        arrow = (int(a), int(b)) if confidence.arrows[a, b] >= confidence.arrows[b, a] else (int(b), int(a))
        if a < b and frozenset(arrow) not in known:
            found.append(arrow)
    return sorted(found, key=lambda arrow: (-edges[arrow], arrow))
