"""2,000 damaged files through the command line: each is read, or refused in one line, soon and in little memory."""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from engine.formats import DATA_FORMATS, NETWORK_FORMATS, read_dataset, read_network, write_dataset, write_network
from tests.command_line import EXAMPLES, Outcome, assert_refused, run
from tests.mutations import mutate, mutate_bytes

CASES = 2000
SECONDS = 5.0
"""The most processor time that a file of a few kilobytes may take."""
MEGABYTES = 400
"""The most that reading all of them may add to the memory of a process."""

DSC = """belief network "x"
node A { type : discrete [ 2 ] = { "a", "b" }; position : (1, 2); } node B { type : discrete [ 2 ] = { "c", "d" }; }
probability ( A ) { 0.5, 0.5; } probability ( B | A ) { (0) : 0.2, 0.8; default : 1, 0; } // end
"""
DNE = """// ~->[DNET-1]->~
bnet X { title = "t"; node A { kind = NATURE; discrete = TRUE; states = (a, b); levels = (1, 0);
 parents = (); probs = (0.5, 0.5); visual V { center = (1, 2); }; }; node C { kind = CONSTANT; };
node B { states = (c, d); numstates = 2; parents = (A); probs = ((0.25, 0.75), (1, 0)); };
};
"""
DSL = """net X { node A { TYPE = CPT; HEADER = { ID = A; NAME = "n"; }; PARENTS = ();
 SCREEN = { POSITION = { CENTER_X = 1; CENTER_Y = 2; }; }; DEFINITION = { NAMESTATES = (a, b);
 PROBABILITIES = (0.25, 0.75); }; }; node B { TYPE = CPT; HEADER = { ID = B; }; PARENTS = (A);
 DEFINITION = { NAMESTATES = (c, d); PROBABILITIES = (0.1, 0.9, 0.5, 0.5); }; }; };
"""
ERG = """/* two variables */
2
2 3
0
1 0
/* Probabilities */
2
0.25 0.75
6
0.1 0.2 0.7
0.3 0.3 0.4
"""
CAS = "// ~->[CASE-1]->~\nIDnum A B NumCases\n1 a * 2\n2 b #1 1\n3 a c 1\n4 ? c 3\n"
ARFF = """% a comment
@relation 'x y'
@attribute A {yes, no, 'may be'}
@attribute "B" numeric
@attribute C string
@data
yes,1,u
no,?,v
{0 'may be', 2 w}
yes,2.5,u,{3}
"""
CSV = 'Smoke;"Lung; cancer";_weight\nyes;no;2\n"no ""x""";;1\n?;yes;0.5\n# end\n'
EVIDENCE = "/* Evidence */\n3\n 2 0\n 4 1\n 6 1\n"


def sources(folder: Path) -> list[Path]:
    """A small well-formed file of every format that is read, and of every kind of network."""
    asia, grid = read_network(EXAMPLES / "asia.bif"), read_network(EXAMPLES / "thesis-grid.json")
    data = read_dataset(EXAMPLES / "burglary.csv").dataset
    inline = {"x.dsc": DSC, "x.dne": DNE, "x.dsl": DSL, "x.erg": ERG, "x.cas": CAS, "x.arff": ARFF, "x.csv": CSV}
    for name, text in {**inline, "x.evid": EVIDENCE}.items():
        (folder / name).write_text(text)
    for suffix, form in NETWORK_FORMATS.items():
        if form.dump and suffix != ".erg":
            write_network(folder / f"asia{suffix}", asia)
    for suffix in (".uai", ".json"):
        write_network(folder / f"grid{suffix}", grid)
    for suffix in (".tsv", ".txt", ".data", ".parquet"):
        write_dataset(folder / f"data{suffix}", data)
    (folder / "x.oobn").write_bytes((folder / "asia.net").read_bytes())
    return sorted(folder.iterdir())


