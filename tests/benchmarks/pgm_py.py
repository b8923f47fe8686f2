"""The same work done by pgmpy."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from engine.model.network import BayesianNetwork
from tests.benchmarks.cases import Case

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator, DiscreteEM

logging.getLogger("pgmpy").setLevel(logging.ERROR)


def convert(network: BayesianNetwork, states: Mapping[str, list[Any]] | None = None) -> DiscreteBayesianNetwork:
    """The network as pgmpy's, its states by their names or as they are given."""
    names = [variable.name for variable in network.variables]
    states = states or {variable.name: list(variable.states) for variable in network.variables}
    made = DiscreteBayesianNetwork()
    made.add_nodes_from(names)
    made.add_edges_from([(names[parent], names[child]) for parent, child in network.edges])
    for child, table in enumerate(network.tables):
        own = {names[v]: states[names[v]] for v in network.scopes[child]}
        parents = [names[p] for p in network.parents[child]]
        values = table.reshape(-1, table.shape[-1]).T
        made.add_cpds(TabularCPD(names[child], len(values), values, parents, table.shape[:-1], state_names=own))
    return made


def query_families(model: DiscreteBayesianNetwork, case: Case, rows: Sequence[int]) -> list[list[DiscreteFactor]]:
    """Per row, the marginal of the open variables of every family that has some, by variable elimination."""
    engine = VariableElimination(model)
    return [_query_row(engine, case, row) for row in rows]


def _query_row(engine: VariableElimination, case: Case, row: int) -> list[DiscreteFactor]:
    variables, column = case.network.variables, case.dataset.codes[:, row]
    evidence = {v.name: v.states[code] for v, code in zip(variables, column, strict=True) if code >= 0}
    found = []
    for scope in case.network.scopes:
        asked = [variables[v].name for v in scope if column[v] < 0]
        if asked:
            found.append(engine.query(asked, evidence, show_progress=False))
    return found


def count_completions(case: Case) -> int:
    """Completions of the distinct rows by states of the hidden variables: pgmpy's EM enumerates them."""
    rows = case.dataset.project(range(len(case.network.variables))).n_rows
    return rows * math.prod(case.network.variables[v].cardinality for v in case.hidden)


class Learner:
    """pgmpy's EM from the tables of a network, with the same prior as pyAgrum's. It drops rows with missing cells.

    Its floor of 1e-10 under every probability, of which nobody is told, is as it is.
    """

    def __init__(self, start: BayesianNetwork, case: Case, smoothing: float) -> None:
        variables, hidden = start.variables, case.hidden
        self._network, self._smoothing = start, smoothing
        # States of hidden variables are numbers to it, whatever their names.
        self._states = {
            v.name: list(range(v.cardinality)) if k in hidden else list(v.states) for k, v in enumerate(variables)
        }
        self._model = convert(start, self._states)
        self._model.latents = {variables[v].name for v in hidden}
        observed = [v for v in range(len(variables)) if v not in hidden]
        texts = {variables[v].name: np.array([*variables[v].states, None])[case.dataset.codes[v]] for v in observed}
        self._frame = pandas.DataFrame(texts, dtype=object)

    def learn(self, iterations: int) -> DiscreteEM:
        """So many iterations."""
        learner = DiscreteEM(
            state_names=self._states,
            latent_card={name: len(self._states[name]) for name in self._model.latents},
            m_step_estimator=DiscreteBayesianEstimator(prior_type="dirichlet", pseudo_counts=self._smoothing),
            max_iter=iterations,
            atol=0.0,
            init_cpds={cpd.variable: cpd for cpd in self._model.cpds},
            show_progress=False,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return learner.fit(self._model, self._frame)

    def read(self, learnt: DiscreteEM) -> BayesianNetwork:
        """What it has learned as ours."""
        network, names = self._network, [variable.name for variable in self._network.variables]
        found = {cpd.variable: cpd.to_factor() for cpd in learnt.parameters_}
        tables = []
        for scope in network.scopes:
            factor, states = found[names[scope[-1]]], [self._states[names[v]] for v in scope]
            table = factor.values.transpose([factor.variables.index(names[v]) for v in scope])
            for axis, (v, own) in enumerate(zip(scope, states, strict=True)):
                theirs = factor.state_names[names[v]]
                table = table.take([theirs.index(state) for state in own], axis=axis)
            tables.append(table)
        return network.with_tables(tables)
