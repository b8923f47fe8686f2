"""Learners of Markov networks on random problems: decomposed or not, they climb alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings

from engine.learning.learn import learn
from engine.learning.methods import METHODS, Method
from engine.learning.stopping import Stopping
from engine.model.dataset import make_dataset
from engine.model.network import MarkovNetwork
from engine.model.variable import Variable
from tests import strategies

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("name", ["em", "lbfgs", "cg"])
@settings(max_examples=20, deadline=None)
@given(problem=strategies.markov_problems())
def test_decomposed_learners_climb_as_whole_ones_do(name, problem):
    """Nested and equal scopes, likelihood cells, weights: against one inference on the whole network for each row.

    By heights: where the objective is flat, rounding moves parameters. Not EDML, whose local problems have many
    solutions where rows are few (README, Limits). By parameters, and for all learners: test_objective.py.
    """
    network, dataset = problem
    stopping = Stopping(tol=0.0, max_iter=2)
    whole = list(learn(network, dataset, Method(name, METHODS[name].learner, conditioned=False), stopping=stopping))
    apart = list(learn(network, dataset, f"d-{name}", stopping=stopping))
    event(f"components: {min(apart[0].task.objective.n_components - 1, 3)} (of more than 3, 3)")
    for k in range(max(len(whole), len(apart))):  # which has come to rest, to the last digit, stays there
        one, other = (float(run[min(k, len(run) - 1)].objective.sum()) for run in (whole, apart))
        assert other == pytest.approx(one, rel=1e-9, abs=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tiny", [1e-3, 1e-20, 1e-90])
def test_edml_climbs_from_where_the_data_is_all_but_impossible(tiny):
    """Two factors want the same cell 10^180 times as large: both at once overshoot, however much they are damped."""
    variables = (Variable("A", ("no", "yes")), Variable("B", ("no", "yes")))
    table = np.array([[tiny, 1.0], [1.0, 1.0]])
    network = MarkovNetwork(variables, ((0, 1), (0, 1)), (table, table))
    counts = np.array([[1, 2], [3, 4]])
    rows = [(a, b) for (a, b), n in np.ndenumerate(counts) for _ in range(n)]
    data = make_dataset(variables, [[variables[0].states[a], variables[1].states[b]] for a, b in rows])
    stopping = Stopping(1e-10, "likelihood", max_iter=500)
    run = [float(each.objective.sum()) for each in learn(network, data, "edml", start="current", stopping=stopping)]
    assert (np.diff(run) >= -1e-9).all()
    assert run[-1] == pytest.approx((counts * np.log(counts / counts.sum())).sum(), abs=1e-6)
