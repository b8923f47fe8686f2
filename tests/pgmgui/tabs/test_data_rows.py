"""Datasets as cells of the grid."""

import numpy as np
import pytest

from engine.insight.row_scores import RowScores
from engine.model.dataset import Dataset, TargetCell, make_dataset
from engine.model.variable import Variable
from pgmgui.project.marks import Hidden, apply_marks
from pgmgui.tabs.data_rows import (
    MOST_COUNTED,
    Beneath,
    count_cells,
    data_source,
    describe_scores,
    percent,
    states_source,
    summary_source,
)

RAIN = Variable("Rain", ("yes", "no"))
SKY = Variable("Sky", ("blue", "grey", "black"))
ROWS = [["yes", "grey"], [None, (0.2, 0.8, 0.4)], ["no", "blue"], ["yes", None]]


def test_rows_have_numbers_states_missing_cells_and_bars():
    source = data_source(make_dataset([RAIN, SKY], ROWS))
    assert [column.title for column in source.columns] == ["Row", "Rain", "Sky"]
    assert source.n_rows == 4
    first, second = source.cells(0, 1)
    assert first == ["1", "yes", "grey"]
    assert second[0] == "2"
    assert second[1]["kind"] == "missing"
    assert second[2]["kind"] == "soft"
    assert second[2]["bars"] == pytest.approx([0.25, 1, 0.5])
    assert second[2]["about"] == "likelihood: blue 0.2, grey 0.8, black 0.4"
    assert source.cells(3, 3)[0][:2] == ["4", "yes"]
    assert source.columns[1].about == "partly missing; states 'yes', 'no'"


def test_a_target_is_told_from_a_likelihood():
    data = make_dataset([RAIN], [[(0.2, 0.6)], [TargetCell((0.25, 0.75))], ["yes"], [None], [TargetCell((1.0, 0.0))]])
    source = data_source(data, beneath=Beneath(data, {}))
    likelihood, target = (row[1] for row in source.cells(0, 1))
    assert (likelihood["kind"], likelihood["typed"]) == ("soft", "[0.2;0.6]")
    assert (target["kind"], target["typed"]) == ("target", "{0.25;0.75}")
    assert target["bars"] == [0.25, 0.75]  # a share of 1 is of full height
    assert target["about"] == "target for the posterior: yes 0.25, no 0.75"
    assert source.order(1, False).tolist() == [2, 0, 1, 4, 3]
    many = Variable("Many", tuple(f"s{k}" for k in range(20)))
    cell = data_source(make_dataset([many], [[TargetCell((0.05,) * 20)]])).cells(0, 0)[0][1]
    assert (cell["text"], cell["bars"]) == ("target", [])


def test_targets_are_counted_apart():
    rows = [["yes"], [(0.2, 0.6)], [TargetCell((0.25, 0.75))], [TargetCell((1.0, 0.0))], [(1.0, 1.0)], [None]]
    data = make_dataset([RAIN], rows, [1, 2, 4, 8, 16, 32])
    counts, *others = count_cells(data, 0)
    assert (counts.tolist(), others) == ([1, 0], [32, 18, 12])
    assert summary_source(data).cells(0, 0)[0][3]["text"] == "1 · 0 · 18 by likelihood · 12 by target"
    names = [row[0] for row in states_source(data, 0).cells(0, 9)]
    assert names == ["yes", "no", "(likelihood)", "(target)", "(missing)"]


def test_weights_are_shown_if_they_differ_from_one():
    source = data_source(make_dataset([RAIN], [["yes"], ["no"]], [2, 0.5]))
    assert [column.title for column in source.columns] == ["Row", "Weight", "Rain"]
    assert source.cells(0, 1) == [["1", "2", "yes"], ["2", "0.5", "no"]]


def test_with_scores_the_least_probable_rows_come_first():
    dataset = make_dataset([RAIN], [["yes"], ["no"], [None], ["no"]], [2, 1, 1, 1])
    scores = RowScores(np.array([-1.25, -np.inf, 0.0, -9.5]), dataset.weights)
    source = data_source(dataset, scores)
    assert [column.title for column in source.columns] == ["Row", "log Pr", "Weight", "Rain"]
    first, *others = source.cells(0, 3)
    assert (first[0], first[1]["text"], first[1]["kind"], *first[2:]) == ("2", "−∞", "warn", "1", "no")
    assert others[0] == ["4", "−9.5000", "1", "no"]
    assert others[1] == ["1", "−1.2500", "2", "yes"]
    assert others[2][:3] == ["3", "0.0000", "1"]
    assert source.cells(2, 2)[0] == others[1]


def test_scores_in_words():
    scores = RowScores(np.array([-1.0, -2.0, -1.5]), np.array([1.0, 2.0, 1.0]))
    assert describe_scores(scores, "the network itself") == [
        "Log-likelihood of each row by the parameters of the network itself, the lowest first.",
        "Sum −6.50, median −1.50 nats.",
    ]
    values = np.full(30, -1.0)
    values[[3, 20]], values[5:16] = (-np.inf, -1234.5), -1.5
    assert describe_scores(RowScores(values, np.ones(30)), "x")[1:] == [
        "1 row has probability 0: 4.",
        "1 is outlying, below −4.50 nats: 21.",
    ]
    values[:] = -np.inf
    told = "30 rows have probability 0: 1, 2, 3, 4, 5, 6, 7, 8 and 22 more."
    assert describe_scores(RowScores(values, np.ones(30)), "x")[1:] == [told]


