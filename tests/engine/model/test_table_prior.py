"""Priors on tables by name: what is registered is found, and what another's code does wrong is told."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from engine.model.errors import ModelError
from engine.model.table_prior import (
    InstalledPrior,
    LogisticNormal,
    list_table_priors,
    make_table_prior,
    parse_prior,
    show_table_prior,
)

THETA = np.array([[0.5, 0.5], [0.9, 0.1]])


def test_a_logistic_normal_density_is_highest_and_0_where_sets_are_uniform():
    found = LogisticNormal(2.0).log_density(THETA)
    assert found[0] == 0
    half = np.log(9) / 2  # from the mean of both logarithms
    assert found[1] == pytest.approx(-(2 * half**2) / (2 * 2.0**2))


@pytest.mark.usefixtures("installed_priors")
def test_priors_of_installed_packages_are_found_by_name():
    assert list_table_priors() == ["logistic-normal", "absent", "broken", "near", "number", "odd", "tall"]
    prior = parse_prior("near:0.5")
    assert prior == InstalledPrior("near", 0.5)
    assert prior.log_density(THETA) == pytest.approx([-2 * (1 / 6) ** 2 / 0.5, -2 * (0.9 - 2 / 3) ** 2 / 0.5])
    assert isinstance(make_table_prior("logistic-normal", 1.0), LogisticNormal)  # no package takes its name
    assert pickle.loads(pickle.dumps(prior)) == prior  # for workers


@pytest.mark.usefixtures("installed_priors")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nobody:1", "'nobody' is not installed; use one of logistic-normal, absent"),
        ("absent:1", "'absent' cannot be loaded: .*AttributeError"),
        ("number:1", "'number' is no function"),
        ("os:1", "'os' is not installed"),
        ("their_priors:near:1", "'their_priors:near' is not installed"),
        ("<b>:1", "'<b>' is not installed"),
        ("logistic-normal", "no prior: expected a number such as 2"),
        ("logistic-normal:wide", "no prior"),
        ("logistic-normal:0", "between 0.001 and 1000; got 0"),
        ("logistic-normal:nan", "got nan"),
        ("near:1e9", "between 0.001 and 1000"),
    ],
)
def test_what_is_no_prior_is_refused(text, why):
    with pytest.raises(ModelError, match=why):
        parse_prior(text)


@pytest.mark.usefixtures("installed_priors")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("tall", "gave 0.5; .* at most 0"),
        ("odd", r"shape \(2, 2\) for 2 sets"),
        ("broken", "failed: 'ValueError: no such thing'"),
    ],
)
def test_what_a_function_does_wrong_is_told(name, why):
    with pytest.raises(ModelError, match=why):
        make_table_prior(name, 1.0).log_density(THETA)


def test_a_prior_is_written_as_it_is_read():
    for text in ("logistic-normal:1.5", "logistic-normal:0.001"):
        prior = parse_prior(text)
        assert not isinstance(prior, float)
        assert show_table_prior(prior) == text
