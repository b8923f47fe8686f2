"""The same work done by pyAgrum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas
import pyagrum

from engine.model.arrays import Floats
from engine.model.dataset import MISSING
from engine.model.network import BayesianNetwork
from tests.benchmarks.cases import Case
from tests.benchmarks.comparing import PeerError

SMOOTHING = 1e-3
"""Without a prior pyAgrum's EM refuses parent configurations that have no data."""
NEVER = 1e-300
"""A change of the likelihood that is never small enough to stop at."""


def convert(network: BayesianNetwork) -> pyagrum.BayesNet:
    """The network as pyAgrum's."""
    made = pyagrum.BayesNet()
    names = [variable.name for variable in network.variables]
    for variable in network.variables:
        made.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.states)))
    for parent, child in network.edges:
        made.addArc(names[parent], names[child])
    for child, table in enumerate(network.tables):
        theirs = made.cpt(names[child])
        axes = [names[v] for v in network.scopes[child]]
        order = [axes.index(name) for name in reversed(theirs.names)]
        theirs[:] = np.ascontiguousarray(table.transpose(order))
    return made


def make_frame(case: Case) -> pandas.DataFrame:
    """The data as texts, a missing cell as ``?``."""
    columns = zip(case.network.variables, case.dataset.codes, strict=True)
    return pandas.DataFrame({v.name: np.array([*v.states, "?"], dtype=object)[codes] for v, codes in columns})


def learn(model: pyagrum.BayesNet, frame: pandas.DataFrame, iterations: int) -> pyagrum.BayesNet:
    """So many iterations of pyAgrum's EM from the model's own tables, in one thread."""
    learner = pyagrum.BNLearner(frame, model, ["?"])
    learner.setNumberOfThreads(1)
    learner.useSmoothingPrior(SMOOTHING)
    learner.useEMWithDiffCriterion(NEVER, 0.0)
    learner.EMsetMaxIter(iterations)
    learnt = learner.learnParameters(model)
    if learner.EMnbrIterations() != iterations:
        made = f"{learner.EMnbrIterations()} of {iterations} iterations"
        raise PeerError(f"it ended after {made}: {learner.EMStateMessage()}")
    return learnt


def read(learnt: pyagrum.BayesNet, network: BayesianNetwork) -> BayesianNetwork:
    """What pyAgrum has learned as ours, with the variables and states of a network."""
    names = [variable.name for variable in network.variables]
    return network.with_tables(
        [read_tensor(learnt.cpt(names[scope[-1]]), [names[v] for v in scope]) for scope in network.scopes]
    )


def read_tensor(tensor: pyagrum.Tensor, names: Sequence[str]) -> Floats:
    """Its values with the axes in the order of the names. (pyAgrum names those of an array in reverse.)"""
    axes = list(reversed(tensor.names))
    return tensor.toarray().transpose([axes.index(name) for name in names])


def learn_by_hand(start: BayesianNetwork, case: Case, iterations: int) -> BayesianNetwork:
    """EM as one would write it around pyAgrum's inference: distinct rows only, of each the missing variables only."""
    merged = Case(case.title, start, case.dataset.project(range(len(start.variables))))
    data, scopes = merged.dataset, [np.array(scope) for scope in start.scopes]
    names = [variable.name for variable in start.variables]
    seen = [np.full(table.shape, SMOOTHING) for table in start.tables]
    for scope, counts in zip(scopes, seen, strict=True):
        complete = (data.codes[scope] != MISSING).all(axis=0)
        np.add.at(counts, tuple(data.codes[scope][:, complete]), data.weights[complete])
    learnt = start
    for _ in range(iterations):
        families = Families(convert(learnt), merged, whole=False)
        expected = [counts.copy() for counts in seen]
        for row, weight in enumerate(data.weights):
            column = data.codes[:, row]
            found = [k for k, scope in enumerate(scopes) if (column[scope] == MISSING).any()]
            for k, tensor in zip(found, families.row(row), strict=True):
                where = tuple(slice(None) if column[v] == MISSING else column[v] for v in scopes[k])
                missing = [names[v] for v in scopes[k] if column[v] == MISSING]
                expected[k][where] += weight * read_tensor(tensor, missing)
        learnt = learnt.with_tables([counts / counts.sum(axis=-1, keepdims=True) for counts in expected])
    return learnt


class Families:
    """Family marginals of one row after another, by lazy propagation in one thread.

    The open variables of each family are declared as joint targets, and where all rows miss the same
    variables evidence is changed and never erased: the fastest way that was found.

    Parameters
    ----------
    whole : bool
        Whether to ask for the joint of whole families, observed variables and complete families included,
        or only for the open variables of each.
    """

    def __init__(self, model: pyagrum.BayesNet, case: Case, *, whole: bool) -> None:
        self._codes = case.dataset.codes
        self._names = [variable.name for variable in case.network.variables]
        self._whole = whole
        self._scopes = case.network.scopes
        self._engine = pyagrum.LazyPropagation(model)
        self._engine.setNumberOfThreads(1)
        self._open: list[int] | None = None
        self._asked: list[list[str]] = []

    def row(self, row: int) -> list[pyagrum.Tensor]:
        """The marginals of the families, in the order of the network's tables."""
        column = self._codes[:, row]
        missing = np.flatnonzero(column == MISSING).tolist()
        observed = np.flatnonzero(column != MISSING).tolist()
        if missing == self._open:
            for v in observed:
                self._engine.chgEvidence(self._names[v], int(column[v]))
        else:
            self._open = missing
            self._engine.setEvidence({self._names[v]: int(column[v]) for v in observed})
            self._aim(set(missing))
        self._engine.makeInference()
        return [self._marginal(names) for names in self._asked]

    def rows(self, rows: Sequence[int]) -> list[list[pyagrum.Tensor]]:
        return [self.row(row) for row in rows]

    def _aim(self, missing: set[int]) -> None:
        self._engine.eraseAllTargets()
        asked = [[self._names[v] for v in scope if self._whole or v in missing] for scope in self._scopes]
        self._asked = [names for names in asked if names]
        for names in self._asked:
            if len(names) == 1:
                self._engine.addTarget(names[0])
            else:
                self._engine.addJointTarget(set(names))

    def _marginal(self, names: list[str]) -> pyagrum.Tensor:
        return self._engine.posterior(names[0]) if len(names) == 1 else self._engine.jointPosterior(set(names))
