"""The commands that learn: what they print, write and refuse."""

from __future__ import annotations

import math
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from engine.formats import Document, read_dataset, read_network, write_dataset, write_network
from engine.inference.posterior import infer
from engine.learning.learners.em import EM
from engine.simulation.generators import chain
from engine.simulation.missingness import hide, remove_mcar
from engine.simulation.sampling import simulate
from tests.command_line import EXAMPLES, assert_refused, run
from tests.engine.learning.models import random_network

ASIA = EXAMPLES / "asia.bif", EXAMPLES / "asia.csv"
CHAIN = EXAMPLES / "thesis-chain.bif"
CHAIN_ROWS = "V,X,Y,Z\n¬v,x,?,¬z\nv,¬x,?,z\nv,x,?,¬z\n"
"""The three rows of Figure 6.1 [thesis]."""
CANCER = EXAMPLES / "cancer.bif", EXAMPLES / "cancer.csv"
SPRINKLER = EXAMPLES / "sprinkler.bif", EXAMPLES / "sprinkler.csv"


def log_likelihood(network_path, data_path):
    network = read_network(network_path).network
    data = read_dataset(data_path, network.variables).dataset
    return float(data.weights @ infer(network, data).log_evidence)


@pytest.mark.parametrize("method", ["em", "d-em", "em-textbook"])
def test_learn_reports_what_it_reached(method, tmp_path):
    out = tmp_path / "learned.bif"
    result = run("learn", *ASIA, "--method", method, "--out", out, "--max-iter", 60, "--json").result
    assert result["method"] == method
    assert result["log_likelihood"] == pytest.approx(log_likelihood(out, ASIA[1]), abs=1e-6)
    assert result["objective"] == pytest.approx(result["log_likelihood"], abs=1e-9)
    assert result["trace"][-1] == pytest.approx(result["objective"], abs=1e-6)
    assert len(result["trace"]) == result["iterations"] + 1
    assert np.diff(result["trace"]).min() > -1e-9
    assert sum(c["log_likelihood"] for c in result["components"]) == pytest.approx(result["log_likelihood"], abs=1e-6)
    assert result["objective"] <= result["bound"]["imap"] + 1e-9
    assert result["stop"] in ("converged", "iterations")
    assert result["converged"] == (result["stop"] == "converged")
    assert result["seconds"] > 0


def test_the_automatic_learner_says_what_it_did_for_each_component():
    result = run("learn", *ASIA, "--method", "auto", "--json").result
    assert result["stop"] == "converged"
    assert len(result["restarts"]) == 8
    assert np.diff(result["trace"]).min() > -1e-9
    assert result["trace"][-1] == pytest.approx(result["objective"], abs=1e-6)
    ends = [component["course"]["end"] for component in result["components"]]
    assert sorted(ends) == ["certified", *["counted"] * (len(ends) - 1)]
    assert all(component["certified"] for component in result["components"])
    lines = run("learn", *ASIA, "--method", "auto").out.splitlines()
    assert [line for line in lines if line.startswith("Component 2: The best of 8 restarts")]


def test_every_method_takes_the_same_first_step():
    traces = [
        run("learn", *ASIA, "--method", method, "--max-iter", 5, "--tol", 0, "--json").result["trace"]
        for method in ("em", "d-em", "em-textbook")
    ]
    assert len(traces[0]) == 6
    np.testing.assert_allclose(traces[1], traces[0], atol=1e-6)
    np.testing.assert_allclose(traces[2], traces[0], atol=1e-6)


def test_counting_is_certified_and_needs_complete_data():
    result = run("learn", *CANCER, "--method", "counting", "--json").result
    assert (result["iterations"], result["converged"]) == (1, True)
    assert all(component["certified"] for component in result["components"])
    assert result["objective"] == pytest.approx(result["bound"]["decomposition"], abs=1e-9)
    assert_refused(run("learn", *ASIA, "--method", "counting"), "needs complete data", "'tub'", "use em")


