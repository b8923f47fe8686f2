"""EM and the gradient beside others': what is reached is compared first, and times only where that is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyagrum

from engine.learning.learn import learn
from engine.learning.starts import make_starts
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.learning.workspace import Workspace
from engine.model.network import BayesianNetwork, Network
from tests.benchmarks import agrum, pgm_py
from tests.benchmarks.cases import Case, hidden_case, partial_case
from tests.benchmarks.comparing import SAME, Attempt, let_learn, print_comparisons
from tests.benchmarks.peers_markov import run_markov
from tests.benchmarks.report import Report

ITERATIONS = 10
PRIOR = 1 + agrum.SMOOTHING
MOST_COMPLETIONS = 2_000
"""pgmpy visits each completion of a row in each iteration, one by one."""
NOTE = (
    f"Bayesian networks: {ITERATIONS} iterations of EM, all from the same random tables and with the same "
    f"{agrum.SMOOTHING:g} added to every expected count, without which pyAgrum refuses parents' states that no row "
    "has. In CPU seconds of one thread, from network and data in memory, as each tool wants them, to the learned "
    "tables; nothing is scaled from fewer rows or iterations. The log-likelihood is that of these tables, "
    f"computed by us; where it is more than {SAME:g} nats from that of D-EM there is no ratio. pyAgrum: BNLearner. "
    "In turn: it is called anew for every iteration, where it would end early (a likelihood that falls, as a prior "
    "may make it). By hand: EM around its LazyPropagation, distinct rows and missing variables only. pgmpy: "
    "DiscreteEM, whose M-step is given the prior. Ours gains with more rows, as it merges equal ones; these are "
    "few, for the others' sake."
)
OTHERS = (
    "Looked for in the package registry and left out by what they or their sources say, because nothing in them learns "
    "from incomplete data what is learned above: pomegranate (fits Bayesian networks to complete rows), bnlearn "
    "on PyPI (pgmpy's estimators without its EM), sorobn and BayNet (count complete rows), pybbn (no EM), pgmax "
    "and pytoulbar2 (most probable states), torch-struct (chains and trees of sentences), BayesPy (variational "
    "Bayes: another objective), NumPyro (a language, in which one would write autodiff again), libpgm (Python 2). "
    "Something else by the same name: merlin, mrf, mrftools, pysmile, dai, pyBN. Not there: libDAI (pydai, "
    "pylibdai, libdai), aGrUM but as pyAgrum, pypgm, pybnl, OpenGM, causalnex, pyhugin, bayesserver. Not reached: "
    "R's bnlearn and bnstruct, which are in CRAN and not in Debian."
)


@dataclass(frozen=True)
class Problem:
    """What is learned, and the tables to start from."""

    case: Case
    start: BayesianNetwork


def run(quick: bool, report: Report) -> None:
    """Print what is reached, and where it is the same how long it takes."""
    report.note(NOTE)
    problems = map(_make_problem, make_cases(quick))
    print_comparisons(report, ((problem.case.title, _attempt(problem)) for problem in problems))
    run_markov(quick, report)
    report.note(OTHERS)


def make_cases(quick: bool) -> list[Case]:
    """The learning problems, as large as the others can do in some minutes."""
    if quick:
        return [hidden_case("asia", 2**3, 0.25)]
    return [
        hidden_case("asia", 2**10, 0.25),
        partial_case("asia", 2**10, 1.0, 0.2),
        hidden_case("alarm", 2**6, 0.05),
        partial_case("alarm", 2**8, 0.2, 0.3),
        hidden_case("alarm", 2**6, 0.2),
        hidden_case("win95pts", 2**6, 0.5),
    ]


def find_likelihood(network: Network, case: Case) -> float:
    """The log-likelihood of a network with the tables that were learned."""
    task = make_task(network, case.dataset)
    return float(Workspace(task.objective).evaluate(task.layout.flatten(network.tables)).log_likelihood.sum())


def _make_problem(case: Case) -> Problem:
    task = make_task(case.network, case.dataset)
    return Problem(case, case.network.with_tables(task.layout.tables(make_starts(task, "random", 1, 1)[0])))


def _attempt(problem: Problem) -> Iterator[Attempt]:
    """What each tool makes of a problem, ours first."""
    case, start = problem.case, problem.start

    def judge(learnt: Network) -> float:
        return find_likelihood(learnt, case)

    yield let_learn("D-EM", lambda: _learn_ours(problem, "d-em"), judge, repeats=9)
    yield let_learn("EM", lambda: _learn_ours(problem, "em"), judge, repeats=9)
    yield from _let_agrum_learn(problem, judge)
    yield let_learn("by hand", lambda: agrum.learn_by_hand(start, case, ITERATIONS), judge)
    completions = pgm_py.count_completions(case)
    if completions > MOST_COMPLETIONS:
        yield Attempt("pgmpy", reason=f"{completions:.0e} completions of rows to enumerate in every iteration")
        return
    learner = pgm_py.Learner(start, case, agrum.SMOOTHING)
    reason = "it drops rows with missing cells" if case.is_partial else ""
    yield let_learn(
        "pgmpy", lambda: learner.learn(ITERATIONS), lambda learnt: judge(learner.read(learnt)), reason=reason
    )


def _let_agrum_learn(problem: Problem, judge: Callable[[Network], float]) -> Iterator[Attempt]:
    """pyAgrum's EM; where it ends early because a prior makes the likelihood fall, again with an iteration a call."""
    model, frame = agrum.convert(problem.start), agrum.make_frame(problem.case)

    def learn_in_turn() -> pyagrum.BayesNet:
        learnt = model
        for _ in range(ITERATIONS):
            learnt = agrum.learn(learnt, frame, 1)
        return learnt

    def judge_theirs(learnt: pyagrum.BayesNet) -> float:
        return judge(agrum.read(learnt, problem.start))

    whole = let_learn("pyAgrum", lambda: agrum.learn(model, frame, ITERATIONS), judge_theirs)
    yield whole
    if whole.reached is None:
        yield let_learn("pyAgrum in turn", learn_in_turn, judge_theirs)


def _learn_ours(problem: Problem, method: str) -> Network:
    case, stopping = problem.case, Stopping(tol=0.0, max_iter=ITERATIONS)
    *_, last = learn(case.network, case.dataset, method, start=problem.start, prior=PRIOR, stopping=stopping)
    return last.network()
