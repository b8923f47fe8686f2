"""The script and the command that repeat a run are run, and give what the run gave."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from engine.model.prior import Gaussian
from engine.model.table_prior import LogisticNormal
from pgmgui.project.examples import find_example, load_gallery
from pgmgui.project.marks import Given, Hidden, Partial, Soft
from pgmgui.project.session_file import Saved, dump, write_session
from pgmgui.project.settings import Settings
from pgmgui.state.session import Session
from pgmgui.tabs.share.reproduce import as_command, as_python, as_python_beside
from tests.command_line import EXAMPLES, assert_refused, run

ROOT = Path(__file__).resolve().parents[3]
APOSTROPHE, QUOTE = "'", '"'
SETTINGS = Settings(("d-em", "edml"), "uniform", 11, 2, 1e-5, "likelihood", 40)


def make_bayesian() -> Session:
    """Asia with marks and a prior."""
    session = Session()
    session.open_example(load_gallery()[0])
    session.mark(["bronc"], Partial(0.3, "nmar"))
    session.mark(["smoke"], Soft(0.8))
    session.mark(["asia"], Hidden())
    session.set_prior("dysp", 3.0)
    session.set_common_prior(1.5)
    return session


def make_markov() -> Session:
    """The grid of the paper, with marks."""
    session = Session()
    session.open_example(find_example("thesis-grid"))
    session.mark(["2"], Partial(0.3, "nmar"))
    session.mark(["3"], Soft(0.8))
    session.mark(["4"], Hidden())
    return session


def make_conditional() -> Session:
    """The grid with a prior on its factors and given variables, and learners that have a place for both."""
    session = Session()
    session.open_example(find_example("thesis-grid"))
    session.mark(["4"], Hidden())
    session.mark(["2", "5"], Given())
    session.set_factor_prior(Gaussian(0.8))
    session.configure(methods=("d-em", "lbfgs"))
    return session


def make_numerical() -> Session:
    """Asia with a prior that only numerical EM can learn with."""
    session = make_bayesian()
    session.set_table_prior(LogisticNormal(0.8))
    session.configure(methods=("d-numerical-em",))
    return session


@pytest.fixture(params=[make_bayesian, make_markov, make_conditional, make_numerical])
def saved(request, tmp_path):
    """A session in a folder with a difficult name, its scene and settings; and what its runs reach."""
    session = request.param()
    has_own = session.scene.given or session.scene.table_prior
    settings = replace(SETTINGS, methods=session.settings.methods) if has_own else SETTINGS
    folder = tmp_path / 'it\'s a "folder" $HOME'
    folder.mkdir()
    path = folder / "my session.json"
    write_session(path, Saved(session.scene, settings))
    stopping = Stopping(SETTINGS.tol, SETTINGS.criterion, SETTINGS.max_iter)
    reached = {}
    for method in settings.methods:
        *_, last = learn(
            session.network,
            session.seen,
            method,
            start=SETTINGS.start,
            random_state=SETTINGS.seed,
            n_init=SETTINGS.restarts,
            prior=session.scene.whole_prior,
            given=session.scene.given,
            stopping=stopping,
        )
        reached[method] = float(last.objective.sum(axis=1).max())
    return path, session.scene, settings, reached


def repeat(script: str, folder: Path) -> dict[str, float]:
    """What a script prints that is run in a folder."""
    (folder / "again.py").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "again.py"], capture_output=True, text=True, env=environment, check=True, cwd=folder
    )
    found = dict(re.findall(r"^(\S+): objective (\S+),", done.stdout, re.MULTILINE))
    return {method: float(value) for method, value in found.items()}


def test_the_script_repeats_the_run_in_an_empty_folder(saved, tmp_path):
    path, scene, settings, reached = saved
    path.unlink()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    scene = replace(scene, note=f"it's {3 * APOSTROPHE} \\ \n {3 * QUOTE} {{text}}")
    script = as_python(dump(Saved(scene, settings)), settings)
    assert repeat(script, folder) == pytest.approx(reached, abs=1e-6)


@pytest.mark.parametrize("saved", [make_bayesian], indirect=True)
def test_the_script_for_much_data_reads_a_file_beside_it(saved):
    path, _, settings, reached = saved
    script = as_python_beside(path.name, settings)
    assert "put it into the same folder" in script
    assert repeat(script, path.parent) == pytest.approx(reached, abs=1e-6)


def test_the_command_repeats_the_run(saved):
    path, scene, settings, reached = saved
    for line in as_command(path, scene, settings).splitlines():
        words = shlex.split(line)
        assert ("--l2" in words, "2,5" in words) == (bool(scene.given), bool(scene.given))
        assert ("logistic-normal:0.8" in words) == bool(scene.table_prior)
        assert words[0] == "pgmgui"
        result = run(*words[1:], "--json").result
        assert result["objective"] == pytest.approx(reached[result["method"]], abs=1e-6)


def test_a_session_can_be_decomposed_and_bounded_from_the_command_line(saved):
    path, _, _, reached = saved
    assert run("decompose", path, "--json").result["hidden"][:1] in (["asia"], ["4"])
    assert run("bound", path, "--json").result["tightest"] > max(reached.values()) - 1e-9


def test_a_network_alone_is_not_enough():
    assert_refused(run("learn", EXAMPLES / "asia.bif"), "give a data file too")


@pytest.mark.parametrize("saved", [make_bayesian], indirect=True)
def test_a_prior_on_the_command_line_wins(saved):
    path, *_ = saved
    flat = run("bound", path, "--prior", "1", "--json").result["decomposition"]
    own = run("bound", path, "--json").result["decomposition"]
    assert flat != pytest.approx(own, abs=1e-3)


def test_a_session_without_data_says_so(tmp_path):
    session = Session()
    session.open_example(load_gallery()[0])
    path = tmp_path / "empty.json"
    write_session(path, Saved(replace(session.scene, data=None, marks={}), Settings()))
    assert_refused(run("learn", path), "has no data")
