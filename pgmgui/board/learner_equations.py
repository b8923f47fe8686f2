"""What the chosen learners compute, as equations."""

from __future__ import annotations

from engine.learning.methods import METHODS
from pgmgui.components.equations import Equations, Explanation
from pgmgui.project.words import LEARNERS
from pgmgui.state.session import Session

DECOMPOSED = "Each component is learned from its own rows, and stops on its own."
SYMBOLS = (
    "θ are the parameters, x a state of a variable given the states u of its parents, d the rows of data, "
    "and ψ the prior's exponents."
)


def make_equations(session: Session) -> Equations:
    """The update of each chosen learner, with what it does in words."""
    equations = Equations(SYMBOLS)

    def update(*_: object) -> None:
        equations.explain([explain_learner(method) for method in session.settings.methods], "Choose a learner.")

    session.param.watch(update, "settings")
    update()
    return equations


def explain_learner(method: str) -> Explanation:
    """What a learner does, and its equations."""
    chosen = METHODS[method]
    about = f"{chosen.learner.explanation} {DECOMPOSED if chosen.decomposed else ''}".strip()
    return Explanation(LEARNERS[method], about, tuple(chosen.learner.equations.split(r"\qquad")))
