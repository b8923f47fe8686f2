"""Mechanisms of missing values and noisy sensors, from the command line."""

import math

import numpy as np
import pytest

from engine.formats import read_dataset, read_network
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"
NETWORK = read_network(ASIA).network


def simulate(tmp_path, *words):
    path = tmp_path / "rows.csv"
    result = run("simulate", ASIA, "--rows", 4000, "--out", path, "--json", *words).result
    return result, read_dataset(path, NETWORK.variables).dataset


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    return simulate(tmp_path_factory.mktemp("complete"))[1]


def shares(data, complete, name, by):
    """The share of missing values of a variable for each state of another."""
    gone = data.codes[NETWORK.index[name]] == -1
    return [gone[complete.codes[NETWORK.index[by]] == code].mean() for code in (0, 1)]


@pytest.mark.parametrize(
    ("word", "name", "by", "expected"),
    [
        ("smoke=0.3", "smoke", "smoke", (0.3, 0.3)),
        ("mcar:smoke,bronc=0.3", "bronc", "bronc", (0.3, 0.3)),
        ("bronc<-smoke=yes:0.6,no:0.1", "bronc", "smoke", (0.6, 0.1)),
        ("mar: bronc <- smoke=no:0.1,yes:0.6", "bronc", "smoke", (0.6, 0.1)),
        ("smoke<-smoke=yes:0.5,no:0.0", "smoke", "smoke", (0.5, 0.0)),
        ("nmar:smoke<-smoke=yes:0.5,no:0.0", "smoke", "smoke", (0.5, 0.0)),
        ("smoke<-bronc,smoke=yes/yes:0.5,yes/no:0.0,no/yes:0.5,no/no:0.0", "smoke", "smoke", (0.5, 0.0)),
    ],
)
def test_each_state_of_a_cause_takes_its_share(tmp_path, complete, word, name, by, expected):
    _, data = simulate(tmp_path, "--missing", word)
    there = data.codes != -1
    np.testing.assert_array_equal(data.codes[there], complete.codes[there])
    assert shares(data, complete, name, by) == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("word", ["smoke<-smoke=0.3", "smoke<-bronc=0.3", "nmar:smoke=0.3", "mar:smoke=0.3"])
def test_a_fraction_is_met_on_average_whatever_the_strength(tmp_path, word):
    for strength in (0, 4):
        _, data = simulate(tmp_path, "--missing", word, "--strength", strength)
        gone = data.codes == -1
        assert gone[NETWORK.index["smoke"]].mean() == pytest.approx(0.3, abs=0.03)
        assert not np.delete(gone, NETWORK.index["smoke"], axis=0).any()


def test_strength_is_how_far_apart_the_states_are(tmp_path, complete):
    _, data = simulate(tmp_path, "--missing", "smoke<-smoke=0.3", "--strength", 3)
    one, other = shares(data, complete, "smoke", "smoke")
    assert abs(math.log(one / (1 - one)) - math.log(other / (1 - other))) == pytest.approx(6, abs=0.8)


def test_a_kind_before_a_fraction_is_the_mechanism_of_all_cells(tmp_path):
    _, one = simulate(tmp_path, "--missing", "nmar:0.2")
    _, other = simulate(tmp_path, "--missing", "0.2", "--mechanism", "nmar")
    np.testing.assert_array_equal(one.codes, other.codes)