def test_only_the_rows_in_view_are_looked_at():
    """Cells come from slices of the codes, so that a million rows cost no more than ten."""

    asked = []

    class Watched(np.ndarray):
        def __getitem__(self, key):
            asked.append(key)
            return super().__getitem__(key)

    codes = np.zeros((2, 1_000_000), dtype=np.int8).view(Watched)
    source = data_source(Dataset((RAIN, SKY), codes, np.ones(1_000_000)))
    asked.clear()
    rows = source.cells(999_990, 999_999)
    assert len(rows) == 10
    assert rows[-1] == ["1,000,000", "yes", "blue"]
    assert asked == [(slice(None), slice(999_990, 1_000_000))]


def test_the_summary_counts_by_weight():
    data = make_dataset([RAIN, SKY], ROWS, [1, 2, 3, 4])
    counts, *others = count_cells(data, 1)
    assert (counts.tolist(), others) == ([3, 1, 0], [4, 2, 0])
    source = summary_source(data)
    rain, sky = source.cells(0, 1)
    assert [rain[1], rain[2]] == ["partly missing", "20%"]
    assert rain[3]["text"] == "5 · 3"
    assert rain[3]["bars"] == pytest.approx([5 / 8, 3 / 8])
    assert rain[3]["about"] == "yes 5 (62.5%), no 3 (37.5%)"
    assert [sky[1], sky[2]] == ["uncertain", "40%"]
    assert sky[3]["text"] == "3 · 1 · 0 · 2 by likelihood"


def test_the_summary_of_much_data_is_not_sorted_since_all_of_it_would_be_counted():
    variables = [Variable(f"V{k}", ("yes", "no")) for k in range(1000)]
    for rows in (MOST_COUNTED // 1000, MOST_COUNTED // 1000 + 1):
        data = Dataset(tuple(variables), np.zeros((1000, rows), dtype=np.int8), np.ones(rows))
        assert summary_source(data).sorts == (data.codes.size <= MOST_COUNTED)


def test_a_hidden_variable_has_no_counts():
    cells = summary_source(make_dataset([RAIN], [[None], [None]])).cells(0, 0)[0]
    assert [cells[1], cells[2], cells[3]["text"], cells[3]["bars"]] == ["hidden", "100%", "", []]


def test_data_without_rows_has_a_summary():
    empty = make_dataset([RAIN], [])
    assert data_source(empty).n_rows == 0
    assert summary_source(empty).cells(0, 0)[0][1:3] == ["hidden", "—"]
    assert states_source(empty, 0).cells(0, 1)[0][:2] == ["yes", "0"]


def test_many_states_are_cut():
    many = Variable("Many", tuple(f"s{k}" for k in range(5000)))
    cell = summary_source(make_dataset([many], [["s4999"]])).cells(0, 0)[0][3]
    assert cell["bars"] == []
    assert cell["text"].endswith("… (5,000 states)")
    assert len(cell["about"]) < 400


def test_states_of_one_variable_end_with_what_is_not_seen():
    source = states_source(make_dataset([RAIN, SKY], ROWS), 1)
    rows = source.cells(0, source.n_rows - 1)
    assert [(name, rows_, share["text"]) for name, rows_, share in rows] == [
        ("blue", "1", "25%"),
        ("grey", "1", "25%"),
        ("black", "0", "0%"),
        ("(likelihood)", "1", "25%"),
        ("(missing)", "1", "25%"),
    ]


def test_shares_are_never_rounded_to_nothing_or_all():
    assert [percent(*pair) for pair in ((1, 3), (99_999, 100_000), (3, 3), (1, 10**9))] == [
        "33.3%",
        ">99.9%",
        "100%",
        "<0.1%",
    ]


def test_rows_sort_by_states_weights_and_scores_with_missing_ones_last():
    dataset = make_dataset([RAIN, SKY], ROWS, [2, 1, 3, 1])
    order = data_source(dataset).order
    assert order(0, True).tolist() == [3, 2, 1, 0]
    assert order(1, False).tolist() == [1, 3, 0, 2]  # by weight
    assert order(2, False).tolist() == [0, 3, 2, 1]
    assert order(2, True).tolist() == [2, 0, 3, 1]
    assert order(3, False).tolist() == [2, 0, 1, 3]  # a likelihood after the states
    assert order(3, True).tolist() == [0, 2, 1, 3]
    scores = RowScores(np.array([-1.0, -9.0, -2.0, -4.0]), dataset.weights)
    scored = data_source(dataset, scores)
    assert [row[0] for row in scored.cells(0, 3)] == ["2", "4", "3", "1"]
    assert scored.order(0, False).tolist() == [3, 0, 2, 1]
    assert scored.order(1, True).tolist() == [3, 2, 1, 0]


def test_cells_to_edit_say_what_is_beneath_a_mark():
    dataset = make_dataset([RAIN, SKY], ROWS)
    hidden = apply_marks(dataset, {"Rain": Hidden()})
    source = data_source(hidden, beneath=Beneath(dataset, {"Rain": Hidden()}))
    _, rain, sky = source.columns
    assert rain.editable
    assert rain.clears
    assert rain.choices == (("yes", ""), ("no", ""), ("?", "missing"))
    assert rain.about.endswith("seen through a mark: hidden")
    assert sky.hint == "or a likelihood: [0.4;0.8;0.1], or a target for the posterior: {0.3;0.5;0.2}"
    first, second, *_ = source.cells(0, 3)
    assert (first[1]["text"], first[1]["typed"]) == ("?", "yes")
    assert first[1]["about"] == "missing; seen through a mark (hidden); in the data: yes"
    assert second[1]["typed"] == "?"
    assert second[2]["typed"] == "[0.2;0.8;0.4]"
    assert first[2] == "grey"
