"""The command ``structure``: arrows from data, and how high their score could be at most."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from app.commands import show
from app.structure_input import StructureInput, read_structure_input
from app.structure_markov import learn_edges
from engine.formats import Document, write_network
from engine.formats.packing import split_name
from engine.learning.imap.budget import Budget
from engine.learning.learn import learn
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork, as_markov
from engine.structure.bootstrap import Confidence, bootstrap
from engine.structure.bound import CLOSE, EXACT, StructureBound, bound_score
from engine.structure.comparison import compare
from engine.structure.counts import Counts, count_rows
from engine.structure.equivalence import find_pattern
from engine.structure.families import Families, Parents
from engine.structure.scores import make_score
from engine.structure.snapshot import Snapshot
from engine.structure.structural_em import Round, StructuralEM, make_network
from pgmgui.project.structure_settings import EDGES, SCORE_TITLES, SEARCH_TITLES
from pgmgui.project.words import SEARCH_STOPS, count, show_nats

HINTS = {"time": "raise --max-seconds"}
"""What to do about a reason to stop."""
Part = TypeVar("Part", Snapshot, Round)


@dataclass(frozen=True, eq=False)
class Found:
    """A structure with its parameters, and how it was found.

    Attributes
    ----------
    score : float
        Of incomplete data, the log-likelihood less the penalty, or the expected score.
    bound : StructureBound, optional
        None where none is known.
    worths : mapping from (parent, child) to float
    """

    network: BayesianNetwork
    method: str
    score: float
    steps: int
    trace: list[float]
    seconds: float
    stop: str
    worths: dict[tuple[int, int], float]
    bound: StructureBound | None = None
    confidence: Confidence | None = None

    @property
    def parents(self) -> Parents:
        return tuple(tuple(sorted(family)) for family in self.network.parents)


def structure(options: argparse.Namespace) -> None:
    """Learn the arrows and the parameters of a network."""
    problem = read_structure_input(options)
    if options.search == EDGES:
        learn_edges(problem, options)
        return
    if options.l1 is not None:
        raise PgmError("--l1 is for --search l1; leave it out")
    found = _search(problem, options) if problem.is_complete else _search_incomplete(problem, options)
    found = replace(found, network=_learn_parameters(problem, found.network))
    if options.out:
        network = as_markov(found.network) if options.markov else found.network
        write_network(options.out, Document(network, split_name(options.data)[0]))
    result, lines = _describe(problem, found, options)
    lines += [f"wrote the learned network to {options.out}"] if options.out else []
    show(options, problem.notes, result, lines)


def _search(problem: StructureInput, options: argparse.Namespace) -> Found:
    """Search in complete data."""
    counts = count_rows(problem.data)
    families = _score(problem, counts, options)
    snapshots = problem.search.run(families, problem.constraints, random_state=problem.random_state)
    last, trace = _follow(snapshots, _tell_step, lambda now: now.score)
    is_exact = problem.search.name == "exact" and last.stop == "optimum"
    return Found(
        make_network(problem.data.variables, last.best),
        SEARCH_TITLES[problem.search.name],
        last.best_score,
        last.iteration,
        trace,
        last.seconds,
        last.stop,
        families.find_worths(last.best),
        _find_bound(problem, families, last, is_exact, Budget(options.bound_seconds)),
        _find_confidence(problem, counts, options) if options.resamples else None,
    )


def _score(problem: StructureInput, counts: Counts, options: argparse.Namespace) -> Families:
    return Families(counts, make_score(options.score, counts, options.equivalent_sample_size, problem.prior_network))


def _find_bound(
    problem: StructureInput, families: Families, last: Snapshot, is_exact: bool, budget: Budget
) -> StructureBound:
    """No structure that meets the constraints scores more; what was reached is not above it by rounding."""
    if is_exact:
        return StructureBound(last.best_score, EXACT)
    try:
        found = bound_score(families, problem.constraints, budget)
    except KeyboardInterrupt:  # what was begun may be half done: the first bound that there is
        found = bound_score(families, problem.constraints, Budget(0.0))
    return replace(found, value=max(found.value, last.best_score))


def _find_confidence(problem: StructureInput, counts: Counts, options: argparse.Namespace) -> Confidence | None:
    """What the same search finds in resampled data; Ctrl+C ends it with what is known."""

    def search(drawn: Counts) -> Parents:
        *_, last = problem.search.run(
            _score(problem, drawn, options), problem.constraints, random_state=problem.random_state
        )
        return last.best

    found = None
    try:
        for found in bootstrap(counts, search, options.resamples, problem.random_state, problem.constraints):
            _show_progress(f"resample {found.resamples} of {options.resamples}", found.resamples == options.resamples)
    except KeyboardInterrupt:
        _show_progress("", True)
    return found


def _search_incomplete(problem: StructureInput, options: argparse.Namespace) -> Found:
    """Structural EM, which is a hill climb in rounds."""
    if problem.search.name != "hill-climbing":
        count_rows(problem.data)  # says what is missing, and what to do
    if options.resamples:
        raise PgmError("--resamples is for complete data; leave it out")
    method = StructuralEM(
        options.score, options.equivalent_sample_size, problem.search.climbing, prior=problem.prior_network
    )
    rounds = method.run(problem.data, problem.constraints, random_state=problem.random_state)
    last, trace = _follow(rounds, _tell_round, _reach)
    problem.notes.append(
        "the data is incomplete: the structure is found by structural EM, an optimum among others; no bound is known"
    )
    return Found(
        last.network,
        "structural EM",
        _reach(last),
        last.number,
        trace,
        last.seconds,
        last.stop,
        {},
    )


def _follow(
    found: Iterator[Part], tell: Callable[[Part], str], reach: Callable[[Part], float]
) -> tuple[Part, list[float]]:
    """The last part of a search, and what every one has reached. Ctrl+C keeps the last whole one."""
    last, trace = None, []
    try:
        for last in found:
            trace.append(reach(last))
            _show_progress(tell(last), bool(last.stop))
    except KeyboardInterrupt:
        if last is None:
            raise
        _show_progress("", True)
        last = replace(last, stop="cancelled")
    assert last is not None
    return last, trace


def _tell_step(now: Snapshot) -> str:
    share = f"  {now.fraction:.0%}" if now.fraction else ""
    return f"step {now.iteration}  score {now.score:,.4f}  best {now.best_score:,.4f}{share}"


def _tell_round(now: Round) -> str:
    return f"round {now.number}  log-likelihood {now.log_likelihood:,.4f}"


def _reach(now: Round) -> float:
    return now.expected if now.objective is None else now.objective


def _show_progress(text: str, is_last: bool) -> None:
    """One line on a terminal, written over at every step."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="\r\x1b[K" if is_last else "", file=sys.stderr, flush=True)


def _learn_parameters(problem: StructureInput, network: BayesianNetwork) -> BayesianNetwork:
    """The structure with its parameters: by counting, or by EM from where structural EM has left them.

    Sets that no row speaks of stay uniform.
    """
    method = "counting" if problem.is_complete else "d-em"
    *_, last = learn(network, problem.data, method, start="current", prior=problem.prior)
    learned = last.network()
    assert isinstance(learned, BayesianNetwork)
    return learned


def _describe(problem: StructureInput, found: Found, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The result for JSON, and lines for people."""
    names, required = problem.names, problem.constraints.required
    pattern = find_pattern(found.parents, problem.constraints.list_fixed(found.parents))

    def name(pairs: Any) -> list[list[str]]:
        return [[names[a], names[b]] for a, b in sorted(pairs)]

    arrows = sorted(found.network.edges)
    result: dict[str, Any] = {
        "search": "structural-em" if not problem.is_complete else problem.search.name,
        "scored_by": options.score,
        "score": found.score,
        "bound": None if found.bound is None else found.bound.value,
        "kind": None if found.bound is None else found.bound.kind,
        "edges": name(arrows),
        "compelled": name(pattern.compelled),
        "reversible": name(pattern.reversible),
        "worths": [found.worths[arrow] for arrow in arrows] if found.worths else None,
        "steps": found.steps,
        "seconds": found.seconds,
        "stop": found.stop,
        "trace": found.trace,
        "rows": problem.n_rows,
        "out": options.out,
    }
    title = f"{found.method} by {SCORE_TITLES[options.score]}"
    what = "round" if not problem.is_complete else "step"
    lines = [
        f"{title}: {count(len(arrows), 'arrow')} among {count(len(names), 'variable')} after "
        f"{count(found.steps, what)}, score {found.score:,.4f}{_describe_stop(found.stop)}"
    ]
    lines += _describe_bound(found)
    for parent, child in arrows:
        parts = [f"{names[parent]} → {names[child]}"]
        parts += ["required"] if (parent, child) in required else []
        parts += ["either way"] if (min(parent, child), max(parent, child)) in pattern.reversible else []
        parts += [f"worth {found.worths[parent, child]:,.2f}"] if found.worths else []
        if found.confidence is not None:
            parts.append(f"found in {found.confidence.edges[parent, child]:.0%} of the resamples")
        lines.append("  ".join(parts))
    if found.confidence is not None:
        result["confidence"] = _list_confidence(found.confidence, names)
    if problem.true is not None:
        result["truth"], line = _compare(found.parents, problem.true, name)
        lines.append(line)
    return result, lines


def _describe_stop(stop: str) -> str:
    """Why a search ended before it was done, and what to do about it."""
    if stop == "optimum":
        return ""
    return f" ({'; '.join([SEARCH_STOPS[stop], *([HINTS[stop]] if stop in HINTS else [])])})"


def _describe_bound(found: Found) -> list[str]:
    if found.bound is None:
        return []
    gap = found.bound.value - found.score
    if gap <= CLOSE:
        return ["no structure scores more: it is at its upper bound"]
    is_climb = found.method == SEARCH_TITLES["hill-climbing"]
    reached = f"the best one reaches it: try {'more --restarts, or ' if is_climb else ''}--search exact"
    kind = reached if found.bound.kind == EXACT else "an upper bound: more --bound-seconds may lower it"
    return [f"no structure scores more than {found.bound.value:,.4f}, {show_nats(gap)} nats above ({kind})"]


def _list_confidence(confidence: Confidence, names: list[str]) -> dict[str, Any]:
    arrows = confidence.arrows
    return {
        "resamples": confidence.resamples,
        "arrows": [
            [names[p], names[c], float(arrows[p, c])]
            for p in range(len(names))
            for c in range(len(names))
            if arrows[p, c] > 0
        ],
    }


def _compare(parents: Parents, true: Parents, name: Any) -> tuple[dict[str, Any], str]:
    """The structure beside the true one."""
    found = compare(parents, true)
    result = {
        "right": name(found.right),
        "turned": name(found.turned),
        "missing": name(found.missing),
        "extra": name(found.extra),
        "distance": found.distance,
        "class_distance": found.class_distance,
    }
    line = (
        f"beside the true network: {len(found.right)} right, {len(found.turned)} turned, {len(found.missing)} missing, "
        f"{len(found.extra)} extra; SHD {found.distance}, {found.class_distance} between the classes of equivalent ones"
    )
    return result, line
