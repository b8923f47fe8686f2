"""The table of arrows: what is known of each; those that the structure lacks, where others have them, come last."""

from __future__ import annotations

from engine.structure.bootstrap import Confidence
from engine.structure.constraints import Arrow
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.arrow_words import describe_arrow, list_lacking, name_arrow, show_worth
from pgmgui.project.arrows import Facts
from pgmgui.project.structure_settings import SCORE_TITLES

VERDICTS = {"right": "✓ right", "turned": "turned", "extra": "extra", "missing": "missing"}
LACKING = "(not here)"


def list_rows(facts: Facts, confidence: Confidence | None) -> list[Arrow]:
    """The arrows of the structure; then those of the true network and those often found that it lacks."""
    lacking = [arrow for arrow, verdict in facts.judged.items() if verdict == "missing"]
    known = {frozenset(arrow) for arrow in lacking}
    often = [] if confidence is None else list_lacking(facts, confidence)
    return [*facts.arrows, *lacking, *(arrow for arrow in often if frozenset(arrow) not in known)]


def arrows_source(facts: Facts, confidence: Confidence | None, arrows: list[Arrow]) -> Source:
    """The rows of the table; what nothing is known of has no column."""
    columns = [Column("Arrow", "head", "from a parent to its child")]
    if facts.worths:
        title = SCORE_TITLES[facts.score]
        columns.append(Column("Worth", "number", f"how much lower the {title} is without it, in nats", 76))
    columns.append(Column("Class", "text", "whether an equivalent network has it the other way"))
    if facts.comparison is not None:
        columns.append(Column("True", "text", "what the true network says of it"))
    if confidence is not None:
        about = f"in how many of {confidence.resamples} searches in resampled data"
        columns.append(Column("Found", "number", f"{about} it was found, either way round", 62))
        columns.append(Column("This way", "number", f"{about} it was found as it is here", 72))

    def cells(first: int, last: int) -> list[list[Cell]]:
        return [_make_row(facts, confidence, arrow) for arrow in arrows[first : last + 1]]

    return Source(tuple(columns), len(arrows), cells, "Arrows")


def _make_row(facts: Facts, confidence: Confidence | None, arrow: Arrow) -> list[Cell]:
    is_here = arrow[0] in facts.parents[arrow[1]]
    row: list[Cell] = [{"text": name_arrow(facts, arrow), "about": describe_arrow(facts, confidence, arrow)}]
    if facts.worths:
        worth = facts.worths.get(arrow)
        row.append("" if worth is None else {"text": show_worth(worth), "key": worth})
    compelled = "by constraint" if arrow in facts.fixed else "compelled"
    free = "reversible" if facts.is_reversible(arrow) else compelled
    row.append(free if is_here else LACKING)
    if facts.comparison is not None:
        row.append(VERDICTS.get(facts.judged.get(arrow, ""), ""))
    if confidence is not None:
        row += [f"{confidence.edges[arrow]:.0%}", f"{confidence.arrows[arrow]:.0%}"]
    return row
