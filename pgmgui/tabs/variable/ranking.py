"""All tables of a network by how far they have moved: pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.insight.movement import Movement, find_marginals, rank_tables
from engine.insight.relabelling import relabel_table
from engine.learning.snapshot import Snapshot
from engine.learning.task import LearningTask
from engine.model.arrays import Floats
from engine.model.dataset import Role
from engine.model.layout import Layout
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from pgmgui.components.grid.grid import Cell, Column, Source
from pgmgui.project.words import cut, name_factors
from pgmgui.state.session import Session
from pgmgui.tabs.variable.comparing import CURRENT, Tables, list_sources, same_scopes, weigh_parameters
from pgmgui.tabs.variable.renaming import find_orders


@dataclass(frozen=True, eq=False)
class Ranking:
    """How far all tables are apart in two networks.

    Attributes
    ----------
    renamed : tuple of str
        The hidden variables whose states in the second network were renamed to be closest to the first.
    """

    network: Network
    pair: tuple[str, str]
    movements: tuple[Movement, ...]
    renamed: tuple[str, ...] = ()


def list_comparable(session: Session) -> dict[str, Network]:
    """The networks whose tables can all be compared: those with the tables of the current one."""
    sources = list_sources(session)
    return {key: network for key, network in sources.items() if same_scopes(network, sources[CURRENT])}


def rank(
    networks: Mapping[str, Network], pair: tuple[str, str], task: LearningTask | None, reached: Snapshot | None
) -> Ranking:
    """All tables of two networks by how far they are apart, once hidden states are renamed; this takes inferences."""
    first, second = (networks[key] for key in pair)
    renamed: tuple[str, ...] = ()
    if task is not None:
        orders = _find_all_orders(task, networks, pair, reached)
        tables = [
            relabel_table(table, scope, orders) for table, scope in zip(second.tables, second.scopes, strict=True)
        ]
        second = second.with_tables(tables)
        moved = [v for v, order in orders.items() if list(order) != list(range(len(order)))]
        renamed = tuple(first.variables[v].name for v in sorted(moved))
    return Ranking(first, pair, tuple(rank_tables(first, second)), renamed)


def _find_all_orders(
    task: LearningTask, networks: Mapping[str, Network], pair: tuple[str, str], reached: Snapshot | None
) -> dict[int, tuple[int, ...]]:
    """Per hidden variable, which states of the second network are its first, second, … in the first."""
    is_bayesian = isinstance(task.network, BayesianNetwork)
    wholes: dict[str, Floats] = {}
    for key in pair:
        tables = networks[key].tables if is_bayesian else find_marginals(networks[key])
        wholes[key] = Layout(networks[key]).flatten(tables)
    weights = weigh_parameters(reached) if is_bayesian and reached is not None else None
    tables_of = Tables({}, None, wholes, weights)
    orders: dict[int, tuple[int, ...]] = {}
    roles = task.decomposition.dataset.roles
    for component in task.decomposition.components:
        # A hidden variable is in one component only, all of whose tables decide together.
        if any(roles[v] is Role.HIDDEN for v in component.variables):
            orders |= find_orders(task, component.factors[0], tables_of, *pair)
    return orders


def name_tables(network: Network) -> list[str]:
    """What the tables of a network are called."""
    if isinstance(network, MarkovNetwork):
        return name_factors(network, list(range(len(network.scopes))))
    return [variable.name for variable in network.variables]


def describe_ranking(ranking: Ranking) -> list[str]:
    """What the list says, in words."""
    first, second = ranking.pair
    what = (
        "how often a draw of the variable would come out differently, with the parents of the first network "
        "(total variation)"
        if isinstance(ranking.network, BayesianNetwork)
        else "how often a draw of the factor's variables would come out differently (total variation)"
    )
    lines = [f"All tables by how far they moved from {first} to {second}: {what}. Click one to compare it."]
    if ranking.renamed:
        lines.append(
            f"Names of hidden states are arbitrary: those of {cut(ranking.renamed)} in {second} were renamed "
            "to be closest."
        )
    return lines


def ranking_source(ranking: Ranking) -> Source:
    """A row for each table, the one that moved farthest first."""
    names = name_tables(ranking.network)
    kind = "Factor" if isinstance(ranking.network, MarkovNetwork) else "Variable"
    columns = (
        Column(kind, "head", "click, or press Enter, to compare its tables"),
        Column("Moved", "number", "the share of draws that would come out differently"),
        Column("Largest", "number", "the largest difference of two probabilities"),
    )

    def cells(first: int, last: int) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        for movement in ranking.movements[first : last + 1]:
            shown: Cell = {
                "text": f"{100 * movement.distance:.2f}%",
                "heat": movement.distance,
                "key": movement.distance,
            }
            rows.append([names[movement.table], shown, f"{movement.largest:.4f}"])
        return rows

    return Source(columns, len(ranking.movements), cells, "Tables by how far they moved")
