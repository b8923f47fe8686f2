"""Engine objects as words for people: pure functions."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from engine.insight.slack import Share
from engine.learning.bounds import CERTIFIED, Bounds
from engine.learning.course import Course
from engine.learning.decomposition import Component
from engine.learning.methods import METHODS
from engine.learning.snapshot import Snapshot
from engine.learning.starts import Symmetry
from engine.learning.task import LearningTask
from engine.model.dataset import Dataset, Role
from engine.model.messages import count as count
from engine.model.network import BayesianNetwork, MarkovNetwork, Network, count_parameters
from engine.model.source import Source
from engine.model.table_prior import InstalledPrior, LogisticNormal

MOST_NAMES = 3
"""Names shown in a list before it is cut."""
MOST_LEARNED = 12
"""Names shown of a component's variables, or its arrows."""
LEAST_NATS = 0.0001
"""Fewer nats than these are not told apart."""
MOST_BLAMED = 2
"""Variables named that have the largest shares of a gap."""
LEARNERS: Mapping[str, str] = {name: method.title for name, method in METHODS.items()}
"""What the methods are called, in the order they are offered."""
STOPS: Mapping[str, str] = {
    "converged": "converged",
    "iterations": "stopped at the iteration limit",
    "time": "stopped at the time limit",
    "cancelled": "stopped by you",
}
"""Why a run ended, in words."""
SEARCH_STOPS: Mapping[str, str] = {
    "optimum": "ended",
    "steps": "out of rounds",
    "time": "out of time",
    "cancelled": STOPS["cancelled"],
}
"""Why a search for a structure ended, in words."""


def describe_savings(task: LearningTask) -> str:
    """What one EM iteration costs, whole and decomposed, in a sentence."""
    components, busy = task.decomposition.components, _count_iterated(task)
    if task.has_moving_targets:
        return (
            "Targets are non-fixed: they depend on the tables of all their ancestors, so that no component is learned "
            f"apart. One EM iteration takes {_describe_moving(task)}."
        )
    if isinstance(task.network, MarkovNetwork):
        costs = f"{_compare_costs(task)}; and one" if busy else "one inference"
        return (
            f"{count(len(components), 'component')} of factors: {len(components) - busy:,} counted once, {busy:,} "
            f"iterated. One iteration takes {costs} on the whole network for log Z."
        )
    if not busy:
        return f"{count(len(components), 'component')}, all complete: counting solves them in one step."
    counted = f"{len(components) - busy:,} solved by counting, " if busy < len(components) else ""
    return (
        f"{count(len(components), 'component')}: {counted}{busy:,} iterated. "
        f"One EM iteration takes {_compare_costs(task)}."
    )


def describe_briefly(task: LearningTask) -> list[str]:
    """How many components there are, and what one iteration costs if there are any, in short lines."""
    if task.has_moving_targets:
        return ["Targets are non-fixed: all is learned together.", f"An iteration: {_describe_moving(task)}."]
    components, busy = task.decomposition.components, _count_iterated(task)
    parts = f"{count(len(components), 'component')}: {len(components) - busy:,} counted, {busy:,} iterated."
    small, whole = _count_inferences(task), _count_whole(task)
    fewer = f"small inferences, not {whole:,}" if whole is not None and small < whole else "inferences"
    return [parts, *([f"An iteration: {small:,} {fewer}."] if busy else [])]


def _describe_moving(task: LearningTask) -> str:
    """What an iteration takes with targets that are not fixed: they are met first, before the rows are known."""
    before, after = (sum(job.part.rows for job in term.jobs) for term in task.objective.terms[:2])
    return f"{count(before + after, 'inference')}, {before:,} to meet targets"


def _count_iterated(task: LearningTask) -> int:
    """The components that counting does not solve: not complete, or tied to such."""
    if task.ties:
        return sum(task.iterated)
    return sum(not component.is_complete for component in task.decomposition.components)


