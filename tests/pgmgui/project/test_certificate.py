"""How close to the best possible a run is said to be."""

from __future__ import annotations

import pytest

from engine.learning.bounding import bound_task
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.certificate import certify, describe_certificate, judge_bound
from pgmgui.project.links import parse_link
from pgmgui.project.scene import derive


@pytest.mark.parametrize(
    ("gaps", "rows", "sentence"),
    [
        ([0.0, -1e-12], 10, "Certified: every component is at its upper bound, so no parameters are better."),
        ([0, 0.5], 10, "Within 0.5 nats of the best possible (0.05 per row); component 2 is not certified."),
        ([0.2, 0.5], 100, "Within 0.7 nats of the best possible (0.007 per row); components 1, 2 are not certified."),
        ([0.01], 1000, "Within 0.01 nats of the best possible (under 0.0001 per row); component 1 is not certified."),
        (
            [11000.0, 900.4, 0.0],
            600_000,
            "At most 0.02 nats per row below the best possible (11,900 in all); components 1, 2 are not certified.",
        ),
    ],
)
def test_certificates(gaps, rows, sentence):
    assert describe_certificate(gaps, rows) == sentence


def test_the_bound_of_a_whole_names_no_component():
    assert describe_certificate([0.0], 4, whole=True).startswith("Certified: the objective is at its upper bound")
    assert describe_certificate([0.5], 4, whole=True) == "Within 0.5 nats of the best possible (0.12 per row)."
    assert describe_certificate([1200.0], 4, whole=True) == (
        "At most 300 nats per row below the best possible (1,200 in all)."
    )


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (None, ""),
        ([-5.0], "Whether the run is poor or the bound is loose, the bound cannot tell: restarts can."),
        ([-5.0, -5.0], "Whether the run is poor or the bound is loose, the bound cannot tell: restarts can."),
        (
            [-5.0, -5.1, -6.0],
            "3 restarts ended within 1 nats of each other: rather the bound is loose than the run poor.",
        ),
        ([-5.0, -10.0], "2 restarts ended up to 5 nats apart: another start may end higher."),
    ],
)
def test_restarts_tell_a_loose_bound_from_a_poor_run(ends, sentence):
    assert judge_bound(20.0, ends) == sentence
    assert describe_certificate([20.0], 10, ends).endswith(sentence or "component 1 is not certified.")


def test_only_restarts_that_have_ended_tell():
    """Twenty starts of the hidden cause end 3 nats below a bound that five symptoms' own frequencies would need."""
    link = parse_link({"example": "hidden-cause"})
    scene, derived = link.scene, derive(link.scene)
    bounds = bound_task(derived.parts.task)

    def tell(**options):
        *_, last = learn(scene.document.network, derived.seen, "d-em", n_init=20, **options)
        totals = last.objective.sum(axis=1)
        return certify(bounds, last), totals.max() - totals.min(), bounds.total - totals.max()

    said, spread, gap = tell(random_state=0, stopping=Stopping(1e-4, "likelihood", 5000))
    assert f"20 restarts ended up to {spread:.3g} nats apart" in said
    assert gap < 10 * spread
    said, *_ = tell(random_state=0, stopping=Stopping(max_iter=3))
    assert "restarts" not in said