def test_starts_seeds_and_restarts(tmp_path):
    first = run("learn", *ASIA, "--random-state", 3, "--max-iter", 5, "--json").result
    again = run("learn", *ASIA, "--random-state", 3, "--max-iter", 5, "--json").result
    other = run("learn", *ASIA, "--random-state", 4, "--max-iter", 5, "--json").result
    assert first["trace"] == again["trace"] != other["trace"]
    several = run("learn", *ASIA, "--random-state", 3, "--n-init", 4, "--max-iter", 5, "--json").result
    assert len(several["restarts"]) == 4
    assert several["restarts"][0] == pytest.approx(first["objective"], abs=1e-9)
    assert several["objective"] == pytest.approx(max(several["restarts"]), abs=1e-9)
    current = run("learn", *ASIA, "--start", "current", "--max-iter", 0, "--json").result
    assert current["trace"] == [pytest.approx(log_likelihood(*ASIA), abs=1e-6)]
    assert current["stop"] == "iterations"
    from_file = run("learn", *ASIA, "--start", ASIA[0], "--max-iter", 0, "--json").result
    assert from_file["trace"] == current["trace"]
    assert_refused(run("learn", *ASIA, "--start", CANCER[0]), "the start has no variable")
    assert_refused(run("learn", *ASIA, "--start", tmp_path / "no.bif"), "cannot read")


def test_prior_is_one_number_or_by_variable():
    smoothed = run("learn", *ASIA, "--prior", 2, "--max-iter", 10, "--json").result
    assert smoothed["objective"] < smoothed["log_likelihood"]
    assert smoothed["objective"] <= smoothed["bound"]["imap"]
    named = run("learn", *ASIA, "--prior", "smoke=3", "--max-iter", 0, "--start", "current", "--json").result
    assert named["objective"] - named["log_likelihood"] == pytest.approx(2 * 2 * math.log(0.5), abs=1e-9)
    assert_refused(run("learn", *ASIA, "--prior", "0.5"), "below 1")
    assert_refused(run("learn", *ASIA, "--prior", "x"), "--prior x", "expected a number")
    assert_refused(run("learn", *ASIA, "--prior", "nobody=2"), "nobody")


def test_numerical_em_takes_a_prior_by_name():
    result = run("learn", *ASIA, "--method", "numerical-em", "--prior", "logistic-normal:0.5", "--json").result
    assert result["method"] == "numerical-em"
    assert np.diff(result["trace"]).min() > -1e-9
    assert result["objective"] < result["log_likelihood"]
    assert result["objective"] < result["bound"]["tightest"]
    certified = [c["certified"] for c in result["components"]]
    assert certified.count(False) == 1  # that of what is hidden; the others' optima are known
    closed, numerical = (
        run("learn", *ASIA, "--method", method, "--prior", prior, "--max-iter", 15, "--json").result["trace"]
        for method, prior in (("d-em", "2"), ("d-numerical-em", "dirichlet:2"))
    )
    np.testing.assert_allclose(numerical, closed, atol=1e-6)
    bound = run("bound", *ASIA, "--prior", "logistic-normal:0.5", "--json").result
    assert bound["tightest"] == pytest.approx(result["bound"]["tightest"], abs=1e-6)


@pytest.mark.usefixtures("installed_priors")
def test_a_prior_of_an_installed_package_is_named():
    result = run("learn", *ASIA, "--method", "d-numerical-em", "--prior", "near:0.5", "--max-iter", 5, "--json").result
    assert result["objective"] < result["log_likelihood"]
    learn = ("learn", *ASIA, "--method", "numerical-em", "--prior")
    assert_refused(run(*learn, "tall:1"), "the prior 'tall' gave", "at most 0")
    assert_refused(run(*learn, "broken:1"), "failed: 'ValueError: no such thing'")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--method", "d-em", "--prior", "logistic-normal:1"], ["decomposed EM has no formula", "use numerical-em"]),
        (["--prior", "logistic-normal"], ["--prior logistic-normal", "expected a number"]),
        (["--prior", "logistic-normal:1", "--prior", "smoke=2"], ["for all tables"]),
        (["--prior", "smoke=logistic-normal:1"], ["expected a variable and a number"]),
        (["--prior", "os:1"], ["'os' is not installed"]),
    ],
)
def test_priors_by_name_that_cannot_be_are_refused(words, parts):
    assert_refused(run("learn", *ASIA, *words), *parts)


