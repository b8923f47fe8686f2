"""Learners of Markov networks on random problems: decomposed or not, they take the same path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, event, given, settings

from engine.learning.learn import learn
from engine.learning.methods import METHODS, Method
from engine.learning.stopping import Stopping
from tests import strategies

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("name", ["em", "edml", "hybrid", "lbfgs", "cg", "edml-in-turn"])
@settings(max_examples=10, deadline=None)
@given(problem=strategies.markov_problems())
def test_decomposed_learners_take_the_path_of_whole_ones_on_any_problem(name, problem):
    """Nested and equal scopes, likelihood cells, weights: against one inference on the whole network for each row."""
    network, dataset = problem
    assume(any(network.scopes))
    stopping = Stopping(tol=0.0, max_iter=4)
    whole = list(learn(network, dataset, Method(name, METHODS[name].learner, conditioned=False), stopping=stopping))
    apart = list(learn(network, dataset, f"d-{name}", stopping=stopping))
    event(f"components: {min(apart[0].task.objective.n_components - 1, 3)} (of more than 3, 3)")
    for k in range(max(len(whole), len(apart))):  # which has come to rest, to the last digit, stays there
        one, other = (run[min(k, len(run) - 1)] for run in (whole, apart))
        assert other.objective.sum() == pytest.approx(one.objective.sum(), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(other.theta, one.theta, rtol=1e-9, atol=1e-9)
