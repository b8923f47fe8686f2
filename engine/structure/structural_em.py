"""Structural EM (Friedman, 1997): a structure from incomplete data.

The data is completed by what the network of the round before expects, hidden variables included; hill climbing on the
expected counts finds a better structure, EM its parameters, and so on. The expected score of a round never falls, nor
does, with a penalised score, the log-likelihood of the data less the penalty.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.arrays import Floats
from engine.model.dataset import MISSING, Dataset, code_dtype
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, table_shape
from engine.model.randomness import RandomState, make_generator
from engine.model.variable import Variable
from engine.structure.completion import complete_rows
from engine.structure.constraints import Constraints
from engine.structure.counts import Counts
from engine.structure.families import Families, Parents
from engine.structure.first_structure import find_first_structure
from engine.structure.hill_climbing import SMALLEST_GAIN, Climb, climb, never
from engine.structure.scores import DEFAULT_SAMPLE_SIZE, Penalised, make_score
from engine.structure.snapshot import Operation, list_changes

PARAMETER_STEPS = Stopping(tol=1e-4, criterion="likelihood", max_iter=100)
"""How long EM goes on between two structures."""


@dataclass(frozen=True, eq=False)
class Round:
    """A round of structural EM.

    Attributes
    ----------
    number : int
        0 before the first search.
    network : BayesianNetwork
        The structure, with its parameters.
    expected_before, expected : float
        The expected score of the structure before and after this round's search, under the same completion.
    log_likelihood : float
        Of the incomplete data.
    objective : float, optional
        The log-likelihood less the penalty; None for Bayesian scores, which have no such thing.
    operations : tuple of Operation
        What has changed since the round before: arrows deleted, turned and added, in this order.
    stop : str
        As in :class:`~engine.structure.snapshot.Snapshot`.
    """

    number: int
    seconds: float
    network: BayesianNetwork
    expected_before: float
    expected: float
    log_likelihood: float
    objective: float | None
    operations: tuple[Operation, ...] = ()
    stop: str = ""


@dataclass(frozen=True)
class StructuralEM:
    """How structural EM goes on.

    Attributes
    ----------
    score : str
    sample_size : float
        The equivalent sample size of Bayesian scores.
    climbing : Climb
        That of each round.
    max_rounds : int
    prior : BayesianNetwork, optional
        The prior network of ``bde``, with the variables of the data.
    """

    score: str = "bic"
    sample_size: float = DEFAULT_SAMPLE_SIZE
    climbing: Climb = field(default_factory=Climb)
    max_rounds: int = 50
    prior: BayesianNetwork | None = None

    def run(
        self,
        dataset: Dataset,
        constraints: Constraints,
        *,
        start: BayesianNetwork | None = None,
        random_state: RandomState = 0,
        cancelled: Callable[[], bool] = never,
    ) -> Iterator[Round]:
        """Search, yielding what each round has found.

        Parameters
        ----------
        dataset : Dataset
            Its hidden variables are kept: they are in the structure as any other.
        start : BayesianNetwork, optional
            By default a tree, with hidden variables as parents of all others.
        """
        began, generator = time.perf_counter(), make_generator(random_state)
        completion = complete_rows(dataset)
        network = start or make_network(dataset.variables, find_first_structure(dataset, constraints))
        network = _fit(network, dataset, "current" if start else "random", generator, cancelled)
        counts, likelihood = completion.expect(network)
        families = self._score(counts)
        expected = families.total(_sort(network))
        yield self._record(0, began, network, (expected, expected), likelihood, families)
        for number in range(1, self.max_rounds + 1):
            before = families.total(_sort(network))
            parents = self._search(families, constraints, _sort(network), generator, cancelled)
            after, operations = families.total(parents), list_changes(families, _sort(network), parents)
            if after > before + SMALLEST_GAIN * (1.0 + abs(before)):
                network = _fit(_maximise(counts, parents), dataset, "current", generator, cancelled)
                counts, likelihood = completion.expect(network)
                families = self._score(counts)
                is_last = number == self.max_rounds
                stop = "cancelled" if cancelled() else "steps" if is_last else ""
            else:
                stop, operations, after = "cancelled" if cancelled() else "optimum", (), before
            yield self._record(number, began, network, (before, after), likelihood, families, operations, stop)
            if stop:
                return

    def _score(self, counts: Counts) -> Families:
        return Families(counts, make_score(self.score, counts, self.sample_size, self.prior))

    def _search(
        self,
        families: Families,
        constraints: Constraints,
        parents: Parents,
        generator: np.random.Generator,
        cancelled: Callable[[], bool],
    ) -> Parents:
        """The best structure that a climb finds."""
        *_, last = climb(
            families, constraints, self.climbing, start=parents, random_state=generator, cancelled=cancelled
        )
        return last.best

    def _record(
        self,
        number: int,
        began: float,
        network: BayesianNetwork,
        expected: tuple[float, float],
        likelihood: float,
        families: Families,
        operations: tuple[Operation, ...] = (),
        stop: str = "",
    ) -> Round:
        score, objective = families.scored, None
        if isinstance(score, Penalised):
            size = sum(score.count_parameters(child, parents) for child, parents in enumerate(network.parents))
            objective = likelihood - score.penalty * size
        return Round(number, time.perf_counter() - began, network, *expected, likelihood, objective, operations, stop)


def add_hidden(dataset: Dataset, hidden: Sequence[Variable]) -> Dataset:
    """The dataset with further variables that nobody has seen."""
    variables = (*dataset.variables, *hidden)
    names = [variable.name for variable in variables]
    for variable in hidden:
        if names.count(variable.name) > 1:
            raise ModelError(f"the data has a column {variable.name!r} already; give the hidden variable another name")
    vectors = max((len(found) for found in dataset.likelihoods.values()), default=0)
    codes = np.full((len(variables), dataset.n_rows), MISSING, dtype=code_dtype(variables, vectors))
    codes[: len(dataset.variables)] = dataset.codes
    return Dataset(variables, codes, dataset.weights, dataset.likelihoods, dataset.targets)


def make_network(variables: Sequence[Variable], parents: Parents) -> BayesianNetwork:
    """A structure with uniform tables."""
    shapes = [table_shape(variables, (*family, child)) for child, family in enumerate(parents)]
    return BayesianNetwork(tuple(variables), parents, tuple(np.full(shape, 1.0 / shape[-1]) for shape in shapes))


def _sort(network: BayesianNetwork) -> Parents:
    return tuple(tuple(sorted(family)) for family in network.parents)


def _fit(
    network: BayesianNetwork,
    dataset: Dataset,
    start: str,
    generator: np.random.Generator,
    cancelled: Callable[[], bool],
) -> BayesianNetwork:
    """The network with parameters by EM."""
    for last in learn(  # noqa: B007 - the last one is what is left
        network,
        dataset,
        "d-em",
        start=start,
        random_state=generator,
        stopping=PARAMETER_STEPS,
        cancelled=cancelled,
    ):
        pass
    learned = last.network()
    assert isinstance(learned, BayesianNetwork)
    return learned


def _maximise(counts: Counts, parents: Parents) -> BayesianNetwork:
    """A structure with the parameters that complete data makes most likely; uniform where it has none."""
    uniform = make_network(counts.variables, parents)
    tables = []
    for child, (family, table) in enumerate(zip(parents, uniform.tables, strict=True)):
        configurations = counts.configurations(family)
        counted: Floats = np.zeros(table.shape)
        counted[tuple(configurations.codes)] = counts.count(child, configurations)
        sums = counted.sum(axis=-1, keepdims=True)
        tables.append(np.divide(counted, sums, out=table.copy(), where=sums > 0))
    return uniform.with_tables(tables)
