"""The commands that learn: ``learn``, ``decompose`` and ``bound``."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from app.commands import check_seed, describe_distinct, memory_limit, names_by_role, show
from app.data_input import describe_source
from app.held_out import check_target, describe_held_out
from app.learning_input import Input, read_input
from app.learning_results import (
    describe_bounds,
    describe_components,
    describe_estimate,
    describe_result,
    list_result,
    list_ties,
)
from app.workers import Crew, call_workers, describe_crew, noting_interrupts
from engine.formats import read_network, write_network
from engine.inference.junction_tree import compile_tree
from engine.learning.bounding import bound_task
from engine.learning.estimates import ESTIMATES, find_predictive, reason_against_predictive
from engine.learning.imap.budget import Budget
from engine.learning.learn import learn as run_learner
from engine.learning.markov_bounds import MarkovBounds
from engine.learning.methods import METHODS, default_method
from engine.learning.snapshot import Snapshot
from engine.learning.starts import KINDS
from engine.learning.stopping import Stopping
from engine.learning.targets.splitting import has_targets
from engine.learning.task import make_task
from engine.learning.workspace import NEVER
from engine.model.arrays import Floats
from engine.model.errors import PgmError
from engine.model.network import MarkovNetwork, Network
from pgmgui.project.held_out_words import describe_split
from pgmgui.project.target_words import describe_targets
from pgmgui.project.tying import describe_ties
from pgmgui.project.words import count, describe_symmetries, describe_unseen, show_distance

NO_LIMIT = 10**40
"""Bytes, for commands that plan inference but do not run it: more than any tree is said to need."""
MOST_UNTIL = 100_000
"""Iterations at most when a distance is to be reached: EM's slow ends take thousands."""


def learn(options: argparse.Namespace) -> None:
    """Learn parameters and say how close they are to the best possible."""
    with call_workers(options) as crew:  # before the data is read: who is not there is missed at once
        _learn(options, crew)


def _learn(options: argparse.Namespace, crew: Crew | None) -> None:
    problem = read_input(options)
    notes, target = problem.notes, check_target(options, problem.network, problem.given)
    start: str | Network = options.start
    if options.start not in KINDS:
        start = read_network(options.start, options.normalise).network
    reason = reason_against_predictive(problem.network, problem.prior)
    if options.estimate == "predictive" and reason:
        raise PgmError(f"--estimate predictive {reason}")
    method = _choose_method(options, problem)
    first, last, trace = _follow(_run(options, problem, method, start, crew), crew)
    who, noted, shared = describe_crew(crew, METHODS[method].reason_to_stay(last.task))
    notes += noted
    notes += _list(describe_symmetries(first.task, first.symmetries(), "use --start random"))
    notes += _list(describe_targets(last.task))
    unseen = describe_unseen(last)
    notes += _list(unseen and f"{unseen} A prior above 1 would settle that.")
    theta = last.theta[last.best] if options.estimate == "mode" else find_predictive(last)
    learned = last.task.network.with_tables(last.task.layout.tables(theta))
    if options.out:
        write_network(options.out, problem.document.with_network(learned))
    result = describe_result(method, last, trace, problem.prior, Budget(options.bound_seconds))
    lines = list_result(result, last)
    result["estimate"], said = describe_estimate(options.estimate, theta, last)
    lines += said
    if problem.split is not None:
        reached = result["estimate"]["log_likelihood"]
        result["held_out"], tested = describe_held_out(
            problem.split, learned, reached, last.task, target, memory_limit(options)
        )
        lines += tested
    source, told = describe_source(problem.data)
    lines += [*shared, *told, *_list(f"wrote the learned network to {options.out}" if options.out else "")]
    show(options, notes, {**result, **who, **source}, lines)


def _run(
    options: argparse.Namespace, problem: Input, method: str, start: str | Network, crew: Crew | None
) -> Iterator[Snapshot]:
    """The snapshots of learning, here or by workers."""
    with nullcontext(NEVER) if crew is None else noting_interrupts() as cancelled:
        yield from run_learner(
            problem.network,
            problem.data,
            method,
            start=start,
            random_state=check_seed(options.random_state),
            n_init=options.n_init,
            prior=problem.prior,
            given=problem.given,
            fixed=problem.fixed,
            ties=problem.ties,
            stopping=_make_stopping(options),
            memory_limit=memory_limit(options),
            cancelled=cancelled,
            executor=None if crew is None else crew.team,
        )


def _make_stopping(options: argparse.Namespace) -> Stopping:
    most = options.max_iter
    if most is None:
        most = Stopping.max_iter if options.until is None else MOST_UNTIL
    return Stopping(options.tol, options.criterion, most, options.max_seconds, until=options.until)


def _choose_method(options: argparse.Namespace, problem: Input) -> str:
    """The method that was asked for, or else one that learns the problem, with a note if that is not the usual one."""
    if options.method:
        return str(options.method)
    is_moving = not problem.fixed and has_targets(problem.data)
    method = default_method(problem.network, problem.prior, is_moving=is_moving)
    if method != default_method(problem.network):
        why = "non-fixed targets" if is_moving else "this prior"
        problem.notes.append(f"Learned with {method}, as d-em does not take {why}; --method chooses another.")
    return method


