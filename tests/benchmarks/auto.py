"""The automatic learner against the best of all others, from the same restarts: how high, and how soon."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.arrays import Floats
from tests.benchmarks.cases import Case, hidden_case, partial_case
from tests.benchmarks.report import Report, ratio, seconds

OTHERS = ("d-em", "d-edml", "d-hybrid", "d-lbfgs", "d-cg")
RESTARTS = 8
SAME = 0.01
"""Nats: heights that differ by less are the same, for some nats are always still to go."""
COLUMNS = ("problem", "bound", "best other", "which", "auto above", "other there", "auto there", "sooner", "auto ends")
NOTE = (
    f"The best of d-em, d-edml, d-hybrid, d-lbfgs and d-cg with {RESTARTS} restarts each, and auto with the same ones; "
    "each until 0.001 nats are left by estimate, or for so many seconds of CPU. There: when it came within "
    f"{SAME} nats of the height of the best other. Seconds are those of this process' own work."
)


@dataclass(frozen=True, eq=False)
class Climb:
    """A run: its best objective and seconds of CPU after every iteration."""

    method: str
    objective: Floats
    seconds: Floats

    @property
    def height(self) -> float:
        return float(self.objective[-1])

    def find(self, height: float) -> float:
        """When it came there; never is infinite."""
        there = self.objective >= height - SAME
        return float(self.seconds[np.argmax(there)]) if there.any() else np.inf


def run(quick: bool, report: Report) -> None:
    """Print heights and times."""
    report.note(NOTE)
    cases = list(_cases(quick))
    high = soon = 0
    with report.table(COLUMNS) as table:
        for case in cases:
            most = 1.0 if quick else 15.0
            auto, *others = (_climb(case, method, most) for method in ("auto", *OTHERS))
            best = max(others, key=lambda climb: climb.height)
            when, theirs = auto.find(best.height), best.find(best.height)
            high += auto.height >= best.height - SAME
            soon += when < theirs
            bound = bound_task(make_task(case.network, case.dataset)).total
            table.row(
                case.title,
                f"{bound:,.1f}",
                f"{best.height:,.2f}",
                best.method,
                f"{auto.height - best.height:+,.2f}",
                seconds(theirs),
                seconds(when) if np.isfinite(when) else "—",
                ratio(theirs / when) if np.isfinite(when) else "—",
                seconds(float(auto.seconds[-1])),
            )
    report.note(f"As high or higher in {high} of {len(cases)} problems, sooner in {soon}.")


def _cases(quick: bool) -> Iterator[Case]:
    if quick:
        yield hidden_case("asia", 2**8, 0.3)
        return
    for name, fractions in {
        "asia": (0.3, 0.5),
        "child": (0.2, 0.4),
        "insurance": (0.2, 0.4),
        "alarm": (0.2, 0.5),
        "hepar2": (0.2, 0.5),
        "win95pts": (0.3, 0.5),
        "chain-180": (0.5, 0.7),
        "tree-63": (0.3, 0.5),
    }.items():
        for fraction in fractions:
            yield hidden_case(name, 2**10, fraction)
    yield partial_case("alarm", 2**10, 0.3, 0.3)
    yield partial_case("insurance", 2**10, 0.3, 0.5)
    yield hidden_case("alarm", 2**12, 0.2)
    yield hidden_case("andes", 2**10, 0.2)


def _climb(case: Case, method: str, most: float) -> Climb:
    stopping = Stopping(until=1e-3, max_iter=100_000)
    started = time.process_time()
    objective, passed = [], []
    for snapshot in learn(case.network, case.dataset, method, n_init=RESTARTS, stopping=stopping):
        objective.append(float(snapshot.objective.sum(axis=1).max()))
        passed.append(time.process_time() - started)
        if passed[-1] > most:
            break
    return Climb(method, np.array(objective), np.array(passed))
