"""What each command of the command line does."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app.data_input import describe_source, read_data
from app.evidence_input import parse_evidence, split_names
from engine.formats import (
    DATA_FORMATS,
    Document,
    describe_losses,
    read_dataset,
    read_network,
    split_name,
    write_dataset,
    write_network,
)
from engine.inference import query as evidences
from engine.inference.chordal import as_bayesian
from engine.inference.explanation import Explanation, explain
from engine.inference.junction_tree import compile_tree
from engine.inference.plan import BYTES_PER_CELL
from engine.inference.targets.meeting import Met
from engine.model.dataset import MISSING, Role
from engine.model.errors import MemoryLimitError, PgmError
from engine.model.messages import count
from engine.model.network import BayesianNetwork, Network, as_markov, count_parameters
from engine.model.soft_cells import count_vectors
from engine.model.source import Source
from engine.sources.opening import is_large

MOST_GIGABYTES = 1e9
"""No machine has this much memory."""


def serve(options: argparse.Namespace) -> None:
    """Open the dashboard."""
    from pgmgui.project.folders import find_home

    find_home()
    from app.main import serve as serve_page  # Panel takes a second to import; other commands do without

    if options.keep < 1:
        raise PgmError(f"--keep must be 1 or more; got {options.keep}")
    serve_page(
        options.network,
        options.data,
        port=options.port,
        show=not options.no_show,
        announce=lambda url: _announce(url, options.address),
        address=options.address,
        normalise=options.normalise,
        keep=options.keep,
        window=options.window,
        table=options.table,
    )


def _announce(url: str, address: str) -> None:
    """Say where the page is; and who else can open it, if others can."""
    from app.server import is_loopback

    if not is_loopback(address):
        print(
            f"pgmgui: warning: on {address}, everybody who can reach this machine can open the page and use it. "
            "So that nobody can read or write files here, the page takes no paths: upload and download instead.",
            file=sys.stderr,
        )
    print(f"pgmgui is open at {url} (stop with Ctrl+C)", flush=True)


def query(options: argparse.Namespace) -> None:
    """Print the posteriors of all variables under evidence, and what explains it best."""
    document = read_model(options)
    network = document.network
    evidence = parse_evidence(network, options)
    met = None
    if evidence.marginals:
        met = evidences.meet_targets(network, evidence, options.solver, memory_limit(options))
    posterior = evidences.query(network, evidence, memory_limit(options)) if met is None else met.posterior
    notes = list(document.notes)
    log_evidence: float | None
    try:
        log_evidence = float(posterior.log_evidence[0])
    except MemoryLimitError as error:
        log_evidence = None
        notes.append(f"the posteriors are exact; the probability of the evidence is left out, for log Z: {error}")
    posteriors = {
        variable.name: dict(zip(variable.states, posterior.marginal(i)[0].tolist(), strict=True))
        for i, variable in enumerate(network.variables)
    }
    result: dict[str, Any] = {"log_evidence": log_evidence, "posteriors": posteriors}
    lines = []
    if log_evidence is not None:
        lines.append(f"log evidence {log_evidence:,.6f}".replace("-0.000000", "0.000000"))
    if not isinstance(network, BayesianNetwork):
        result["log_partition"] = None if log_evidence is None else posterior.log_partition
        lines += [] if log_evidence is None else [f"log partition function {posterior.log_partition:,.6f}"]
    for name, states in posteriors.items():
        lines.append(name + "  " + "  ".join(f"{state} {value:.4f}" for state, value in states.items()))
    if met is not None:
        result["targets"], told = _describe_targets(evidence, met)
        lines.append(told)
    for kind, found in _explain(network, evidence, options).items():
        result[kind] = {**asdict(found), "probability": math.exp(found.log_probability)}
        lines += _describe_explanation(kind, found)
    show(options, notes, result, lines)


def _describe_targets(evidence: evidences.Evidence, met: Met) -> tuple[dict[str, Any], str]:
    """How target marginals were met."""
    last = met.rounds[-1]
    result = {
        "solver": met.solver,
        "fixed": evidence.fixed,
        "rounds": last.number,
        "residuals": [
            {"variables": list(target.names), "residual": residual}
            for target, residual in zip(met.targets, last.residuals.tolist(), strict=True)
        ],
        "divergence": last.divergence,
        "cells": last.cells,
    }
    rounds = "1 round" if last.number == 1 else f"{last.number:,} rounds"
    told = (
        f"targets met by {met.solver} in {rounds}, to {last.residuals.max(initial=0.0):.1g}; "
        f"{last.divergence:.4f} nats from the model, {last.cells:,} cells computed"
    )
    return result, told


def _explain(network: Network, evidence: evidences.Evidence, options: argparse.Namespace) -> Mapping[str, Explanation]:
    """The explanations that are asked for."""
    found = {}
    if options.mpe:
        found["mpe"] = explain(network, evidence, None, memory_limit(options))
    if options.map is not None:
        chosen = list(dict.fromkeys(split_names(network, options.map)))
        found["map"] = explain(network, evidence, chosen, memory_limit(options))
    return found


def _describe_explanation(kind: str, found: Explanation) -> list[str]:
    """The explanation in a line; and another that is as probable, if there is one."""

    def tell(states: Mapping[str, str]) -> str:
        return "  ".join(f"{name} {state}" for name, state in states.items())

    lines = [f"{kind.upper()}, probability {math.exp(found.log_probability):.4g}:  {tell(found.states)}"]
    return lines if found.other is None else [*lines, f"{kind.upper()}, as probable:  {tell(found.other)}"]


def convert(options: argparse.Namespace) -> None:
    """Write a network or a dataset in another format."""
    if _is_data(options.network) != _is_data(options.out):
        raise PgmError(f"cannot convert {options.network} to {options.out}: one is a network and the other is data")
    if _is_data(options.network):
        if options.markov or options.bayesian:
            option = "--markov" if options.markov else "--bayesian"
            raise PgmError(f"{option} is for networks; {options.network} is data")
        found = read_dataset(options.network)
        write_dataset(options.out, found.dataset)
        notes, size = found.notes, describe_size(found.dataset)
    else:
        document = read_model(options)
        if options.markov:
            document = document.with_network(as_markov(document.network))
        elif options.bayesian:
            document = document.with_network(as_bayesian(document.network))
        write_network(options.out, document)
        notes, size = (
            (*document.notes, *describe_losses(document, options.out)),
            f"{len(document.network.variables)} variables",
        )
    show(options, notes, {"in": options.network, "out": options.out}, [f"wrote {size} to {options.out}"])


def info(options: argparse.Namespace) -> None:
    """Say what a file holds."""
    if _is_data(options.network) or is_large(options.network, options.engine):
        found = read_data(options, options.network)
        result, lines = _describe_data(found.data)
        source, told = describe_source(found.data)
        show(options, found.notes, {**result, **source}, [*lines, *told])
    else:
        document = read_model(options)
        show(options, document.notes, *_describe_network(document))


def _describe_network(document: Document) -> tuple[dict[str, Any], list[str]]:
    network = document.network
    is_bayesian = isinstance(network, BayesianNetwork)
    scopes = [scope for scope in network.scopes if scope]
    tree = compile_tree([variable.cardinality for variable in network.variables], scopes)
    largest = max((v.cardinality for v in network.variables), default=0)
    result = {
        "kind": "bayesian" if is_bayesian else "markov",
        "name": document.name,
        "variables": len(network.variables),
        "edges": len(network.edges),
        "factors": len(network.tables),
        "parameters": count_parameters(network),
        "most_states": largest,
        "treewidth": tree.width,
        "largest_table": tree.largest,
        "memory_bytes": tree.cells * BYTES_PER_CELL,
    }
    lines = [
        f"{'Bayesian' if is_bayesian else 'Markov'} network {document.name}".rstrip(),
        f"{len(network.variables)} variables with up to {largest} states, {len(network.edges)} "
        f"{'arrows' if is_bayesian else 'edges'}, {count_parameters(network):,} free parameters",
        f"exact inference without evidence: width {tree.width}, largest table {_readable(tree.largest)} cells, "
        f"about {_readable(tree.cells * BYTES_PER_CELL / 2**20)} MB",
    ]
    return result, lines


def _readable(number: float) -> str:
    """A count with its digits grouped, or rounded where it has too many to read."""
    if number >= 10**12:
        return f"{number:.1e}"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def _describe_data(dataset: Source) -> tuple[dict[str, Any], list[str]]:
    columns = range(len(dataset.variables))
    missing = sum(int(cells[codes == MISSING].sum()) for codes, cells in map(dataset.count_codes, columns))
    roles = names_by_role(dataset)
    states = {variable.name: list(variable.states) for variable in dataset.variables}
    distinct = dataset.project(columns).n_rows if dataset.can_merge(columns) else None
    vectors = [count_vectors(dataset, i) for i in dataset.likelihoods]
    likelihoods, targets = sum(number for number, _ in vectors), sum(number for _, number in vectors)
    result = {
        "kind": "data",
        "rows": dataset.n_rows,
        "distinct_rows": distinct,
        "total_weight": dataset.total_weight,
        "missing_cells": missing,
        "likelihood_cells": likelihoods,
        "target_cells": targets,
        **roles,
        "states": states,
    }
    lines = [
        f"{count(dataset.n_rows, 'row')} ({describe_distinct(distinct)}) of {count(len(columns), 'variable')}, "
        f"{count(missing, 'cell')} missing"
        + (f", {likelihoods:,} with a likelihood" if likelihoods else "")
        + (f", {targets:,} with a target" if targets else ""),
        *(f"{role}: {', '.join(names)}" for role, names in roles.items() if names),
    ]
    return result, lines


def describe_distinct(rows: int | None) -> str:
    """How many distinct rows there are, in words; None where they may be too many to look at."""
    return "distinct ones not counted" if rows is None else f"{rows:,} distinct"


def describe_size(dataset: Source) -> str:
    """How many rows and variables there are, in words."""
    return f"{count(dataset.n_rows, 'row')} of {count(len(dataset.variables), 'variable')}"


def names_by_role(dataset: Source) -> dict[str, list[str]]:
    """For each role, the variables that have it."""
    return {
        role.value: [v.name for v, found in zip(dataset.variables, dataset.roles, strict=True) if found is role]
        for role in Role
    }


def show(options: argparse.Namespace, notes: Sequence[str], result: dict[str, Any], lines: Sequence[str]) -> None:
    """The result as JSON or as lines for people; what the reader noted goes to stderr too."""
    for note in notes:
        print(f"pgmgui: note: {note}", file=sys.stderr)
    if options.json:
        print(json.dumps({**result, "notes": list(notes)}, allow_nan=False))
    else:
        print("\n".join(lines))


def memory_limit(options: argparse.Namespace) -> int:
    """The memory limit in bytes."""
    if not 0 < options.memory_limit < MOST_GIGABYTES:
        raise PgmError(f"--memory-limit must be above 0 and below {MOST_GIGABYTES:g}; got {options.memory_limit:g}")
    return int(options.memory_limit * 2**30)


def read_model(options: argparse.Namespace) -> Document:
    """The network that the command is about."""
    return read_network(options.network, options.normalise)


def _is_data(path: str) -> bool:
    return split_name(path)[1] in DATA_FORMATS


def check_seed(seed: int) -> int:
    """The seed, if it is one."""
    if seed < 0:
        raise PgmError(f"--random-state must be 0 or more; got {seed}")
    return seed