def test_the_predictive_estimate_is_written_and_tested(tmp_path):
    data, out = tmp_path / "rows.csv", tmp_path / "learned.bif"
    data.write_text("asia,smoke\nyes,yes\nno,yes\nno,no\nno,\n", encoding="utf-8")
    words = ("learn", ASIA[0], data, "--prior", "2", "--max-iter", 200, "--out", out)
    result = run(*words, "--estimate", "predictive", "--json").result
    tables = read_network(out).network
    np.testing.assert_allclose(tables.tables[tables.index["asia"]], [(1 + 2) / (4 + 4), (3 + 2) / (4 + 4)], atol=1e-6)
    # Of smoke, 2 of 3 are yes; the row without counts for what the mode, (2 + n + 1) / (4 + 2), makes of it: n = 0.6.
    np.testing.assert_allclose(tables.tables[tables.index["smoke"]], [(2.6 + 2) / 8, (1.4 + 2) / 8], atol=1e-5)
    assert result["estimate"]["kind"] == "predictive"
    assert result["estimate"]["log_likelihood"] == pytest.approx(log_likelihood(out, data), abs=1e-5)
    lines = run(*words, "--estimate", "predictive").out
    assert (
        "Posterior predictive estimate, (n + ψ) / (N + Σψ) from the expected counts at the learned parameters" in lines
    )
    mode = run(*words, "--json").result
    assert mode["estimate"] == {"kind": "mode", "log_likelihood": mode["log_likelihood"]}
    tested = run("learn", *CANCER, "--hold-out", "0.3", "--estimate", "predictive", "--json").result
    assert tested["held_out"]["train_log_loss"] == pytest.approx(-tested["estimate"]["log_likelihood"] / 3500)
    predictive = ("learn", *ASIA, "--estimate", "predictive", "--method", "numerical-em")
    assert_refused(run(*predictive, "--prior", "logistic-normal:1"), "--estimate predictive has no formula")
    assert_refused(run("learn", *ASIA, "--estimate", "mean"), "--estimate")


def test_the_thesis_example_falls_apart_into_three(tmp_path):
    data = tmp_path / "thesis.csv"
    data.write_text(CHAIN_ROWS, encoding="utf-8")
    result = run("decompose", CHAIN, data, "--json").result
    assert [(c["variables"], c["boundary"], c["distinct_rows"]) for c in result["components"]] == [
        (["V"], [], 2),
        (["X"], ["V"], 3),
        (["Y", "Z"], ["X"], 2),
    ]
    assert (result["hidden"], result["pruned"]) == (["Y"], [])
    assert (result["rows"], result["distinct_rows"]) == (3, 3)
    assert result["inferences"] == {"whole": 3, "decomposed": 2}
    assert "Y, Z given X: 2 distinct rows" in run("decompose", CHAIN, data).out


def test_bounds_are_ordered_and_add_up():
    result = run("bound", *SPRINKLER, "--json").result
    assert result["naive"] >= result["decomposition"] >= result["patterns"] >= result["imap"] - 1e-9
    assert result["imap"] == result["tightest"]
    for key, whole in (("bound", "decomposition"), ("patterns", "patterns"), ("imap", "imap")):
        assert sum(c[key] for c in result["components"]) == pytest.approx(result[whole], abs=1e-9)
    for component in result["components"]:
        assert list(component["terms"]) == component["variables"]
        assert sum(component["terms"].values()) == pytest.approx(component["imap"], abs=1e-9)
        assert set(component["order"]) <= set(component["variables"])
        assert component["together"] == []
    assert result["kind"] == "exact"
    learned = run("learn", *SPRINKLER, "--json").result
    assert learned["objective"] <= result["imap"]
    assert [c["bound"] for c in learned["components"]] == [c["imap"] for c in result["components"]]
    assert "no parameters reach more than" in run("bound", *SPRINKLER).out