def _count_inferences(task: LearningTask) -> int:
    """What the data takes in an iteration, decomposed."""
    return sum(job.part.rows for job in task.objective.terms[0].jobs)


def _count_whole(task: LearningTask) -> int | None:
    """The distinct rows of the whole data; None where they are counted a few columns at a time."""
    return task.whole_rows if isinstance(task.decomposition.dataset, Dataset) else None


def _compare_costs(task: LearningTask) -> str:
    """What the data takes in an iteration, in words: inferences, and on how many variables at a time."""
    small, whole = _count_inferences(task), _count_whole(task)
    busy = [component for component in task.decomposition.components if not component.is_complete]
    most = max((len(component.variables) + len(component.boundary) for component in busy), default=0)
    every = len(task.network.variables)
    if most == every:
        return count(small, "inference")
    some = f"{count(small, 'inference')} on up to {count(most, 'variable')}"
    return some if whole is None else f"{some}, instead of {whole:,} on all {every:,}"


def describe_bound(task: LearningTask, bounds: Bounds, number: int) -> list[str]:
    """Why the bound of a component is where it is, in lines with its numbers."""
    lowest, theorem = bounds.imap[number], bounds.decomposition[number]
    component = task.decomposition.components[number]
    if component.is_complete and isinstance(task.geometry.prior, InstalledPrior):
        return [f"Its bound is {lowest:,.2f} nats: what counting reaches, and the prior's peak, which need not agree."]
    if component.is_complete and isinstance(task.geometry.prior, LogisticNormal):
        return [f"Its bound, {lowest:,.2f} nats, is its optimum: nothing is missing, and numerical EM reaches it."]
    if component.is_complete:
        return [f"Its bound, {lowest:,.2f} nats, is its optimum: nothing is missing, and counting reaches it."]
    names = [task.network.variables[v].name for v in bounds.orders[number]]
    if not names:
        return [f"Its bound is {lowest:,.2f} nats: no row says anything of it."]
    lines = [
        f"Its bound is {lowest:,.2f} nats. One after the other, in the order {cut(names, MOST_LEARNED)}, each variable "
        "may have any probabilities at all given those before it that it depends on."
    ]
    every = task.network.variables
    lines += [
        f"{cut([every[v].name for v in group.variables], MOST_LEARNED)} are bounded together: "
        f"{count(every[group.hidden].cardinality, 'state')} of {every[group.hidden].name} cannot suit every row."
        for group in bounds.together[number]
    ]
    if theorem > lowest + CERTIFIED:
        lines.append(
            f"The bound by components alone (Theorem 2) would be {theorem:,.2f}: it knows of no independence between "
            "them, and lets their combinations be as frequent as they are in the data."
        )
    return lines


def describe_shares(names: Sequence[str], shares: Collection[Share]) -> list[str]:
    """Where a component's gap is, in lines; nothing where there is none, or it is not known."""
    total = sum(share.gap for share in shares)
    if total <= CERTIFIED:
        return []
    worst = sorted(shares, key=lambda share: -share.gap)[:MOST_BLAMED]
    blamed = [f"{names[share.variable]} ({show_gap(share.gap)})" for share in worst if share.gap > CERTIFIED]
    return [
        f"Its gap of {show_gap(total)} nats is mostly at {cut(blamed)}: either better parameters explain these, or the "
        "hidden variables have too few states for what the bound allows."
    ]


def show_gap(gap: float) -> str:
    """A gap as a number of nats, or that there is none."""
    return "certified" if gap <= CERTIFIED else show_nats(gap)


def show_nats(nats: float, digits: int = 3) -> str:
    """A number of nats, to some digits or the next whole one; never as a power of ten.

    >>> show_nats(0.012345), show_nats(12345.6), show_nats(999.7), show_nats(120.0, 2), show_nats(2e-7)
    ('0.0123', '12,346', '1,000', '120', 'under 0.0001')
    """
    if 0 < nats < LEAST_NATS:
        return f"under {LEAST_NATS}"
    large = 10**digits - 0.5 <= nats < math.inf
    return f"{nats:,.0f}" if large else f"{nats:.{digits}g}"


