"""The tables of the missingness studio: a row for each combination, numbers beside their bars."""

import numpy as np

from engine.insight.absence import Bias, Learned
from pgmgui.project.absence import Compared, find_facts
from pgmgui.project.marks import Absent
from pgmgui.project.scene import derive
from pgmgui.tabs.data.studio_tables import bias_source, chances_source, share_cell, shares_source
from tests.pgmgui.project.test_absence import make_scene

BY_TWO = Absent(("bronc", "smoke"), (0.6, 0.1, 0.3, 0.2))


def read(source):
    return source.cells(0, source.n_rows - 1)


def find(mark):
    scene = make_scene(400, smoke=mark)
    network = scene.document.network
    facts = find_facts(scene, derive(scene).seen, "smoke")
    return facts, [network.variables[network.index[cause]] for cause in mark.causes], network.variables[2]


def test_chances_have_a_row_for_each_combination():
    facts, causes, _ = find(BY_TWO)
    rows = read(chances_source(BY_TWO, facts, causes, "smoke"))
    assert [row[:2] for row in rows] == [["yes", "yes"], ["yes", "no"], ["no", "yes"], ["no", "no"]]
    assert [row[2]["typed"] for row in rows] == ["0.6", "0.1", "0.3", "0.2"]
    assert [row[3]["key"] for row in rows] == facts.by_cause.reshape(-1).tolist()
    assert [row[3] for row in read(chances_source(BY_TWO, None, causes, "smoke"))] == ["…"] * 4


def test_chances_are_edited_until_there_is_an_indicator():
    facts, causes, _ = find(BY_TWO)
    for indicator, editable in (("", True), ("O_smoke", False)):
        columns = chances_source(Absent(BY_TWO.causes, BY_TWO.chances, indicator), facts, causes, "smoke").columns
        assert [column.editable for column in columns] == [False, False, editable, False]


def test_without_causes_there_is_one_chance_and_of_holes_only_what_is_counted():
    facts, causes, _ = find(Absent((), (0.3,)))
    assert read(chances_source(facts.mark, facts, causes, "smoke"))[0][:1] == ["whatever the row"]
    facts, causes, _ = find(Absent(("bronc",)))
    assert [column.title for column in chances_source(facts.mark, facts, causes, "smoke").columns] == [
        "bronc",
        "In the data",
    ]


def test_shares_are_of_each_state():
    facts, _, smoke = find(BY_TWO)
    rows = read(shares_source(facts, smoke))
    assert [row[0] for row in rows] == ["yes", "no"]
    assert [row[1]["key"] for row in rows] == facts.expected.states.tolist()
    assert [row[2]["key"] for row in rows] == facts.counted.states.tolist()


def test_each_state_is_shown_as_it_is_and_as_it_is_learned_in_both_ways():
    _, _, smoke = find(BY_TWO)
    learned = [Learned(np.array(values), None, True, 3) for values in ([0.3, 0.7], [0.52, 0.48])]
    rows = read(bias_source(Compared("smoke", Bias(None, *learned), np.array([0.5, 0.5]), True), smoke))
    assert [row[:2] for row in rows[:3]] == [["yes", "True"], ["", "As if at random"], ["", "With the mechanism"]]
    assert [row[3] and row[3]["text"] for row in rows[:3]] == ["", "−0.200", "+0.020"]
    rows = read(bias_source(Compared("smoke", Bias(None, *learned), None, False), smoke))
    assert [[cell if isinstance(cell, str) else cell["text"] for cell in row] for row in rows] == [
        ["yes", "As if at random", "0.300"],
        ["", "With the mechanism", "0.520"],
        ["no", "As if at random", "0.700"],
        ["", "With the mechanism", "0.480"],
    ]


def test_shares_that_are_tiny_or_of_no_rows_say_so():
    assert share_cell(1e-9)["text"] == "<0.001"
    assert share_cell(float("nan"))["text"] == "no rows"