def test_effects_of_a_hidden_cause_are_bounded_together(tmp_path):
    effects = [f"A{k}" for k in range(12)]
    network = random_network(["C", *effects], [(), *[(0,)] * 12])
    write_network(tmp_path / "latent.bif", Document(network))
    write_dataset(tmp_path / "rows.csv", hide(simulate(network, 300, 1), ["C"]))
    (component,) = run("bound", tmp_path / "latent.bif", tmp_path / "rows.csv", "--json").result["components"]
    assert component["imap"] < component["patterns"] - 100
    (group,) = component["together"]
    assert group["hidden"] == "C"
    assert len({component["terms"][name] for name in group["variables"]}) == 1


def test_a_longer_search_gives_no_higher_bound(tmp_path):
    data = tmp_path / "rows.csv"
    run("simulate", ASIA[0], "--rows", 300, "--hide", "either", "--missing", 0.3, "--out", data)
    found = [
        run("bound", ASIA[0], data, "--bound-seconds", seconds, "--json").result["tightest"] for seconds in (0, 0.5)
    ]
    assert found[1] < found[0] - 1
    learned = run("learn", ASIA[0], data, "--bound-seconds", 0, "--max-iter", 1, "--json").result
    assert learned["bound"]["tightest"] == found[0]
    assert_refused(run("bound", ASIA[0], data, "--bound-seconds", -1), "0 or more")


def test_until_no_more_is_left_to_climb():
    """By estimate, of components or of the whole; asia then is at its bound."""
    asked = run("learn", *ASIA, "--until", 1e-3, "--json").result
    assert asked["stop"] == "converged"
    assert asked["gap"] <= 1e-3
    assert all(component["certified"] for component in asked["components"])
    assert 0 < asked["to_go"] <= 1e-3
    assert sum(component["to_go"] for component in asked["components"]) == pytest.approx(asked["to_go"])
    whole = run("learn", *ASIA, "--until", 1e-3, "--method", "em", "--json").result
    assert 0 < whole["to_go"] <= 1e-3
    assert "to_go" not in whole["components"][0]
    begun = run("learn", *ASIA, "--max-iter", 3, "--json").result
    assert begun["to_go"] is None
    assert "Too few steps to estimate how far it has still to go." in run("learn", *ASIA, "--max-iter", 3).out
    text = run("learn", *ASIA, "--criterion", "likelihood", "--tol", 1e-4).out
    assert re.search(r"^Still to go from here, by the rate of its last steps: about 0\.00\d+ nats\.$", text, re.M)
    assert_refused(run("learn", *ASIA, "--until", 0), "until must be more than 0")


def test_output_for_people():
    text = run("learn", *ASIA, "--n-init", 2, "--max-iter", 3).out
    found = re.search(
        r"^decomposed EM: (\S+) after 3 iterations, stopped at the iteration limit; raise --max-iter", text
    )
    assert found
    assert found[1] == f"{run('learn', *ASIA, '--n-init', 2, '--max-iter', 3, '--json').result['objective']:,.4f}"
    assert "restarts:" in text
    assert re.search(
        r"^At most \S+ nats per row below the best possible \(\S+ in all\); component 2 is not certified.$", text, re.M
    )
    assert "Certified: every component is at its upper bound, so no parameters are better." in run("learn", *CANCER).out


