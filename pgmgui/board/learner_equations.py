"""What the chosen learners compute, as equations."""

from __future__ import annotations

from engine.learning.methods import METHODS
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from pgmgui.components.equations import Equations, Explanation
from pgmgui.project.words import LEARNERS
from pgmgui.state.session import Session

DECOMPOSED: dict[type[Network], str] = {
    BayesianNetwork: "Each component is learned from its own rows, and stops on its own.",
    MarkovNetwork: "The data is summed up component by component, each from its own rows; log Z couples them, so that "
    "they stop together.",
}
SYMBOLS: dict[type[Network], str] = {
    BayesianNetwork: "θ are the parameters, x a state of a variable given the states u of its parents, d the rows of "
    "data, ψ the prior's exponents, and p a prior on a row of a table.",
    MarkovNetwork: "θ are the numbers of the factors f, each for some states x of its variables, d the N rows of data, "
    "and Z sums the product of all factors.",
}


def make_equations(session: Session) -> Equations:
    """The update of each chosen learner that learns such a network, with what it does in words."""
    equations = Equations()

    def update(*_: object) -> None:
        kind = type(session.network)
        able = [method for method in session.settings.methods if kind in METHODS[method].kinds]
        equations.explain([explain_learner(method, kind) for method in able], SYMBOLS[kind], "Choose a learner.")

    session.param.watch(update, ["settings", "derived"])
    update()
    return equations


def explain_learner(method: str, kind: type[Network]) -> Explanation:
    """What a learner does with a kind of network, and its equations."""
    chosen = METHODS[method]
    words = chosen.learner.words[kind]
    about = f"{words.explanation} {DECOMPOSED[kind] if chosen.decomposed else ''}".strip()
    return Explanation(LEARNERS[method], about, tuple(words.equations.split(r"\qquad")))
