"""The catalogue of methods: every way to learn, by name. A new learner is one file and one line here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from engine.learning.bounding import bound_task
from engine.learning.bounds import Bounds
from engine.learning.imap.budget import Budget
from engine.learning.learner import Learner
from engine.learning.learners.auto.learner import Auto
from engine.learning.learners.edml import EDML
from engine.learning.learners.edml_in_turn import EDMLInTurn
from engine.learning.learners.em import EM
from engine.learning.learners.gradient import Gradient
from engine.learning.learners.hybrid import Hybrid
from engine.learning.learners.numerical_em import NumericalEM
from engine.learning.task import LearningTask
from engine.model.arrays import weighted_counts
from engine.model.dataset import Role
from engine.model.errors import ModelError
from engine.model.network import BayesianNetwork, MarkovNetwork, Network
from engine.model.prior import Gaussian, Laplace, Prior
from engine.model.table_prior import TablePrior
from engine.model.variable import list_names

FACTOR_WISE = (EDML, EDMLInTurn, Hybrid)
"""Learners that move factors by what the model says of their own marginals."""


@dataclass(frozen=True)
class Method:
    """A way to learn.

    Attributes
    ----------
    title : str
    learner : Learner
    decomposed : bool
        Whether each component stops on its own, where it can.
    conditioned : bool
        Whether inference conditions on observed variables; False is the textbook baseline.
    complete : bool
        Whether it needs complete data.
    kinds : tuple of type
        The kinds of network that it learns.
    settles : bool
        Whether it ends at an optimum. What does not is there to be seen diverging.
    restarts : int
        How many it makes at least, whatever is asked for.
    """

    title: str
    learner: Learner
    decomposed: bool = False
    conditioned: bool = True
    complete: bool = False
    kinds: tuple[type, ...] = (BayesianNetwork, MarkovNetwork)
    settles: bool = True
    restarts: int = 1

    def learner_for(self, task: LearningTask) -> Learner:
        """The learner of a task: one that searches by itself knows what can be reached."""
        if not isinstance(self.learner, Auto):
            return self.learner
        bounds = bound_task(task, Budget(0.0), fit=False)
        if not isinstance(bounds, Bounds):
            return self.learner.for_task(task, np.array([bounds.total]))
        together = task.objective.stops_with
        return self.learner.for_task(task, weighted_counts(together, bounds.imap, len(together)))

    def reason_against(self, network: Network, given: Collection[int] = (), prior: Prior = 1.0) -> str:
        """Why the method does not learn a network, and what does, as what is said of it; empty if it learns it.

        With a prior on the factors or the tables, and given variables, where these are asked for.
        """
        if isinstance(network, self.kinds):
            is_plain = isinstance(network, BayesianNetwork) or not isinstance(self.learner, FACTOR_WISE)
            if given and not is_plain:
                return "needs one model for all rows, and given variables make several; use em or lbfgs"
            if isinstance(prior, (Gaussian, Laplace)) and not is_plain:
                return "has no place for a prior on the factors; use em or lbfgs"
            is_able = isinstance(self.learner, NumericalEM) or isinstance(network, MarkovNetwork)
            if isinstance(prior, TablePrior) and not is_able:
                return f"has no formula for the prior {prior.name!r} on tables; use numerical-em"
            return ""
        if isinstance(self.learner, NumericalEM):
            return (
                "is for Bayesian networks, where every row of a table has a peak of its own: the partition function "
                "couples factors; use em, whose M-step is numerical there"
            )
        if isinstance(network, MarkovNetwork):
            return "is for Bayesian networks: the partition function couples factors; use ipf"
        return "is for Markov networks, whose factors have a free scale; use edml"

    def reason_against_data(self, task: LearningTask) -> str:
        """Why the method does not learn from a task's data; empty if it does."""
        against_targets = self._reason_against_targets(task)
        if against_targets:
            return against_targets
        if not self.complete or not any(term.jobs for term in task.objective.terms if term.sign > 0):
            return ""
        found = dict.fromkeys(v for block in task.plan.blocks for v in block.variables)
        names = list_names([task.network.variables[v].name for v in found])
        how = "missing or uncertain" if any(task.dataset.roles[v] is Role.SOFT for v in found) else "missing"
        missing = sum(int(cells[codes < 0].sum()) for codes, cells in map(task.dataset.count_codes, found))
        size = task.dataset.n_rows * len(task.network.variables)
        return f"needs complete data, but values of {names} are {how} ({missing:,} of {size:,} cells); use em"

    def _reason_against_targets(self, task: LearningTask) -> str:
        """Why the method does not learn from the targets of a task's cells; empty if it does."""
        if task.has_moving_targets and not isinstance(self.learner, EM):
            return (
                "climbs an objective, and non-fixed targets have none that every step raises; "
                "use em, or have them fixed"
            )
        if task.has_moving_targets and self.decomposed:
            return (
                "learns components apart, and non-fixed targets depend on the tables of all their ancestors; "
                "use em, or have them fixed"
            )
        if task.objective.n_fitted and isinstance(self.learner, (EDML, EDMLInTurn)):
            return "takes several targets in a row for likelihoods, and overshoots them; use em, hybrid or lbfgs"
        return ""

    def reason_to_stay(self, task: LearningTask) -> str:
        """Why nothing of a task is shared out among workers, as what is said of the method; empty if it is."""
        if self.learner.chooses_units:
            return "has restarts that learn from one another"
        return "keeps the best of all iterates, with non-fixed targets" if task.has_moving_targets else ""

    def reason_against_task(self, task: LearningTask) -> str:
        """Why the method does not learn a task: its network, prior, given variables or data; empty if it does."""
        prior = 1.0 if task.geometry.prior is None else task.geometry.prior
        return self.reason_against(task.network, task.given, prior) or self.reason_against_data(task)


