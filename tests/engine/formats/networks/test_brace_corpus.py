"""NET, DSC, DNE and DSL over the public files, and over damaged texts."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.formats import read_network
from engine.formats.networks import dne, dsc, dsl, net
from engine.formats.networks.draft import Document, NetworkDraft, build_document
from engine.model.errors import FormatError
from engine.model.network import BayesianNetwork, count_parameters
from tests.fuzz.mutations import mutate
from tests.shared_data import DATA, needs_data

ROW = re.compile(r"^\| (networks/(?:net|dsc|dne|dsl)/\S+) \|.*?(\d+)n/(\d+)a/(\d+)p([^|]*)\|", re.MULTILINE)

CONSTANTS = {  # the MANIFEST counts nodes of kind CONSTANT, which are not random variables
    "networks/dne/rnetica_DiBelloSamejimaExample.dne": 4,
    "networks/dne/rnetica_DiBelloSamejimaFourLevel.dne": 5,
    "networks/dne/rnetica_IRT5P.dne": 6,
}


def manifest() -> list[tuple[str, int, int, int, str]]:
    if not DATA.is_dir():
        return []
    text = (DATA / "MANIFEST.md").read_text()
    return [(path, int(n), int(a), int(p), more) for path, n, a, p, more in ROW.findall(text)]


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted(DATA.glob(folder))]


@cache
def bayesian(path: str) -> BayesianNetwork:
    network = read_network(DATA / path, normalise=path == "networks/net/pathfinder.net").network
    assert isinstance(network, BayesianNetwork)
    return network


@needs_data
@pytest.mark.parametrize(("path", "nodes", "arcs", "parameters", "more"), manifest())
def test_counts_are_those_of_the_manifest(path: str, nodes: int, arcs: int, parameters: int, more: str) -> None:
    network = bayesian(path)
    # The MANIFEST leaves the placeholders of disconnected links out of the parameters.
    placeholders = [v for v in network.variables if v.name.startswith("X_")] if "DISCONNECTED" in more else []
    free = count_parameters(network) - sum(v.cardinality - 1 for v in placeholders)
    assert (len(network.variables) + CONSTANTS.get(path, 0), len(network.edges), free) == (nodes, arcs, parameters)


@needs_data
def test_the_manifest_covers_all_files() -> None:
    stated = {path for path, *_ in manifest()}
    present = {str(p.relative_to(DATA)) for p in files("networks/net/*", "networks/dsc/*", "networks/dne/*")}
    assert present | {"networks/dsl/agrum_Ling.dsl"} <= stated


def differences(one: BayesianNetwork, other: BayesianNetwork) -> dict[str, float]:
    """Per variable, the largest difference of its tables; parents are matched by name."""
    found = {}
    assert set(one.index) == set(other.index)
    for child, variable in enumerate(other.variables):
        mine = one.index[variable.name]
        assert one.variables[mine].states == variable.states
        names = [one.variables[i].name for i in one.scopes[mine]]
        wanted = [other.variables[i].name for i in other.scopes[child]]
        assert sorted(names) == sorted(wanted)
        table = one.tables[mine].transpose([names.index(name) for name in wanted])
        found[variable.name] = float(np.abs(table - other.tables[child]).max())
    return found


@needs_data
@pytest.mark.parametrize(
    ("one", "other", "tolerance"),
    [
        *((f"net/{name}.net", f"bif/{name}.bif", 0) for name in ("alarm", "andes", "asia", "cancer", "earthquake")),
        *((f"net/{name}.net", f"bif/{name}.bif", 0) for name in ("pigs", "win95pts")),
        ("net/hepar2.net", "bif/hepar2.bif", 1e-7),  # the NET file prints seven digits
        *((f"dsc/{name}.dsc", f"bif/{name}.bif", 0) for name in ("asia", "cancer", "child", "hailfinder")),
        *((f"dsc/{name}.dsc", f"bif/{name}.bif", 0) for name in ("insurance", "sachs")),
        ("dsc/water.dsc", "bif/water.bif", 3.1e-3),  # the DSC files print three digits
        ("dsc/win95pts.dsc", "bif/win95pts.bif", 3.1e-3),
    ],
)
def test_tables_are_those_of_the_bif(one: str, other: str, tolerance: float) -> None:
    found = differences(bayesian(f"networks/{one}"), bayesian(f"networks/{other}"))
    assert max(found.values()) <= tolerance


@needs_data
def test_barley_of_two_formats_differs_only_where_the_manifest_says() -> None:
    found = differences(bayesian("networks/net/barley.net"), bayesian("networks/dsc/barley.dsc"))
    assert {name for name, difference in found.items() if difference > 0} == {"pesticid", "spndx"}
    assert found["spndx"] < 3e-3  # other roundings of the same numbers; the MANIFEST compares to 3e-3


@needs_data
@pytest.mark.parametrize("path", ["networks/net/barley.net", "networks/dsc/barley.dsc"])
def test_large_files_are_read_quickly(path: str) -> None:
    start = time.process_time()
    read_network(DATA / path)
    assert time.process_time() - start < 3


READ = {"ab_bad_network2.dsc", "ab_bad_node1.dsc", "ex-3-14.net", "ex-3-3-iii.net", "headache.net", "socks.net"} | {
    "unbbayes_me_chain.net",
    "unbbayes_me_disconnected.net",
}


@needs_data
@pytest.mark.parametrize(
    "path", files("quirky/net/*", "quirky/net_ext/*", "quirky/dsc/*", "quirky/unnormalised/*.net"), ids=lambda p: p.name
)
def test_quirky_files_read_or_say_where_they_are_wrong(path: Path) -> None:
    if path.name in READ:
        assert isinstance(read_network(path), Document)
        return
    with pytest.raises(FormatError, match=r"line \d+") as caught:
        read_network(path)
    assert "\n" not in str(caught.value)


TEXTS = {
    net.parse: """net { node_size = (80 40); d = "x \\" y"; }
node A { label = "l"; position = (1 2); states = ("a" "b"); } discrete node B { states = (c d e); }
potential (A) { data = (0.5 0.5); } potential (B | A) { data = ((0.2 0.3 0.5) (1 0 0)); experience = (1 2); } % end
""",
    dsc.parse: """belief network "x"
node A { type : discrete [ 2 ] = { "a", "b" }; position : (1, 2); } node B { type : discrete [ 2 ] = { "c", "d" }; }
probability ( A ) { 0.5, 0.5; } probability ( B | A ) { (0) : 0.2, 0.8; default : 1, 0; } // end
""",
    dne.parse: """bnet X { title = "t"; node A { kind = NATURE; discrete = TRUE; states = (a, b); levels = (1, 0);
 parents = (); probs = (0.5, 0.5); visual V { center = (1, 2); }; }; node C { kind = CONSTANT; };
param P { states = (p, q); }; node B { states = (c, d); numstates = 2; parents = (A, P); functable = (c, d, #0, #1); };
};""",
    dsl.parse: """net X { node A { TYPE = CPT; HEADER = { ID = A; NAME = "n"; }; PARENTS = ();
 SCREEN = { POSITION = { CENTER_X = 1; CENTER_Y = 2; }; }; DEFINITION = { NAMESTATES = (a, b);
 PROBABILITIES = (0.5, 0.5); }; }; submodel S { node B { TYPE = TRUTHTABLE; PARENTS = (A);
 DEFINITION = { NAMESTATES = (a, b); RESULTING_STATES = (a, b); }; }; }; };""",
}


def damage(text: str, chance: random.Random) -> str:
    """The text with one to three pieces removed, doubled, replaced or cut off."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        end = min(at + chance.choice((1, 1, 1, 5, 40)), len(text))
        match chance.randrange(4):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] + text[end:]
            case 2:
                text = text[:at] + chance.choice('(){}[]";:=,|%/\\#x09.-\n\0é') + text[end:]
            case _:
                text = text[:end]
    return text


@pytest.mark.parametrize("parse", TEXTS, ids=lambda parse: parse.__module__.split(".")[-1])
def test_damaged_texts_read_or_raise_format_errors(parse: Callable[[str], NetworkDraft]) -> None:
    build_document(parse(TEXTS[parse]))
    chance = random.Random(0)
    messages = []
    for text in (*(damage(TEXTS[parse], chance) for _ in range(1500)), *mutate(TEXTS[parse], 500, seed=0)):
        try:
            build_document(parse(text))
        except FormatError as error:
            messages.append(str(error))
    assert len(messages) > 1000
    assert not any("\n" in message for message in messages)