def test_a_cause_that_can_be_missing_is_allowed_where_that_is_said(tmp_path, complete):
    words = ["--missing", "nmar:smoke<-lung=yes:1,no:0", "--missing", "lung=0.5"]
    _, data = simulate(tmp_path, *words)
    assert shares(data, complete, "smoke", "lung") == [1.0, 0.0]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--missing", "smoke"], ["--missing smoke: expected --missing 0.2"]),
        (["--missing", "cough=0.2"], ["no variable 'cough'"]),
        (["--missing", "smoke<-cough=0.2"], ["no variable 'cough'"]),
        (["--missing", "smoke=1.2"], ["--missing smoke=1.2", "from 0 to 1"]),
        (["--missing", "smoke=much"], ["'much' is not a fraction"]),
        (["--missing", "nmar:7"], ["nmar:7", "from 0 to 1"]),
        (["--missing", "smoke<-asia=yes:0.6,no:1.1"], ["1.1", "from 0 to 1"]),
        (["--missing", "smoke<-asia=yes:0.6"], ["no number for the state 'no' of 'asia'"]),
        (["--missing", "smoke<-asia=yes:0.6,perhaps:0.1"], ["no state 'perhaps'"]),
        (["--missing", "mcar:smoke<-asia=0.1"], ["mcar", "no causes"]),
        (["--missing", "mar:smoke<-smoke=0.1"], ["'smoke' decides itself", "nmar"]),
        (["--missing", "nmar:smoke<-asia=0.1"], ["'asia' is seen in every row", "mar"]),
        (["--missing", "smoke<-asia=0.1", "--missing", "asia=0.1"], ["'asia' can itself be missing", "nmar"]),
        (["--missing", "mar:smoke<-asia=0.1", "--hide", "asia"], ["'asia' can itself be missing", "nmar"]),
        (["--missing", "smoke<-asia=0.1", "--sensor", "asia=0.9"], ["'asia' can itself be missing"]),
        (["--missing", "smoke<-asia=0.1", "--hide-fraction", "0.2"], ["--hide-fraction"]),
        (["--missing", "smoke=0.1", "--missing", "smoke=0.2"], ["'smoke' goes missing by two"]),
        (["--missing", "smoke=0.1", "--missing", "0.2"], ["--missing 0.2 is for all cells"]),
        (["--missing", "smoke=0.1", "--mechanism", "mar"], ["--mechanism", "alone"]),
        (["--missing", "mar:0.1", "--mechanism", "mar"], ["--mechanism", "alone"]),
        (["--missing", "smoke=0.1", "--strength", "1"], ["--strength"]),
        (["--missing", "nmar:smoke=0.1", "--strength", "-1"], ["strength of -1"]),
        (["--sensor", "smoke"], ["'smoke' is not of the form --sensor X=0.9"]),
        (["--sensor", "cough=0.9"], ["no variable 'cough'"]),
        (["--sensor", "smoke=1.5"], ["1.5", "from 0 to 1"]),
        (["--sensor", "smoke=0.9,0.1/0.2,0.9"], ["'no'", "sum to 1.1", "must sum to 1"]),
        (["--sensor", "smoke=1.1,-0.1/0.2,0.8"], ["'yes'", "not from 0 to 1"]),
        (["--sensor", "smoke=0.9,0.1"], ["1 row of 2", "2 rows of 2"]),
        (["--sensor", "smoke=0.9,/0.2,0.8"], ["'' is not a number"]),
        (["--sensor", "smoke=0.9", "--sensor", "smoke=0.8"], ["given twice"]),
        (["--sensor", "smoke=nowhere.csv"], ["nowhere.csv", "cannot read"]),
    ],
)
def test_what_is_malformed_is_refused_in_one_line(tmp_path, words, parts):
    assert_refused(run("simulate", ASIA, "--rows", 5, "--out", tmp_path / "x.csv", *words), *parts)
    assert not list(tmp_path.iterdir())


# --- sensors


TABLE = "reported,yes,no\nno,0.2,0.8\nyes,0.9,0.1\n"


