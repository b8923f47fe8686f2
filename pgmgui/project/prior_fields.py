"""The priors of a scene as a session's file keeps them: what each field may be, and what it stands for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.formats.schema import Check, map_of, number, numbers, one_of, optional, record, text
from engine.model.arrays import Floats
from engine.model.errors import FormatError, ModelError
from engine.model.messages import shorten
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.table_prior import WIDTHS, TablePrior, make_table_prior
from pgmgui.project.factor_prior import PRIORS, FactorPrior, kind_of, make_factor_prior, width_of
from pgmgui.project.scene import Scene
from pgmgui.project.settings import RANGES

PRIOR_FIELDS: Mapping[str, Check] = {
    "prior": map_of(numbers(*RANGES["prior"])),
    "common_prior": number(*RANGES["prior"]),
    "factor_prior": optional(record({"kind": one_of(PRIORS), "width": number(*RANGES["width"])}), None),
    "table_prior": optional(record({"name": text(), "width": number(*WIDTHS)}), None),
}


def dump_priors(scene: Scene) -> dict[str, Any]:
    """The fields of a scene's priors; those of the other kind of network, kept from before it was one, are left out."""
    is_bayesian = isinstance(scene.document.network, BayesianNetwork)
    exponents = scene.prior if is_bayesian else {}
    factors, tables = (None, scene.table_prior) if is_bayesian else (scene.factor_prior, None)
    return {
        "prior": {name: np.asarray(value).reshape(-1).tolist() for name, value in exponents.items()},
        "common_prior": scene.common_prior,
        "factor_prior": None if factors is None else {"kind": kind_of(factors), "width": width_of(factors)},
        "table_prior": None if tables is None else {"name": tables.name, "width": tables.width},
    }


def fit_priors(found: Mapping[str, Any], network: Network) -> dict[str, Any]:
    """The priors of a scene, from the fields of a file and the network that they are for."""
    return {
        "prior": _fit_exponents(found["prior"], network),
        "common_prior": found["common_prior"],
        "factor_prior": _fit_factor_prior(found["factor_prior"], network),
        "table_prior": _fit_table_prior(found["table_prior"], network),
    }


def _fit_exponents(found: Mapping[str, tuple[float, ...]], network: Network) -> dict[str, float | Floats]:
    """The exponents of a Bayesian network; those that earlier versions wrote for a Markov network are passed over."""
    if not isinstance(network, BayesianNetwork):
        return {}
    return {name: _fit_exponent(values, name, network) for name, values in found.items()}


def _fit_exponent(values: tuple[float, ...], name: str, network: BayesianNetwork) -> float | Floats:
    if name not in network.index:
        raise FormatError(f"prior: {shorten(name)} is no variable of the network")
    shape = network.tables[network.index[name]].shape
    if len(values) == 1:
        return values[0]
    if len(values) != math.prod(shape):
        raise FormatError(f"prior.{name}: expected 1 or {math.prod(shape):,} numbers, got {len(values):,}")
    return np.array(values).reshape(shape)


def _fit_factor_prior(item: dict[str, Any] | None, network: Network) -> FactorPrior | None:
    if item is None:
        return None
    if not isinstance(network, MarkovNetwork):
        raise FormatError("factor_prior: only Markov networks have one")
    return make_factor_prior(item["kind"], item["width"])


def _fit_table_prior(item: dict[str, Any] | None, network: Network) -> TablePrior | None:
    if item is None:
        return None
    if not isinstance(network, BayesianNetwork):
        raise FormatError("table_prior: only Bayesian networks have one")
    try:
        return make_table_prior(item["name"], item["width"])
    except ModelError as error:
        raise FormatError(f"table_prior: {error}") from None