def show_distance(distance: float) -> str:
    """An estimated distance still to go.

    >>> show_distance(150.3), show_distance(2e-9)
    ('about 150 nats', 'under 0.0001 nats')
    """
    if distance == math.inf:
        return "unknown"
    return f"{'about ' if distance >= LEAST_NATS else ''}{show_nats(distance, 2)} nats"


def describe_distance(snapshot: Snapshot) -> str:
    """How far the best restart has still to climb by itself, in a sentence."""
    left = snapshot.distance[snapshot.best]
    distance = float(left.sum())
    if distance == math.inf and np.isfinite(left).any() and snapshot.stop == "converged":
        return "Some components ended after too few steps to estimate how far they have still to go."
    if distance == math.inf:
        return "Too few steps to estimate how far it has still to go."
    return f"Still to go from here, by the rate of its last steps: {show_distance(distance)}."


def describe_course(course: Course) -> str:
    """What was done for a component by a learner that searches by itself, in a sentence."""
    if course.end == "counted":
        return "Nothing is missing: counted once."
    found = "The best of " + count(course.restarts, "restart")
    if course.tried:
        found += f"; of {count(course.tried, 'variation and new start', 'variations and new starts')}, "
        found += f"one was better {count(course.better, 'time')}" if course.better else "none was better"
    if course.polished_by:
        found += f"; polished by {course.polished_by}"
    ends = {"certified": "It is at its bound.", "settled": "Nothing moves any more.", "": "It is not done yet."}
    return f"{found}. {ends[course.end]}"


def describe_courses(snapshot: Snapshot) -> list[str]:
    """What was done for each component that is iterated, or for the whole, in lines; nothing by most learners."""
    if len(snapshot.courses) <= 1:
        return [describe_course(course) for course in snapshot.courses]
    parts = zip(snapshot.courses, snapshot.task.decomposition.components, strict=False)
    return [
        f"Component {k}: {describe_course(course)}" for k, (course, part) in enumerate(parts, 1) if not part.is_complete
    ]


def describe_gap(gap: float | None) -> str:
    """A gap in words."""
    if gap is None:
        return "no run yet"
    return show_gap(gap) if gap <= CERTIFIED else f"gap {show_gap(gap)}"


def describe_run(method: str, snapshot: Snapshot | None, state: str) -> str:
    """How far a learner has come, in a sentence; ``state`` says what it does now."""
    if snapshot is None:
        return f"{LEARNERS[method]}: {state}."
    objective = snapshot.objective.sum(axis=1).max()
    return f"{LEARNERS[method]}: {objective:,.4f} after {count(snapshot.iteration, 'iteration')}, {state}."


def describe_symmetries(task: LearningTask, symmetries: Sequence[Symmetry], remedy: str = "start at random") -> str:
    """Why a start cannot move, and what to do; nothing if it can."""
    if not symmetries:
        return ""
    variables = task.network.variables
    same = [
        f"{variables[s.variable].name} ({cut([variables[s.variable].states[k] for k in s.states])})" for s in symmetries
    ]
    return (
        f"A symmetric start: no table tells hidden states apart, of {cut(same)}. Learning cannot move there; {remedy}."
    )


def describe_unseen(snapshot: Snapshot) -> str:
    """Which parameters the data says nothing about, in a sentence; nothing if there are none."""
    found = snapshot.unseen()
    if not found:
        return ""
    variables = snapshot.task.network.variables
    names = [variables[v].name for v in dict.fromkeys(v for v, _ in found)]
    verb, their = ("occurs", "its") if len(found) == 1 else ("occur", "their")
    return (
        f"{count(len(found), 'parent configuration')} of {cut(names)} never {verb} in the data "
        f"and {'keeps' if len(found) == 1 else 'keep'} {their} starting probabilities."
    )