def test_a_sensor_reports_by_its_table(tmp_path, complete):
    (tmp_path / "sensor.csv").write_text(TABLE)
    inline, data = simulate(tmp_path, "--sensor", "smoke=0.9,0.1/0.2,0.8")
    _, same = simulate(tmp_path, "--sensor", f"smoke={tmp_path / 'sensor.csv'}")
    np.testing.assert_array_equal(data.codes, same.codes)
    assert inline["sensors"] == ["smoke"]
    smoke = NETWORK.index["smoke"]
    np.testing.assert_array_equal(np.delete(data.codes, smoke, axis=0), np.delete(complete.codes, smoke, axis=0))
    for state, said in ((0, 0.9), (1, 0.2)):
        assert (data.codes[smoke][complete.codes[smoke] == state] == 0).mean() == pytest.approx(said, abs=0.03)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reported,yes,maybe\n", "line 1: expected a column"),
        ("", "line 1: expected a column"),
        ("reported,yes,no\nyes,0.9,0.1\n", "no row for the state 'no'"),
        ("reported,yes,no\nyes,0.9,0.1\nyes,0.9,0.1\n", "line 3: the state 'yes' is given twice"),
        ("reported,yes,no\nperhaps,0.9,0.1\n", "line 2: variable 'smoke' has no state 'perhaps'"),
        ("reported,yes,no\nyes,0.9\n", "line 2: 2 cells; expected 3"),
        ("reported,yes,no\nyes,much,0.1\n", "line 2: 'much' is not a number"),
        ("reported,yes,no\nyes,0.9,0.2\nno,0.5,0.5\n", "sum to 1.1"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(tmp_path, text, said):
    path = tmp_path / "sensor.csv"
    path.write_text(text)
    assert_refused(run("simulate", ASIA, "--rows", 5, "--out", tmp_path / "x.csv", "--sensor", f"smoke={path}"), said)


def test_learning_reads_reports_as_likelihoods(tmp_path):
    """The same as the likelihoods written out, cell by cell; and closer to the truth than taking reports for states."""
    path, written = tmp_path / "rows.csv", tmp_path / "likelihoods.csv"
    run("simulate", ASIA, "--rows", 4000, "--sensor", "bronc=0.9,0.1/0.2,0.8", "--out", path)
    head, *lines = [line.split(",") for line in path.read_text().splitlines()]
    column = head.index("bronc")
    for line in lines:
        line[column] = {"yes": "[0.9;0.2]", "no": "[0.1;0.8]"}[line[column]]
    written.write_text("\n".join(",".join(line) for line in [head, *lines]) + "\n")
    options = ["--json", "--start", "current", "--out"]
    sensed = run("learn", ASIA, path, "--sensor", "bronc=0.9,0.1/0.2,0.8", *options, tmp_path / "a.json").result
    likely = run("learn", ASIA, written, *options, tmp_path / "b.json").result
    assert sensed["log_likelihood"] == pytest.approx(likely["log_likelihood"], abs=1e-9)
    run("learn", ASIA, path, *options, tmp_path / "c.json")
    tables = [read_network(tmp_path / f"{name}.json").network.tables[NETWORK.index["bronc"]] for name in "ac"]
    off = [abs(table - NETWORK.tables[NETWORK.index["bronc"]]).max() for table in tables]
    assert off[0] < 0.05 < off[1]


def test_decompose_and_bound_know_sensors_too(tmp_path):
    path = tmp_path / "rows.csv"
    run("simulate", ASIA, "--rows", 100, "--sensor", "smoke=0.9", "--out", path)
    assert run("decompose", ASIA, path, "--sensor", "smoke=0.9", "--json").result["soft"] == ["smoke"]
    assert "tightest" in run("bound", ASIA, path, "--sensor", "smoke=0.9", "--json").result
    path.write_text(path.read_text().replace("yes", "[0.3;0.7]", 3))
    assert_refused(
        run("learn", ASIA, path, *(f"--sensor={name}=0.9" for name in NETWORK.index)), "likelihoods or targets"
    )


def test_a_query_takes_a_report_for_what_it_says(tmp_path):
    found = run("query", ASIA, "--evidence", "xray=yes", "--sensor", "xray=0.9,0.1/0.3,0.7", "--json").result
    meant = run("query", ASIA, "--likelihood", "xray=yes:0.9,no:0.3", "--json").result
    assert found == meant
    assert_refused(run("query", ASIA, "--sensor", "xray=0.9"), "--sensor xray: there is no report", "--evidence xray=")
    both = ["--evidence", "xray=yes", "--likelihood", "xray=yes:0.9,no:0.3", "--sensor", "xray=0.9"]
    assert_refused(run("query", ASIA, *both), "'xray' has a report that --sensor reads, and a --likelihood")
