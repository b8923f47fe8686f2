"""Scores of families equal brute force and other tools; networks that no data tells apart score alike."""

from __future__ import annotations

import itertools
import logging
import math
import warnings

import numpy as np
import pandas
import pyagrum
import pytest

from engine.model.dataset import make_dataset
from engine.model.errors import ModelError
from engine.structure import blocks as joining
from engine.structure import counts as counting
from engine.structure import families as scoring
from engine.structure.counts import count_rows
from engine.structure.scores import make_score
from tests.engine.structure.samples import SCORES, brute_force, draw_data, make_families, make_variables, sum_families
from tests.structure_oracles import find_class, list_structures


@pytest.mark.parametrize("score", SCORES)
def test_scores_equal_brute_force(score):
    data = draw_data(2, 3, 2, 4, 1, seed=1)
    families, find = make_families(data, score, 3.0), brute_force(data, score, 3.0)
    for child in range(5):
        others = [v for v in range(5) if v != child]
        for size in range(4):
            for parents in itertools.combinations(others, size):
                expected = find(child, parents)
                assert families.score(child, parents) == pytest.approx(expected, rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("score", ["bic", "bdeu", "bde"])
@pytest.mark.parametrize("way", ["at once", "in blocks", "by chunks", "one by one", "sparse"])
def test_families_that_are_extended_equal_brute_force(monkeypatch, score, way):
    """However many rows and cells there are, they are counted right."""
    monkeypatch.setattr(counting, "ROWS_PER_STATE", 10 if way in ("in blocks", "by chunks") else 10**6)
    monkeypatch.setattr(counting, "ELEMENTS", 7 if way == "by chunks" else 1 << 15)
    monkeypatch.setattr(counting, "MOST_CELLS", 1 if way in ("one by one", "sparse") else 1 << 23)
    monkeypatch.setattr(scoring, "MOST_EMPTY", 0 if way == "sparse" else 16)
    data = draw_data(2, 3, 2, 3, 2, seed=2)
    families, find = make_families(data, score), brute_force(data, score)
    for child, parents in [(0, ()), (1, (0,)), (2, (1, 3)), (4, (0, 1, 2))]:
        found = families.extend(child, parents)
        for v in range(5):
            if v in (child, *parents):
                assert found[v] == -np.inf
            else:
                assert found[v] == pytest.approx(find(child, sorted((*parents, v))), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("sizes", [(2, 3, 2, 4, 3), (2, 2), (3,)])
def test_families_of_two_parents_found_together_equal_brute_force(score, sizes):
    data = draw_data(*sizes, seed=5)
    families, find = make_families(data, score), brute_force(data, score)
    families.extend_pairs()
    before = families.counted
    for child, a in itertools.permutations(range(len(sizes)), 2):
        expected = [-math.inf if c in (child, a) else find(child, sorted((a, c))) for c in range(len(sizes))]
        assert families.extend(child, (a,)) == pytest.approx(expected, abs=1e-9)
    assert families.counted == before


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("whole", [True, False])
def test_no_parent_improves_a_family_that_may_not_rise(score, whole):
    data = draw_data(3, 2, 2, 4, 1, 2, rows=30, seed=6, whole=whole)
    families, find = make_families(data, score), brute_force(data, score)
    found = set()
    for child, size in itertools.product(range(6), range(5)):
        for parents in itertools.combinations([v for v in range(6) if v != child], size):
            own = find(child, parents)
            found.add(families.may_rise(child, parents, own))
            others = [v for v in range(6) if v not in (child, *parents)]
            best = max((find(child, sorted((*parents, v))) for v in others), default=-math.inf)
            assert families.may_rise(child, parents, own) or best <= own + 1e-9
    assert found == {True, False}


def test_families_that_are_shrunk_equal_brute_force():
    data = draw_data(2, 3, 2, 3, seed=3)
    find = brute_force(data, "bdeu")
    found = make_families(data, "bdeu").shrink(1, (0, 2, 3))
    assert found == pytest.approx([find(1, (2, 3)), find(1, (0, 3)), find(1, (0, 2))])


def test_worth_of_arrows_is_a_difference_of_scores():
    families = make_families(draw_data(2, 3, 2, seed=4))
    worths = families.find_worths(((), (0,), (0, 1)))
    assert set(worths) == {(0, 1), (0, 2), (1, 2)}
    assert worths[0, 2] == pytest.approx(families.total(((), (0,), (0, 1))) - families.total(((), (0,), (1,))))


@pytest.mark.parametrize("score", ["bic", "bdeu", "bde"])
def test_equivalent_structures_score_alike(score):
    families = make_families(draw_data(2, 3, 2, 3, seed=5), score, 2.0)
    by_class = {}
    for parents in list_structures(4):
        by_class.setdefault(find_class(parents), []).append(families.total(parents))
    assert len(by_class) == 185
    assert max(max(found) - min(found) for found in by_class.values()) < 1e-9


def test_scores_equal_those_of_other_tools():
    """pyAgrum's AIC and BDeu are left out: it counts parameters in bits, and adds a prior of its own."""
    data = draw_data(2, 3, 3, rows=300, seed=6, whole=True)
    rows = np.repeat(data.codes, data.weights.astype(int), axis=1)
    names = [v.name for v in data.variables]
    frame = pandas.DataFrame(
        {v.name: np.array(v.states, dtype=object)[codes] for v, codes in zip(data.variables, rows, strict=True)}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy import structure_score as theirs

        logging.getLogger("pgmpy").setLevel(logging.ERROR)
        tools = {"bic": theirs.BIC(frame), "aic": theirs.AIC(frame)}
        tools["bdeu"] = theirs.BDeu(frame, equivalent_sample_size=5)
    for child, parents in [(0, ()), (1, (0,)), (2, (0, 1))]:
        for score, tool in tools.items():
            found = make_families(data, score, 5.0).score(child, parents)
            assert found == pytest.approx(tool.local_score(names[child], tuple(names[p] for p in parents)), rel=1e-9)
        for score in ("bic", "likelihood"):
            learner = pyagrum.BNLearner(frame)
            learner.useNoPrior()
            learner.useScoreBIC() if score == "bic" else learner.useScoreLog2Likelihood()
            bits = learner.score(names[child], [names[p] for p in parents])
            assert make_families(data, score).score(child, parents) == pytest.approx(bits * math.log(2), rel=1e-9)


@pytest.mark.parametrize("score", ["bdeu", "bde"])
@pytest.mark.parametrize("size", [1e5, 1e9])
def test_priors_worth_many_rows_are_no_rounding(score, size):
    """lnΓ of so much is known to a millionth only; a product over the rows has no such difference."""
    data = draw_data(2, 3, rows=40, seed=9, whole=True)
    rows, weights = data.codes.T.tolist(), data.weights.astype(int).tolist()
    shares = [[1 / v.cardinality] * v.cardinality for v in data.variables]
    if score == "bde":
        shares = [np.bincount(column, weights=weights) / sum(weights) for column in data.codes]
    seen, expected = {}, []
    for row, weight in zip(rows, weights, strict=True):
        a, b = row
        for _ in range(weight):
            alpha = size * shares[0][a]
            expected.append(math.log(alpha * shares[1][b] + seen.get((a, b), 0)) - math.log(alpha + seen.get(a, 0)))
            seen[a, b], seen[a] = seen.get((a, b), 0) + 1, seen.get(a, 0) + 1
    assert make_families(data, score, size).score(1, (0,)) == pytest.approx(math.fsum(expected), abs=1e-9)


def test_each_family_is_counted_once():
    families = make_families(draw_data(2, 2, 2, seed=7))
    families.extend(0, ())
    before = families.counted
    assert families.score(0, (2,)) == families.extend(0, ())[2]
    assert families.counted == before


def test_rows_without_weight_do_not_count():
    data = draw_data(2, 3, 2, seed=8)
    assert (data.weights == 0).any()
    kept = data.take(np.flatnonzero(data.weights))
    assert make_families(data).total(((), (0,), (1,))) == pytest.approx(make_families(kept).total(((), (0,), (1,))))
    assert sum_families(brute_force(kept), ((), (0,), (1,))) == pytest.approx(
        make_families(data).total(((), (0,), (1,)))
    )


def test_incomplete_data_is_refused_in_words():
    data = make_dataset(make_variables(2, 2), [["s0", None], ["s1", "s0"]])
    with pytest.raises(ModelError, match=r"cells of 'V1' are missing or uncertain \(1 of 4\).*structural EM"):
        count_rows(data)


@pytest.mark.parametrize(("name", "size", "words"), [("mdl", 1.0, "not known"), ("bdeu", 0.0, "sample size")])
def test_wrong_scores_are_refused(name, size, words):
    with pytest.raises(ModelError, match=words):
        make_score(name, count_rows(draw_data(2, 2)), size)


def test_columns_that_tell_every_row_apart_are_scored(monkeypatch):
    """No table of all states of a family is needed."""
    monkeypatch.setattr(counting, "MOST_COUNTED", 5)
    monkeypatch.setattr(scoring, "MOST_COUNTED", 5)
    data = draw_data(2, 3, 3, rows=50, whole=True, seed=1)
    families, find = make_families(data), brute_force(data)
    assert families.score(1, (0, 2)) == pytest.approx(find(1, (0, 2)), abs=1e-9)
    assert families.shrink(1, (0, 2)) == pytest.approx([find(1, (2,)), find(1, (0,))], abs=1e-9)


def test_tables_too_large_to_be_fitted_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(counting, "MOST_COUNTED", 5)
    counts = count_rows(draw_data(2, 3, rows=50, whole=True, seed=1))
    with pytest.raises(ModelError, match=r"'V1' has \d states, too many .* leave columns out"):
        counts.count(1, counts.configurations((0,)))


def test_many_rows_are_counted_by_margins_as_they_are_one_by_one(monkeypatch):
    """Sets of one to five variables in one to five blocks, with any child and all others: each way counts the same."""
    data = draw_data(2, 3, 2, 4, 3, 2, 3, rows=900, seed=5)
    plain = count_rows(data)
    monkeypatch.setattr(counting, "ROWS_TO_MERGE", 1)
    monkeypatch.setattr(joining, "ROWS_TO_MERGE", 1)
    monkeypatch.setattr(counting, "ELEMENTS", 100)
    monkeypatch.setattr(counting, "ROWS_PER_STATE", 30)
    monkeypatch.setattr(joining, "ROWS_COMPARED", 50)
    merged = count_rows(data)
    assert merged._margins is not None
    assert 3 < len(merged._blocks.keys) < 7
    for size in range(5):
        for those in list(itertools.combinations(range(7), size))[::3]:
            child = next(v for v in (3, 0, 1, 2, 4) if v not in those)
            ours, expected = merged.configurations(those), plain.configurations(those)
            assert ours.codes.tolist() == expected.codes.tolist()
            assert np.allclose(ours.occurs, expected.occurs, rtol=0, atol=1e-9)
            assert np.allclose(merged.count(child, ours), plain.count(child, expected), rtol=0, atol=1e-9)
            for of in (child, None):
                found = merged.count_extended(of, ours), plain.count_extended(of, expected)
                assert np.allclose(*found, rtol=0, atol=1e-9)
    table = merged.count_extended(3, merged.configurations((0, 5)))
    occurs = [
        data.weights[(data.codes[1] == a) & (data.codes[0] == b) & (data.codes[5] == c) & (data.codes[3] == d)].sum()
        for a, b, c, d in itertools.product(*(range(data.variables[v].cardinality) for v in (1, 0, 5, 3)))
    ]
    start = merged.starts[1]
    assert np.allclose(table[start : start + merged.sizes[1]].reshape(-1), occurs, rtol=0, atol=1e-9)
