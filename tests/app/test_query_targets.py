"""Target marginals on the command line: of one variable or of several, in options and files, met in four ways."""

from __future__ import annotations

import pytest

from engine.formats import read_network
from engine.inference.query import Evidence, meet_targets
from engine.inference.targets.meeting import SOLVERS
from tests.command_line import EXAMPLES, assert_refused, run

ASIA = EXAMPLES / "asia.bif"
JOINT = "smoke,bronc=yes/yes:0.2,yes/no:0.1,no/yes:0.3,no/no:0.4"


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("non_fixed", [False, True])
def test_a_joint_target_is_met_and_told(solver, non_fixed):
    options = ["--evidence", "dysp=yes", "--marginal", JOINT, "--solver", solver, *["--non-fixed"][:non_fixed]]
    found = run("query", ASIA, "--json", *options).result
    network = read_network(ASIA).network
    targets = {("smoke", "bronc"): [[0.2, 0.1], [0.3, 0.4]]}
    expected = meet_targets(network, Evidence({"dysp": "yes"}, {}, targets, not non_fixed), solver)
    for v, variable in enumerate(network.variables):
        assert list(found["posteriors"][variable.name].values()) == expected.posterior.marginal(v)[0].tolist()
    told = found["targets"]
    assert (told["solver"], told["fixed"], told["rounds"]) == (solver, not non_fixed, len(expected.rounds) - 1)
    assert told["residuals"][0]["variables"] == ["smoke", "bronc"]
    assert told["residuals"][0]["residual"] <= 1e-10
    assert told["divergence"] == expected.rounds[-1].divergence > 0
    if not non_fixed:
        assert found["posteriors"]["smoke"]["yes"] == pytest.approx(0.3, abs=1e-9)
        assert found["posteriors"]["bronc"]["yes"] == pytest.approx(0.5, abs=1e-9)


def test_the_same_from_a_file(tmp_path):
    path = tmp_path / "target.csv"
    path.write_text("bronc, smoke, probability\nyes,yes,0.2\nno,yes,0.1\nyes,no,0.3\nno,no,0.4\n")
    found = run("query", ASIA, "--json", "--marginal-file", path).result["posteriors"]
    expected = run("query", ASIA, "--json", "--marginal", JOINT).result["posteriors"]
    for name, states in expected.items():
        assert found[name] == pytest.approx(states, abs=1e-9)


def test_words_say_how_targets_were_met():
    lines = run("query", ASIA, "--marginal", JOINT).out
    assert "targets met by " in lines
    assert "nats from the model" in lines


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--marginal", "smoke,bronc=yes/yes:0.2"], ["no number for the states", "'yes/no'", "give all"]),
        (["--marginal", "smoke,bronc=yes/perhaps:1"], ["'bronc' has no state 'perhaps'"]),
        (["--marginal", JOINT.replace("yes/yes", "yes/maybe")], ["'bronc' has no state 'maybe'"]),
        (["--marginal", "smoke,nobody=yes/yes:1"], ["no variable 'nobody'"]),
        (["--marginal", "smoke,bronc"], ["not of the form", "Y,Z=a/a:0.2"]),
        (["--marginal", JOINT.replace("0.4", "0.5")], ["target of 'smoke', 'bronc' sums to 1.1"]),
        (
            ["--marginal", JOINT, "--marginal", "smoke=yes:0.9,no:0.1"],
            ["'bronc' and the target of 'smoke' differ by", "0.6"],
        ),
        (["--marginal", JOINT, "--marginal", JOINT.replace("smoke,bronc", "bronc,smoke")], ["given twice"]),
        (["--evidence", "smoke=yes", "--marginal", JOINT], ["two kinds of evidence on 'smoke'"]),
        (["--marginal", "either,lung=yes/yes:0.1,yes/no:0.1,no/yes:0.1,no/no:0.7"], ["either=no, lung=yes", "exclude"]),
    ],
)
def test_bad_targets_are_named(options, words):
    assert_refused(run("query", ASIA, *options), *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["first line", "'probability'"]),
        ("smoke,bronc\nyes,yes\n", ["first line", "'probability'"]),
        ("smoke,probability\nyes\n", ["line 2", "expected 2"]),
        ("smoke,probability\nmaybe,1\n", ["line 2", "no state 'maybe'"]),
        ("smoke,probability\nyes,much\n", ["line 2", "'much'", "not a number"]),
        ("smoke,probability\nyes,0.5\nyes,0.5\n", ["line 3", "given twice"]),
        ("smoke,probability\nyes,nan\nno,1\n", ["target of 'smoke'"]),
        ("nobody,probability\nyes,1\n", ["no variable 'nobody'"]),
    ],
)
def test_bad_files_are_named(tmp_path, text, words):
    path = tmp_path / "target.csv"
    path.write_text(text)
    assert_refused(run("query", ASIA, "--marginal-file", path), *words)
    assert_refused(run("query", ASIA, "--marginal-file", f"{path}x"), "cannot read the file")
