"""What helps against a finding of the model doctor, as something the user can press and undo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.insight.doctor import Finding
from engine.model.editing import normalise
from engine.model.network import MarkovNetwork
from engine.model.prior import Gaussian
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
    if finding.kind == "unused":
        return _remove_states(session, finding)
    if isinstance(session.network, MarkovNetwork):
        return _find_factor_remedy(session, session.network, finding)
    return _find_table_remedy(session, finding)


def _remove_states(session: Session, finding: Finding) -> Remedy | None:
    variable = session.network.variables[finding.variable]
    kept = [(k, state) for k, state in enumerate(variable.states) if k not in finding.states]
    if not kept or session.scene.hold_out is not None:  # rows held out may have the state
        return None
    return Remedy("Remove unused states", f"of {variable.name}", lambda: session.set_states(variable.name, kept))


def _find_table_remedy(session: Session, finding: Finding) -> Remedy | None:
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
    return None


def _find_factor_remedy(session: Session, network: MarkovNetwork, finding: Finding) -> Remedy | None:
    if finding.kind == "diverging":
        return Remedy(
            "L2 prior", "a Gaussian prior of width 1 on all factors", lambda: session.set_factor_prior(Gaussian(1.0))
        )
    if finding.kind == "impossible" and finding.factor is not None:
        number, table = finding.factor, network.tables[finding.factor]
        softened = np.where(table == 0, SOFTENING * (table.max() or 1.0), table)
        return Remedy(
            "Soften zeros", "give the zeros of the factor a small value", lambda: session.set_table(number, softened)
        )
    if finding.kind == "symmetric":
        number = next(k for k, scope in enumerate(network.scopes) if finding.variable in scope)
        table = network.tables[number]
        drawn = np.random.default_rng(number).lognormal(size=table.shape) * (table > 0)
        return Remedy("Randomise", "draw one of its factors anew", lambda: session.set_table(number, drawn))
    return None
