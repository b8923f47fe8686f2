"""What helps against a finding of the model doctor, as something the user can press and undo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.insight.doctor import Finding
from engine.model.editing import normalise
from pgmgui.state.session import Session

LAPLACE = 2.0
"""The Dirichlet exponent that adds one to every count."""
SOFTENING = 1e-3
"""What zeros are raised by before rows are normalised again."""


@dataclass(frozen=True)
class Remedy:
    """A change of the session that helps.

    Attributes
    ----------
    label, about : str
        For a button.
    apply : callable
        Makes the change; False if it was refused.
    """

    label: str
    about: str
    apply: Callable[[], bool]


def find_remedy(session: Session, finding: Finding) -> Remedy | None:
    """What can be pressed against a finding; None where only the user can decide."""
    v = finding.variable
    variable, table = session.network.variables[v], session.network.tables[v]
    if finding.kind == "impossible":
        softened = normalise(table + SOFTENING * (table == 0))
        return Remedy(
            "Soften zeros",
            f"give the zeros of {variable.name} a small probability",
            lambda: session.set_table(v, softened),
        )
    if finding.kind == "unseen":
        return Remedy(
            "Prior of 2", f"Laplace smoothing for {variable.name}", lambda: session.set_prior(variable.name, LAPLACE)
        )
    if finding.kind == "symmetric":
        drawn = np.random.default_rng(v).dirichlet(np.ones(variable.cardinality), size=table.shape[:-1])
        return Remedy(
            "Randomise",
            f"draw the table of {variable.name} anew",
            lambda: session.set_table(v, drawn.reshape(table.shape)),
        )
    if finding.kind == "unused" and len(finding.states) < variable.cardinality:
        kept = [(k, state) for k, state in enumerate(variable.states) if k not in finding.states]
        return Remedy("Remove unused states", f"of {variable.name}", lambda: session.set_states(variable.name, kept))
    return None
