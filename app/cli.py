"""The ``pgmgui`` command: the dashboard, and its engine as a script.

With ``--json`` one JSON object goes to stdout and nothing else. Bad input ends with exit code 2 and one
line on stderr that says what is wrong and where.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

from app import (
    commands,
    data_input,
    desktop,
    experiments,
    generating,
    held_out,
    learning,
    simulating,
    structure,
    structure_input,
    workers,
)
from app.sensor_input import add_sensor
from engine.inference.plan import MEMORY_LIMIT
from engine.inference.targets.meeting import SOLVERS
from engine.model.errors import PgmError

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = make_parser()
    if not words or (words[0] not in COMMANDS and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "serve")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names are any Unicode, terminals are not
    try:
        options = parser.parse_args(words)
        options.run(options)
        sys.stdout.flush()
    except PgmError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("out of memory; close other programs, or work on less at a time")
    except KeyboardInterrupt:
        # It is how a server is ended: nothing to be told.
        return INTERRUPTED if words[0] == "serve" else _fail("stopped by Ctrl+C", INTERRUPTED)
    except BrokenPipeError:
        _drop_output()  # whoever reads it has gone
    except OSError as error:
        _drop_output()
        return _fail(f"cannot write the output: {error.strerror}")
    return 0


def _drop_output() -> None:
    """Keep Python from complaining when it flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, as those of the engine are."""

    def error(self, message: str) -> NoReturn:
        raise PgmError(f"{message}; see {self.prog} --help")


class _Version(argparse.Action):
    """Prints the version and ends. It is looked up here: that takes as long as reading a small network."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version('pgmgui')}")
        parser.exit()


def _fail(message: str, code: int = BAD_INPUT) -> int:
    print(f"pgmgui: {' '.join(message.split())}", file=sys.stderr)
    return code


