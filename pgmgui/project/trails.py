"""Trails, separation and Markov blankets in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.insight.separation import Separation, Step, Trail
from engine.insight.trails import Graph
from engine.model.network import BayesianNetwork, Network
from engine.model.relatives import Tie
from pgmgui.project.words import count, cut

MOST_NAMED = 12
"""Variables named in a sentence."""


@dataclass(frozen=True)
class ShownTrail:
    """A trail as the canvas shows it: the names along it, those where it is blocked, and what else is given."""

    names: tuple[str, ...]
    stops: tuple[str, ...]
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Knowledge:
    """The variables whose state is known, and those with a likelihood, which is less."""

    known: frozenset[int]
    likely: frozenset[int]


def show_trail(network: Network, trail: Trail | None, given: tuple[str, ...] = ()) -> ShownTrail | None:
    """A trail, if any, and what else is given, for the canvas; None where there is nothing to show."""
    if trail is None:
        return ShownTrail((), (), given) if given else None
    stops = tuple(network.variables[step.variable].name for step in trail.steps if not step.is_open)
    return ShownTrail(tuple(network.variables[v].name for v in trail.variables), stops, given)


def write_trail(network: Network, trail: Trail) -> str:
    """A trail with its arrows, such as ``tub → either ← lung``."""
    graph = Graph(network)
    words = [network.variables[trail.variables[0]].name]
    for before, after in zip(trail.variables, trail.variables[1:], strict=False):
        sign = "→" if graph.points(before, after) else "←" if graph.points(after, before) else "—"
        words += [sign, network.variables[after].name]
    return " ".join(words)


def describe_separation(
    network: Network, sides: Sequence[Collection[int]], knowledge: Knowledge, found: Separation
) -> list[str]:
    """Whether two variables, or sets of them, are separated, and what would separate them."""
    names = [[network.variables[v].name for v in side if v not in knowledge.known] for side in sides]
    if not all(names):
        known = [network.variables[v].name for side in sides for v in side if v in knowledge.known]
        return [f"{' and '.join(known)} {_is(known)} known: nothing else can tell anything about {_it(known)}."]
    both = " and ".join(own[0] if len(own) == 1 else f"{{{cut(own, MOST_NAMED)}}}" for own in names)
    told = _tell_knowledge(network, knowledge)
    term = "d-separated" if isinstance(network, BayesianNetwork) else "separated"
    if not found.is_separated:
        trails = "an active trail leads" if len(found.active) == 1 else "active trails lead"
        lines = [f"{both} may depend on each other{told}: {trails} from one to the other."]
        return [*lines, _tell_separators(network, found)]
    why = "every trail between them is blocked" if found.blocked else "no trail leads from one to the other"
    return [f"{both} are independent{told}, whatever the numbers are ({term}): {why}."]


def _tell_knowledge(network: Network, knowledge: Knowledge) -> str:
    known = [network.variables[v].name for v in sorted(knowledge.known)]
    likely = [f"a likelihood of {network.variables[v].name}" for v in sorted(knowledge.likely)]
    return f" given {cut(known + likely, MOST_NAMED)}" if known or likely else ""


def describe_likelihoods(network: Network, knowledge: Knowledge) -> list[str]:
    """What likelihoods do to trails, if there are any."""
    if not knowledge.likely:
        return []
    if isinstance(network, BayesianNetwork):
        return ["A likelihood is an observed child of its variable: it opens colliders, and blocks nothing."]
    return ["A likelihood blocks nothing in a Markov network, and there is nothing to open."]


def _tell_separators(network: Network, found: Separation) -> str:
    sets = [[network.variables[v].name for v in one] for one in found.separators]
    if not sets:
        return "Nothing else that could be known would separate them."
    if len(sets[0]) > 1:
        return f"To know {cut(sets[0], MOST_NAMED)} too would separate them; no smaller set would."
    names = [one[0] for one in sets]
    which = "any one of " if len(names) > 1 else ""
    return f"To know {which}{cut(names, MOST_NAMED)} too would separate them."


def explain_step(network: Network, step: Step, likely: Collection[int]) -> str:
    """Why a trail may pass a variable or not, in a line; nothing where it passes because nothing is known."""
    name = network.variables[step.variable].name
    if step.kind == "collider":
        return f"{'✓ passes' if step.is_open else '✗ blocked at'} {name}: {_explain_collider(network, step, likely)}."
    if not step.is_open:
        return f"✗ blocked at {name}: it is known."
    return f"✓ passes {name}: it has a likelihood, which does not block." if step.variable in likely else ""


def _explain_collider(network: Network, step: Step, likely: Collection[int]) -> str:
    if step.by is None:
        return "arrows meet there (a collider), and neither it nor a descendant is known"
    how = "has a likelihood" if step.by in likely else "is known"
    if step.by == step.variable:
        return f"arrows meet there (a collider), and it {how}"
    return f"arrows meet there (a collider), and its descendant {network.variables[step.by].name} {how}"


def explain_trail(network: Network, trail: Trail, likely: Collection[int]) -> list[str]:
    """Why a trail is active or blocked: what decides it, a line each, and then what it just passes."""
    if not trail.steps:
        return ["They are neighbours: nothing between them could block."]
    lines = [explain_step(network, step, likely) for step in trail.steps]
    plain = [network.variables[step.variable].name for step, line in zip(trail.steps, lines, strict=True) if not line]
    passed = [f"✓ passes {cut(plain, MOST_NAMED)}: not known."] if plain else []
    return [line for line in lines if line] + passed


def describe_blanket(network: Network, variable: int, blanket: dict[int, Tie]) -> list[str]:
    """The Markov blanket of a variable, and why each is in it, a line for each."""
    name = network.variables[variable].name
    if not blanket:
        return [f"{name} has no neighbours: it is independent of all others."]
    lines = [
        f"The Markov blanket of {name}: {count(len(blanket), 'variable')}. Given these, it is independent of others."
    ]
    return lines + [f"{network.variables[v].name}: {_tell_tie(network, tie)}" for v, tie in blanket.items()]


def _tell_tie(network: Network, tie: Tie) -> str:
    if not isinstance(network, BayesianNetwork):
        return f"{count(len(tie.shared), 'factor')} in common"
    words = ["a parent"] * tie.is_parent + ["a child"] * tie.is_child
    if tie.shared:
        words.append(f"another parent of {cut([network.variables[v].name for v in tie.shared])}")
    return " and ".join(words)


def _is(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _it(names: Sequence[str]) -> str:
    return "them" if len(names) > 1 else "it"
