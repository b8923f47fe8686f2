"""BDe with a prior network: α_xu = α · P(x, u), as brute force over the joint has it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.structure.bound import Bounding
from engine.structure.counts import count_rows
from engine.structure.families import Families
from engine.structure.hill_climbing import Climb, climb
from engine.structure.scores import make_score
from engine.structure.structural_em import make_network
from tests.engine.structure.samples import draw_data, free, make_families
from tests.oracles import joint_weights, marginal
from tests.structure_oracles import find_class, list_structures

PARENTS = ((), (0,), (0, 1), (2,))


def draw_prior(data, seed=0):
    """A network with arrows and random tables."""
    generator = np.random.default_rng(seed)
    empty = make_network(data.variables, PARENTS)
    tables = [generator.dirichlet(np.ones(table.shape[-1]), table.shape[:-1]) for table in empty.tables]
    return BayesianNetwork(data.variables, PARENTS, tuple(tables))


def make_prior_families(data, prior, sample_size=1.0):
    counts = count_rows(data)
    return Families(counts, make_score("bde", counts, sample_size, prior))


def score_by_hand(data, prior, child, parents, sample_size):
    """The definition, with sums over the joint of the prior network."""
    cardinalities = [v.cardinality for v in data.variables]
    joint = joint_weights(cardinalities, prior.scopes, prior.tables, {})
    alpha = sample_size * marginal(joint, [*parents, child])
    counts = np.zeros(alpha.shape)
    for row, weight in zip(data.codes.T.tolist(), data.weights.tolist(), strict=True):
        counts[(*(row[p] for p in parents), row[child])] += weight
    found = 0.0
    for u in itertools.product(*(range(cardinalities[p]) for p in parents)):
        found += math.lgamma(alpha[u].sum()) - math.lgamma(alpha[u].sum() + counts[u].sum())
        found += sum(math.lgamma(a + n) - math.lgamma(a) for a, n in zip(alpha[u], counts[u], strict=True))
    return found


@pytest.mark.parametrize("sample_size", [0.5, 20.0])
def test_scores_equal_brute_force(sample_size):
    data = draw_data(2, 3, 2, 3, seed=1)
    prior = draw_prior(data)
    families = make_prior_families(data, prior, sample_size)
    for child in range(4):
        others = [v for v in range(4) if v != child]
        for parents in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(4)):
            extended = families.extend(child, parents)
            for v in set(others) - set(parents):
                wider = sorted((*parents, v))
                assert extended[v] == pytest.approx(score_by_hand(data, prior, child, wider, sample_size))
            expected = score_by_hand(data, prior, child, parents, sample_size)
            assert families.score(child, parents) == pytest.approx(expected)


def test_a_uniform_prior_network_is_that_of_bdeu():
    data = draw_data(2, 3, 2, 3, seed=2)
    ours, theirs = make_prior_families(data, make_network(data.variables, PARENTS), 3.0), make_families(data, "bdeu", 3)
    for parents in (((), (), (), ()), PARENTS, ((1,), (), (0, 1, 3), (1,))):
        assert ours.total(parents) == pytest.approx(theirs.total(parents), abs=1e-9)


def test_structures_that_no_data_tells_apart_score_alike():
    data = draw_data(2, 3, 2, 2, seed=3)
    families = make_prior_families(data, draw_prior(data, 3), 5.0)
    found = {}
    for parents in list_structures(4):
        found.setdefault(find_class(parents), []).append(families.total(parents))
    assert all(max(scores) - min(scores) < 1e-9 for scores in found.values())


@pytest.mark.parametrize("seed", range(3))
def test_search_stays_below_the_bound_which_ends_at_the_best(seed):
    data = draw_data(2, 3, 2, 2, seed=seed, whole=True)
    families = make_prior_families(data, draw_prior(data, seed))
    best = max(map(families.total, list_structures(4)))
    *_, last = climb(families, free(data), Climb(restarts=5))
    assert last.best_score <= best + 1e-9
    bounding = Bounding(families, free(data))
    while not bounding.is_closed:
        assert bounding.value >= best - 1e-9
        bounding.step()
    assert bounding.value == pytest.approx(best)


def test_what_makes_no_sense_is_refused():
    data = draw_data(2, 3, 2, 3, seed=1)
    counts, prior = count_rows(data), draw_prior(data)
    first = data.codes[0, np.flatnonzero(data.weights)[0]]
    sure = prior.with_tables([np.eye(len(prior.tables[0]))[1 - first], *prior.tables[1:]])
    with pytest.raises(ModelError, match=r"distinct rows of the data have probability 0 under the prior network"):
        make_score("bde", counts, 1.0, sure)
    with pytest.raises(ModelError, match="for the score bde; bic has none"):
        make_score("bic", counts, 1.0, prior)
    with pytest.raises(ModelError, match="must have the variables of the data"):
        make_score("bde", counts, 1.0, draw_prior(draw_data(2, 2, 2, 2)))
