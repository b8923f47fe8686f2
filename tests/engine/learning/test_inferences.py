"""The count of inferences, recounted: by hand from the data, and from every tape that runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.inference.tape import Tape
from engine.learning.decomposition import decompose
from engine.learning.learn import learn
from engine.learning.methods import METHODS
from engine.learning.stopping import Stopping
from engine.learning.task import make_task
from engine.model.network import BayesianNetwork
from engine.simulation.missingness import hide
from engine.simulation.sampling import simulate
from tests.engine.learning.models import chain, chain_data, latent_class, latent_data

pytestmark = pytest.mark.filterwarnings("error")


def hidden_chain(rows=80):
    """Every other variable of a chain hidden: one component for each, and different speeds."""
    return chain(9), hide(simulate(chain(9), rows, 1), [f"X{i}" for i in range(1, 9, 2)])


def run(network, dataset, method, **options):
    options = {"tol": 1e-3, **options}
    n_init, extra = options.pop("n_init", 1), options.pop("extra", {})
    return list(learn(network, dataset, method, n_init=n_init, stopping=Stopping(**options), **extra))


def count_rows(network, dataset):
    """Per component with something hidden, the distinct rows of its observed variables: with Python's own sets."""
    found = {}
    for k, component in enumerate(decompose(network, dataset).components):
        if not component.is_complete:
            kept = (*component.variables, *component.boundary)
            found[k] = len({tuple(int(dataset.codes[v, r]) for v in kept) for r in range(dataset.n_rows)})
    return found


@pytest.mark.parametrize("restarts", [1, 3])
def test_a_decomposed_method_counts_a_component_until_it_converges(restarts):
    network, dataset = hidden_chain()
    rows = count_rows(network, dataset)
    snapshots = run(network, dataset, "d-em", n_init=restarts)
    stops = {int(i) for k in rows for i in snapshots[-1].iterations[:, k]}
    assert len(stops) > 1  # components stop at different times, or this shows nothing
    for snapshot in snapshots:
        passes = {k: int((1 + snapshot.iterations[:, k]).sum()) for k in rows}
        assert snapshot.inferences == sum(rows[k] * passes[k] for k in rows)


def test_a_whole_method_counts_all_components_to_the_end():
    network, dataset = hidden_chain()
    per_pass = sum(count_rows(network, dataset).values())
    for snapshot in run(network, dataset, "em"):
        assert snapshot.inferences == per_pass * (1 + snapshot.iteration)


def test_the_textbook_counts_distinct_rows_of_the_whole():
    network, dataset = hidden_chain()
    distinct = len({tuple(row) for row in dataset.codes.T.tolist()})
    for snapshot in run(network, dataset, "em-textbook", max_iter=5):
        assert snapshot.inferences == distinct * (1 + snapshot.iteration)


def test_complete_data_needs_no_inference():
    dataset = simulate(chain(), 30, 0)
    assert [s.inferences for s in run(chain(), dataset, "counting")] == [0, 0]


@pytest.mark.parametrize(
    "method", [name for name, m in METHODS.items() if BayesianNetwork in m.kinds and m.conditioned and not m.complete]
)
def test_every_row_of_every_tape_is_counted(method, monkeypatch):
    """One component, so that none converges before the others: then the count is what the tapes have run."""
    network, dataset = latent_class(), latent_data()
    propagated = []
    original = Tape.run

    def spy(self, start, weights, *options):
        propagated.append(np.count_nonzero(weights))
        return original(self, start, weights, *options)

    monkeypatch.setattr(Tape, "run", spy)
    for snapshot in learn(network, dataset, method, stopping=Stopping(tol=0.0, max_iter=20)):
        assert snapshot.inferences == sum(propagated)
    if method.endswith(("lbfgs", "cg")):
        rows = count_rows(network, dataset)[0]
        assert snapshot.inferences > rows * (1 + snapshot.iteration)  # line searches tried more than one step


def test_workers_count_the_same():
    network, dataset = chain(15), chain_data(200, 15)
    here = run(network, dataset, "d-em")[-1]
    with ThreadPoolExecutor(2) as executor:
        there = run(network, dataset, "d-em", extra={"executor": executor})[-1]
    assert there.inferences == here.inferences > 0


@pytest.mark.parametrize("method", ["d-em", "em-textbook"])
def test_a_task_can_be_shared_and_stays_as_it_was(method):
    network, dataset = hidden_chain()
    task = make_task(network, dataset, 2.0)
    alone = run(network, dataset, method, extra={"prior": 2.0})[-1]
    runs = [learn(network, dataset, method, prior=2.0, stopping=Stopping(tol=1e-3), task=task) for _ in range(2)]
    turns = list(zip(*runs, strict=True))  # both under way at once
    for snapshot in turns[-1]:
        np.testing.assert_array_equal(snapshot.theta, alone.theta)
        assert snapshot.inferences == alone.inferences
