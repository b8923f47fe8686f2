"""Where learning stands: what every restart has reached, for whoever looks on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.learning.course import Course
from engine.learning.distance import estimate_distance
from engine.learning.parameters import Simplex
from engine.learning.starts import Symmetry, find_symmetries
from engine.learning.task import LearningTask
from engine.model.arrays import Bools, Floats, Ints
from engine.model.network import Network


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Where learning stands, for all restarts.

    Attributes
    ----------
    iteration : int
    seconds : float
        Since the data was in memory, set-up included.
    inferences : int
        Rows propagated so far: in every pass, also those of a line search, the rows of all components and
        restarts that had not converged by then.
    theta, counts : array (restarts, parameters)
        Parameters, and the expected counts at them.
    log_likelihood, objective : array (restarts, components + 1)
        The last column is that of pruned variables (Bayesian networks), or of −N log Z (Markov networks).
    iterations : array (restarts, components + 1)
        Iterations that each component has made.
    converged : array (restarts, components + 1) of bool
    recent : array (restarts, units, some)
        The last objectives, newest first: of each component where it stops on its own, else of the whole.
    stop : str
        Why learning ended: "converged", "iterations", "time" or "cancelled"; empty while it goes on.
    courses : tuple of Course
        What was done for the best restart, by a learner that searches by itself: for each component, or for the
        whole where components are coupled.
    """

    task: LearningTask
    iteration: int
    seconds: float
    inferences: int
    theta: Floats
    counts: Floats
    log_likelihood: Floats
    objective: Floats
    iterations: Ints
    converged: Bools
    recent: Floats
    stop: str
    courses: tuple[Course, ...] = ()

    @cached_property
    def distance(self) -> Floats:
        """Nats that each unit of each restart has still to go, estimated from its last steps; ∞ where they are too few.

        Of shape (restarts, units): by components where these stop on their own, else of the whole. A run by other
        steps, or from another start, may get further.
        """
        return estimate_distance(self.recent)

    @property
    def best(self) -> int:
        """The restart with the highest objective."""
        return int(np.argmax(self.objective.sum(axis=1)))

    def network(self, restart: int | None = None) -> Network:
        """The network with the parameters of a restart, by default the best."""
        theta = self.theta[self.best if restart is None else restart]
        return self.task.network.with_tables(self.task.layout.tables(theta))

    def only(self, restart: int | None = None) -> Snapshot:
        """A restart alone, by default the best."""
        one = slice(k := self.best if restart is None else restart, k + 1)
        return replace(
            self,
            theta=self.theta[one],
            counts=self.counts[one],
            log_likelihood=self.log_likelihood[one],
            objective=self.objective[one],
            iterations=self.iterations[one],
            converged=self.converged[one],
            recent=self.recent[one],
        )

    def unseen(self, restart: int | None = None) -> list[tuple[int, int]]:
        """Parameter sets with neither data nor prior, which keep their start: (variable, set of its table)."""
        geometry, starts = self.task.objective.geometry, self.task.layout.starts
        if not isinstance(geometry, Simplex) or geometry.prior is not None:
            return []
        weights = self.counts[self.best if restart is None else restart] + self.task.exponents - 1
        sums = np.add.reduceat(weights, geometry.starts) if weights.size else weights
        pruned = self.task.objective.component[geometry.starts] == len(self.task.decomposition.components)
        found = geometry.starts[(sums <= 0) & ~pruned]
        variables = np.searchsorted(starts, found, side="right") - 1
        sizes = [variable.cardinality for variable in self.task.network.variables]
        return [(int(v), int(at - starts[v]) // sizes[v]) for v, at in zip(variables, found, strict=True)]

    def symmetries(self, restart: int = 0) -> list[Symmetry]:
        """Hidden states that the parameters do not tell apart: learning never will."""
        return find_symmetries(self.task, self.theta[restart])
