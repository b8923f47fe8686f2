"""Rows held out on the command line: which they are, and what was learned on them, as JSON and in lines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Collection
from typing import Any

from engine.insight.held_out import score_held_out
from engine.insight.prediction import Prediction, predict
from engine.learning.hold_out import MOST_SHARE, HoldOut, Split
from engine.learning.task import LearningTask
from engine.model.errors import PgmError
from engine.model.network import Network, find_variable
from engine.model.variable import Variable
from pgmgui.project.held_out_words import describe_impossible, describe_prediction, describe_split, show_loss


def add_hold_out(parser: argparse.ArgumentParser) -> None:
    """The options that hold rows out."""
    parser.add_argument(
        "--hold-out",
        type=float,
        metavar="SHARE",
        help=f"learn without this share of the rows, at most {MOST_SHARE:g}, and test on them (0: none)",
    )
    parser.add_argument(
        "--hold-out-seed", type=int, metavar="S", help="which rows these are (default: 0, or the session's)"
    )
    parser.add_argument("--target", metavar="X", help="with --hold-out: how well this variable is foretold there")


def choose_hold_out(options: argparse.Namespace, known: HoldOut | None = None) -> HoldOut | None:
    """Which rows to hold out: as the options say, or else as a session does."""
    share, seed = getattr(options, "hold_out", None), getattr(options, "hold_out_seed", None)
    share = (0.0 if known is None else known.share) if share is None else share
    seed = (0 if known is None else known.seed) if seed is None else seed
    if not share and getattr(options, "target", None):
        raise PgmError("--target needs rows to foretell it in; give --hold-out 0.2 too")
    return HoldOut(share, seed) if share else None


def check_target(options: argparse.Namespace, network: Network, given: Collection[int]) -> int | None:
    """The variable to foretell, if one is named."""
    target = None if options.target is None else find_variable(network, options.target)
    if target in given:
        raise PgmError(f"--target {options.target} is given, and so not foretold; choose another")
    return target


def describe_held_out(
    split: Split, network: Network, log_likelihood: float, task: LearningTask, target: int | None, memory_limit: int
) -> tuple[dict[str, Any], list[str]]:
    """How a network that was learned stands on the rows held out: for JSON, and in lines.

    ``log_likelihood`` is that of the rows it was learned from, whose ``task`` it was.
    """
    score = score_held_out(network, split.test, task.given, memory_limit, fixed=not task.has_moving_targets)
    train = -log_likelihood / split.train.total_weight
    found: dict[str, Any] = {
        "rows": score.rows,
        "log_likelihood": _finite(score.log_likelihood),
        "log_loss": _finite(score.log_loss),
        "impossible": score.impossible,
        "train_rows": split.train.total_weight,
        "train_log_loss": train,
    }
    lines = [
        *describe_split(split),
        f"Log-loss per row: learned from {show_loss(train)}, held out {show_loss(score.log_loss)} nats.",
    ]
    lines += [line for line in [describe_impossible(score.impossible)] if line]
    if target is not None:
        prediction, variable = predict(network, split.test, target, memory_limit), network.variables[target]
        found["target"] = describe_target(prediction, variable)
        lines += list_target(prediction, variable)
    return found, lines


def describe_target(found: Prediction, variable: Variable) -> dict[str, Any]:
    """How well a variable is foretold, for JSON."""
    rocs = {state: found.roc(k) for k, state in enumerate(variable.states)}
    curves = {state: found.calibration(k) for k, state in enumerate(variable.states)}
    return {
        "variable": variable.name,
        "rows": found.total,
        "missing": found.missing,
        "uncertain": found.uncertain,
        "impossible": found.impossible,
        "refuted": found.refuted,
        "accuracy": found.accuracy,
        "majority": found.majority,
        "log_loss": _finite(found.log_loss),
        "constant_log_loss": found.constant_log_loss,
        "brier": found.brier,
        "states": list(variable.states),
        "confusion": found.confusion.tolist(),
        "roc": {
            state: None
            if roc is None
            else {
                "area": roc.area,
                "false_positive": roc.false_positive.tolist(),
                "true_positive": roc.true_positive.tolist(),
            }
            for state, roc in rocs.items()
        },
        "calibration": {
            state: {
                "error": curve.error,
                "predicted": curve.predicted.tolist(),
                "observed": curve.observed.tolist(),
                "rows": curve.weights.tolist(),
            }
            for state, curve in curves.items()
        },
    }


def list_target(found: Prediction, variable: Variable) -> list[str]:
    """How well a variable is foretold, in lines."""
    lines = [f"Target {variable.name}:", *describe_prediction(found, variable)]
    for k, state in enumerate(variable.states):
        said = ", ".join(
            f"{other} {number:,.6g}" for other, number in zip(variable.states, found.confusion[k], strict=True)
        )
        roc = found.roc(k)
        area = "" if roc is None else f"; area under ROC {roc.area:.4f}"
        lines.append(f"  is {state}: said {said}{area}; calibration error {found.calibration(k).error:.4f}")
    return lines


def _finite(number: float) -> float | None:
    """A number as JSON has it, which knows nothing infinite."""
    return number if math.isfinite(number) else None