def _follow(snapshots: Iterator[Snapshot], crew: Crew | None = None) -> tuple[Snapshot, Snapshot, list[Floats]]:
    """The first and the last snapshot of a run, and the objective of each restart at every iteration.

    Ctrl+C ends the run in the middle of an iteration, with what the one before has reached, or the best one where runs
    can fall; before the first, and pressed again, it ends the command.
    """
    found: list[Snapshot] = []
    trace: list[Floats] = []
    highest: Snapshot | None = None
    is_watched = sys.stderr.isatty()
    try:
        for snapshot in snapshots:
            found = [*found[:1], snapshot]
            trace.append(np.add.reduce(snapshot.objective, 1))  # in half the time of sum()
            if highest is None or (  # looked for only where it is asked for below: it takes a tenth of an iteration
                snapshot.task.has_moving_targets and trace[-1].max() > highest.objective.sum(axis=1).max()
            ):
                highest = snapshot
            if is_watched:
                _show_progress(snapshot, crew)
    except KeyboardInterrupt:
        if highest is None:
            raise
        found[-1] = replace(found[-1], stop="cancelled")
        if found[-1].task.has_moving_targets:
            reached = {name: getattr(highest, name) for name in ("theta", "counts", "log_likelihood", "objective")}
            found[-1] = replace(found[-1], **reached)
        if is_watched:
            _show_progress(found[-1], crew)
    if found[-1].stop == "cancelled" and not np.isfinite(trace[-1]).any():  # by workers, before they had begun
        raise KeyboardInterrupt
    return found[0], found[-1], trace


def decompose(options: argparse.Namespace) -> None:
    """Say how the learning problem falls apart."""
    problem = read_input(options)
    network, data = problem.network, problem.data
    task = make_task(network, data, memory_limit=NO_LIMIT, ties=problem.ties, fixed=problem.fixed)
    names = [variable.name for variable in network.variables]
    pruned = [names[v] for v in task.decomposition.pruned]
    distinct = task.whole_rows if data.can_merge(range(len(network.variables))) else None
    whole = compile_tree([v.cardinality for v in network.variables], [scope for scope in network.scopes if scope])
    components = describe_components(task)
    parts = zip(components, task.decomposition.components, strict=True)
    iterated = sum(described["distinct_rows"] for described, part in parts if not part.is_complete)
    source, told = describe_source(data)
    result = {
        **names_by_role(data),
        "pruned": pruned,
        "rows": data.n_rows,
        "distinct_rows": distinct,
        "components": components,
        "ties": list_ties(task),
        "inferences": {"whole": distinct, "decomposed": iterated},
        "table_cells": {
            "whole": None if distinct is None else whole.cells * distinct,
            "decomposed": task.plan.cells,
        },
        **source,
    }
    lines = describe_split(problem.split)
    apart = " (those with one target are split)" if has_targets(data) and problem.fixed else ""
    lines.append(
        f"{count(len(components), 'component')}; {count(data.n_rows, 'row')}, {describe_distinct(distinct)}{apart}"
    )
    lines += [f"{role}: {', '.join(who)}" for role, who in {**names_by_role(data), "pruned": pruned}.items() if who]
    lines += [f"{k}. {_list_component(component)}" for k, component in enumerate(components, 1)]
    lines += describe_ties(task)
    lines.append(
        f"one EM iteration: {'as many' if distinct is None else f'{distinct:,}'} inferences over {whole.cells:,} table "
        "cells each on the whole network"
        f"{' as there are distinct rows, ' if distinct is None else ', '}"
        f"{iterated:,} small ones over {task.plan.cells:,} cells in all decomposed"
        + ("; and one of the whole network for log Z, at least" if isinstance(network, MarkovNetwork) else "")
    )
    show(options, problem.notes, result, [*lines, *told])


def _list_component(component: dict[str, Any]) -> str:
    """What a component learns, from what, in a line."""
    factors = ["–".join(scope) or "a constant" for scope in component.get("factors", [])]
    noun = "factor " if len(factors) == 1 else "factors " if factors else ""
    what = noun + ", ".join(factors or component["variables"])
    if factors and component["variables"]:
        what += f" around {', '.join(component['variables'])}"
    after = f" given {', '.join(component['boundary'])}" if component["boundary"] else ""
    return f"{what}{after}: {count(component['distinct_rows'], 'distinct row')}"


