"""Few rows, level by level: the same numbers as clique by clique, wherever the tree is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference import log_space
from engine.inference.levels import SMALL, Levels, find_fringe, find_heights
from engine.inference.planner import make_plan
from engine.inference.tape import Tape
from engine.learning.task import make_task
from engine.model.dataset import make_dataset
from engine.simulation.generators import chain_markov, grid_markov, tree_markov
from tests import strategies

pytestmark = pytest.mark.filterwarnings("error")


def cut_at_random(tree, draw):
    """Some cliques with all that are below them, and one leaf at least."""
    kept = [draw(st.booleans()) for _ in tree.cliques]
    kept[tree.children.index(())] = True
    for clique, children in enumerate(tree.children):
        kept[clique] &= all(kept[child] for child in children)
    return [clique for clique, is_kept in enumerate(kept) if is_kept]


def run(tape, part, pool, weights):
    """log Z of each row, and the counts of all that is in the pool: exact where they are doubtful."""
    with np.errstate(all="ignore"):
        log_z = tape.run(0, weights).copy()
    doubtful = tape.find_doubtful()
    if doubtful is not None:
        log_z[doubtful], exact = log_space.propagate(part, pool, doubtful)
        tape.replace_rows(doubtful, {s: np.nan_to_num(t, nan=0.0) * weights[doubtful] for s, t in exact.items()})
    counts = np.zeros(len(pool))
    counts[tape.span] += tape.counts()
    return log_z, counts


def check_cut(part, pool, fringe):
    """Twice, for what the first run leaves behind must not matter."""
    weights = np.linspace(0.5, 2.0, part.rows)
    expected_z, expected = run(Tape(part, part.rows, pool, only_factors=True), part, pool, weights)
    tape = Levels(part, pool, fringe)
    for _ in range(2):
        log_z, found = run(tape, part, pool, weights)
        np.testing.assert_allclose(log_z, expected_z, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_cut_gives_what_the_whole_tree_gives(data):
    """Zeros, likelihoods, impossible rows and trees beside each other among them."""
    network = data.draw(strategies.markov_networks(6, widest=4))
    network = network.with_tables([table / max(1.0, table.max()) for table in network.tables])
    dataset = data.draw(strategies.datasets(network.variables, 4))
    plan = make_plan(network, dataset, condition=False)
    for part in plan.parts:
        check_cut(part, plan.pool.fill(network.tables)[0], cut_at_random(part.tree, data.draw))


def subtracted(network, restarts=1):
    """The part of a Markov network's partition function."""
    nothing = make_dataset(network.variables, [[None] * len(network.variables)])
    [job] = make_task(network, nothing).objective.repeated(restarts).terms[1].jobs
    return job.part


@pytest.mark.parametrize("restarts", [1, 3])
def test_a_grid_is_cut_below_its_large_cliques(restarts):
    network = grid_markov(9, 9, random_state=1)
    part = subtracted(network, restarts)
    fringe, tree = find_fringe(part), part.tree
    assert 20 < len(fringe) < len(tree.cliques)
    assert max(tree.sizes[clique] for clique in fringe) * restarts <= SMALL < tree.largest
    assert all(child in fringe for clique in fringe for child in tree.children[clique])
    pool = np.concatenate(
        [np.random.default_rng(k).random(sum(t.size for t in network.tables)) for k in range(restarts)]
    )
    check_cut(part, pool, fringe)


def test_levels_are_for_few_rows_and_wide_trees():
    """A tree is all fringe; a chain has a level for each clique, and many rows are not few."""
    tree = subtracted(tree_markov(63))
    assert len(find_fringe(tree)) == len(tree.tree.cliques)
    assert max(find_heights(tree.tree)) < 12
    assert find_fringe(subtracted(chain_markov(50))) == []
    assert find_fringe(subtracted(tree_markov(63), restarts=SMALL)) == []


@pytest.mark.parametrize("depth", [0, 2, 20])
def test_what_underflows_is_found_to_be_doubtful(depth):
    """Factors of 1e-150 and of 1, so that messages leave the range of numbers: in the fringe, or in the core."""
    network = tree_markov(63, random_state=2)
    generator = np.random.default_rng(3)
    tables = [np.where(generator.random(table.shape) < 0.7, 1e-150, 1.0) for table in network.tables]
    part = subtracted(network, restarts=2)
    pool = np.concatenate([t.reshape(-1) for ts in (tables, network.tables) for t in ts])
    pool = pool / max(1.0, pool.max())
    heights = find_heights(part.tree)
    fringe = [clique for clique, height in enumerate(heights) if height <= depth]
    with np.errstate(all="ignore"):
        tape = Levels(part, pool, fringe)
        tape.run(0, 1.0)
    assert tape.find_doubtful().tolist() == [0]
    check_cut(part, pool, fringe)
