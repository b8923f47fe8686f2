"""The rows held out, as a section of a report."""

from __future__ import annotations

from html import escape

from engine.insight.prediction import Prediction
from engine.model.variable import Variable
from pgmgui.project.charts import draw_charts
from pgmgui.project.held_out_words import describe_impossible, describe_prediction, describe_split, show_loss
from pgmgui.state.predicting import Predicted
from pgmgui.tabs.share.html_table import write_table

MOST_STATES = 8
"""States of a variable whose curves, and confusion, a report has."""


def report_held_out(found: Predicted) -> str:
    """How the parameters stand on the rows held out, and how well they foretell a variable of them."""
    lines = describe_split(found.parts.split)
    if found.score is not None:
        train, test = show_loss(-found.train), show_loss(found.score.log_loss)
        lines.append(f"Log-loss per row: learned from {train}, held out {test} nats.")
        lines.append(describe_impossible(found.score.impossible))
    lines.append(found.trouble)
    parts = ["<h2>Rows held out</h2>", *(f"<p>{escape(line)}</p>" for line in lines if line)]
    if found.prediction is not None:
        network = found.parts.task.network
        parts.append(_report_prediction(found.prediction, network.variables[network.index[found.target]]))
    return "".join(parts)


def _report_prediction(found: Prediction, variable: Variable) -> str:
    """Accuracy, confusion, ROC and calibration of a variable."""
    words = "".join(f"<p>{escape(line)}</p>" for line in describe_prediction(found, variable))
    title, states = f"<h3>{escape(variable.name)}</h3>", variable.states
    if len(states) > MOST_STATES:
        return f"{title}{words}<p>It has {len(states):,} states: the Runs tab shows the curves of each.</p>"
    rows = [
        [state, *(f"{float(number):,.6g}" for number in told)]
        for state, told in zip(states, found.confusion, strict=True)
    ]
    heads = ["Is", *(f"said {state}" for state in states)]
    confusion = write_table("Confusion: rows by what is and what was said", heads, rows, set(range(1, len(heads))))
    charts = [
        f"<h4>{escape(f'{variable.name} = {state}')}</h4>{draw_charts(found, variable, state)}" for state in states
    ]
    return "".join([title, words, confusion, *charts])
