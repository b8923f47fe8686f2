"""The commands that learn: ``learn``, ``decompose`` and ``bound``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.commands import check_seed, memory_limit, names_by_role, read_model, show, split_assignment
from engine.formats import Document, read_dataset, read_network, write_network
from engine.inference.junction_tree import compile_tree
from engine.learning.bounds import CERTIFIED, Bounds, find_bounds
from engine.learning.decomposition import Component
from engine.learning.learn import learn as run_learner
from engine.learning.learner import evaluate_state
from engine.learning.methods import METHODS, find_method
from engine.learning.snapshot import Snapshot
from engine.learning.starts import KINDS
from engine.learning.stopping import Stopping
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.dataset import Dataset
from engine.model.errors import PgmError
from engine.model.network import BayesianNetwork
from engine.model.prior import Exponents
from pgmgui.project.words import STOPS, describe_certificate, describe_run, describe_symmetries, describe_unseen

NO_LIMIT = 2**62
"""For commands that plan inference but do not run it."""
HINTS = {"iterations": "raise --max-iter or --tol", "time": "raise --max-seconds or --tol"}
"""What to do about a reason to stop."""


def learn(options: argparse.Namespace) -> None:
    """Learn parameters and say how close they are to the best possible."""
    given = _read(options)
    network, prior, notes = given.network, given.prior, given.notes
    stopping = Stopping(options.tol, options.criterion, options.max_iter, options.max_seconds)
    start: str | BayesianNetwork = options.start
    if options.start not in KINDS:
        start = _bayesian(read_network(options.start, options.normalise), options.start)
    snapshots = run_learner(
        network,
        given.data,
        options.method,
        start=start,
        random_state=check_seed(options.random_state),
        n_init=options.n_init,
        prior=prior,
        stopping=stopping,
        memory_limit=memory_limit(options),
    )
    first, last, trace = _follow(snapshots)
    notes += _list(describe_symmetries(first.task, first.symmetries(), "use --start random"))
    unseen = describe_unseen(last)
    notes += _list(unseen and f"{unseen} A prior above 1 would settle that.")
    if options.out:
        write_network(options.out, replace(given.document, network=last.network()))
    result = _describe_result(options.method, last, trace, prior)
    lines = [*_result_lines(result, last), *([f"wrote the learned network to {options.out}"] if options.out else [])]
    show(options, notes, result, lines)


def _follow(snapshots: Iterator[Snapshot]) -> tuple[Snapshot, Snapshot, list[Floats]]:
    """The first and the last snapshot of a run, and the objective of each restart at every iteration.

    Ctrl+C ends the run in the middle of an iteration, with what the one before has reached; before the first, and
    pressed again, it ends the command.
    """
    found: list[Snapshot] = []
    trace: list[Floats] = []
    try:
        for snapshot in snapshots:
            found = [*found[:1], snapshot]
            trace.append(snapshot.objective.sum(axis=1))
            _show_progress(snapshot)
    except KeyboardInterrupt:
        if not found:
            raise
        found[-1] = replace(found[-1], stop="cancelled")
        _show_progress(found[-1])
    return found[0], found[-1], trace


def decompose(options: argparse.Namespace) -> None:
    """Say how the learning problem falls apart."""
    given = _read(options)
    network, data = given.network, given.data
    task = make_task(network, data, memory_limit=NO_LIMIT)
    names = [variable.name for variable in network.variables]
    pruned = [names[v] for v in task.decomposition.pruned]
    distinct = task.whole_rows
    whole = compile_tree([v.cardinality for v in network.variables], network.scopes)
    components = _describe_components(task)
    parts = zip(components, task.decomposition.components, strict=True)
    iterated = sum(described["distinct_rows"] for described, part in parts if not part.is_complete)
    result = {
        **names_by_role(data),
        "pruned": pruned,
        "rows": data.n_rows,
        "distinct_rows": distinct,
        "components": components,
        "inferences": {"whole": distinct, "decomposed": iterated},
        "table_cells": {"whole": whole.cells * distinct, "decomposed": task.plan.cells},
    }
    lines = [f"{len(components)} components; {data.n_rows:,} rows, {distinct:,} distinct"]
    lines += [f"{role}: {', '.join(who)}" for role, who in {**names_by_role(data), "pruned": pruned}.items() if who]
    for k, c in enumerate(components, 1):
        after = f" given {', '.join(c['boundary'])}" if c["boundary"] else ""
        lines.append(f"{k}. {', '.join(c['variables'])}{after}: {c['distinct_rows']:,} distinct rows")
    lines.append(
        f"one EM iteration: {distinct:,} inferences over {whole.cells:,} table cells each on the whole network, "
        f"{iterated:,} small ones over {task.plan.cells:,} cells in all decomposed"
    )
    show(options, given.notes, result, lines)


def bound(options: argparse.Namespace) -> None:
    """Say how high the objective can be at most."""
    given = _read(options)
    task = make_task(given.network, given.data, given.prior, NO_LIMIT)
    bounds = find_bounds(task)
    result = _describe_bounds(task, bounds)
    lines = [
        f"no parameters reach more than {bounds.total:,.4f} (log-likelihood, plus log prior if any)",
        f"naive bound {bounds.naive:,.4f}, decomposition bound {bounds.decomposition.sum():,.4f}, "
        f"with partly observed variables {bounds.patterns.sum():,.4f}",
    ]
    show(options, given.notes, result, lines)


@dataclass(frozen=True, eq=False)
class _Input:
    """What a command works on: the files, or the session, that it names."""

    document: Document
    network: BayesianNetwork
    data: Dataset
    prior: Exponents
    notes: list[str]


def _read(options: argparse.Namespace) -> _Input:
    prior = getattr(options, "prior", [])
    if options.data is None:
        return _read_session(options.network, prior)
    document = read_model(options)
    network = _bayesian(document, options.network)
    found = read_dataset(options.data, network.variables, missing=options.missing_code)
    if not found.dataset.n_rows:
        raise PgmError(f"{options.data}: the dataset has no rows; there is nothing to learn from")
    return _Input(document, network, found.dataset, _parse_prior(network, prior), [*document.notes, *found.notes])


def _read_session(path: str, prior: Sequence[str]) -> _Input:
    """A session saved by the dashboard: its data as its marks let it be seen, and its prior if no other is given."""
    from pgmgui.project.marks import apply_marks  # the dashboard's parts take a while to import
    from pgmgui.project.session_file import is_session, read_session

    if not is_session(path):
        raise PgmError(f"{path}: a network needs data to learn from; give a data file too, or a session's file alone")
    scene = read_session(path).scene
    network = _bayesian(scene.document, path)
    if scene.data is None or not scene.data.dataset.n_rows:
        raise PgmError(f"{path}: the session has no data; there is nothing to learn from")
    exponents = _parse_prior(network, prior) if prior else scene.exponents
    return _Input(scene.document, network, apply_marks(scene.data.dataset, scene.marks), exponents, [])


def _bayesian(document: Document, path: str) -> BayesianNetwork:
    if not isinstance(document.network, BayesianNetwork):
        raise PgmError(f"{path}: learning Markov networks is not supported yet; give a Bayesian network")
    return document.network


def _parse_prior(network: BayesianNetwork, texts: Sequence[str]) -> Exponents:
    """``2`` for all parameters, or ``X=2`` for those of a variable."""
    common, named = 1.0, {}
    for text in texts:
        try:
            if "=" in text:
                variable, number = split_assignment(network, text, "--prior X=2", "")
                named[variable.name] = float(number)
            else:
                common = float(text)
        except ValueError:
            raise PgmError(f"--prior {text}: expected a number, or a variable and a number as in X=2") from None
    return {variable.name: named.get(variable.name, common) for variable in network.variables} if named else common


def _describe_components(task: LearningTask) -> list[dict[str, Any]]:
    names = [variable.name for variable in task.network.variables]

    def describe(component: Component, rows: int) -> dict[str, Any]:
        return {
            "variables": [names[v] for v in component.variables],
            "boundary": [names[v] for v in component.boundary],
            "distinct_rows": rows,
        }

    return [describe(c, rows) for c, rows in zip(task.decomposition.components, task.distinct_rows, strict=True)]


def _describe_bounds(task: LearningTask, bounds: Bounds) -> dict[str, Any]:
    components = []
    for k, component in enumerate(_describe_components(task)):
        del component["distinct_rows"]
        values = {"bound": float(bounds.decomposition[k]), "patterns": float(bounds.patterns[k])}
        components.append({**component, **values})
    return {
        "naive": bounds.naive,
        "decomposition": float(bounds.decomposition.sum()),
        "patterns": float(bounds.patterns.sum()),
        "kind": "exact",
        "components": components,
    }


def _describe_result(method: str, last: Snapshot, trace: list[Floats], prior: Exponents) -> dict[str, Any]:
    best = last.best
    task, iterations = last.task, last.iterations[best]
    state_ll, state_objective = last.log_likelihood[best], last.objective[best]
    if not find_method(method).conditioned:
        # The textbook method knows no components: find theirs at the parameters it learned.
        network, dataset = task.bayesian, task.decomposition.dataset
        task = make_task(network, dataset, prior)
        state, _ = evaluate_state(Workspace(task.objective), last.theta[best])
        state_ll, state_objective = state.log_likelihood, state.objective
        iterations = np.full(task.objective.n_components, last.iteration)
    bounds = find_bounds(task)
    components = _describe_components(task)
    for k, component in enumerate(components):
        gap = max(0.0, float(bounds.patterns[k] - state_objective[k]))
        component |= {
            "iterations": int(iterations[k]),
            "log_likelihood": float(state_ll[k]),
            "objective": float(state_objective[k]),
            "bound": float(bounds.patterns[k]),
            "gap": gap,
            "certified": gap <= CERTIFIED,
        }
    return {
        "method": method,
        "objective": float(state_objective.sum()),
        "log_likelihood": float(state_ll.sum()),
        "iterations": last.iteration,
        "converged": last.stop == "converged",
        "stop": last.stop,
        "seconds": last.seconds,
        "trace": _trace(trace, best, int(last.iterations[best].max())),
        "restarts": last.objective.sum(axis=1).tolist(),
        "bound": _describe_bounds(task, bounds),
        "gap": max(0.0, bounds.total - float(state_objective.sum())),
        "components": components,
    }


def _trace(trace: list[Floats], restart: int, iterations: int) -> list[float]:
    """The objective of a restart at its start and after each of its iterations.

    Restarts of an earlier or later batch stand still meanwhile: later ones at −∞, earlier ones at their end.
    """
    begun = [float(objectives[restart]) for objectives in trace if objectives[restart] > -np.inf]
    return begun[: iterations + 1]


def _result_lines(result: dict[str, Any], last: Snapshot) -> list[str]:
    stop, components = result["stop"], result["components"]
    state = "; ".join([STOPS[stop], *_list(HINTS.get(stop, ""))])
    rows = last.task.decomposition.dataset.total_weight
    lines = [
        describe_run(result["method"], last, state),
        f"Upper bound {result['objective'] + result['gap']:,.4f}; {result['seconds']:.3f} s.",
        describe_certificate([c["objective"] for c in components], [c["bound"] for c in components], rows),
    ]
    if len(result["restarts"]) > 1:
        lines.append("restarts: " + ", ".join(f"{value:,.2f}" for value in sorted(result["restarts"], reverse=True)))
    return lines


def _list(line: str) -> list[str]:
    """A line, unless there is nothing to say."""
    return [line] if line else []


def _show_progress(snapshot: Snapshot) -> None:
    """One line on a terminal, written over at every iteration."""
    if not sys.stderr.isatty():
        return
    left = int((~snapshot.converged[snapshot.best]).sum())
    text = (
        f"iteration {snapshot.iteration}  objective {snapshot.objective.sum(axis=1).max():,.4f}  components left {left}"
    )
    print(f"\r\x1b[K{text}", end="\r\x1b[K" if snapshot.stop else "", file=sys.stderr, flush=True)


def add_learner(parser: argparse.ArgumentParser) -> None:
    """The options of a learner."""
    methods = [name for name, method in METHODS.items() if BayesianNetwork in method.kinds]
    parser.add_argument("--method", choices=methods, default="d-em", help="default: %(default)s")
    parser.add_argument(
        "--start", default="random", metavar="NETWORK|random|uniform|current", help="default: %(default)s"
    )
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
    parser.add_argument("--n-init", type=int, default=1, metavar="K", help="restarts (default: %(default)s)")
    parser.add_argument("--tol", type=float, default=Stopping.tol, metavar="T", help="default: %(default)s")
    parser.add_argument("--max-iter", type=int, default=Stopping.max_iter, metavar="I", help="default: %(default)s")
    parser.add_argument(
        "--max-seconds", type=float, default=Stopping.max_seconds, metavar="SECONDS", help="default: no limit"
    )
    parser.add_argument(
        "--criterion",
        choices=("parameters", "likelihood"),
        default=Stopping.criterion,
        help="what must change by no more than the tolerance (default: %(default)s)",
    )


def add_prior(parser: argparse.ArgumentParser) -> None:
    """The option of a prior."""
    parser.add_argument(
        "--prior",
        action="append",
        default=[],
        metavar="PSI",
        help="Dirichlet exponents: one number for all, or X=PSI for a variable (default: 1, maximum likelihood)",
    )
