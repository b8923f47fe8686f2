"""Numerical EM ([uncertain] §6): the M-step by Newton's method, for priors that have no closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.learning.learner import Info, State, Words, evaluate_state
from engine.learning.parameters import Simplex
from engine.learning.peaks import find_peak
from engine.learning.workspace import Workspace, make_check
from engine.model.arrays import Floats, Ints
from engine.model.network import BayesianNetwork, Network


@dataclass(frozen=True)
class NumericalEM:
    """EM whose M-step climbs Σ n log θ + log p(θ) of every parameter set: any prior will do. Never decreases it."""

    counts_complete_data: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    chooses_units: ClassVar[bool] = False
    words: ClassVar[Mapping[type[Network], Words]] = {
        BayesianNetwork: Words(
            "The E-step is EM's: it counts the rows, completed in all ways. The M-step takes any prior p, also one "
            "without a formula: Newton's method climbs to the peak, each of its steps halved until it gains.",
            r"\theta_{\cdot|u} \leftarrow \mathrm{arg}\max\limits_\theta \sum_x n_{xu} \log\theta_{x|u} "
            r"+ \log p(\theta_{\cdot|u}), \qquad n_{xu} = \sum_i \mathrm{Pr}(x u \mid d_i)",
        ),
    }

    def begin(self, work: Workspace, theta: Floats, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The E-step at the start."""
        return evaluate_state(work, theta, cancelled)

    def step(self, work: Workspace, state: State, unit: Ints, cancelled: Callable[[], bool]) -> tuple[State, Info]:
        """The numerical M-step, and the E-step at the new parameters."""
        geometry = work.objective.geometry
        assert isinstance(geometry, Simplex)
        return evaluate_state(work, find_peak(geometry, state.counts, state.theta, make_check(cancelled)), cancelled)
