"""Cells that say what a posterior shall be."""

import numpy as np
import pytest

from engine.inference.planner import make_plan
from engine.model.dataset import Role, TargetCell, make_dataset
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork
from engine.model.variable import Variable

RAIN = Variable("Rain", ("yes", "no"))
WET = Variable("Wet", ("yes", "no"))


def test_a_target_is_no_likelihood_of_the_same_numbers() -> None:
    data = make_dataset([RAIN, WET], [[TargetCell((0.3, 0.7)), "yes"], [(0.3, 0.7), "yes"], [None, "no"]])
    assert data.target_cells.tolist() == [[True, False, False], [False, False, False]]
    assert data.project([0, 1]).n_rows == 3
    assert data.roles == (Role.SOFT, Role.OBSERVED)


def test_targets_stay_with_their_rows_and_columns() -> None:
    data = make_dataset([RAIN, WET], [["yes", "no"], ["no", TargetCell((0.1, 0.9))]])
    assert data.take(np.array([1])).target_cells.tolist() == [[False], [True]]
    assert data.project([1]).target_cells.any()
    assert not data.project([0]).targets


def test_a_target_sums_to_one() -> None:
    with pytest.raises(ModelError, match="a target of 'Rain' does not sum to 1"):
        make_dataset([RAIN], [[TargetCell((0.3, 0.6))]])


def test_a_target_is_never_taken_for_a_likelihood() -> None:
    network = BayesianNetwork((RAIN,), ((),), (np.array([0.5, 0.5]),))
    with pytest.raises(ModelError, match="meet them first"):
        make_plan(network, make_dataset([RAIN], [[TargetCell((0.3, 0.7))]]))
