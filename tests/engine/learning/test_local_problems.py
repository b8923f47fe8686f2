"""EDML's sub-problems alone: Theorem 3 [thesis], Newton's optimum, hard cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learning import local_problems
from engine.learning.local_problems import Problems, update
from tests import oracles

pytestmark = pytest.mark.filterwarnings("error")


def make_sets(problems) -> Problems:
    """Sets of one size from (start, counts, weights, q, c), each."""
    start, fixed, weights, constants, coefficients = zip(*problems, strict=True)
    sizes = [len(w) for w in weights]
    of = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum([0, *sizes[:-1]])
    return Problems(
        np.arange(len(sizes)),
        np.array(start),
        np.array(fixed),
        of,
        first,
        np.concatenate(weights),
        np.concatenate(constants),
        np.concatenate(coefficients).T,
    )


def climb(sets, steps=100):
    return local_problems._climb(sets, steps, lambda: None)


def as_soft_evidence(problem):
    """λ = q + c, weights and exponents of a set, for the oracles; counts are exponents less 1."""
    _, fixed, weights, constants, coefficients = problem
    return constants[:, None] + coefficients, weights, fixed + 1


@st.composite
def problems(draw, size):
    """A set of some size, its evidence at its start: q + c·θ = 1, so that q = 1 − Pr(u|d) and c = Pr(xu|d)/θ."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    start = generator.dirichlet(np.full(size, draw(st.sampled_from([0.2, 1.0, 5.0]))))
    start = np.maximum(start, 1e-12) / np.maximum(start, 1e-12).sum()
    n = draw(st.integers(1, 8))
    given_parents = generator.choice([1.0, 1.0, 0.7, 1e-3, 1e-9], size=n)
    posterior = generator.dirichlet(np.full(size, draw(st.sampled_from([0.1, 1.0]))), size=n)
    coefficients = given_parents[:, None] * posterior / start
    weights = generator.choice([0.5, 1.0, 1.0, 20.0], size=n)
    fixed = generator.choice([0.0, 0.0, 0.5, 1.0, 12.0], size=size) * draw(st.sampled_from([0, 1]))
    return start, fixed, weights, 1 - given_parents, coefficients


@st.composite
def problem_lists(draw):
    size = draw(st.integers(2, 4))
    return draw(st.lists(problems(size), min_size=1, max_size=4))


def total_weight(problem):
    return problem[1].sum() + problem[2].sum()


@settings(max_examples=150, deadline=None)
@given(problem_lists())
def test_theorem_3(drawn):
    """The local update is Eq. 4.3 [thesis] and never decreases its sub-problem, from wherever it is."""
    sets = make_sets(drawn)
    theta = sets.theta
    total = np.array([total_weight(p) for p in drawn])
    for _ in range(5):
        after = update(sets, theta, total)
        for k, problem in enumerate(drawn):
            evidence = as_soft_evidence(problem)
            np.testing.assert_allclose(after[k], oracles.local_update(theta[k], *evidence), rtol=1e-9, atol=1e-12)
            before_value, value = (oracles.set_objective(t[k], *evidence) for t in (theta, after))
            assert value >= before_value - 1e-11 * max(1.0, abs(before_value), total[k])
        theta = after


@settings(max_examples=200, deadline=None)
@given(problem_lists())
def test_newton_satisfies_the_conditions_of_an_optimum(drawn):
    """max g − θ·g bounds what is missing; it is that of no parameter pressing up, none above zero lagging."""
    found = climb(make_sets(drawn))
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    for theta, problem in zip(found, drawn, strict=True):
        assert oracles.optimality_gap(theta, *as_soft_evidence(problem)) <= 1e-9 * total_weight(problem)


@settings(max_examples=60, deadline=None)
@given(problem_lists())
def test_both_solvers_reach_the_same_value(drawn):
    sets = make_sets(drawn)
    newton, repeated = climb(sets), local_problems._repeat_update(sets, 300, lambda: None)
    for k, problem in enumerate(drawn):
        evidence = as_soft_evidence(problem)
        best, other = (oracles.set_objective(t[k], *evidence) for t in (newton, repeated))
        assert best >= other - 1e-11 * max(1.0, abs(best), total_weight(problem))


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_newton_equals_the_fixed_point_where_it_is_unique(seed, size):
    """With counts on every state the fixed point converges fast: both to 1e-9."""
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(6):
        n = int(generator.integers(1, 30))
        start = generator.dirichlet(np.ones(size))
        seen = generator.uniform(size=n)
        coefficients = seen[:, None] * generator.dirichlet(np.full(size, 0.5), size=n) / start
        fixed = generator.uniform(0.5, 10, size=size)
        drawn.append((start, fixed, generator.uniform(0.1, 3, size=n), 1 - seen, coefficients))
    found = climb(make_sets(drawn))
    for theta, problem in zip(found, drawn, strict=True):
        expected, before, evidence = problem[0], None, as_soft_evidence(problem)
        for _ in range(5000):
            before, expected = expected, oracles.local_update(expected, *evidence)
            if np.array_equal(before, expected):
                break
        np.testing.assert_allclose(theta, expected, rtol=0, atol=1e-9)


