"""Answers to queries: the posterior of every variable before and after what is supposed, kept up to date
beside the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import param

from engine.inference.posterior import Posterior
from engine.inference.query import Evidence, query
from engine.learning.snapshot import Snapshot
from engine.model.arrays import Floats
from engine.model.errors import ImpossibleEvidenceError, MemoryLimitError, PgmError
from engine.model.network import Network
from pgmgui.project.numbers import show_number
from pgmgui.project.supposing import Likelihood, describe_supposed, find_state
from pgmgui.project.wanted import Supposed, as_marginals
from pgmgui.project.words import sentence
from pgmgui.state.newest import Newest
from pgmgui.state.session import Session
from pgmgui.state.solving import TURN, Solving, SolvingCourse

MOST_TRIED = 8
"""Pieces of impossible evidence among which those that contradict each other are looked for."""
NOTHING = Evidence({}, {}, {})
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
    course : SolvingCourse, optional
        How targets were met, or are being met: then the answer is still on its way. None where there are none.
    """

    network: Network
    supposed: Supposed
    before: Marginals | None
    after: Marginals | None
    log_evidence: float
    trouble: str = ""
    course: SolvingCourse | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is not on its way any more."""
        return self.course is None or self.course.ended


def answer(network: Network, supposed: Supposed, before: Marginals | None = None) -> Answer:
    """The answer to a query. ``before`` is the marginals without evidence, if they are known."""
    *_, found = answer_in_turns(network, supposed, before, math.inf)
    return found


def answer_in_turns(
    network: Network, supposed: Supposed, before: Marginals | None = None, turn: float = TURN
) -> Iterator[Answer]:
    """The answer to a query, last; before that, how far it is, every so many seconds while targets are being met."""
    solving: Solving | None = None
    try:
        if before is None:
            before, _ = _find_marginals(network, NOTHING)
        if not supposed.wanted.tables:
            plain = not supposed.likelihoods
            after, log_evidence = (before, 0.0) if plain else _find_marginals(network, as_evidence(network, supposed))
            yield Answer(network, supposed, before, after, log_evidence)
            return
        solving = Solving(network, as_evidence(network, supposed), supposed.wanted.solver)
        while not solving.ended:
            solving.go_on(turn)
            if not solving.ended:
                yield Answer(network, supposed, before, None, math.nan, course=solving.course)
        if solving.trouble:
            yield Answer(network, supposed, before, None, math.nan, sentence(solving.trouble), solving.course)
            return
        after, log_evidence = _read(network, solving.finish())
        yield Answer(network, supposed, before, after, log_evidence, course=solving.course)
    except ImpossibleEvidenceError as error:
        course = None if solving is None else solving.course
        if _is_impossible(network, supposed.likelihoods):
            yield Answer(network, supposed, before, None, -math.inf, _explain(network, supposed.likelihoods), course)
        else:  # it is the targets
            yield Answer(network, supposed, before, None, math.nan, sentence(str(error)), course)
    except PgmError as error:
        yield Answer(network, supposed, before, None, math.nan, f"There is no posterior to show: {error}.")


def _find_marginals(network: Network, evidence: Evidence) -> tuple[Marginals, float]:
    return _read(network, query(network, evidence)) if network.variables else ((), 0.0)


def _read(network: Network, posterior: Posterior) -> tuple[Marginals, float]:
    marginals = tuple(posterior.marginal(v)[0] for v in range(len(network.variables)))
    try:
        return marginals, float(posterior.log_evidence[0])
    except MemoryLimitError:  # of a Markov network, whose log Z knows no evidence
        return marginals, math.nan


def as_evidence(network: Network, supposed: Supposed) -> Evidence:
    """What is supposed, as the engine takes it: states where a likelihood of 1 leaves no other."""
    states, likelihoods = {}, {}
    for name, likelihood in supposed.likelihoods.items():
        state = find_state(likelihood)
        if state is None or likelihood[state] != 1:
            likelihoods[name] = likelihood
        else:
            states[name] = network.variables[network.index[name]].states[state]
    return Evidence(states, likelihoods, as_marginals(supposed.wanted, network), supposed.wanted.fixed)


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
        query(network, as_evidence(network, Supposed(evidence)))
    except ImpossibleEvidenceError:
        return True
    return False


def describe_evidence(answer: Answer) -> str:
    """How probable the evidence is, in a sentence; nothing where there is none."""
    if not answer.supposed.likelihoods or math.isnan(answer.log_evidence):
        return ""
    if answer.after is None:
        return "Log evidence −∞: probability 0."
    probability = math.exp(answer.log_evidence)
    told = show_number(probability) if probability > 0 else "too small to write"
    return f"Log evidence {answer.log_evidence:,.4f} nats: probability {told}.".replace("-", "−", 1)


# --- beside the page


@dataclass(frozen=True, eq=False)
class _Question:
    source: Network | Snapshot
    supposed: Supposed
    turns: Iterator[Answer] | None = None
    """Where it is being answered, how that goes on."""


class Answers(Newest):
    """The answer to what the session asks. Nothing is computed while nobody looks."""

    answer = param.ClassSelector(class_=Answer, allow_None=True, doc="The newest answer; None before the first.")
    coming = param.ClassSelector(class_=Answer, allow_None=True, doc="The next answer, while targets are being met.")
    looking = param.Boolean(default=False, doc="Whether the Query tab is looked at.")
    doing = "Answering the query"

    def __init__(self, session: Session, beside: Callable[[Callable[[], Callable[[], object]]], None]) -> None:
        super().__init__(session, beside)
        self._asked: _Question | None = None
        self._known: tuple[Network | Snapshot, Network, Marginals] | None = None
        # After those who draw the scene itself: an answer must not come before the graph that it is about.
        session.param.watch(self._notice, ["scene", "supposed", "viewed", "moment", "learned", "bars"], precedence=1)
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

    @property
    def fitting(self) -> Answer | None:
        """The answer to what is supposed now, or how far it is, if it is on its way."""
        return next((one for one in (self.coming, self.answer) if one is not None and self._is_asked(one)), None)

    def _is_asked(self, found: Answer) -> bool:
        session = self._session
        return found.supposed == session.supposed and found.network.variables == session.network.variables

    def _notice(self, *_events: Any) -> None:
        session = self._session
        if not (self.looking or session.bars):
            return
        source = find_source(session)
        asked = self._asked
        if asked is not None and asked.source is source and asked.supposed == session.supposed:
            return
        self._asked = _Question(source, session.supposed)
        self._ask(self._asked)

    def _find(self, question: _Question) -> tuple[_Question, Answer]:
        turns = question.turns or self._begin(question)
        found = next(turns)
        if found.before is not None and question.turns is None:
            self._known = question.source, found.network, found.before
        return replace(question, turns=turns), found

    def _begin(self, question: _Question) -> Iterator[Answer]:
        source, known = question.source, self._known
        if known is not None and known[0] is source:
            return answer_in_turns(known[1], question.supposed, known[2])
        network = source.network() if isinstance(source, Snapshot) else source
        return answer_in_turns(network, question.supposed)

    def _take(self, found: tuple[_Question, Answer]) -> None:
        question, answer = found
        if not answer.is_whole:
            self._continue(question, answer)
            return
        # One about other evidence is late. One of a run's earlier iteration is better than none: the run may
        # report more often than can be answered.
        if answer.supposed == self._session.supposed:
            self.param.update(answer=answer, coming=None)

    def _continue(self, question: _Question, answer: Answer) -> None:
        """Show how far it is, and go on, unless nobody waits for it any more."""
        self.coming = answer
        if not (self.looking or self._session.bars):
            self._asked = None  # to be asked again when somebody looks
        elif self._next is None and self._is_asked(answer):
            self._ask(question)


def find_source(session: Session) -> Network | Snapshot:
    """Whose parameters are asked: the network's own, or what was learned, of which a network is still to be made."""
    reached = session.reached
    return session.network if session.viewed == "current" or reached is None else reached
