"""What learning climbs: a sum of signed terms over weighted rows, and a prior.

A term is Σ w log Z(row), where Z(row) sums the product of all factors over what the row leaves open. The
likelihood of a Bayesian network is one such term, over its data. That of a Markov network is its data's term
minus another: N log Z, one row with nothing observed (and, given some variables, one row per distinct
observation of these).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.inference.plan import MEMORY_LIMIT
from engine.learning.jobs import Job
from engine.learning.parameters import Geometry
from engine.model.arrays import Bools, Floats, Ints, weighted_counts


@dataclass(frozen=True, eq=False)
class Term:
    """Σ w log Z(row) over some rows, added or subtracted.

    Attributes
    ----------
    sign : {1, −1}
    counts : array (parameters,)
        What is counted in rows where a factor is complete: the same whatever the parameters.
    component : array (parameters,)
        Where the likelihood of what is counted belongs.
    jobs : tuple of Job
        What must be propagated at every pass. Weights may have any sign.
    """

    sign: int
    counts: Floats
    component: Ints
    jobs: tuple[Job, ...]

    @cached_property
    def counted(self) -> tuple[Ints, Floats, Ints]:
        """The parameters that are counted, their counts with the sign, and their components."""
        where = self.counts.nonzero()[0]
        return where, self.sign * self.counts[where], self.component[where]

    def only(self, components: Bools) -> Term:
        """The term with the rows of some components."""
        jobs = [job.only(components) for job in self.jobs]
        counts = np.where(components[self.component], self.counts, 0.0)
        return Term(self.sign, counts, self.component, tuple(job for job in jobs if job is not None))

    def repeated(self, times: int, components: int, fitted: slice) -> Term:
        """The term for several parameter vectors laid end to end, each with what is fitted of its own."""
        parameters = len(self.counts)
        shift = np.repeat(np.arange(times) * components, parameters)
        jobs = tuple(job.repeated(times, parameters, components, fitted) for job in self.jobs)
        return Term(self.sign, np.tile(self.counts, times), np.tile(self.component, times) + shift, jobs)


@dataclass(frozen=True, eq=False)
class Objective:
    """The likelihood (or posterior density) of parameters given a dataset, component by component.

    Attributes
    ----------
    geometry : Simplex or LogLinear
        What the parameters may be, and their prior.
    terms : tuple of Term
    component : array (parameters,)
        The component of each parameter.
    n_components : int
        The components of the decomposition, and last one for what is in none of them: hidden leaves of a Bayesian
        network, the partition function of a Markov network.
    constant : array (components,)
        What likelihood cells scaled to a maximum of 1 leave out of the log-likelihood.
    evidence : array
        What jobs read beside the parameters.
    copies : int
        How many parameter vectors are laid end to end: restarts in one batch.
    n_fitted : int
        How many numbers jobs read beside the evidence, after it: likelihoods of targets, found anew at every pass.
    memory_limit : int
        Bytes that the tables of a pass may take: rows are propagated in chunks that fit.
    """

    geometry: Geometry
    terms: tuple[Term, ...]
    component: Ints
    n_components: int
    constant: Floats
    evidence: Floats
    copies: int = 1
    n_fitted: int = 0
    memory_limit: int = MEMORY_LIMIT

    @property
    def n_parameters(self) -> int:
        return len(self.component)

    @property
    def is_separable(self) -> bool:
        """Whether every component can be learned on its own: no term spans several of them."""
        return all(term.sign > 0 for term in self.terms)

    @cached_property
    def stops_with(self) -> Ints:
        """Per component, the one that it stops with: itself; of those whose tables are shared, the last of them."""
        home, lead = np.arange(self.n_components), self.geometry.lead
        if lead is None:
            return home
        follows = np.flatnonzero(lead != np.arange(self.n_parameters))
        pairs = np.unique(np.stack([self.component[follows], self.component[lead[follows]]]), axis=1)
        while True:
            before = home.copy()
            for one, other in (pairs, pairs[::-1]):
                np.maximum.at(home, one, home[other])
            if np.array_equal(home, before):
                return home

    @property
    def jobs(self) -> list[Job]:
        """The jobs of all terms."""
        return [job for term in self.terms for job in term.jobs]

    @cached_property
    def counts(self) -> Floats:
        """What is counted whatever the parameters, of what is added."""
        return np.asarray(sum((term.counts for term in self.terms if term.sign > 0), np.zeros(self.n_parameters)))

    @cached_property
    def rows_per_pass(self) -> Ints:
        """Per component, the rows that a pass propagates."""
        rows = np.zeros(self.n_components, dtype=np.int64)
        for job in self.jobs:
            rows += np.bincount(job.component, minlength=self.n_components)
        return rows

    @cached_property
    def incomplete(self) -> Ints:
        """The components with something to propagate."""
        return self.rows_per_pass.nonzero()[0]

    def log_prior(self, theta: Floats) -> Floats:
        """The log prior per component."""
        values = self.geometry.log_prior(theta)
        return np.zeros(self.n_components) if values is None else self.sum(values)

    def sum(self, values: Floats) -> Floats:
        """Values of parameters added up by component."""
        if not values.size:
            return np.zeros(self.n_components)
        return weighted_counts(self.run_component, np.add.reduceat(values, self._run_starts), self.n_components)

    def find_largest(self, values: Floats) -> Floats:
        """The largest of the values of each run of parameters of one component: of :attr:`run_component`."""
        return np.maximum.reduceat(values, self._run_starts) if values.size else values

    @cached_property
    def _run_starts(self) -> Ints:
        """Where runs of parameters of one component begin: far fewer than parameters."""
        begins = np.ones(self.n_parameters, dtype=bool)
        np.not_equal(self.component[1:], self.component[:-1], out=begins[1:])
        return begins.nonzero()[0]

    @cached_property
    def run_component(self) -> Ints:
        """The component of each run."""
        return self.component[self._run_starts]

    def only(self, components: Bools) -> Objective:
        """The objective with the data of some components only; parameters keep their places."""
        if components.all():
            return self
        terms = tuple(term.only(components) for term in self.terms)
        return replace(self, terms=terms, constant=np.where(components, self.constant, 0.0))

    def completed(self, counts: Floats) -> Objective:
        """The objective as if the data were complete, and counted like this: what an M-step climbs."""
        terms = [term for term in self.terms if term.sign < 0]
        return replace(self, terms=(Term(1, counts, self.component, ()), *terms))

    def repeated(self, times: int) -> Objective:
        """The objective of several parameter vectors laid end to end: restarts in one batch."""
        if times == 1:
            return self
        shift = np.repeat(np.arange(times) * self.n_components, self.n_parameters)
        first = self.n_parameters + len(self.evidence)
        fitted = slice(first, first + self.n_fitted)
        return Objective(
            self.geometry.repeated(times),
            tuple(term.repeated(times, self.n_components, fitted) for term in self.terms),
            np.tile(self.component, times) + shift,
            self.n_components * times,
            np.tile(self.constant, times),
            self.evidence,
            times * self.copies,
            times * self.n_fitted,
            self.memory_limit,
        )
