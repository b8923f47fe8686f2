"""The missingness studio in words: what a mechanism is, what can be known of it, and the bias."""

from __future__ import annotations

import numpy as np

from engine.model.arrays import Floats
from engine.model.network import Network
from engine.model.variable import Variable
from pgmgui.project.absence import Compared, Facts
from pgmgui.project.marks import Absent
from pgmgui.project.numbers import show_percent
from pgmgui.project.words import cut

WAYS = {"ignoring": "As if at random", "modelling": "With the mechanism"}
"""Both ways to learn."""
ALMOST = 1 - 1e-9
"""A share missing above which nothing is left but rounding."""


def describe_choice(name: str, holes: bool) -> str:
    """What the studio is for, while nothing is said of a variable."""
    if holes:
        return (
            f"Values of {name} are missing in the data itself; what they were is not known. Choose what decides which: "
            "then learn with that in the network, and without."
        )
    return (
        f"All values of {name} are known. Choose what decides which of them go missing: a mark then covers them, and "
        "shows them again when it is taken off."
    )


def describe_kind(facts: Facts) -> str:
    """What kind of mechanism it is, in a sentence or two."""
    name, causes = facts.target, facts.causes
    if facts.kind == "mcar":
        return (
            f"Completely at random (MCAR): whether {name} is there depends on nothing. What is missing can be ignored."
        )
    if facts.kind == "mar":
        return (
            f"At random (MAR): whether {name} is there depends on {_join(causes)}, which every row tells. Learning "
            "that ignores the mechanism has no bias."
        )
    if name in causes:
        others = [cause for cause in causes if cause != name]
        also = f" and on {_join(tuple(others))}" if others else ""
        return (
            f"Not at random (NMAR): whether {name} is there depends on its own value{also}. Learned as if at random, "
            "it is biased."
        )
    return (
        f"Not at random (NMAR): whether {name} is there depends on {_join(causes)}, which not every row tells. Learned "
        "as if at random, it may be biased."
    )


def describe_identification(facts: Facts, network: Network) -> str:
    """Whether the mechanism can be learned; empty where it need not be."""
    found, name = facts.identification, facts.target
    if found.kind != "ignorable" and (never := _find_never_seen(facts, network)):
        return (
            f"{name} is never seen as {' or '.join(never)}: it is missing whenever it is that. The data cannot tell "
            "such a state from the others where they are missing, nor how often it occurs; what is learned of it is a "
            "guess. A chance below 1 would show some of it."
        )
    names = [network.variables[i].name for i in found.informants]
    if found.kind == "none":
        return (
            f"Nothing that is seen tells of {name} where it is missing. The data cannot say how many of the missing "
            "values have which state: many answers fit it equally well, and what is learned with the mechanism is just "
            "one of them."
        )
    if found.kind == "few":
        return (
            f"Only {cut(names)} tells of {name} where it is missing, with fewer combinations of states than {name} has "
            "states: the data determine the mechanism in part only."
        )
    if found.kind == "enough":
        return (
            f"Where {name} is missing, {cut(names)} {'tells' if len(names) == 1 else 'tell'} of it, so that the "
            "mechanism can be learned; the weaker they depend on each other, the more rows that takes."
        )
    return ""


def _find_never_seen(facts: Facts, network: Network) -> tuple[str, ...]:
    """The states of the target that are always missing, by the mechanism or as the data has it."""
    states = network.variables[network.index[facts.target]].states
    known = [facts.counted] if facts.expected is None else [facts.counted, facts.expected]
    return tuple(state for k, state in enumerate(states) if any(one.states[k] > ALMOST for one in known))


def describe_shares(facts: Facts, rows: float) -> str:
    """How much is missing in all, in a sentence."""
    whole = facts.counted.whole
    told = f"Missing in the data: {show_percent(round(whole, 4))}, {whole * rows:,.6g} of {rows:,.6g} rows"
    if facts.expected is None:
        return f"{told}."
    by = "the network that the data was drawn from" if facts.by_truth else "the network on the page"
    return f"{told}; by the mechanism and {by}: {show_percent(round(facts.expected.whole, 4))}."


def describe_unknown(facts: Facts) -> str:
    """What is not known of data that has holes itself; empty where all is."""
    if facts.knows_values:
        return ""
    return (
        f"What share of each state of {facts.target} is missing is not known: the values that are missing were never "
        "recorded."
    )


def describe_compared(found: Compared, variable: Variable, mark: Absent | None) -> list[str]:
    """How far off both ways are, in sentences."""
    bias = found.bias
    ignoring, modelling = bias.ignoring.marginal, bias.modelling.marginal
    name = variable.name
    lines = []
    if found.reference is None:
        lines.append(
            f"The truth is not known, for the data came with its holes. The two ways differ by up to "
            f"{_show(ignoring - modelling)} in the distribution of {name}."
        )
    else:
        what = "the true distribution" if found.by_truth else "the distribution in the complete data"
        lines.append(
            f"As if at random, {name} is off {what} by up to {_show(ignoring - found.reference)}; with the mechanism "
            f"by up to {_show(modelling - found.reference)}."
        )
        if not found.by_truth:
            lines.append("The true one is not known, for the data was not simulated here.")
    late = [WAYS[way].lower() for way in WAYS if not getattr(bias, way).converged]
    if late:
        lines.append(f"Learning {' and '.join(late)} had not converged when it ended.")
    if bias.modelling.shares is not None and mark is not None:
        shares = zip(variable.states, bias.modelling.shares.states.tolist(), strict=True)
        told = [f"{state} {show_percent(round(share, 4))}" for state, share in shares if not np.isnan(share)]
        lines.append(f"The mechanism that was learned, missing of each state: {cut(told, 8)}.")
    return lines


def _show(difference: Floats) -> str:
    return f"{abs(difference).max(initial=0.0):.3f}"


def _join(names: tuple[str, ...]) -> str:
    return " and ".join(names)