METHODS: Mapping[str, Method] = {
    "auto": Method("automatic", Auto(), decomposed=True, restarts=8),
    "d-em": Method("decomposed EM", EM(), decomposed=True),
    "em": Method("EM", EM()),
    "em-textbook": Method("textbook EM", EM(), conditioned=False),
    "d-numerical-em": Method("decomposed numerical EM", NumericalEM(), decomposed=True, kinds=(BayesianNetwork,)),
    "numerical-em": Method("numerical EM", NumericalEM(), kinds=(BayesianNetwork,)),
    "d-edml": Method("decomposed EDML", EDML(), decomposed=True),
    "edml": Method("EDML", EDML()),
    "edml-undamped": Method("undamped EDML", EDML(damping=0.0), kinds=(MarkovNetwork,), settles=False),
    "d-hybrid": Method("decomposed hybrid", Hybrid(), decomposed=True),
    "hybrid": Method("hybrid", Hybrid()),
    "d-lbfgs": Method("decomposed L-BFGS", Gradient("lbfgs"), decomposed=True),
    "lbfgs": Method("L-BFGS", Gradient("lbfgs")),
    "d-cg": Method("decomposed CG", Gradient("cg"), decomposed=True),
    "cg": Method("CG", Gradient("cg")),
    "d-edml-in-turn": Method("decomposed EDML in turn", EDMLInTurn(), decomposed=True, kinds=(MarkovNetwork,)),
    "edml-in-turn": Method("EDML in turn", EDMLInTurn(), kinds=(MarkovNetwork,)),
    "ipf": Method("IPF", EDMLInTurn(), complete=True, kinds=(MarkovNetwork,)),
    "counting": Method("counting", EM(), decomposed=True, complete=True, kinds=(BayesianNetwork,)),
}
"""All methods, by their names on the command line and in the order in which they are offered."""


def default_method(network: Network, prior: Prior = 1.0, *, is_moving: bool = False) -> str:
    """The name of the method that learns a problem if none is asked for: decomposed EM, or what comes next to it.

    ``is_moving`` says that the data has targets, and they are not fixed.
    """
    if is_moving:
        return "em"
    return "d-numerical-em" if isinstance(prior, TablePrior) and isinstance(network, BayesianNetwork) else "d-em"


def find_method(name: str | Method) -> Method:
    """The method of a name."""
    if isinstance(name, Method):
        return name
    if name not in METHODS:
        raise ModelError(f"the method {name!r} is not known; use one of {', '.join(METHODS)}")
    return METHODS[name]
