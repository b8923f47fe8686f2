"""Automatic positions: arrows point down, nodes do not overlap, grids look like grids, and it is quick."""

import time

import networkx as nx
import numpy as np
import pytest

from engine.formats import Document
from engine.model.network import BayesianNetwork, MarkovNetwork
from engine.model.variable import Variable
from pgmgui.project.layout import NODE_HEIGHT, by_distance, label_width, layered, needed_scale, place


def random_parents(count: int, most: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [
        sorted(rng.choice(node, size=min(node, int(rng.integers(most + 1))), replace=False).tolist())
        for node in range(count)
    ]


def make_chain(names: list[str], positions: dict[str, tuple[float, float]]) -> Document:
    variables = tuple(Variable(name, ("0", "1")) for name in names)
    parents = tuple(() if k == 0 else (k - 1,) for k in range(len(names)))
    tables = tuple(np.full((2,) * (len(found) + 1), 0.5) for found in parents)
    return Document(BayesianNetwork(variables, parents, tables), positions=positions)


@pytest.mark.parametrize("seed", range(20))
def test_layers_point_down_and_do_not_overlap(seed):
    parents = random_parents(count=5 + 7 * seed, most=1 + seed % 4, seed=seed)
    widths = np.random.default_rng(seed).uniform(64, 250, len(parents))
    points = layered(parents, widths)
    for child, found in enumerate(parents):
        for parent in found:
            assert points[parent, 1] < points[child, 1]
    assert needed_scale(points, widths) <= 1.0
    assert (layered(parents, widths) == points).all()


def test_layers_uncross_what_can_be_uncrossed():
    points = layered([[], [], [], [2], [1], [0]], np.full(6, 64.0))
    for a, b in ((0, 5), (1, 4), (2, 3)):
        assert points[a, 0] == pytest.approx(points[b, 0])
    ladder = layered([[], [0], [0], [1], [2], [4], [3]], np.full(7, 64.0))
    assert (ladder[1, 0] < ladder[2, 0]) == (ladder[3, 0] < ladder[4, 0]) == (ladder[6, 0] < ladder[5, 0])


def test_a_wide_layer_is_folded():
    points = layered([[], *([0] for _ in range(200))], np.full(201, 80.0))
    width, height = np.ptp(points, axis=0)
    assert width < 4 * height
    assert needed_scale(points, np.full(201, 80.0)) <= 1.0


def test_a_grid_is_drawn_as_a_grid():
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 9))
    points = by_distance(54, list(grid.edges), np.full(54, 64.0))
    steps = np.array([np.abs(points[a] - points[b]) for a, b in grid.edges])
    lengths = np.hypot(*steps.T)
    assert lengths.max() < 1.25 * lengths.min()
    assert (steps.min(axis=1) < 0.15 * lengths).all()
    assert np.ptp(points[:, 0]) > np.ptp(points[:, 1])


