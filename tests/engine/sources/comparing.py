"""A source beside the same rows in memory: equal to the last bit of their counts."""

from __future__ import annotations

import numpy as np

from engine.learning.task import make_task


def resolve(dataset):
    """Distinct rows with what their cells say, whatever the numbers of likelihoods, and their weights."""
    rows = {}
    for codes, weight in zip(dataset.codes.T.tolist(), dataset.weights.tolist(), strict=True):
        cells = tuple(dataset.vector(v, code) if code < -1 else code for v, code in enumerate(codes))
        rows[cells] = rows.get(cells, 0.0) + weight
    return rows


def assert_same_data(source, dataset, scopes):
    """What a source says of itself, and its distinct rows over some sets of variables."""
    assert source.variables == dataset.variables
    assert (source.n_rows, source.total_weight, source.roles) == (dataset.n_rows, dataset.total_weight, dataset.roles)
    for v in range(len(dataset.variables)):
        (codes, cells), (other, expected) = source.count_codes(v), dataset.count_codes(v)
        for is_kind in (lambda codes: codes < -1, lambda codes: codes == -1):
            assert cells[is_kind(codes)].sum() == expected[is_kind(other)].sum()
        assert dict(zip(codes[codes >= 0], cells[codes >= 0], strict=True)) == dict(
            zip(other[other >= 0], expected[other >= 0], strict=True)
        )
    source.prepare(scopes)
    for scope in scopes:
        assert resolve(source.project(scope)) == resolve(dataset.project(scope))


def assert_same_problem(network, source, dataset):
    """The problem that both make for learning: components, counts of complete families, rows of open ones."""
    task, expected = make_task(network, source), make_task(network, dataset)
    assert task.decomposition.components == expected.decomposition.components
    np.testing.assert_array_equal(task.objective.counts, expected.objective.counts)
    assert task.distinct_rows == expected.distinct_rows
    for block, other in zip(task.plan.blocks, expected.plan.blocks, strict=True):
        assert (block.variables, block.factors) == (other.variables, other.factors)
        assert sorted(block.weights.tolist()) == sorted(other.weights.tolist())
    return task, expected