def test_only_soft_evidence_with_an_optimum_inside():
    """log(θ) + log(1 − θ) as soft evidence, and log(q + cθ) + log(1 − θ): closed forms."""
    half = (np.array([0.9, 0.1]), np.zeros(2), np.ones(2), np.zeros(2), np.array([[1 / 0.9, 0.0], [0.0, 10.0]]))
    # q + cθ with q = ½, c = 1: 1/(½ + θ) = 1/(1 − θ) at θ = ¼.
    quarter = (np.array([0.5, 0.5]), np.zeros(2), np.ones(2), np.array([0.5, 0.0]), np.array([[1.0, 0.0], [0.0, 2.0]]))
    np.testing.assert_allclose(climb(make_sets([half, quarter])), [[0.5, 0.5], [0.25, 0.75]], atol=1e-12)


def test_an_optimum_in_a_corner_is_exactly_there():
    corner = (np.array([0.2, 0.3, 0.5]), np.zeros(3), np.ones(1), np.zeros(1), np.array([[1.5, 1.0, 0.8]]))
    found = climb(make_sets([corner]))[0]
    np.testing.assert_allclose(found, [1, 0, 0], atol=1e-14)


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e-16, 1e-40])
def test_evidence_is_weighed_by_ratios(scale):
    """Observations that are all improbable by one factor have, to first order, the optimum of their sum."""
    coefficients = scale * np.array([[1.0, 3.0, 0.5], [2.0, 0.1, 0.1]])
    problem = (np.array([0.5, 0.2, 0.3]), np.zeros(3), np.ones(2), np.full(2, 1.0), coefficients)
    found = climb(make_sets([problem]))[0]
    if scale < 1:  # 1.0 + 2.0, 3.0 + 0.1, 0.5 + 0.1
        np.testing.assert_allclose(found, [0, 1, 0], atol=1e-12)
    assert oracles.optimality_gap(found, *as_soft_evidence(problem)) <= 1e-12


def test_neutral_evidence_moves_nothing():
    """Coefficients that are equal but for their last digits, the same ones in many rows."""
    start = np.array([0.1, 0.2, 0.7])
    coefficients = np.tile(1 + 4.5e-16 * np.array([1, 0, -1]), (500, 1))
    problem = (start, np.zeros(3), np.ones(500), np.zeros(500), coefficients)
    np.testing.assert_allclose(climb(make_sets([problem]))[0], start, rtol=0, atol=1e-13)


def test_two_states_that_no_row_tells_apart_keep_their_ratio():
    """The optimum is a line; a solver that drifts along it would never let a learner come to rest."""
    generator = np.random.default_rng(1)
    start = np.array([0.1, 0.3, 0.6])
    seen = generator.dirichlet(np.ones(2), size=40)
    coefficients = np.stack([seen[:, 0] / 0.4, seen[:, 0] / 0.4 * (1 + 1e-16), seen[:, 1] / 0.6], axis=1)
    problem = (start, np.zeros(3), np.ones(40), np.zeros(40), coefficients)
    found = climb(make_sets([problem]))
    again = climb(make_sets([(found[0], *problem[1:])]))
    np.testing.assert_allclose(again, found, rtol=0, atol=1e-9)


def test_few_steps_suffice():
    """Sub-problems of a usual kind need no more than a handful of Newton steps."""
    generator = np.random.default_rng(3)
    drawn = []
    for _ in range(50):
        start = generator.dirichlet(np.ones(3))
        coefficients = generator.dirichlet(np.ones(3), size=20) / start
        drawn.append((start, np.ones(3), np.ones(20), np.zeros(20), coefficients))
    sets = make_sets(drawn)
    np.testing.assert_allclose(climb(sets, 8), climb(sets), atol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_of_equally_good_parameters_the_order_of_states_and_rows_does_not_choose(seed):
    """The gradient r/(rθ) + (2 − r)/(2 − rθ) is the same for all states wherever rθ = 1: the best are a whole face."""
    generator = np.random.default_rng(seed)
    start, first = generator.dirichlet(np.ones(4)), generator.random(4) * [0.9, 0.9, 1, 1] + [0, 0, 1, 1]
    problem = (start, np.zeros(4), np.ones(2), np.zeros(2), np.stack([first, 2 - first]))
    order = generator.permutation(4)
    turned = (start[order], np.zeros(4), np.ones(2), np.zeros(2), np.stack([2 - first, first])[:, order])
    found, other = climb(make_sets([problem]))[0], climb(make_sets([turned]))[0]
    assert found @ first == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(other, found[order], rtol=0, atol=1e-8)


def test_a_parameter_at_the_wall_is_zero():
    """Not what rounding leaves of it: a row that needs it is impossible, rather than improbable beyond reason."""
    generator = np.random.default_rng(0)
    start, posterior = generator.dirichlet(np.ones(3), size=100), generator.dirichlet(np.ones(3), size=(100, 2))
    found = climb(
        make_sets([(s, np.zeros(3), np.ones(2), np.zeros(2), p / s) for s, p in zip(start, posterior, strict=True)])
    )
    assert (found == 0).any()
    assert not ((found > 0) & (found < local_problems.VANISHING)).any()
