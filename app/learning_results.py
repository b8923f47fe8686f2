"""What the learning commands have found: as objects for JSON, and as lines for people."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from engine.learning.bounding import AnyBounds, bound_task
from engine.learning.bounds import CERTIFIED, Bounds
from engine.learning.decomposition import Component
from engine.learning.imap.budget import Budget
from engine.learning.learner import evaluate_state
from engine.learning.markov_bounds import MarkovBounds
from engine.learning.methods import find_method
from engine.learning.snapshot import Snapshot
from engine.learning.targets.splitting import has_targets
from engine.learning.task import LearningTask, make_task
from engine.learning.workspace import Workspace
from engine.model.arrays import Floats
from engine.model.network import MarkovNetwork
from engine.model.prior import Prior
from pgmgui.project.certificate import certify_gaps
from pgmgui.project.words import STOPS, describe_courses, describe_distance, describe_run

HINTS = {"iterations": "raise --max-iter or --tol", "time": "raise --max-seconds or --tol"}
"""What to do about a reason to stop."""


def describe_components(task: LearningTask) -> list[dict[str, Any]]:
    """The components: whose tables (or which factors) they are, what they are learned given, from how many rows."""
    names = [variable.name for variable in task.network.variables]

    def describe(component: Component, rows: int) -> dict[str, Any]:
        found = {
            "variables": [names[v] for v in component.variables],
            "boundary": [names[v] for v in component.boundary],
            "distinct_rows": rows,
        }
        if isinstance(task.network, MarkovNetwork):
            found["factors"] = [[names[v] for v in task.network.scopes[factor]] for factor in component.factors]
        return found

    return [describe(c, rows) for c, rows in zip(task.decomposition.components, task.distinct_rows, strict=True)]


def list_ties(task: LearningTask) -> list[list[str]]:
    """The variables of each table that is shared."""
    return [[task.network.variables[v].name for v in group] for group in task.ties]


def describe_bounds(task: LearningTask, bounds: AnyBounds) -> dict[str, Any]:
    """The bounds of a problem; a Markov network's components have none of their own."""
    components = [{key: value for key, value in c.items() if key != "distinct_rows"} for c in describe_components(task)]
    if isinstance(bounds, MarkovBounds):
        return {
            "naive": _finite(bounds.naive),
            "triangulated": _finite(bounds.triangulated),
            "scopes": None if bounds.scopes is None else vars(bounds.scopes),
            "cliques": None if bounds.cliques is None else vars(bounds.cliques),
            "tightest": _finite(bounds.total),
            "kind": bounds.kind,
            "components": components,
        }
    names = [variable.name for variable in task.network.variables]
    for k, (component, part) in enumerate(zip(components, task.decomposition.components, strict=True)):
        component |= {
            "bound": float(bounds.decomposition[k]),
            "patterns": float(bounds.patterns[k]),
            "imap": float(bounds.imap[k]),
            "order": [names[v] for v in bounds.orders[k]],
            "terms": {names[v]: float(bounds.terms[v]) for v in part.variables},
            "together": [
                {"variables": [names[v] for v in group.variables], "hidden": names[group.hidden]}
                for group in bounds.together[k]
            ],
        }
    return {
        "naive": _finite(bounds.naive),
        "decomposition": float(bounds.decomposition.sum()),
        "patterns": float(bounds.patterns.sum()),
        "imap": float(bounds.imap.sum()),
        "tightest": _finite(bounds.total),
        "kind": "exact",
        "components": components,
    }