def damage(path: Path, count: int, seed: int) -> Iterator[bytes]:
    """Damaged copies: half by bytes, half by the words of the text."""
    data = path.read_bytes()
    by_words = 0 if path.suffix == ".parquet" else count // 2
    yield from mutate_bytes(data, count - by_words, seed)
    if by_words:
        yield from (text.encode("utf-8", "surrogatepass") for text in mutate(data.decode(), by_words, seed))


def commands(path: Path, folder: Path, chance: random.Random) -> list[object]:
    """What to do with a file."""
    if path.suffix == ".evid":
        return ["query", EXAMPLES / "asia.bif", "--evidence-file", path]
    if path.suffix in DATA_FORMATS:
        target = folder / f"out{chance.choice(['.csv', '.tsv', '.parquet'])}"
        return chance.choice([["info", path], ["info", path], ["convert", path, target]])
    target = folder / f"out{chance.choice(['.bif', '.net', '.xdsl', '.xml', '.uai', '.json'])}"
    words = chance.choice([["info", path], ["query", path, "--memory-limit", "0.1"], ["convert", path, target]])
    return [*words, *chance.choice([[], ["--normalise"], ["--normalise"], ["--normalise"]])]


def check(outcome: Outcome, seconds: float) -> None:
    assert seconds < SECONDS
    if outcome.code == 0:
        assert isinstance(json.loads(outcome.out), dict)
        assert all(line.startswith("pgmgui: note: ") for line in outcome.err.split("\n")[:-1])
    else:
        assert_refused(outcome)
        assert "out of memory" not in outcome.err


def try_damaged_copies(source: Path, count: int, seed: int) -> tuple[int, int, list[str], float]:
    """In a process of its own: how many were read, how many refused, what went wrong, and megabytes added."""
    faulthandler.dump_traceback_later(300, exit=True)  # a hang in C ends the process, and with it the test
    chance = random.Random(seed)
    run("info", source)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read, refused, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / source.name
        for number, data in enumerate(damage(source, count, seed)):
            path.write_bytes(data)
            words = commands(path, folder, chance)
            start = time.process_time()
            try:
                outcome = run(*words, "--json")
                check(outcome, time.process_time() - start)
                read, refused = read + (outcome.code == 0), refused + (outcome.code != 0)
            except BaseException as error:
                wrong.append(f"{source.name} seed {seed} number {number}: {words[0]} {error!r:.600}")
        litter = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        wrong += [f"{source.name}: left behind {litter}"] if litter else []
    faulthandler.cancel_dump_traceback_later()
    return read, refused, wrong, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def test_the_files_are_read_before_they_are_damaged(tmp_path):
    for path in sources(tmp_path):
        words = ["query", EXAMPLES / "asia.bif", "--evidence-file", path] if path.suffix == ".evid" else ["info", path]
        assert run(*words, "--json").result


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    paths = sources(tmp_path_factory.mktemp("sources"))
    share = -(-CASES // len(paths))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(try_damaged_copies, path, share, seed) for seed, path in enumerate(paths)]
        return {path.name: future.result() for path, future in zip(paths, futures, strict=True)}


def test_damaged_files_are_read_or_refused_in_one_line(results):
    assert [line for _, _, wrong, _ in results.values() for line in wrong] == []
    assert sum(read + refused for read, refused, _, _ in results.values()) >= CASES


def test_the_damage_is_neither_harmless_nor_total(results):
    """Each format has copies that are still read, and copies that are not."""
    for name, (read, refused, _, _) in results.items():
        assert refused > 0, name
        assert read > 0, name


def test_no_damaged_file_takes_much_memory(results):
    assert max(added for _, _, _, added in results.values()) < MEGABYTES


def test_every_format_that_is_read_is_damaged(results):
    suffixes = {Path(name).suffix for name in results}
    assert suffixes >= NETWORK_FORMATS.keys()
    assert suffixes >= {".csv", ".tsv", ".cas", ".arff", ".parquet", ".evid"}
