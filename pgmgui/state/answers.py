"""Answers to queries: the posterior of every variable before and after what is supposed, kept up to date
beside the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import param

from engine.inference.query import Evidence, query
from engine.learning.snapshot import Snapshot
from engine.model.arrays import Floats
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, PgmError
from engine.model.network import Network
from pgmgui.project.numbers import show_number
from pgmgui.project.supposing import Likelihood, describe_supposed, find_state
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session

MOST_TRIED = 8
"""Pieces of impossible evidence among which those that contradict each other are looked for."""
Marginals = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a network says about its variables.

    Attributes
    ----------
    before : tuple of array, optional
        The marginal of each variable without evidence; None if it cannot be computed.
    after : tuple of array, optional
        With the evidence; None if that is impossible, or cannot be computed.
    log_evidence : float
        log Σ λ(x) Pr(x) over all configurations; −∞ for impossible evidence, NaN where it cannot be computed.
    trouble : str
        Why there is no posterior, and what to do; empty if there is one.
    """

    network: Network
    evidence: Mapping[str, Likelihood]
    before: Marginals | None
    after: Marginals | None
    log_evidence: float
    trouble: str = ""


def answer(network: Network, evidence: Mapping[str, Likelihood], before: Marginals | None = None) -> Answer:
    """The answer to a query. ``before`` is the marginals without evidence, if they are known."""
    try:
        if before is None:
            before, _ = _find_marginals(network, {})
        after, log_evidence = _find_marginals(network, evidence) if evidence else (before, 0.0)
    except ImpossibleEvidenceError:
        return Answer(network, evidence, before, None, -math.inf, _explain(network, evidence))
    except PgmError as error:
        return Answer(network, evidence, before, None, math.nan, f"There is no posterior to show: {error}.")
    return Answer(network, evidence, before, after, log_evidence)


def _find_marginals(network: Network, evidence: Mapping[str, Likelihood]) -> tuple[Marginals, float]:
    if not network.variables:
        return (), 0.0
    posterior = query(network, as_evidence(network, evidence))
    marginals = tuple(posterior.marginal(v)[0] for v in range(len(network.variables)))
    try:
        return marginals, float(posterior.log_evidence[0])
    except MemoryLimitError:  # of a Markov network, whose log Z knows no evidence
        return marginals, math.nan


def as_evidence(network: Network, evidence: Mapping[str, Likelihood]) -> Evidence:
    """What is supposed, as the engine takes it: states where a likelihood of 1 leaves no other."""
    states, likelihoods = {}, {}
    for name, likelihood in evidence.items():
        state = find_state(likelihood)
        if state is None or likelihood[state] != 1:
            likelihoods[name] = likelihood
        else:
            states[name] = network.variables[network.index[name]].states[state]
    return Evidence(states, likelihoods, {})


def _explain(network: Network, evidence: Mapping[str, Likelihood]) -> str:
    """Which evidence cannot hold, and what to do."""
    clash = dict(evidence)
    for name in list(evidence) if len(evidence) <= MOST_TRIED else ():
        without = {other: kept for other, kept in clash.items() if other != name}
        if without and _is_impossible(network, without):
            clash = without
    words = [describe_supposed(name, network.variables[network.index[name]].states, clash[name]) for name in clash]
    if len(words) == 1:
        return f"{words[0]} is impossible: the network gives it probability 0. Suppose another state."
    if len(evidence) > MOST_TRIED:
        return "What is supposed cannot hold together: the network gives it probability 0. Remove some of it."
    told = f"{', '.join(words[:-1])} and {words[-1]}"
    return f"{told} cannot hold together: the network gives that probability 0. Remove one of them."


def _is_impossible(network: Network, evidence: Mapping[str, Likelihood]) -> bool:
    try:
        query(network, as_evidence(network, evidence))
    except ImpossibleEvidenceError:
        return True
    return False


def describe_evidence(answer: Answer) -> str:
    """How probable the evidence is, in a sentence; nothing where there is none."""
    if not answer.evidence or math.isnan(answer.log_evidence):
        return ""
    if answer.after is None:
        return "Log evidence −∞: probability 0."
    probability = math.exp(answer.log_evidence)
    told = show_number(probability) if probability > 0 else "too small to write"
    return f"Log evidence {answer.log_evidence:,.4f} nats: probability {told}.".replace("-", "−", 1)


# --- beside the page


def find_source(session: Session) -> Network | Snapshot:
    """Whose parameters are asked: the network's own, or what was learned, of which a network is still to be made."""
    reached = session.reached
    return session.network if session.viewed == "current" or reached is None else reached


@dataclass(frozen=True, eq=False)
class _Question:
    source: Network | Snapshot
    evidence: Mapping[str, Likelihood]


class Answers(Newest):
    """The answer to what the session asks. Nothing is computed while nobody looks."""

    answer = param.ClassSelector(class_=Answer, allow_None=True, doc="The newest answer; None before the first.")
    looking = param.Boolean(default=False, doc="Whether the Query tab is looked at.")
    doing = "Answering the query"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._asked: _Question | None = None
        self._known: tuple[Network | Snapshot, Network, Marginals] | None = None
        # After those who draw the scene itself: an answer must not come before the graph that it is about.
        session.param.watch(self._notice, ["scene", "evidence", "viewed", "moment", "learned", "bars"], precedence=1)
        self.param.watch(self._notice, "looking")

    def begin(self) -> None:
        """Answer what is asked now, if anyone looks."""
        self._notice()

    def look(self, looked_at: bool) -> None:
        """Say whether anyone looks at what is answered."""
        self.looking = looked_at

    @property
    def fits(self) -> bool:
        """Whether there is an answer, and it is about the variables that the session has now."""
        found = self.answer
        return found is not None and found.network.variables == self._session.network.variables

    def _notice(self, *_events: Any) -> None:
        session = self._session
        if not (self.looking or session.bars):
            return
        source = find_source(session)
        asked = self._asked
        if asked is not None and asked.source is source and asked.evidence == session.evidence:
            return
        self._asked = _Question(source, session.evidence)
        self._ask(self._asked)

    def _find(self, question: _Question) -> Answer:
        source, known = question.source, self._known
        if known is not None and known[0] is source:
            _, network, before = known
            return answer(network, question.evidence, before)
        network = source.network() if isinstance(source, Snapshot) else source
        found = answer(network, question.evidence)
        if found.before is not None:
            self._known = source, network, found.before
        return found

    def _take(self, found: Answer) -> None:
        # One about other evidence is late. One of a run's earlier iteration is better than none: the run may
        # report more often than can be answered.
        if found.evidence == self._session.evidence:
            self.answer = found
