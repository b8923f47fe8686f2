"""The table of components: what each holds, what it has reached, and how far it can go."""

from __future__ import annotations

from html import escape

import panel as pn

from engine.learners.learn import Snapshot
from pgmgui.scene import Parts
from pgmgui.words import CERTIFIED, cut

_STYLE = """
:host { color: var(--panel-on-surface-color); font-family: var(--bokeh-base-font); overflow: auto; }
table { border-collapse: collapse; font-size: 12px; width: 100%; }
th { text-align: left; font-weight: 600; position: sticky; top: 0; background: var(--panel-surface-color); }
th, td { padding: 2px 3px; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
"""
_HEADINGS = ("#", "Variables", "Given", "Rows", "Steps", "Objective", "Bound", "Gap")
MOST_ROWS = 200


class Components(pn.viewable.Viewer):
    """One row a component, those with something hidden first."""

    def __init__(self) -> None:
        super().__init__()
        self._pane = pn.pane.HTML(sizing_mode="stretch_both", margin=0, stylesheets=[_STYLE])

    def fill(self, parts: Parts | None, snapshot: Snapshot | None = None) -> None:
        """Draw the table, with what a run has reached if there is one."""
        self._pane.object = "" if parts is None else _table(parts, snapshot)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane


def _table(parts: Parts, snapshot: Snapshot | None) -> str:
    components = parts.task.decomposition.components
    order = sorted(range(len(components)), key=lambda k: (components[k].is_complete, k))
    heads = "".join(f"<th{'' if k in (1, 2) else ' class=number'}>{name}</th>" for k, name in enumerate(_HEADINGS))
    rows = "".join(_row(parts, snapshot, k) for k in order[:MOST_ROWS])
    more = f"<p>and {len(order) - MOST_ROWS:,} more</p>" if len(order) > MOST_ROWS else ""
    return f'<table aria-label="Components"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}'


def _row(parts: Parts, snapshot: Snapshot | None, k: int) -> str:
    task = parts.task
    component, bound = task.decomposition.components[k], float(parts.bounds.patterns[k])
    names = [variable.name for variable in task.layout.network.variables]
    cells = [
        f"{k + 1}",
        escape(cut([names[v] for v in component.variables], 6)),
        escape(cut([names[v] for v in component.boundary], 4)),
        f"{task.distinct_rows[k]:,}",
    ]
    if snapshot is None:
        cells += ["", "", f"{bound:,.2f}", ""]
    else:
        reached = float(snapshot.objective[snapshot.best, k])
        gap = max(0.0, bound - reached)
        cells += [
            f"{int(snapshot.iterations[snapshot.best, k]):,}",
            f"{reached:,.2f}",
            f"{bound:,.2f}",
            "certified" if gap <= CERTIFIED else f"{gap:,.3g}",
        ]
    shown = "".join(f"<td{'' if c in (1, 2) else ' class=number'}>{text}</td>" for c, text in enumerate(cells))
    return f"<tr data-component={k + 1}>{shown}</tr>"
