"""The command that draws data from a network."""

from __future__ import annotations

import argparse

import numpy as np

from app.commands import check_seed, describe_size, names_by_role, read_model, show
from app.evidence_input import split_names
from app.missing_input import KINDS, STRENGTH, parse_losses, remove
from app.sensor_input import parse_sensors
from engine.formats import write_dataset
from engine.model.errors import PgmError
from engine.simulation.missingness import hide, hide_fraction, replace_by_reports
from engine.simulation.sampling import simulate as draw_rows


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add what is drawn, and what of it is not seen."""
    parser.add_argument("--rows", type=int, required=True, metavar="N")
    parser.add_argument("--random-state", type=int, default=0, metavar="S", help="seed (default: %(default)s)")
    hidden = parser.add_mutually_exclusive_group()
    hidden.add_argument("--hide", action="append", default=[], metavar="X,Y", help="variables to hide")
    hidden.add_argument("--hide-fraction", type=float, metavar="F", help="fraction of the variables to hide")
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="WHAT",
        help="what goes missing. 0.2: that fraction of the cells (with mar, of half of the variables, which may); "
        "X,Y=0.2: of the values of X and Y; 'X<-Y=yes:0.6,no:0.1': values of X, with a probability that the "
        "state of Y decides (at random), or that of X itself ('X<-X=…', not at random); 'X<-Y,Z=a/a:0.6,a/b:0.1,…': of "
        "both; 'X<-Y=0.2': on average so many, how being drawn. mcar:, mar: or nmar: before it draws causes where none "
        "are named (nmar:X=0.2), and is checked otherwise",
    )
    parser.add_argument("--mechanism", choices=KINDS, help="how a plain --missing FRACTION is meant (default: mcar)")
    parser.add_argument(
        "--strength",
        type=float,
        metavar="S",
        help=f"how much causes matter that are drawn: they move the log-odds from -S to S (default: {STRENGTH:g})",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write the dataset")


def simulate(options: argparse.Namespace) -> None:
    """Draw a dataset and write it."""
    document = read_model(options)
    network = document.network
    if options.rows < 0:
        raise PgmError(f"--rows must be 0 or more; got {options.rows}")
    names = [name for text in options.hide for name in split_names(network, text)]
    losses = parse_losses(network, options.missing, options.mechanism)
    sensors = parse_sensors(network, options.sensor)
    if options.hide_fraction is not None and any(loss.causes for loss in losses):
        raise PgmError("--hide-fraction might hide what decides which values are missing; name the hidden with --hide")
    random = np.random.default_rng(check_seed(options.random_state))
    dataset = draw_rows(network, options.rows, random)
    dataset = remove(dataset, losses, options.strength, {*names, *sensors}, random)
    for name, confusion in sensors.items():
        dataset = replace_by_reports(dataset, name, confusion, random)
    if names:
        dataset = hide(dataset, names)
    elif options.hide_fraction is not None:
        dataset = hide_fraction(dataset, options.hide_fraction, random)
    write_dataset(options.out, dataset)
    roles = names_by_role(dataset)
    result = {"out": options.out, "rows": dataset.n_rows, "variables": len(dataset.variables), **roles}
    result["sensors"] = list(sensors)
    hidden = f", hidden: {', '.join(roles['hidden'])}" if roles["hidden"] else ""
    lines = [f"wrote {describe_size(dataset)} to {options.out}{hidden}"]
    if sensors:
        lines.append(f"reported by a sensor: {', '.join(sensors)}; give learn the same --sensor")
    show(options, document.notes, result, lines)
