"""A layout with room for the cards below nodes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.formats import Document
from engine.model.network import BayesianNetwork, as_markov
from engine.model.variable import Variable
from pgmgui.project.card_room import card_heights
from pgmgui.project.layout import NODE_HEIGHT, arrange_anew, label_width
from tests.pgmgui.project.test_layout import random_parents


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("markov", [False, True])
def test_no_card_lies_on_another_or_on_a_node(seed, markov):
    parents = random_parents(count=4 + 9 * seed, most=2, seed=seed)
    sizes = np.random.default_rng(seed).integers(1, 10, len(parents))
    variables = tuple(Variable(f"V{k}", tuple(map(str, range(size)))) for k, size in enumerate(sizes))
    tables = tuple(np.full([sizes[v] for v in (*scope, k)], 1 / sizes[k]) for k, scope in enumerate(parents))
    network = BayesianNetwork(variables, tuple(map(tuple, parents)), tables)
    document = arrange_anew(Document(as_markov(network) if markov else network), with_cards=True)
    below = card_heights(variables)
    boxes = []
    for variable, room in zip(variables, below, strict=True):
        (x, y), width = document.positions[variable.name], max(label_width(variable.name), 94)
        boxes.append((x - width / 2, y - NODE_HEIGHT / 2, x + width / 2, y + NODE_HEIGHT / 2 + room))
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_the_height_of_a_card_is_that_of_its_rows_up_to_a_limit():
    heights = card_heights([Variable("A", tuple(map(str, range(size)))) for size in (1, 2, 5, 6, 7, 50)])
    assert heights == pytest.approx([29, 44, 72, 74, 84, 84])


def test_an_empty_network_has_room():
    assert arrange_anew(Document(BayesianNetwork((), (), ())), with_cards=True).positions == {}
