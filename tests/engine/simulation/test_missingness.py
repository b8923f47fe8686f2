"""Mechanisms of missing and uncertain data: their rates, and what they depend on."""

import numpy as np
import pytest
from scipy.stats import chi2

from engine.model.dataset import FIRST_LIKELIHOOD, MISSING, Dataset, Role, make_dataset
from engine.model.errors import ModelError, UnknownNameError
from engine.model.variable import Variable
from engine.simulation.generators import random_dag
from engine.simulation.missingness import (
    apply_reports,
    apply_sensor,
    hide,
    hide_fraction,
    remove_mar,
    remove_mcar,
    remove_nmar,
)
from engine.simulation.sampling import simulate

ROWS = 20_000
DATA = simulate(random_dag(6, 2, 0.8, cardinality=3, random_state=1), ROWS, random_state=2)
MECHANISMS = [remove_mcar, remove_mar, remove_nmar]
SMALL = make_dataset(
    [Variable("A", ("a", "b")), Variable("B", ("x", "y", "z"))], [["a", "x"], ["b", None], ["b", "z"], [None, "y"]]
)


def missing(dataset: Dataset) -> np.ndarray:
    return dataset.codes == MISSING


def independence_p_value(mask: np.ndarray, values: np.ndarray, given: np.ndarray) -> float:
    """Pearson's chi-square test that a mask does not depend on values, within each group of ``given``."""
    statistic, freedom = 0.0, 0
    for group in np.unique(given):
        at = given == group
        table = np.array([np.bincount(values[at & (mask == m)], minlength=3) for m in (False, True)], dtype=float)
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
        if expected.min() < 5:
            continue
        statistic += float(((table - expected) ** 2 / expected).sum())
        freedom += table.shape[1] - 1
    assert freedom
    return float(chi2.sf(statistic, freedom))


def test_hide():
    hidden = hide(DATA, ["X1", "X4"])
    assert [i for i, role in enumerate(hidden.roles) if role is Role.HIDDEN] == [1, 4]
    np.testing.assert_array_equal(hidden.codes[[0, 2, 3, 5]], DATA.codes[[0, 2, 3, 5]])
    assert not missing(DATA).any()


def test_hiding_a_soft_column_drops_its_likelihoods():
    soft = make_dataset([Variable("A", ("a", "b"))], [[(0.2, 0.8)]])
    assert hide(soft, ["A"]).likelihoods == {}


@pytest.mark.parametrize(("fraction", "count"), [(0.0, 0), (0.5, 3), (0.34, 2), (1.0, 6)])
def test_hide_fraction(fraction, count):
    hidden = hide_fraction(DATA, fraction, random_state=5)
    assert hidden.roles.count(Role.HIDDEN) == count
    assert hidden.roles == hide_fraction(DATA, fraction, random_state=5).roles


@pytest.mark.parametrize("remove", MECHANISMS)
@pytest.mark.parametrize("rate", [0.0, 0.05, 0.3, 0.7, 1.0])
def test_the_rate_is_met(remove, rate):
    names = ["X1", "X3", "X5"]
    changed = remove(DATA, rate, random_state=7, variables=names)
    mask = missing(changed)
    assert not mask[[0, 2, 4]].any()
    np.testing.assert_array_equal(changed.codes[~mask], DATA.codes[~mask])
    # Given their probabilities p, cells go missing independently: the variance is at most that of equal p.
    error = np.sqrt(rate * (1 - rate) / ROWS)
    for i in (1, 3, 5):
        assert abs(mask[i].mean() - rate) <= 5 * error


@pytest.mark.parametrize("remove", MECHANISMS)
def test_a_seed_decides_what_is_missing(remove):
    first, again, other = (remove(DATA, 0.2, seed) for seed in (1, np.random.default_rng(1), 2))
    np.testing.assert_array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, other.codes)


def test_mcar_depends_on_nothing():
    mask = missing(remove_mcar(DATA, 0.3, random_state=3))
    for i in range(6):
        for j in range(6):
            assert independence_p_value(mask[i], DATA.codes[j], np.zeros(ROWS)) > 1e-6


def test_mar_depends_on_observed_values_only():
    observed = ["X0", "X1"]
    mask = missing(remove_mar(DATA, 0.3, random_state=3, observed=observed))
    assert not mask[:2].any()
    causes = DATA.codes[0].astype(int) * 3 + DATA.codes[1]
    for i in range(2, 6):
        assert independence_p_value(mask[i], DATA.codes[i], causes) > 1e-6
        assert min(independence_p_value(mask[i], DATA.codes[j], np.zeros(ROWS)) for j in (0, 1)) < 1e-12


def test_nmar_depends_on_the_value_itself():
    mask = missing(remove_nmar(DATA, 0.3, random_state=3))
    causes = DATA.codes[0].astype(int) * 3 + DATA.codes[1]
    for i in range(2, 6):
        assert independence_p_value(mask[i], DATA.codes[i], causes) < 1e-12


def test_mar_keeps_half_observed_if_not_told():
    changed = remove_mar(DATA, 0.4, random_state=6)
    assert changed.roles.count(Role.OBSERVED) == 3
    assert changed.roles.count(Role.PARTIAL) == 3


def test_weights_count_in_the_rate():
    # State 0 has nearly all the weight, so its probability of being missing is nearly the rate.
    codes = np.repeat(np.array([[0, 1]], dtype=np.int8), ROWS, axis=1)
    weights = np.where(codes[0] == 0, 1000.0, 1e-9)
    changed = remove_nmar(Dataset((Variable("A", ("a", "b")),), codes, weights), 0.3, random_state=1)
    share = missing(changed)[0][codes[0] == 0].mean()
    assert abs(share - 0.3) < 5 * np.sqrt(0.3 * 0.7 / ROWS)