@pytest.mark.parametrize(
    "graph",
    [
        nx.star_graph(30),
        nx.complete_graph(12),
        nx.path_graph(2),
        nx.cycle_graph(40),
        nx.complete_bipartite_graph(20, 20),
        nx.disjoint_union_all([nx.grid_2d_graph(4, 4), nx.path_graph(7), nx.empty_graph(9)]),
    ],
    ids=["star", "complete", "pair", "cycle", "bipartite", "pieces"],
)
def test_undirected_nodes_do_not_overlap(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    widths = np.full(len(graph), 70.0)
    points = by_distance(len(graph), list(graph.edges), widths)
    assert np.isfinite(points).all()
    assert needed_scale(points, widths) <= 1.0
    assert (by_distance(len(graph), list(graph.edges), widths) == points).all()


def test_five_hundred_nodes_take_less_than_two_seconds():
    widths = np.full(500, 90.0)
    mesh = nx.convert_node_labels_to_integers(nx.grid_2d_graph(20, 25))
    begin = time.process_time()
    layered(random_parents(count=500, most=3, seed=0), widths)
    middle = time.process_time()
    by_distance(500, list(mesh.edges), widths)
    assert middle - begin < 2.0
    assert time.process_time() - middle < 2.0


def sparse_parents(count: int) -> list[list[int]]:
    """Up to three parents anywhere before each node."""
    rng = np.random.default_rng(0)
    return [sorted({int(node * share) for share in rng.random(rng.integers(4))} - {node}) for node in range(count)]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: [[k - 1] if k else [] for k in range(n)],
        lambda n: [[(k - 1) // 2] if k else [] for k in range(n)],
        sparse_parents,
    ],
    ids=["chain", "tree", "sparse"],
)
def test_time_grows_about_as_the_number_of_nodes(make):
    def measure(count: int) -> float:
        parents, widths = make(count), np.full(count, 80.0)
        begin = time.process_time()
        layered(parents, widths)
        return time.process_time() - begin

    # Four times the nodes: 4 if linear, 16 if it grew with the square.
    assert measure(5000) < 10 * min(measure(1250) for _ in range(2))


@pytest.mark.parametrize("shape", [1.0, 1.8, 3.0])
@pytest.mark.parametrize("count", [12, 50, 180, 1000])
@pytest.mark.parametrize("directed", [True, False])
def test_a_long_chain_is_written_in_lines(count, shape, directed):
    widths = np.full(count, 80.0)
    steps = [(k - 1, k) for k in range(1, count)]
    parents = [[k - 1] if k else [] for k in range(count)]
    points = layered(parents, widths, shape) if directed else by_distance(count, steps, widths, shape)
    assert needed_scale(points, widths) <= 1.0
    width, height = np.ptp(points, axis=0) + np.array([80, NODE_HEIGHT])
    if count >= 50:
        assert 0.7 * shape < width / height < 1.5 * shape
    # To the right or to the left along a line, straight down to the next, and no step is longer than another.
    along = np.diff(points, axis=0)
    assert ((along == 0).sum(axis=1) == 1).all()
    assert (along[:, 1] >= 0).all()
    assert np.abs(along).max() < 120
    turns = np.flatnonzero(along[:, 1])
    assert 1 <= len(turns) < count / 2


def test_a_chain_with_leaves_is_written_in_lines_too():
    # A hidden Markov model of 40 steps: states 0 … 39, and what is seen of each.
    parents = [[k - 1] if k else [] for k in range(40)] + [[k] for k in range(40)]
    points = layered(parents, np.full(80, 80.0))
    assert needed_scale(points, np.full(80, 80.0)) <= 1.0
    width, height = np.ptp(points, axis=0)
    assert height < width < 3 * height
    lengths = [float(np.hypot(*(points[child] - points[p]))) for child, found in enumerate(parents) for p in found]
    assert max(lengths) < 250


def test_a_short_chain_points_down():
    points = layered([[k - 1] if k else [] for k in range(6)], np.full(6, 80.0))
    assert np.ptp(points[:, 0]) == 0
    assert (np.diff(points[:, 1]) > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_drawing_is_wider_for_a_wide_pane(seed):
    parents, widths = random_parents(count=40, most=2, seed=seed), np.full(40, 120.0)
    ratios = [float(np.divide(*np.ptp(layered(parents, widths, shape), axis=0))) for shape in (0.8, 1.8, 3.0)]
    assert ratios == sorted(ratios)
    assert ratios[-1] > 1.3 * ratios[0]


def test_the_positions_of_the_file_are_kept():
    positions = {"A": (10.0, 20.0), "B": (200.0, 300.0), "C": (400.0, 20.0)}
    assert place(make_chain(["A", "B", "C"], positions)) == positions


@pytest.mark.parametrize("factor", [0.001, 0.1, 100.0])
def test_positions_in_other_units_keep_their_shape(factor):
    positions = {"A": (0.0, 0.0), "B": (200.0 * factor, 300.0 * factor), "C": (400.0 * factor, 0.0)}
    placed = place(make_chain(["A", "B", "C"], positions))
    across, down = placed["C"][0] - placed["A"][0], placed["B"][1] - placed["A"][1]
    assert across / down == pytest.approx(4 / 3, rel=0.01)
    assert NODE_HEIGHT < down < 12 * NODE_HEIGHT


@pytest.mark.parametrize(
    "positions",
    [
        {},
        {"A": (0.0, 0.0), "B": (100.0, 100.0)},
        dict.fromkeys("ABC", (0.0, 0.0)),
        {"A": (0.0, 0.0), "B": (1e300, 0.0), "C": (5.0, 5.0)},
        {"A": (0.0, 0.0), "B": (float("nan"), 0.0), "C": (5.0, 5.0)},
        {"A": (0.0, 0.0), "B": (0.001, 0.0), "C": (5000.0, 5000.0)},
        {"A": (9e8, 0.0), "B": (9e8, 0.002), "C": (9e8, 0.001)},
    ],
    ids=["none", "some", "all the same", "huge", "not a number", "two nearly the same", "small and far off"],
)
def test_unusable_positions_are_replaced(positions):
    placed = place(make_chain(["A", "B", "C"], positions))
    assert [placed[name] for name in "ABC"] == sorted(placed.values(), key=lambda point: point[1])
    points = np.array(list(placed.values()))
    assert needed_scale(points, np.array([label_width(name) for name in "ABC"])) <= 1.0


def test_networks_without_edges_or_variables():
    alone = tuple(Variable(f"X{k}", ("0", "1")) for k in range(7))
    assert len(set(place(Document(MarkovNetwork(alone, (), ()))).values())) == 7
    assert place(Document(MarkovNetwork((), (), ()))) == {}
    assert place(Document(BayesianNetwork((), (), ()))) == {}
