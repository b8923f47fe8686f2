"""The same work done by pgmpy."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Sequence

import numpy as np
import pandas

from engine.model.network import BayesianNetwork
from tests.benchmarks.cases import Case

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteEM

logging.getLogger("pgmpy").setLevel(logging.ERROR)


def convert(network: BayesianNetwork) -> DiscreteBayesianNetwork:
    """The network as pgmpy's."""
    names = [variable.name for variable in network.variables]
    made = DiscreteBayesianNetwork()
    made.add_nodes_from(names)
    made.add_edges_from([(names[parent], names[child]) for parent, child in network.edges])
    for child, table in enumerate(network.tables):
        states = {names[v]: list(network.variables[v].states) for v in network.scopes[child]}
        parents = [names[p] for p in network.parents[child]]
        values = table.reshape(-1, table.shape[-1]).T
        made.add_cpds(TabularCPD(names[child], len(values), values, parents, table.shape[:-1], state_names=states))
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


def count_combinations(case: Case) -> int:
    """Configurations of the hidden variables: pgmpy's EM enumerates them in every row."""
    return math.prod(case.network.variables[v].cardinality for v in case.hidden)


def learn(case: Case, iterations: int) -> DiscreteEM:
    """So many iterations of pgmpy's EM, started as it likes. It drops rows with partly missing cells."""
    variables, hidden = case.network.variables, case.hidden
    model = convert(case.network)
    model.latents = {variables[v].name for v in hidden}
    observed = [v for v in range(len(variables)) if v not in hidden]
    texts = {variables[v].name: np.array(variables[v].states, dtype=object)[case.dataset.codes[v]] for v in observed}
    learner = DiscreteEM(
        state_names={variables[v].name: list(variables[v].states) for v in observed},
        latent_card={variables[v].name: variables[v].cardinality for v in hidden},
        max_iter=iterations,
        atol=0.0,
        seed=1,
        show_progress=False,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(model, pandas.DataFrame(texts))
