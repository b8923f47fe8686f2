"""Variations of parameters: what is varied, and that it may be what it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learning.learners.auto.variations import KINDS, OPENED, Variations
from engine.learning.starts import make_starts
from engine.learning.task import make_task
from engine.model.network import MarkovNetwork
from tests.engine.learning.models import chain, chain_data


def make_variations(markov):
    network = chain()
    if markov:
        network = MarkovNetwork(network.variables, network.scopes, network.tables)
    task = make_task(network, chain_data())
    return task, Variations.of(task)


@pytest.mark.parametrize("markov", [False, True])
def test_tables_around_open_variables_are_varied_and_no_others(markov):
    task, variations = make_variations(markov)
    theta = make_starts(task, "random", 1, 0)[0]
    drawn = variations.draw(theta, theta, 2 * len(KINDS), np.random.default_rng(1))
    scopes, roles = task.network.scopes, task.decomposition.dataset.roles
    open_tables = {f for f, scope in enumerate(scopes) if any(roles[v].value != "observed" for v in scope)}
    fewest = len(scopes)
    for one in drawn:
        changed = {
            f
            for f, (a, b) in enumerate(zip(task.layout.tables(one), task.layout.tables(theta), strict=True))
            if np.abs(a - b).max() > 1e-12
        }
        assert changed
        assert changed <= open_tables or len(changed) == len(scopes)
        fewest = min(fewest, len(changed))
        tables = task.layout.tables(one)
        if markov:
            assert all(table.min() > 0 and table.max() == 1 for table in tables)
        else:
            assert all(np.allclose(table.sum(axis=-1), 1, atol=1e-12) and table.min() >= 0 for table in tables)
    assert fewest < len(scopes)
    assert len({one.tobytes() for one in drawn}) == len(drawn)


def test_a_variation_is_possible_wherever_its_origin_is_and_opens_what_was_zero():
    task, variations = make_variations(markov=False)
    theta = task.layout.flatten([np.eye(2)[[0] * (table.size // 2)].reshape(table.shape) for table in chain().tables])
    drawn = variations.draw(theta, theta, len(KINDS), np.random.default_rng(1))
    whole = [k for k, one in enumerate(drawn) if (one > 0).all()]
    assert len(whole) == 1  # everything a little
    for k, one in enumerate(drawn):
        kept = one == theta
        assert kept.any() == (k not in whole)
        assert (one[~kept] > 0).sum() > (theta[~kept] > 0).sum()


def test_some_variations_take_tables_of_the_best_and_open_their_zeros():
    """Every other one, unless it varies all tables a little."""
    task, variations = make_variations(markov=False)
    theta = make_starts(task, "random", 1, 0)[0]
    best = task.layout.flatten([np.eye(2)[[0] * (table.size // 2)].reshape(table.shape) for table in chain().tables])
    drawn = variations.draw(theta, best, 2 * len(KINDS), np.random.default_rng(1))
    assert (drawn > 0).all()
    taken = [k for k, one in enumerate(drawn) if (np.abs(one - best)[one != theta] <= OPENED).all()]
    assert len(taken) == len(KINDS) - 1
    assert all(k % 2 for k in taken)


def test_other_starts_are_like_any_others():
    task, variations = make_variations(markov=False)
    drawn = variations.draw_anew(3, np.random.default_rng(1))
    generator = np.random.default_rng(1)
    np.testing.assert_array_equal(drawn, [task.geometry.random(generator) for _ in range(3)])