def describe_component(task: LearningTask, number: int) -> list[str]:
    """The sub-network of a component, in lines: what is learned, from what, and its arrows."""
    component: Component = task.decomposition.components[number]
    roles = task.decomposition.dataset.roles
    if isinstance(task.network, MarkovNetwork):
        return _describe_factors(task.network, component, number)
    network = task.bayesian
    names = [variable.name for variable in network.variables]
    learned = [names[v] if roles[v] is Role.OBSERVED else f"{names[v]} ({roles[v].value})" for v in component.variables]
    arrows = [f"{names[p]} → {names[v]}" for v in component.variables for p in network.parents[v]]
    lines = [f"Component {number + 1} learns {cut(learned, MOST_LEARNED)}."]
    if component.boundary:
        lines.append(f"Given {cut([names[v] for v in component.boundary], MOST_LEARNED)}, observed in every row.")
    if arrows:
        lines.append(f"Arrows: {cut(arrows, MOST_LEARNED)}.")
    return lines


def _describe_factors(network: MarkovNetwork, component: Component, number: int) -> list[str]:
    names = [variable.name for variable in network.variables]
    lines = [f"Component {number + 1} has the data of {cut(name_factors(network, component.factors), MOST_LEARNED)}."]
    if component.variables:
        lines.append(f"They share {cut([names[v] for v in component.variables], MOST_LEARNED)}.")
    if component.boundary:
        lines.append(f"Given {cut([names[v] for v in component.boundary], MOST_LEARNED)}, observed in every row.")
    return lines


def name_factors(network: MarkovNetwork, factors: Sequence[int]) -> list[str]:
    """Factors by the variables of their scopes."""
    names = [variable.name for variable in network.variables]
    return ["–".join(names[v] for v in network.scopes[factor]) or "a constant" for factor in factors]


def cut(names: tuple[str, ...] | list[str], most: int = MOST_NAMES) -> str:
    """Names in a row, the last ones as a number when there are many.

    >>> cut(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def capitalise(text: str) -> str:
    """A text as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def sentence(text: str) -> str:
    """A text as a sentence, with a capital and a full stop.

    >>> sentence("no way")
    'No way.'
    """
    return f"{capitalise(text)}."


def count_edges(network: Network) -> str:
    """How many variables and arrows (or edges) a network has, in words."""
    edge = "arrow" if isinstance(network, BayesianNetwork) else "edge"
    return f"{count(len(network.variables), 'variable')}, {count(len(network.edges), edge)}"


def summarise(
    network: Network,
    dataset: Source | None,
    given: Sequence[int] = (),
    held_out: float = 0.0,
    ties: Sequence[Sequence[str]] = (),
) -> list[str]:
    """The facts on a network, its data, what is given, held out and tied, each a number and a noun."""
    copies = {network.index[name] for group in ties for name in group[1:]}
    facts = [*count_edges(network).split(", "), count(count_parameters(network, copies), "parameter")]
    if dataset is None:
        return [*facts, "no data"]
    facts.append(count(dataset.total_weight, "row"))
    if dataset.total_weight != dataset.n_rows:
        facts.append(f"{count(dataset.n_rows, 'line')} with weights")
    if held_out:
        facts.append(f"{held_out:,.6g} of them held out")
    for role, word in ((Role.HIDDEN, "hidden"), (Role.PARTIAL, "partly missing"), (Role.SOFT, "uncertain")):
        names = [v.name for v, found in zip(dataset.variables, dataset.roles, strict=True) if found is role]
        if names:
            facts.append(f"{len(names):,} {word}: {cut(names)}")
    if given:
        facts.append(f"{len(given):,} given: {cut([network.variables[v].name for v in given])}")
    return facts