def test_learning_needs_no_dashboard():
    """The words are the page's, and it takes seconds to import what draws the page; SciPy's optimisers, half a one."""
    slow = ("panel", "bokeh", "param", "scipy.optimize")
    code = f"import sys, app.cli, app.learning; sys.exit(any(name in sys.modules for name in {slow}))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_notes_on_starts_and_configurations_without_data(tmp_path):
    data = tmp_path / "few.csv"
    states = [v.states for v in read_network(CHAIN).network.variables]
    data.write_text("V,X,Z\n" + f"{states[0][0]},{states[1][0]},{states[3][0]}\n" * 2)
    outcome = run("learn", CHAIN, data, "--json")
    assert any(
        "never occur in the data and keep their starting probabilities. A prior above 1" in note
        for note in outcome.result["notes"]
    )
    flat = tmp_path / "flat.json"
    uniform = read_network(CHAIN).network
    write_network(flat, uniform.with_tables([np.full(t.shape, 1 / t.shape[-1]) for t in uniform.tables]))
    data.write_text(CHAIN_ROWS, encoding="utf-8")
    notes = run("learn", CHAIN, data, "--start", flat, "--json").result["notes"]
    assert any("hidden states apart, of Y (" in note and "use --start random" in note for note in notes)


@pytest.mark.parametrize("command", ["learn", "decompose", "bound"])
def test_bad_input_is_refused(command, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text("asia,smoke\n")
    assert_refused(run(command, ASIA[0], empty), "empty.csv", "no rows")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("asia,smoke\nyes,maybe\n")
    assert_refused(run(command, ASIA[0], wrong), "wrong.csv", "line 2", "'maybe'", "'smoke'")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--tol", "-1"], "tol must be 0 or more"),
        (["--max-iter", "-1"], "max_iter must be 0 or more"),
        (["--n-init", "0"], "n_init must be 1 or more"),
        (["--random-state", "-1"], "--random-state"),
        (["--method", "magic"], "magic"),
        (["--memory-limit", "0"], "--memory-limit"),
    ],
)
def test_bad_options_are_refused(words, part):
    assert_refused(run("learn", *ASIA, *words), part)


def test_missing_codes_can_be_named(tmp_path):
    data = tmp_path / "coded.csv"
    data.write_text("asia,smoke\nyes,-9\nno,yes\n")
    assert run("decompose", ASIA[0], data, "--missing-code=-9", "--json").result["partial"] == ["smoke"]


def test_interrupt_keeps_what_was_reached(tmp_path, monkeypatch):
    """Ctrl+C during a run that would go on for ever ends it with its last whole state."""
    out = tmp_path / "learned.bif"
    before = signal.getsignal(signal.SIGINT)
    step, steps = EM.step, []

    def interrupted_step(*arguments):
        steps.append(1)
        if len(steps) == 7:
            signal.raise_signal(signal.SIGINT)
        return step(*arguments)

    monkeypatch.setattr(EM, "step", interrupted_step)
    words = ["--tol", 0, "--max-iter", 10**9, "--out", out, "--json"]
    result = run("learn", *ASIA, *words).result
    assert (result["stop"], result["iterations"], result["converged"]) == ("cancelled", 6, False)
    assert result["log_likelihood"] == pytest.approx(log_likelihood(out, ASIA[1]), abs=1e-6)
    assert signal.getsignal(signal.SIGINT) is before


def count_calls(work):
    """How many functions are called: a measure of work that does not depend on the machine."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def test_decomposing_grows_with_the_network_and_not_faster(tmp_path):
    calls = []
    for nodes in (40, 40, 160):  # the first time, what is needed is loaded
        network = chain(nodes)
        paths = tmp_path / f"{nodes}.bif", tmp_path / f"{nodes}.csv"
        write_network(paths[0], Document(network))
        write_dataset(paths[1], remove_mcar(simulate(network, 30, 1), 0.1, 2))
        calls.append(count_calls(lambda paths=paths: run("decompose", *paths)))
    assert calls[2] < 5 * calls[1]
