"""The shared datasets: shapes and missing cells as documented in their manifest."""

import pytest

from engine.formats import read_dataset, read_network
from engine.model.errors import FormatError
from engine.model.variable import Variable
from tests.shared_data import DATA, needs_data

pytestmark = needs_data

SHAPES = {
    "SPECT.test": (187, 23, 0),
    "SPECT.train": (80, 23, 0),
    "ad_partial.data": (998, 1559, 731),
    "agaricus-lepiota.data": (8124, 23, 2480),
    "agrum_EM.csv": (500, 4, 800),
    "agrum_EM2.csv": (1800, 2, 2300),
    "agrum_asia.csv": (10000, 8, 0),
    "agrum_titanic.csv": (889, 7, 0),
    "bnlearn_alarm.csv": (5000, 37, 0),
    "bnlearn_asia.csv": (5000, 8, 0),
    "bnlearn_coronary.csv": (1841, 6, 0),
    "breast-cancer.data": (286, 10, 9),
    "camml_AsiaCases.1000.cas": (1000, 8, 0),
    "dermatology.data": (366, 35, 8),
    "house-votes-84.data": (435, 17, 392),
    "imports-85.data": (205, 26, 59),
    "semeion.data": (1593, 266, 0),
    "soybean.data": (683, 36, 2337),
    "weka_vote.arff": (435, 17, 392),
}


def test_every_shared_dataset_is_in_the_table():
    assert {path.name for path in (DATA / "datasets").iterdir() if path.suffix != ".names"} == SHAPES.keys()


@pytest.mark.parametrize("name", SHAPES)
def test_shape_and_missing_cells(name):
    data = read_dataset(DATA / "datasets" / name).dataset
    assert (data.n_rows, len(data.variables), int((data.codes < 0).sum())) == SHAPES[name]


def test_vote_is_the_same_data_in_arff_and_csv():
    votes = read_dataset(DATA / "datasets" / "weka_vote.arff").dataset
    assert votes.variables[-1] == Variable("Class", ("democrat", "republican"))
    assert {v.states for v in votes.variables[:-1]} == {("n", "y")}
    first, *rest = votes.variables[-1], *votes.variables[:-1]
    plain = read_dataset(DATA / "datasets" / "house-votes-84.data", [first, *rest]).dataset
    rows = {(tuple(row[1:]), row[0]) for row in plain.codes.T.tolist()}
    assert {(tuple(row[:-1]), row[-1]) for row in votes.codes.T.tolist()} == rows


def test_alarm_with_its_network():
    """The data has bnlearn's short names; ten of them are also the network's."""
    network = read_network(DATA / "networks" / "bif" / "alarm.bif").network
    document = read_dataset(DATA / "datasets" / "bnlearn_alarm.csv", network.variables)
    data = document.dataset
    assert data.variables == network.variables
    assert (data.n_rows, len(document.absent), len(document.unmatched)) == (5000, 27, 27)
    observed = [i for i, variable in enumerate(data.variables) if variable.name not in document.absent]
    assert (data.codes[observed] >= 0).all()
    # PCWP of the first row and CVP of the last, as they stand in the file.
    assert data.variables[2].name == "PCWP"
    assert data.variables[2].states[data.codes[2, 0]] == "NORMAL"


def test_merlin_training_data_has_no_header():
    variables = [Variable(str(i), ("0", "1")) for i in range(5)]
    data = read_dataset(DATA / "networks" / "uai" / "merlin" / "cancer.dat", variables).dataset
    assert data.codes.T.tolist()[:4] == [[0, 0, 1, 0, 1], [0, -1, -1, 1, 0], [1, 1, 0, -1, 1], [-1, 0, -1, 0, -1]]
    assert data.n_rows == 10
    assert read_dataset(DATA / "networks" / "uai" / "merlin" / "cancer4.dat", variables).dataset.n_rows == 5


QUIRKY = DATA / "quirky" / "csv"


@pytest.mark.parametrize(
    ("name", "rows", "states"),
    [
        ("asia3-faulty.csv", 37, {"smoking": ("true", "BEURK", "false")}),
        ("bugDoumenc.csv", 102, {"NRC": ("eleve", "modere"), "MED": ("1", "2", "0")}),
        (
            "compactWeightedTest.csv",
            7,
            {"A": ("0", "1"), "C": ("0 #2", "1 #2", "0 #4", "1 #1", "0 #1", "1 #3", "0 #0")},
        ),
        ("db_with_newline.csv", 8, {"a1": ("1", "2", "3"), "a2": ("2", "1")}),
        ("minimal.csv", 7, {"X": ("0", "1"), "Z": ("0", "1", "2")}),
        ("testBooleanCSVLeBiannic.csv", 14, {"var1": ("True", "False"), "var2": ("True",)}),
    ],
)
def test_quirky_files_that_are_read(name, rows, states):
    data = read_dataset(QUIRKY / name).dataset
    assert data.n_rows == rows
    assert {v.name: v.states for v in data.variables if v.name in states} == states


def test_quirky_files_that_are_refused():
    with pytest.raises(FormatError, match=r"csv_quoted.csv:line 3: a quote in the middle of a cell"):
        read_dataset(QUIRKY / "csv_quoted.csv")
    binary = [Variable(name, ("0", "1")) for name in "ABC"]
    with pytest.raises(FormatError, match=r"line 2: column 'C' has '0 #2', .* '0', '1'"):
        read_dataset(QUIRKY / "compactWeightedTest.csv", binary)
    smoking = [Variable("smoking", ("true", "false"))]
    with pytest.raises(FormatError, match=r"line 3: column 'smoking' has 'BEURK', .* 'true', 'false'"):
        read_dataset(QUIRKY / "asia3-faulty.csv", smoking)
