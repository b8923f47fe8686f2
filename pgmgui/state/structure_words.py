"""How a search for a structure stands, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model.variable import Variable
from engine.structure.bound import CLOSE, EXACT
from engine.structure.snapshot import Operation
from pgmgui.project.structure_problem import MOST_BOUNDED, Stand, StructureProblem
from pgmgui.project.structure_settings import EDGES
from pgmgui.project.words import SEARCH_STOPS, capitalise, count, show_nats
from pgmgui.state.structuring import FAILED, SearchCourse, Structuring, find_bound

MOST_CHANGES = 6
"""Of a round, that are told one by one."""
STOPS = {**SEARCH_STOPS, FAILED: "failed"}


def describe_operation(operation: Operation, variables: Sequence[Variable]) -> str:
    """What a step did, and what it gained."""
    parent, child = variables[operation.parent].name, variables[operation.child].name
    done = {
        "add": f"added {parent} → {child}",
        "delete": f"removed {parent} → {child}",
        "reverse": f"turned {parent} → {child} into {child} → {parent}",
    }[operation.kind]
    return f"{done}, {'+' if operation.gain >= 0 else '−'}{show_nats(abs(operation.gain))} nats"


def describe_search(structuring: Structuring) -> list[str]:
    """How the search stands: where it is, what it did last, and how far from the best possible."""
    course = structuring.course
    if course is None:
        return []
    problem, stand = course.problem, course.stand
    title = capitalise(problem.title)
    if stand is None:
        if course.trouble:
            return [f"{title} failed: {course.trouble}."]
        return [f"{title}: counting {count(problem.dataset.total_weight, 'row')} …"]
    lines = [f"{_tell_state(structuring, course)}{_tell_where(problem, stand, bool(course.stop))}."]
    if stand.now.operation is not None and not course.stop:
        lines.append(f"{capitalise(_tell_step(stand, problem))}.")
    lines += [_tell_bound(course)]
    if problem.remark:
        lines.append(f"{problem.remark}.")
    if structuring.stale:
        lines.insert(0, "Stale: the network or the data has changed since. Undo that, or search again.")
    if structuring.kept:
        lines.insert(
            0, "Kept: the network was given these arrows, and tables learned from the data. Undo takes them back."
        )
    if course.trouble:
        lines.append(f"{capitalise(course.trouble)}.")
    return lines


def _tell_state(structuring: Structuring, course: SearchCourse) -> str:
    title = course.problem.title
    if course.stop:
        return f"{capitalise(STOPS[course.stop])}: {title}, "
    return f"Paused: {title}, " if structuring.paused else f"{capitalise(title)}, "


def _tell_where(problem: StructureProblem, stand: Stand, ended: bool) -> str:
    """The structure that is shown: the newest, or the best once it has ended."""
    now = stand.now
    edges = count(sum(map(len, now.best if ended else now.parents)), "arrow" if problem.directed else "edge")
    restart = f", restart {now.restart:,}" if now.restart else ""
    score = now.best_score if ended else now.score
    best = f" (best {now.best_score:,.2f})" if now.best_score > score + CLOSE else ""
    share = f", {now.fraction:.0%} done" if now.fraction and not ended else ""
    return f"{count(now.iteration, problem.counted)}{restart}{share}: {edges}, score {score:,.2f}{best}"


def _tell_step(stand: Stand, problem: StructureProblem) -> str:
    assert stand.now.operation is not None
    variables = problem.dataset.variables
    if len(stand.changes) <= 1:
        return describe_operation(stand.now.operation, variables)
    # The newest first: what a later change gains is on top of those before.
    told = [describe_operation(change, variables) for change in reversed(stand.changes[-MOST_CHANGES:])]
    more = len(stand.changes) - len(told)
    rest = f"; and {count(more, 'more change')} before" if more else ""
    return f"{count(len(stand.changes), 'change')} in this round, the last first: {'; '.join(told)}{rest}"


def _tell_bound(course: SearchCourse) -> str:
    problem, bound = course.problem, find_bound(course)
    if bound is None or course.stand is None:
        if problem.has_bound and course.bounded:
            return "No upper bound of the score was found."
        if problem.has_bound:
            return "Looking for an upper bound of the score …"
        if problem.search.name == EDGES:
            return "The score is the log-likelihood less the L1 penalty; no bound of it is looked for."
        if not problem.is_complete:
            return "Cells are missing: structural EM finds an optimum among others, and no bound of it is known."
        return f"With more than {MOST_BOUNDED} columns no bound is looked for."
    gap = bound.value - course.stand.now.best_score
    if gap <= CLOSE:
        what = "it" if course.stop or course.stand.now.score >= course.stand.now.best_score else "the best so far"
        return f"No structure scores more: {what} is at its upper bound."
    about = "which one reaches" if bound.kind == EXACT else "an upper bound"
    if bound.kind == EXACT and course.stop and problem.search.name != "exact":
        is_climb = problem.search.name == "hill-climbing"
        about += ": try restarts, or the exact search" if is_climb else ": the exact search finds it"
    looking = "" if course.bounded else "; a lower one is looked for"
    return f"No structure scores more than {bound.value:,.2f}, {show_nats(gap)} nats above ({about}{looking})."