def bound(options: argparse.Namespace) -> None:
    """Say how high the objective can be at most."""
    problem = read_input(options)
    task = make_task(
        problem.network,
        problem.data,
        problem.prior,
        NO_LIMIT,
        given=problem.given,
        ties=problem.ties,
        fixed=problem.fixed,
    )
    bounds = bound_task(task, Budget(options.bound_seconds))
    problem.notes.extend(_list(describe_targets(task)))
    lines = describe_split(problem.split)
    lines.append(f"no parameters reach more than {bounds.total:,.4f} (log-likelihood, plus log prior if any)")
    if task.has_moving_targets:
        lines.append("by the share of each row among those with the same targets: other bounds are for fixed ones")
    elif isinstance(bounds, MarkovBounds):
        lines.append(f"{_list_naive(bounds.naive)}, triangulated {bounds.triangulated:,.4f}")
        fits = {"scopes": bounds.scopes, "maximal cliques": bounds.cliques}
        lines += [f"bound by {name} {fit.value:,.4f} ({fit.kind})" for name, fit in fits.items() if fit is not None]
    else:
        lines.append(
            f"{_list_naive(bounds.naive)}, decomposition bound {bounds.decomposition.sum():,.4f}, "
            f"with partly observed variables {bounds.patterns.sum():,.4f}, "
            f"with independences among the observed {bounds.imap.sum():,.4f}"
        )
    source, told = describe_source(problem.data)
    show(options, problem.notes, {**describe_bounds(task, bounds), **source}, [*lines, *told])


def _list_naive(naive: float) -> str:
    return f"naive bound {naive:,.4f}" if math.isfinite(naive) else "naive bound left out (too many distinct rows)"


def _list(line: str) -> list[str]:
    """A line, unless there is nothing to say."""
    return [line] if line else []


def _show_progress(snapshot: Snapshot, crew: Crew | None) -> None:
    """One line on a terminal, written over at every iteration."""
    left = int((~snapshot.converged[snapshot.best]).sum())
    to_go = show_distance(float(snapshot.distance[snapshot.best].sum()))
    text = (
        f"iteration {snapshot.iteration}  objective {snapshot.objective.sum(axis=1).max():,.4f}  "
        f"to go {to_go}  components left {left}"
    )
    if crew is not None and crew.team.parcels:
        text += f"  {crew.team.left} of {crew.team.parcels} parts at work on {crew.name}"
    print(f"\r\x1b[K{text}", end="\r\x1b[K" if snapshot.stop else "", file=sys.stderr, flush=True)


def add_learner(parser: argparse.ArgumentParser) -> None:
    """The options of a learner."""
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        help="default: d-em; em for targets with --non-fixed; d-numerical-em for a prior that has no formula",
    )
    parser.add_argument(
        "--start", default="random", metavar="NETWORK|random|uniform|current", help="default: %(default)s"
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
    parser.add_argument("--n-init", type=int, default=1, metavar="K", help="restarts (default: %(default)s)")
    parser.add_argument(
        "--tol",
        type=float,
        default=Stopping.tol,
        metavar="T",
        help="default: %(default)s; that of the page, on the likelihood, is less strict",
    )
    parser.add_argument(
        "--estimate",
        choices=ESTIMATES,
        default=ESTIMATES[0],
        help="what --out writes and --hold-out tests: what was climbed to, or the posterior predictive "
        "(n + psi) / (N + sum psi) from the expected counts there (default: %(default)s)",
    )
    parser.add_argument(
        "--until",
        type=float,
        metavar="NATS",
        help="stop when no more is left to climb, by estimate, instead of by --tol",
    )
    parser.add_argument(
        "--max-iter", type=int, metavar="I", help=f"default: {Stopping.max_iter:,}; with --until {MOST_UNTIL:,}"
    )
    parser.add_argument(
        "--max-seconds", type=float, default=Stopping.max_seconds, metavar="SECONDS", help="default: no limit"
    )
    parser.add_argument(
        "--criterion",
        choices=("parameters", "likelihood"),
        default=Stopping.criterion,
        help="what must change by no more than the tolerance (default: %(default)s)",
    )


def add_targets(parser: argparse.ArgumentParser) -> None:
    """The option of data with targets."""
    parser.add_argument(
        "--non-fixed",
        action="store_true",
        help="cells that are targets hold before the rest of a row is known, not whatever it says; learned by em, "
        "which keeps the best iterate, as it need not get better at every step",
    )


def add_ties(parser: argparse.ArgumentParser) -> None:
    """The option that ties tables."""
    parser.add_argument(
        "--tie",
        action="append",
        default=[],
        metavar="A,B,C",
        help="Bayesian networks: these variables share one table, and their counts are added; may be repeated",
    )


def add_bound(parser: argparse.ArgumentParser) -> None:
    """The option of the bounds."""
    parser.add_argument(
        "--bound-seconds",
        type=float,
        default=Budget.seconds,
        metavar="SECONDS",
        help="Bayesian networks: about how long to look for a lower bound (default: %(default)s)",
    )


def add_prior(parser: argparse.ArgumentParser) -> None:
    """The options that say what is learned: a prior, and variables that are given."""
    parser.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="PSI|NAME:WIDTH",
        help="Dirichlet exponents: one number for all, or X=PSI for a variable (default: 1, maximum likelihood); or "
        "logistic-normal:1.5, or a prior that an installed package registers, for numerical-em",
    )
    parser.add_argument(
        "--l2", type=float, metavar="SIGMA", help="Markov networks: a Gaussian prior on the log factors, of this width"
    )
    parser.add_argument(
        "--l1", type=float, metavar="B", help="Markov networks: a Laplace prior, which makes factors exactly 1"
    )
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="X,Y",
        help="Markov networks: learn the others' likelihood given these, observed in every row",
    )
