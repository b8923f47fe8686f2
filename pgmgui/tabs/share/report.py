"""A run as one HTML page that opens anywhere, without a server or a network connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import product

from engine.learning.bounds import Bounds
from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.table_prior import TablePrior, describe_table_prior
from pgmgui.board.picture import draw, look_at
from pgmgui.components.canvas.graph import Arrows
from pgmgui.project.certificate import certify
from pgmgui.project.factor_prior import FactorPrior, describe_factor_prior
from pgmgui.project.scene import Scene
from pgmgui.project.target_words import describe_targets
from pgmgui.project.tying import describe_ties
from pgmgui.project.words import cut, describe_savings, name_factors, show_gap, summarise
from pgmgui.state.predicting import Predicted
from pgmgui.state.session import Session
from pgmgui.tabs.share.held_out import report_held_out
from pgmgui.tabs.share.html_table import write_table
from pgmgui.tabs.share.svg import draw_curves, draw_legend, draw_network

MOST_TABLE_ROWS = 64
"""Rows of a table that a report prints."""
_STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; color: #222; max-width: 900px; margin: 32px auto; padding: 0 16px; }
h1 { margin-bottom: 0; } h2 { margin-top: 40px; } svg { width: 100%; height: auto; }
.charts { display: flex; flex-wrap: wrap; gap: 16px; } .charts svg { width: auto; } h4 { margin: 16px 0 4px; }
table { border-collapse: collapse; font-size: 14px; margin: 8px 0 24px; }
th, td { padding: 3px 10px; border-bottom: 1px solid #ddd; text-align: left; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
"""


def make_report(
    session: Session,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    outcomes: Sequence[str],
    when: datetime,
    predicted: Predicted | None = None,
    arrows: Arrows | None = None,
) -> str:
    """The page about what is open and what the last run has reached.

    Parameters
    ----------
    curves : mapping from a learner's title to points (iteration, objective)
    outcomes : sequence of str
        What became of each learner, in sentences.
    predicted : Predicted, optional
        What was learned says of the rows held out, where some are.
    arrows : Arrows, optional
        How the network's arrows look.
    """
    scene, parts, learned = session.scene, session.parts, session.learned
    facts = " · ".join(summarise(session.network, session.seen, scene.given, session.held_out_rows, scene.ties))
    sections = [
        f"<h1>{escape(scene.title)}</h1><p>{escape(scene.note)}</p><p>{escape(facts)}</p>",
        draw_network(draw(session.document, factor_graph=session.factor_graph), look_at(session), arrows),
    ]
    if arrows is not None:
        sections.append(draw_legend(arrows))
    if parts is not None:
        facts = "".join(f"<p>{escape(line)}</p>" for line in [describe_savings(parts.task), *describe_ties(parts.task)])
        sections.append(f"<h2>Decomposition</h2>{facts}")
        sections.append(_components(session, learned))
    if parts is not None and learned is not None:
        # The outcomes may tell the certificate too.
        lines = dict.fromkeys([certify(parts.bounds, learned), *_describe_aim(scene, parts.task), *outcomes])
        sections.append(f"<h2>Learning</h2>{''.join(f'<p>{escape(line)}</p>' for line in lines)}")
        sections.append(draw_curves(curves, parts.bounds.total))
        if predicted is not None:
            sections.append(report_held_out(predicted))
    network = session.network if learned is None else learned.network()
    sections.append(f"<h2>{'Parameters' if learned is None else 'Learned parameters'}</h2>")
    sections += [_table(network, k) for k in range(len(network.tables))]
    sections.append(f"<p>Made by pgmgui on {when:%Y-%m-%d %H:%M}.</p>")
    head = f'<meta charset="utf-8"><title>{escape(scene.title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{"".join(sections)}</body></html>\n'


def _describe_aim(scene: Scene, task: LearningTask) -> list[str]:
    """What is learned besides the likelihood, in sentences."""
    lines, prior = [line for line in [describe_targets(task)] if line], scene.whole_prior
    if isinstance(prior, FactorPrior):
        lines.append(f"With {describe_factor_prior(prior)}.")
    if isinstance(prior, TablePrior):
        lines.append(f"With {describe_table_prior(prior)}.")
    if scene.given:
        names = [scene.document.network.variables[v].name for v in scene.given]
        lines.append(f"The likelihood of the others given {cut(names, 8)} (a conditional random field).")
    return lines


def _components(session: Session, learned: Snapshot | None) -> str:
    parts = session.parts
    if parts is None:
        return ""
    names = [variable.name for variable in session.network.variables]
    rows = []
    for k, component in enumerate(parts.task.decomposition.components):
        learns = [names[v] for v in component.variables]
        if isinstance(session.network, MarkovNetwork):
            learns = name_factors(session.network, component.factors)
        cells = [
            str(k + 1),
            cut(learns, 8),
            cut([names[v] for v in component.boundary], 8),
            f"{parts.task.distinct_rows[k]:,}",
        ]
        if isinstance(parts.bounds, Bounds):
            bound = float(parts.bounds.imap[k])
            cells.append(f"{bound:,.4f}")
            if learned is not None and learned.objective.shape[1] == len(parts.bounds.imap):
                reached = float(learned.objective[learned.best, k])
                cells += [f"{reached:,.4f}", show_gap(max(0.0, bound - reached))]
        rows.append(cells)
    first = "Factors" if isinstance(session.network, MarkovNetwork) else "Variables"
    heads = ["#", first, "Given", "Distinct rows", "Bound", "Objective", "Gap"][: len(rows[0]) if rows else 0]
    return write_table("Components", heads, rows, {0, 3, 4, 5, 6})


def _table(network: Network, number: int) -> str:
    """A conditional probability table or a factor, a row a configuration of all its variables but the last."""
    table = network.tables[number]
    if not table.ndim:
        return f"<p>A constant factor of {float(table):.4g}.</p>"
    *parents, variable = (network.variables[v] for v in network.scopes[number])
    flat = table.reshape(-1, variable.cardinality)
    rows = list(_table_rows(flat, product(*(parent.states for parent in parents))))
    more = f"<p>and {len(flat) - MOST_TABLE_ROWS:,} more rows</p>" if len(flat) > MOST_TABLE_ROWS else ""
    heads = [*(parent.name for parent in parents), *variable.states]
    name = variable.name if isinstance(network, BayesianNetwork) else name_factors(network, [number])[0]
    return write_table(name, heads, rows, set(range(len(parents), len(heads)))) + more


def _table_rows(flat: Floats, configurations: Iterator[tuple[str, ...]]) -> Iterator[list[str]]:
    for values, states in zip(flat[:MOST_TABLE_ROWS], configurations, strict=False):
        yield [*states, *(f"{value:.4f}" for value in values)]