@cache
def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands, made once: its dozens of options take longer than to read a small file."""
    parser = _Parser(
        prog="pgmgui",
        description="See how probabilistic graphical models learn from incomplete and uncertain data.",
        epilog="Without a command, the dashboard is opened: pgmgui [NETWORK] [DATA].",
    )
    parser.add_argument("--version", action=_Version, help="show program's version number and exit")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (add, run, text) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=text, description=text)
        subparser.set_defaults(run=run)
        add(subparser)
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", nargs="?", metavar="NETWORK", help="a network file to open; or a table alone")
    parser.add_argument("data", nargs="?", metavar="DATA", help="a dataset to open with it")
    parser.add_argument("--port", type=int, help="default: 5006, or the next free port")
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        help="where to listen (default: %(default)s, this machine only). With another address of this machine, or "
        "0.0.0.0 for all of them, others can open the page too; it then reads and writes no paths.",
    )
    parser.add_argument("--no-show", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--window",
        action="store_true",
        help='open a window of its own, and end when it is closed; needs a web view: pip install "pgmgui[desktop]"',
    )
    parser.add_argument("--table", metavar="NAME", help="the table, where DATA is a database that has several")
    parser.add_argument(
        "--keep",
        type=int,
        default=100,
        metavar="N",
        help="how many tabs are kept for later, besides those that are open (default: %(default)s)",
    )
    _add_normalise(parser)


def _add_query(parser: argparse.ArgumentParser) -> None:
    _add_network(parser)
    parser.add_argument("--evidence", action="append", default=[], metavar="X=a", help="X has the state a")
    parser.add_argument(
        "--likelihood",
        action="append",
        default=[],
        metavar="Y=a:0.7,b:0.3",
        help="what was seen of Y is that likely in each of its states (Pearl)",
    )
    parser.add_argument(
        "--marginal",
        action="append",
        default=[],
        metavar="Z=a:0.2,b:0.8",
        help="Z shall have this distribution (Jeffrey); several together: Y,Z=a/a:0.2,a/b:0.3,…",
    )
    parser.add_argument(
        "--marginal-file",
        action="append",
        default=[],
        metavar="FILE",
        help="the same as a table between commas: a column for each variable, and last one named 'probability'",
    )
    parser.add_argument(
        "--non-fixed",
        action="store_true",
        help="these distributions hold before all other evidence, which then changes them",
    )
    parser.add_argument(
        "--solver", choices=SOLVERS, help="how these distributions are met; by default the one of least estimated time"
    )
    parser.add_argument("--evidence-file", metavar="FILE", help="evidence in UAI format, by index")
    add_sensor(parser, "the --evidence of X is what a noisy sensor reports of it")
    parser.add_argument("--mpe", action="store_true", help="also the most probable states of all variables together")
    parser.add_argument("--map", metavar="X,Y", help="also those of these together, the others summed out")
    _add_memory_limit(parser)
    _add_json(parser)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    _add_network(parser)
    simulating.add_rows(parser)
    add_sensor(parser, "X is written as a noisy sensor reports it")
    _add_json(parser)


def _add_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="IN", help="a network or data file")
    parser.add_argument("out", metavar="OUT", help="what to write; its suffix says the format")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--markov", action="store_true", help="as a Markov network: each table becomes a factor")
    kind.add_argument(
        "--bayesian",
        action="store_true",
        help="as a Bayesian network of the same distribution, if the graph is chordal",
    )
    _add_normalise(parser)
    _add_json(parser)


def _add_info(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="FILE", help="a network or data file, or data as learn takes it")
    data_input.add_source(parser)
    _add_normalise(parser)
    _add_json(parser)


def _add_learn(parser: argparse.ArgumentParser) -> None:
    _add_data(parser)
    learning.add_learner(parser)
    learning.add_prior(parser)
    held_out.add_hold_out(parser)
    learning.add_targets(parser)
    learning.add_bound(parser)
    workers.add_workers(parser)
    _add_memory_limit(parser)
    parser.add_argument("--out", metavar="FILE", help="where to write the learned network")


def _add_bound(parser: argparse.ArgumentParser) -> None:
    _add_data(parser)
    learning.add_prior(parser)
    learning.add_targets(parser)
    learning.add_bound(parser)


def _add_structure(parser: argparse.ArgumentParser) -> None:
    structure_input.add_structure(parser)
    data_input.add_source(parser)
    _add_json(parser)


def _add_experiment(parser: argparse.ArgumentParser) -> None:
    experiments.add_study(parser)
    _add_json(parser)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    generating.add_shape(parser)
    _add_json(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    _add_network(parser)
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="a data file, a pattern such as 'rows/*.parquet', a .duckdb file, or a URL such as "
        "postgres://host/database?table=rows; not with a session's file as NETWORK",
    )
    data_input.add_source(parser)
    parser.add_argument(
        "--missing-code", action="append", default=[], metavar="CODE", help="a text that means a missing value"
    )
    add_sensor(parser, "the data's column of X is what a noisy sensor reports of it")
    learning.add_ties(parser)
    _add_json(parser)


def _add_network(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="NETWORK", help="a network file")
    _add_normalise(parser)


def _add_normalise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--normalise", action="store_true", help="rescale table rows that do not sum to 1")


def _add_memory_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory-limit",
        type=float,
        default=MEMORY_LIMIT / 2**30,
        metavar="GB",
        help="what exact inference may use (default: %(default)g)",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


COMMANDS = {
    "serve": (_add_serve, commands.serve, "Open the dashboard."),
    "query": (_add_query, commands.query, "Posteriors of all variables under evidence."),
    "learn": (_add_learn, learning.learn, "Learn the parameters of a network from incomplete data."),
    "decompose": (_add_data, learning.decompose, "How the learning problem falls apart into components."),
    "bound": (_add_bound, learning.bound, "How high the objective can be at most."),
    "structure": (_add_structure, structure.structure, "Learn the arrows of a network from data alone."),
    "simulate": (_add_simulate, simulating.simulate, "Draw a dataset from a network."),
    "generate": (_add_generate, generating.generate, "Make a chain, tree or grid at random."),
    "experiment": (_add_experiment, experiments.experiment, "Run a table or figure of the papers again."),
    "convert": (_add_convert, commands.convert, "Write a network or dataset in another format."),
    "desktop": (desktop.add_install, desktop.desktop, "Open network files by a double-click (Linux desktops)."),
    "info": (_add_info, commands.info, "What a network or data file holds."),
}


if __name__ == "__main__":
    sys.exit(main())
