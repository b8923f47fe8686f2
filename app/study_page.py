"""One HTML file of all studies: tables and figures, the paper's numbers beside ours, and what each confirms.

It stands on its own: no script, no style sheet, no font of elsewhere. All texts are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from app.study_output import show_number
from engine.studies.chart import Chart
from engine.studies.study import Outcome, Table, Verdict
from pgmgui.project.figures import draw_charts

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1100px; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px }
th, td { padding: 3px 9px; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
.paper { color: #666 }
.scroll { overflow-x: auto }
svg { max-width: 100%; height: auto }
li { margin: 4px 0 }
.confirmed { color: #07633f; font-weight: 600 }
.not-confirmed { color: #a03a00; font-weight: 600 }
.not-run, .not-finished { color: #555; font-style: italic }
"""


@dataclass(frozen=True)
class Section:
    """A study on the page: what came out, or why it was not run, or not to its end."""

    name: str
    shows: str
    table: Table[Outcome] | None = None
    charts: Sequence[Chart] = ()
    verdict: Verdict | None = None
    notes: Sequence[str] = field(default_factory=tuple)
    reason: str = ""


SIGNS = {"confirmed": "✓", "not confirmed": "✗", "not finished": "…", "not run": "–"}
"""What stands before each verdict: colours alone do not tell them apart."""


def describe_verdict(section: Section) -> str:
    """Confirmed or not, in a word or two."""
    if section.verdict is None:
        return "not run" if section.table is None else "not finished"
    return "confirmed" if section.verdict.is_confirmed else "not confirmed"


def describe_totals(sections: Sequence[Section], total: int) -> str:
    """How many of all studies have come out how: "23 of 33 confirmed, 6 not confirmed, 4 not run"."""
    found = [describe_verdict(section) for section in sections]
    found += ["not run"] * (total - len(sections))
    first, *others = [sign for sign in SIGNS if sign in found or sign != "not finished"]
    return ", ".join([f"{found.count(first)} of {total} {first}", *(f"{found.count(one)} {one}" for one in others)])


def make_page(sections: Sequence[Section], about: str) -> str:
    """The page, with what each study says at its beginning."""
    entries = "".join(
        f'<li><a href="#{escape(each.name)}">{escape(each.name)}</a>: {_mark(each)} {escape(_tell(each))}</li>'
        for each in sections
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The papers, reproduced</title>'
        f"<style>{STYLE}</style></head><body><h1>The papers, reproduced</h1><p>{escape(about)}</p>"
        f"<ul>{entries}</ul>{''.join(map(_make_section, sections))}</body></html>\n"
    )


def _mark(section: Section) -> str:
    found = describe_verdict(section)
    return f'<span class="{found.replace(" ", "-")}">{SIGNS[found]} {found}</span>'


def _tell(section: Section) -> str:
    return section.reason if section.verdict is None else section.verdict.why


def _make_section(section: Section) -> str:
    parts = [
        f'<section><h2 id="{escape(section.name)}">{escape(section.name)}</h2><p>{escape(section.shows)}.</p>',
        f"<p>{_mark(section)}: {escape(_tell(section))}.</p>",
    ]
    if section.table is not None:
        parts += [f'<div class="scroll">{_make_table(section.table)}</div>', draw_charts(section.charts)]
    if section.notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in section.notes)}</ul>")
    return "".join(parts) + "</section>"


def _make_table(table: Table[Outcome]) -> str:
    known = [c for c in table.columns if any(row.thesis[c] is not None for row in table.rows)]
    head = "".join(
        f"<th>{escape(column)}</th>" + ('<th class="paper">paper</th>' if column in known else "")
        for column in table.columns
    )
    lines = []
    for row in table.rows:
        cells = [f"<td>{escape(row.category)}</td>"]
        for column in table.columns:
            cells.append(f"<td>{show_number(row.ours[column], table.unit)}</td>")
            if column in known:
                cells.append(f'<td class="paper">{show_number(row.thesis[column], table.unit)}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><caption>{escape(table.title)}</caption><tr><th></th>{head}</tr>{''.join(lines)}</table>"
