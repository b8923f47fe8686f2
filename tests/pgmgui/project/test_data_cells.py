"""What is typed into data."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.dataset import MISSING, TargetCell, make_dataset
from engine.model.errors import PgmError
from engine.model.variable import Variable
from pgmgui.project.data_cells import WEIGHT, make_edit, read_cell, read_weight, show_text
from tests.plain import plain_rows

RAIN, WIND = Variable("Rain", ("yes", "no")), Variable("Wind", ("calm", "breeze", "storm"))
ODD = Variable("Odd", ("?", "YES", "yes", "1", "[1;2;3;4;5;6]", "{0;0;0;0;0;0;1}"))


def test_states_missing_and_likelihoods():
    assert [read_cell(WIND, text) for text in ("calm", " storm ", "BREEZE")] == [0, 2, 1]
    assert [read_cell(WIND, text) for text in ("?", "", "  ", "NA", "*")] == [MISSING] * 5
    assert read_cell(WIND, "[0.4; 0.8;0]") == (0.4, 0.8, 0.0)


def test_targets():
    assert read_cell(WIND, " {0.2; 0.3;0.5} ") == TargetCell((0.2, 0.3, 0.5))
    assert read_cell(WIND, "{0.33;0.33;0.33}").shares == pytest.approx((1 / 3,) * 3)


def test_a_state_wins_over_what_else_a_text_may_mean():
    assert [read_cell(ODD, text) for text in ODD.states] == [0, 1, 2, 3, 4, 5]
    assert read_cell(ODD, "NA") == MISSING


@pytest.mark.parametrize(
    "text",
    ["stormy", "[0.4;0.8]", "[0;0;0]", "[1;2;-3]", "[1;2;nan]", "0", "yEs of Odd", "c", "[;;]",
     "{0.5;0.5}", "{0.3;0.3;0.3}", "{1;-1;1}",
     "{nan;0;1}", "{1;0;0", "{}", "{1e308;1e308;0}"],
)  # fmt: skip
def test_other_texts_are_refused_with_what_is_allowed(text):
    with pytest.raises(PgmError) as caught:
        read_cell(WIND, text)
    said = str(caught.value)
    assert "'Wind'" in said
    assert "'calm', 'breeze', 'storm'" in said
    assert "? for missing" in said
    assert "3 numbers" in said
    assert "[0.4;0.8;0.1]" in said
    assert "{0.3;0.5;0.2} (3 numbers of 0 or more that sum to 1)" in said
    assert text in said


def test_letter_case_that_tells_no_state_is_refused():
    with pytest.raises(PgmError):
        read_cell(ODD, "Yes")


def test_what_is_shown_can_be_typed_again():
    last = TargetCell((0.0,) * 5 + (1.0,))
    rows = [["no", None], [(0.1 + 0.2, 1), "?"], [None, "1"], [TargetCell((0.1, 0.9)), last]]
    data = make_dataset([RAIN, ODD], rows)
    for i, variable in enumerate(data.variables):
        for code in data.codes[i].tolist():
            meant = read_cell(variable, show_text(data, i, code))
            assert meant == (data.vector(i, code) if code < MISSING else code)


def test_weights():
    assert [read_weight(text) for text in ("2", " 0.5 ", "1,000", "0")] == [2, 0.5, 1000, 0]
    for text in ("", "-1", "two", "1e99", "nan", "2,5", "1,00"):
        with pytest.raises(PgmError, match="no weight"):
            read_weight(text)


def test_a_block_is_one_edit():
    data = make_dataset([RAIN, WIND], [["yes", "calm"], [None, "storm"], [(0.2, 0.8), None]])
    edit = make_edit(data, np.array([2, 0]), [WEIGHT, 0, 1], [["2", "?", "[1;2;3]"], ["3", "[0.2;0.8]", "calm"]])
    after = edit.apply(data)
    assert after.codes.tolist() == [[-2, -1, -1], [0, 2, -2]]
    assert after.weights.tolist() == [3, 1, 2]
    assert after.likelihoods[1].tolist() == [[1, 2, 3]]
    assert edit.invert(data).apply(after).codes.tolist() == data.codes.tolist()
    assert make_edit(data, np.array([1]), [1], [["storm"]]) is None


def test_a_target_beside_a_likelihood_of_the_same_numbers():
    data = make_dataset([RAIN], [[(0.2, 0.8)], ["yes"], [TargetCell((0.2, 0.8))]])
    edit = make_edit(data, np.array([0, 1]), [0], [["{0.2;0.8}"], ["{0.5;0.5}"]])
    after = edit.apply(data)
    assert plain_rows(after) == [[TargetCell((0.2, 0.8))], [TargetCell((0.5, 0.5))], [TargetCell((0.2, 0.8))]]
    assert after.codes[0, 0] == after.codes[0, 2]
    assert plain_rows(edit.invert(data).apply(after)) == plain_rows(data)
    assert make_edit(data, np.array([2]), [0], [["{0.2;0.8}"]]) is None
    assert make_edit(data, np.array([2]), [0], [["[0.2;0.8]"]]) is not None


def test_an_error_names_the_cell():
    data = make_dataset([RAIN, WIND], [["yes", "calm"]] * 4)
    with pytest.raises(PgmError, match=r"row 3, 'Wind': 'hot' is nothing"):
        make_edit(data, np.array([1, 2]), [0, 1], [["no", "calm"], ["no", "hot"]])
