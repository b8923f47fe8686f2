"""Every shared network file, through the command line as a user would read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.formats import read_dataset, read_network
from tests.command_line import assert_refused, run
from tests.shared_data import DATA, needs_data

pytestmark = needs_data

NETWORKS = DATA / "networks"
MERLIN = NETWORKS / "uai" / "merlin"
QUIRKY = DATA / "quirky"

REFUSED = {  # well formed, but not what we hold; or off by more than rounding
    **{
        f"xdsl/ciq_{name}.xdsl": ("line 5", "continuous (equation) node 'X'")
        for name in ("x", "xy", "xy_zy", "xyz", "yx", "zyx")
    },
    "net/pathfinder.net": ("line 544", "'Fault'", "sums to 1094.15", "--normalise"),
}
WITH_A_NETWORK = (".evid", ".query")
"""Files that say something about a network beside them; a .query asks for a MAP, which is not for us."""


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def name_in(folder: Path):
    return lambda path: str(path.relative_to(folder))


@pytest.mark.parametrize(
    "path", [path for path in files(NETWORKS) if path.suffix not in WITH_A_NETWORK], ids=name_in(NETWORKS)
)
def test_every_well_formed_file_is_read(path):
    known = REFUSED.get(str(path.relative_to(NETWORKS)))
    if known:
        assert_refused(run("info", path), path, *known)
        return
    found = run("info", path, "--json").result
    assert found["variables" if "variables" in found else "rows"] > 0


def test_the_corpus_is_there():
    found = files(NETWORKS)
    assert len([path for path in found if path.suffix not in WITH_A_NETWORK]) >= 150
    assert {str(path.relative_to(NETWORKS)) for path in found} >= REFUSED.keys()


def test_pathfinder_is_read_once_it_may_be_normalised():
    outcome = run("info", NETWORKS / "net/pathfinder.net", "--normalise", "--json")
    assert outcome.result["variables"] == 135
    assert "'Fault' has a row that sums to 1094.15, not 1; renormalised" in outcome.err


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("cancer", {"1": "0"}),
        ("paskin", {}),
        ("pedigree1", {str(v): "0" for v in range(10)}),
        ("simple6", {}),
        ("uai-dual-circ-reduced", {"14": "1"}),
    ],
)
def test_merlin_evidence_is_read_with_its_network(name, evidence):
    found = run("query", MERLIN / f"{name}.uai", "--evidence-file", MERLIN / f"{name}.evid", "--json").result
    words = [word for variable, state in evidence.items() for word in ("--evidence", f"{variable}={state}")]
    assert found == run("query", MERLIN / f"{name}.uai", *words, "--json").result
    assert {variable: state for variable, states in found["posteriors"].items() for state in states
            if variable in evidence and states[state] == 1} == evidence  # fmt: skip


def test_every_merlin_evidence_file_is_tested_above():
    names = {"cancer", "paskin", "pedigree1", "simple6", "uai-dual-circ-reduced"}
    assert {path.stem for path in MERLIN.glob("*.evid")} == names


@pytest.mark.parametrize(("name", "rows", "missing"), [("cancer", 10, 16), ("cancer1", 10, 0), ("cancer4", 5, 8)])
def test_merlin_data_is_read_with_its_network(name, rows, missing):
    network = read_network(MERLIN / "cancer.uai").network
    data = read_dataset(MERLIN / f"{name}.dat", network.variables).dataset
    assert (data.variables, data.n_rows) == (network.variables, rows)
    assert int((data.codes == -1).sum()) == missing


# --- alarm in five formats ---------------------------------------------------------------------

ALARM_EVIDENCE = {"HRBP": "HIGH", "CO": "LOW", "BP": "NORMAL"}
ALARM_LIKELIHOOD = {"HYPOVOLEMIA": {"TRUE": 0.7, "FALSE": 0.2}}


def query_alarm(path, variables=None):
    """Posteriors by name, and the log evidence; a file without names has the order of ``variables``."""
    place = {v.name: str(i) for i, v in enumerate(variables)} if variables else {}
    code = {(v.name, s): str(k) for v in variables or () for k, s in enumerate(v.states)}
    words = []
    for name, state in ALARM_EVIDENCE.items():
        words += ["--evidence", f"{place.get(name, name)}={code.get((name, state), state)}"]
    for name, vector in ALARM_LIKELIHOOD.items():
        values = ",".join(f"{code.get((name, state), state)}:{value}" for state, value in vector.items())
        words += ["--likelihood", f"{place.get(name, name)}={values}"]
    found = run("query", path, "--json", *words).result
    posteriors = found["posteriors"]
    if variables:
        posteriors = {
            v.name: {state: posteriors[place[v.name]][code[v.name, state]] for state in v.states} for v in variables
        }
    return posteriors, found["log_evidence"]


def test_alarm_in_five_formats_is_one_distribution(tmp_path):
    """BIF in two dialects and NET as published; XMLBIF, XDSL and UAI as we write them, from BIF and from NET."""
    bif = NETWORKS / "bif/alarm.bif"
    variables = read_network(bif).network.variables
    posteriors, log_evidence = query_alarm(bif)
    old_dialect = NETWORKS / "bif/csc442_alarm.bif"  # prints eight digits, not seven
    paths = [old_dialect, NETWORKS / "net/alarm.net"]
    for source in (bif, NETWORKS / "net/alarm.net"):
        for suffix in (".bif", ".xml", ".net", ".xdsl", ".json"):
            paths.append(tmp_path / f"{source.suffix[1:]}{suffix}")
            assert run("convert", source, paths[-1]).code == 0
    for path in paths:
        tolerance = 1e-7 if path == old_dialect else 1e-12
        others, log_other = query_alarm(path)
        assert log_other == pytest.approx(log_evidence, abs=tolerance)
        assert len(others) == 37
        for name, states in posteriors.items():
            assert others[name] == pytest.approx(states, abs=tolerance), (path, name)
    assert run("convert", bif, tmp_path / "alarm.uai").code == 0
    others, log_other = query_alarm(tmp_path / "alarm.uai", variables)
    assert log_other == pytest.approx(log_evidence, abs=1e-12)
    for name, states in posteriors.items():
        assert others[name] == pytest.approx(states, abs=1e-12), name


# --- quirky files ------------------------------------------------------------------------------

READ = {
    "bif/BIFReader_file2.bif",
    *(f"bif/bayestNetCrash_{n}.bif" for n in (1151798793, 1413744656, 1879151260, 2016322580, 317014942, 639118987)),
    *(f"csv/{name}.csv" for name in ("asia3-faulty", "bugDoumenc", "compactWeightedTest", "db_with_newline")),
    *(f"csv/{name}.csv" for name in ("minimal", "testBooleanCSVLeBiannic")),
    *(f"dsc/{name}.dsc" for name in ("ab_bad_network2", "ab_bad_node1")),
    *(f"net_ext/{name}.net" for name in ("ex-3-14", "ex-3-3-iii", "headache", "socks")),
    *(f"net_ext/unbbayes_me_{name}.net" for name in ("chain", "disconnected")),
    "uai/BNUAIIO_file.uai",
    *(f"xdsl/{name}.xdsl" for name in ("ab_not_extensions", "ab_too_many_top_level")),
    "xmlbif/BNBIFXMLReader_file1.bifxml",
    "xmlbif_swapped/agrum_hailfinder.bifxml",
}
"""What is quirky for another reader, but clear enough. agrum_hailfinder.bifxml is well formed, with parents in
an order that its tables are not in: no reader can know."""


@pytest.mark.parametrize("path", files(QUIRKY), ids=name_in(QUIRKY))
def test_quirky_files_are_read_or_refused_in_one_line(path):
    outcome = run("info", path, "--json")
    if str(path.relative_to(QUIRKY)) in READ:
        assert outcome.result["kind"] in ("bayesian", "markov", "data")
        return
    assert_refused(outcome, path)
    if path.suffix not in (".evid", ".MAR", ".PR"):  # not networks: refused by their names
        assert f"{path}:line " in outcome.err


def test_quirky_evidence_is_read_or_refused_in_one_line():
    asia = NETWORKS / "uai/ucla_asia.uai"
    assert run("query", asia, "--evidence-file", QUIRKY / "uai_childfirst/bnpp_asia.uai.evid").code == 0
    page = QUIRKY / "uai/html_page_named.uai.evid"
    assert_refused(run("query", asia, "--evidence-file", page), f"{page}:line 7", "<!DOCTYPE")
    large = QUIRKY / "uai_bad_reference/relational_3/relational_3.uai.evid"
    assert_refused(run("query", asia, "--evidence-file", large), f"{large}:line 2", "no variable 756")


@pytest.mark.parametrize("path", sorted((QUIRKY / "unnormalised").glob("*")), ids=name_in(QUIRKY))
def test_unnormalised_files_say_the_sum_or_are_normalised(path):
    """Three of them have more wrong than that."""
    broken = {"agrum_carpo.bif": "1 of 4 rows missing", "agrum_dBN.bif": "a second probability table"}
    broken |= {"agrum_carpo.bifxml": "a row of zeros cannot be normalised"}
    outcome = run("info", path, "--normalise", "--json")
    if path.name in broken:
        assert_refused(outcome, f"{path}:line ", broken[path.name])
    else:
        assert any("renormalised" in note for note in outcome.result["notes"])
        assert_refused(run("info", path), "sums to", "--normalise")
