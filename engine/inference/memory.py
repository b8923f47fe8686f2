"""Refusing what does not fit in memory, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence

from engine.inference.junction_tree import MOST_COUNTED, JunctionTree
from engine.model.errors import MemoryLimitError
from engine.model.network import Network
from engine.model.variable import list_names


def check_memory(tree: JunctionTree, variables: Sequence[int], network: Network, needed: int, limit: int) -> None:
    """Raise a MemoryLimitError if the tables of a tree over some variables need more bytes than there may be."""
    if needed <= limit:
        return
    clique = max(zip(tree.sizes, tree.cliques, strict=True))[1]
    names = list_names([network.variables[variables[k]].name for k in clique], most=6)
    more = " or more" if tree.largest == MOST_COUNTED else ""
    raise MemoryLimitError(
        f"exact inference would need about {show_gigabytes(needed)} for its tables, over the limit of "
        f"{show_gigabytes(limit)}; the largest joins {len(clique)} unobserved variables ({names}) in "
        f"{tree.largest:.3g} cells{more}. Observe some of them, simplify the network, or raise the memory "
        "limit (--memory-limit)",
        needed,
        limit,
    )


def show_gigabytes(size: int) -> str:
    """A number of bytes in gigabytes."""
    gigabytes = size / 2**30
    return f"{gigabytes:,.1f} GB" if 0.1 <= gigabytes < 2**20 else f"{gigabytes:.2g} GB"
