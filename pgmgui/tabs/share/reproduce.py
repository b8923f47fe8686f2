"""A run as a script and as a command: what to type to get the same result again.

The network, the data and the marks are in a session: in the script itself, or in a file beside it where they are many;
for the command in a file. The learner's settings are spelled out, and for the command tied tables, a Markov network's
prior and given variables too, and a prior on tables that is no Dirichlet.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from engine.model.table_prior import TablePrior, show_table_prior
from pgmgui.project.factor_prior import FactorPrior, kind_of, width_of
from pgmgui.project.scene import Scene
from pgmgui.project.settings import Settings

MOST_EMBEDDED = 300_000
"""Characters of a session that a script may hold."""
_SCRIPT = '''\
"""Learn the parameters of a network from incomplete data, as pgmgui did.

It needs Python with the package pgmgui, and {besides}.
"""

{path}from engine.insight.held_out import score_held_out
from engine.learning.bounding import bound_task
from engine.learning.hold_out import split_rows
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.counted_data import see
from pgmgui.project.counting import recount
from pgmgui.project.session_file import {reader}


def main():
    scene = recount({reader}(SESSION).scene)  # data that is not in the session is counted where it lies
    data = see(scene.data.dataset, scene.marks)
    split = split_rows(data, scene.hold_out) if scene.hold_out else None  # what is learned from, and what is held out
    stopping = Stopping(tol={tol!r}, criterion={criterion!r}, max_iter={max_iter!r})
    for method in {methods!r}:
        snapshots = learn(
            scene.document.network,
            split.train if split else data,
            method,
            start={start!r},
            random_state={seed!r},
            n_init={restarts!r},
            prior=scene.whole_prior,
            given=scene.given,
            fixed=scene.fixed_targets,
            ties=scene.tied,
            stopping=stopping,
        )
        for snapshot in snapshots:
            pass
        objective = snapshot.objective.sum(axis=1).max()
        bound = bound_task(snapshot.task).total
        print(f"{{method}}: objective {{objective:.6f}}, bound {{bound:.6f}}, {{snapshot.iteration}} iterations")
        if split:
            held_out = score_held_out(snapshot.network(), split.test, scene.given, fixed=scene.fixed_targets)
            print(f"{{method}}: {{held_out.rows:g}} rows held out, log-loss {{held_out.log_loss:.6f}} a row")


{where}

main()
'''
_INSIDE = """\
# Network, data and marks: what a session's file holds.
SESSION = r'''
{text}
'''"""
_BESIDE = """\
# Network, data and marks: this file was saved together with the script; put it into the same folder.
SESSION = Path(__file__).with_name({name!r})"""


def as_python(text: str, settings: Settings) -> str:
    """A script that repeats the runs on a session, which is its text."""
    # JSON has apostrophes only inside of its texts, and another name for them.
    inside = _INSIDE.format(text=text.replace("'", r"\u0027").strip())
    return _write(settings, where=inside, reader="parse", besides="nothing else", path="")


def as_python_beside(name: str, settings: Settings) -> str:
    """A script that repeats the runs on a session's file in the same folder."""
    beside = _BESIDE.format(name=name)
    path, besides = "from pathlib import Path\n\n", f"the file {name!r} in the same folder"
    return _write(settings, where=beside, reader="read_session", besides=besides, path=path)


def _write(settings: Settings, **words: str) -> str:
    return _SCRIPT.format(
        **words,
        methods=list(settings.methods),
        start=settings.start,
        seed=settings.seed,
        restarts=settings.restarts,
        tol=settings.tol,
        criterion=settings.criterion,
        max_iter=settings.max_iter,
    )


def as_command(path: str | Path, scene: Scene, settings: Settings) -> str:
    """Commands that repeat the runs on a session's file, one for each learner."""
    options: dict[str, str | float] = {
        "--start": settings.start,
        "--random-state": settings.seed,
        "--n-init": settings.restarts,
        "--tol": settings.tol,
        "--criterion": settings.criterion,
        "--max-iter": settings.max_iter,
    }
    prior = scene.whole_prior
    if isinstance(prior, FactorPrior):
        options[f"--{kind_of(prior)}"] = width_of(prior)
    if isinstance(prior, TablePrior):
        options["--prior"] = show_table_prior(prior)
    if scene.given:
        options["--given"] = ",".join(scene.document.network.variables[v].name for v in scene.given)
    if scene.hold_out is not None:
        options |= {"--hold-out": scene.hold_out.share, "--hold-out-seed": scene.hold_out.seed}
    words = [str(word) for option in options.items() for word in option]
    if not scene.fixed_targets:
        words.append("--non-fixed")
    words += [word for group in scene.ties for word in ("--tie", ",".join(group))]
    lines = [shlex.join(["pgmgui", "learn", str(path), "--method", method, *words]) for method in settings.methods]
    return "\n".join(lines) + "\n"
