"""Noisy-MAX against enumeration over what each cause does on its own."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.noisy_max import NoisyMax, fit_noisy_max, stack, unstack

pytestmark = pytest.mark.filterwarnings("error")


def draw(cards, size, seed, idle=None):
    """Parameters at random; of each parent, one state does nothing, the last unless another is said."""
    generator = np.random.default_rng(seed)
    causes = [generator.dirichlet(np.full(size, 0.7), card) for card in cards]
    for cause, k in zip(causes, idle or [-1] * len(cards), strict=True):
        cause[k] = np.eye(size)[-1]
    return NoisyMax(tuple(causes), generator.dirichlet(np.ones(size)))


def enumerate_table(noisy):
    """The table by its meaning: every combination of what the causes do, of which the strongest state is seen."""
    size = len(noisy.leak)
    table = np.zeros((*(len(cause) for cause in noisy.causes), size))
    for at in itertools.product(*(range(len(cause)) for cause in noisy.causes)):
        mechanisms = [cause[k] for cause, k in zip(noisy.causes, at, strict=True)] + [noisy.leak]
        for effects in itertools.product(range(size), repeat=len(mechanisms)):
            weight = math.prod(float(row[x]) for row, x in zip(mechanisms, effects, strict=True))
            table[(*at, min(effects))] += weight
    return table


@pytest.mark.parametrize(
    ("cards", "size", "idle"),
    [
        ([], 3, None),
        ([2], 2, None),
        ([2, 2, 2], 2, None),
        ([3, 2], 3, None),
        ([2, 4, 3], 4, [0, 1, 2]),
        ([1, 2], 1, None),
    ],
)
def test_the_table_is_what_enumeration_says(cards, size, idle):
    for seed in range(5):
        noisy = draw(cards, size, seed, idle)
        table = noisy.expand()
        assert table.shape == noisy.shape
        np.testing.assert_allclose(table, enumerate_table(noisy), atol=1e-14)
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-15)


def test_noisy_or_is_the_textbook_formula():
    noisy = NoisyMax((np.array([[0.8, 0.2], [0, 1]]), np.array([[0.6, 0.4], [0, 1]])), np.array([0.1, 0.9]))
    table = noisy.expand()
    assert table[0, 0, 1] == pytest.approx(0.2 * 0.4 * 0.9)
    assert table[0, 1, 1] == pytest.approx(0.2 * 0.9)
    assert table[1, 1, 0] == pytest.approx(0.1)


@pytest.mark.parametrize(("cards", "size"), [([2, 2], 2), ([3, 2, 2], 3)])
def test_a_table_that_is_noisy_max_gives_its_parameters_back(cards, size):
    noisy = draw(cards, size, 3)
    found = fit_noisy_max(noisy.expand())
    np.testing.assert_allclose(stack(found), stack(noisy), atol=1e-12)


def test_any_table_has_a_noisy_max_that_agrees_where_one_cause_is_at_work():
    generator = np.random.default_rng(4)
    found = fit_noisy_max(generator.dirichlet(np.ones(3), (2, 3)))
    assert found.absent == (1, 2)
    for table in (np.array([[[1.0, 0], [0, 1]], [[0, 1], [1, 0]]]), np.full((2, 2, 2), 0.5), np.ones((2, 1))):
        assert fit_noisy_max(table).expand().shape == table.shape
    one = np.array([[0.7, 0.3], [0.2, 0.8]])
    np.testing.assert_allclose(fit_noisy_max(one).expand(), one, atol=1e-12)


def test_a_new_parent_does_nothing():
    noisy = draw([2, 3], 3, 5)
    np.testing.assert_allclose(
        noisy.with_parent(2).expand(), np.repeat(noisy.expand()[:, :, None], 2, axis=2), atol=1e-14
    )
    again = unstack(stack(noisy), [2, 3])
    np.testing.assert_array_equal(stack(again), stack(noisy))


@pytest.mark.parametrize(
    ("causes", "leak", "why"),
    [
        ([[[0.5, 0.5], [0.5, 0.5]]], [0, 1], "one state must do nothing"),
        ([[[0.5, 0.6], [0, 1]]], [0, 1], "sum to 1"),
        ([[[0.5, 0.5], [0, 1]]], [0.5, 0.6], "sum to 1"),
        ([[[-0.5, 1.5], [0, 1]]], [0, 1], "sum to 1"),
        ([[[np.nan, 0.5], [0, 1]]], [0, 1], "sum to 1"),
        ([[[0.5, 0.5, 0], [0, 0, 1]]], [0, 1], "a number for each"),
        ([[0.5, 0.5]], [0, 1], "a number for each"),
        ([], [], "a number for each"),
    ],
)
def test_what_is_no_noisy_max_is_refused(causes, leak, why):
    with pytest.raises(ModelError, match=why):
        NoisyMax(tuple(np.array(cause) for cause in causes), np.array(leak))