def describe_result(method: str, last: Snapshot, trace: list[Floats], prior: Prior, budget: Budget) -> dict[str, Any]:
    """What a run has reached, and how close that is to the best possible."""
    best = last.best
    task, iterations = last.task, last.iterations[best]
    state_ll, state_objective = last.log_likelihood[best], last.objective[best]
    if not find_method(method).conditioned:
        # The textbook method knows no components: find theirs at the parameters it learned.
        fixed = not task.has_moving_targets
        task = make_task(task.network, task.dataset, prior, given=task.given, ties=task.ties, fixed=fixed)
        state, _ = evaluate_state(Workspace(task.objective), last.theta[best])
        state_ll, state_objective = state.log_likelihood, state.objective
        iterations = np.full(task.objective.n_components, last.iteration)
    bounds = bound_task(task, budget)
    components = describe_components(task)
    is_split = last.distance.shape[1] == len(components) + 1
    for k, component in enumerate(components):
        component |= {"iterations": int(iterations[k]), "log_likelihood": float(state_ll[k])}
        if is_split:
            component["to_go"] = _finite(float(last.distance[best, k]))
        if isinstance(bounds, Bounds):
            gap = max(0.0, float(bounds.imap[k] - state_objective[k]))
            component |= {
                "objective": float(state_objective[k]),
                "bound": float(bounds.imap[k]),
                "gap": gap,
                "certified": gap <= CERTIFIED,
            }
    result = {
        "method": method,
        "objective": float(state_objective.sum()),
        "log_likelihood": float(state_ll.sum()),
        "iterations": last.iteration,
        "converged": last.stop == "converged",
        "stop": last.stop,
        "seconds": last.seconds,
        "to_go": _finite(float(last.distance[best].sum())),
        "trace": _trace(trace, best, int(last.iterations[best].max())),
        "restarts": last.objective.sum(axis=1).tolist(),
        "bound": describe_bounds(task, bounds),
        "gap": _finite(max(0.0, bounds.total - float(state_objective.sum()))),
        "components": components,
        "ties": list_ties(task),
    }
    for component, course in zip(components if is_split else [result], last.courses, strict=False):
        component["course"] = asdict(course)
    if has_targets(task.dataset):
        result["targets"] = "non-fixed" if task.has_moving_targets else "fixed"
    if isinstance(task.network, MarkovNetwork):
        result["partition_term"] = float(state_ll[-1])  # −N log Z, or −Σ log Z(given)
    return result


def describe_estimate(estimate: str, theta: Floats, last: Snapshot) -> tuple[dict[str, Any], list[str]]:
    """What was made of the counts, and the log-likelihood that it reaches: for JSON, and in lines."""
    mode = float(last.log_likelihood[last.best].sum())
    if estimate == "mode":
        return {"kind": estimate, "log_likelihood": mode}, []
    objective = last.task.objective
    reached = float(evaluate_state(Workspace(objective), theta)[0].log_likelihood.sum())
    counts = "expected counts at the learned parameters" if objective.incomplete.size else "counts of the rows"
    return {"kind": estimate, "log_likelihood": reached}, [
        f"Posterior predictive estimate, (n + ψ) / (N + Σψ) from the {counts}: log-likelihood {reached:,.4f}, "
        f"that of the mode {mode:,.4f}."
    ]


def _finite(distance: float) -> float | None:
    """A distance or a bound as JSON has it, which knows nothing infinite."""
    return distance if math.isfinite(distance) else None


def _trace(trace: list[Floats], restart: int, iterations: int) -> list[float]:
    """The objective of a restart at its start and after each of its iterations.

    Restarts of an earlier or later batch stand still meanwhile: later ones at −∞, earlier ones at their end.
    """
    begun = [float(objectives[restart]) for objectives in trace if objectives[restart] > -np.inf]
    return begun[: iterations + 1]


def _show_bound(result: dict[str, Any]) -> str:
    if result["gap"] is None:
        return "No upper bound (too many distinct rows)"
    return f"Upper bound {result['objective'] + result['gap']:,.4f}"


def list_result(result: dict[str, Any], last: Snapshot) -> list[str]:
    """A result in lines."""
    stop, components = result["stop"], result["components"]
    state = "; ".join([STOPS[stop], *([HINTS[stop]] if stop in HINTS else [])])
    gaps = [component["gap"] for component in components if "gap" in component] or [
        math.inf if result["gap"] is None else result["gap"]
    ]
    lines = [
        describe_run(result["method"], last, state),
        f"{_show_bound(result)}; {result['seconds']:.3f} s.",
        certify_gaps(gaps, last),
        describe_distance(last),
        *describe_courses(last),
    ]
    if len(result["restarts"]) > 1:
        lines.append("restarts: " + ", ".join(f"{value:,.2f}" for value in sorted(result["restarts"], reverse=True)))
    return lines
