"""What is shown of an answer: the bars of each variable, and what is supposed of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pgmgui.components.bars.bars import Card
from pgmgui.components.canvas.graph import Beliefs
from pgmgui.project.supposing import Likelihood, describe_supposed, find_state
from pgmgui.state.answers import Answer, Answers, Marginals
from pgmgui.state.session import Session

MOST_STATES = 6
"""States of a variable that have bars."""


def make_card(answer: Answer, evidence: Mapping[str, Likelihood], v: int, most: int) -> Card:
    """The bars of a variable: of its first states, if it has more than so many."""
    variable = answer.network.variables[v]
    supposed = evidence.get(variable.name, ())
    state = find_state(supposed)
    return Card(
        variable.name,
        variable.states[:most],
        _cut(answer.before, v, most),
        _cut(answer.after, v, most),
        supposed,
        -1 if state is None else state,
        max(0, variable.cardinality - most),
    )


def look_into(session: Session, answers: Answers) -> Beliefs:
    """What the canvas shows of the session's queries."""
    network, evidence, found = session.network, session.evidence, answers.answer
    supposed = {
        v: describe_supposed(name, network.variables[v].states, evidence[name])
        for name, v in network.index.items()
        if name in evidence
    }
    if not session.bars or found is None or not answers.fits:
        return Beliefs(session.bars, (), supposed)
    every = range(len(network.variables))
    return Beliefs(True, tuple(make_card(found, evidence, v, MOST_STATES) for v in every), supposed)


def _cut(marginals: Marginals | None, v: int, most: int) -> tuple[float, ...]:
    return () if marginals is None else tuple(np.round(marginals[v][:most], 6).tolist())
