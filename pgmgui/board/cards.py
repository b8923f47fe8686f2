"""What is shown of an answer: the bars of each variable, and what is supposed of it."""

from __future__ import annotations

import numpy as np

from pgmgui.components.bars.bars import Card
from pgmgui.components.canvas.graph import Beliefs
from pgmgui.project.supposing import find_state
from pgmgui.project.wanted import Supposed, describe_all, find_kind, find_margin
from pgmgui.state.answers import Answer, Answers, Marginals
from pgmgui.state.session import Session

MOST_STATES = 6
"""States of a variable that have bars."""


def make_card(answer: Answer, supposed: Supposed, v: int, most: int) -> Card:
    """The bars of a variable: of its first states, if it has more than so many."""
    variable = answer.network.variables[v]
    kind, numbers = find_kind(supposed, variable.name)
    state = find_state(numbers) if kind == "state" else None
    return Card(
        variable.name,
        variable.states[:most],
        _cut(answer.before, v, most),
        _cut(answer.after, v, most),
        kind,
        numbers,
        -1 if state is None else state,
        max(0, variable.cardinality - most),
        find_margin(supposed, variable.name, answer.network) if kind == "together" else (),
    )


def look_into(session: Session, answers: Answers) -> Beliefs:
    """What the canvas shows of the session's queries."""
    network, supposed, found = session.network, session.supposed, answers.answer
    words = {network.index[name]: describe_all(supposed, name, network) for name in supposed.names}
    # While other arrows are shown, what follows from the network's own is not.
    if not session.bars or found is None or not answers.fits or session.structure is not None:
        return Beliefs(session.bars, (), words)
    every = range(len(network.variables))
    return Beliefs(True, tuple(make_card(found, supposed, v, MOST_STATES) for v in every), words)


def _cut(marginals: Marginals | None, v: int, most: int) -> tuple[float, ...]:
    return () if marginals is None else tuple(np.round(marginals[v][:most], 6).tolist())