def test_nmar_leaves_missing_and_soft_cells():
    data = make_dataset([Variable("A", ("a", "b"))], [["a"], [None], [(0.2, 0.8)]])
    assert remove_nmar(data, 1.0).codes.tolist() == [[MISSING, MISSING, FIRST_LIKELIHOOD]]


@pytest.mark.parametrize("remove", MECHANISMS)
def test_data_without_rows(remove):
    assert remove(DATA.take(np.array([], dtype=np.int64)), 0.5).n_rows == 0


def test_sensor_draws_reports_and_keeps_likelihoods():
    confusion = np.array([[0.8, 0.2, 0.0, 0.0], [0.1, 0.6, 0.3, 0.0], [0.0, 0.0, 0.5, 0.5]])
    changed = apply_sensor(DATA, "X2", confusion, random_state=9)
    assert changed.roles[2] is Role.SOFT
    vectors = changed.likelihoods[2][FIRST_LIKELIHOOD - changed.codes[2].astype(int)]
    for x in range(3):
        rows = DATA.codes[2] == x
        for v in range(4):
            share = (vectors[rows] == confusion[:, v]).all(axis=1).mean()
            p = confusion[x, v]
            assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / rows.sum())
    np.testing.assert_array_equal(np.delete(changed.codes, 2, axis=0), np.delete(DATA.codes, 2, axis=0))
    np.testing.assert_array_equal(changed.codes, apply_sensor(DATA, "X2", confusion, random_state=9).codes)


def test_equal_likelihoods_have_equal_codes():
    confusion = [[0.25, 0.25, 0.5], [0.4, 0.4, 0.2]]
    changed = apply_reports(SMALL, "A", confusion, [0, 1, 2, -1])
    assert changed.codes[0].tolist() == [-2, -2, -3, -1]
    assert changed.likelihoods[0].tolist() == [[0.25, 0.4], [0.5, 0.2]]
    assert changed.roles[1] is Role.PARTIAL


def test_reports_may_be_the_column_itself():
    changed = apply_reports(SMALL, "A", [[0.9, 0.1], [0.3, 0.7]])
    vectors = changed.likelihoods[0]
    assert [None if c == MISSING else vectors[FIRST_LIKELIHOOD - c].tolist() for c in changed.codes[0]] == [
        [0.9, 0.3],
        [0.1, 0.7],
        [0.1, 0.7],
        None,
    ]


def test_a_sensor_of_missing_cells_only_leaves_no_likelihoods():
    changed = apply_sensor(hide(SMALL, ["A"]), "A", np.eye(2))
    assert changed.roles[0] is Role.HIDDEN
    assert changed.likelihoods == {}


def test_many_reports_widen_the_codes():
    reports = 300
    confusion = np.random.default_rng(1).dirichlet(np.ones(reports), size=2)
    data = Dataset((Variable("A", ("a", "b")),), np.zeros((1, reports), dtype=np.int8), np.ones(reports))
    changed = apply_reports(data, "A", confusion, np.arange(reports))
    found = changed.likelihoods[0][FIRST_LIKELIHOOD - changed.codes[0].astype(int)]
    np.testing.assert_array_equal(found, confusion.T)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda: hide(SMALL, ["C"]), UnknownNameError, "no variable 'C' in the data"),
        (lambda: hide_fraction(SMALL, 1.5), ModelError, "fraction of 1.5"),
        (lambda: remove_mcar(SMALL, -0.1), ModelError, "fraction of -0.1"),
        (lambda: remove_nmar(SMALL, float("nan")), ModelError, "fraction of nan"),
        (lambda: remove_nmar(SMALL, 0.1, strength=-1), ModelError, "strength of -1"),
        (lambda: remove_mar(SMALL, 0.1), ModelError, "no variable stays observed"),
        (lambda: remove_mar(SMALL, 0.1, observed=["A"]), ModelError, "'A' cannot stay observed"),
        (lambda: remove_mar(DATA, 0.1, variables=["X0"], observed=["X0"]), ModelError, "cannot both stay observed"),
        (lambda: remove_mar(DATA, 0.1, observed=[]), ModelError, "no variable stays observed"),
        (lambda: apply_sensor(SMALL, "A", np.eye(3)), ModelError, "shape \\(3, 3\\); expected \\(2 states, reports\\)"),
        (lambda: apply_sensor(SMALL, "A", [[0.5, 0.4], [0, 1]]), ModelError, "must sum to 1"),
        (lambda: apply_sensor(SMALL, "A", [[-0.5, 1.5], [0, 1]]), ModelError, "not from 0 to 1"),
        (lambda: apply_reports(SMALL, "A", np.eye(2), [0, 1]), ModelError, "one for each of 4 rows"),
        (lambda: apply_reports(SMALL, "A", np.eye(2), [0, 1, 2, 0]), ModelError, "none of 0 to 1"),
        (
            lambda: apply_reports(SMALL, "A", [[1, 0, 0], [0, 1, 0]]),
            ModelError,
            "has 3 reports; expected one per state",
        ),
        (lambda: apply_reports(SMALL, "A", [[1, 0, 0], [0, 1, 0]], [0, 0, 2, 0]), ModelError, "impossible"),
    ],
)
def test_impossible_requests_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        change()


def test_a_sensor_needs_states():
    soft = apply_sensor(SMALL, "A", np.eye(2))
    with pytest.raises(ModelError, match="has cells that are likelihoods or targets"):
        apply_sensor(soft, "A", np.eye(2))
