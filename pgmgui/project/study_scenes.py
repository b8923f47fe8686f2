"""The papers' studies as scenes: a problem of a study's quick form, to be watched live.

Which network, how many rows, what is hidden, which learners: the engine says it (:mod:`engine.studies.live`). Here a
study becomes what an example of the gallery is, so that links, sessions and undo know it as one; and a link, which
opens it as a lesson's step is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from engine.formats import DataDocument, Document, read_network
from engine.model.dataset import Role
from engine.model.network import BayesianNetwork, Network
from engine.studies.catalogue import STUDIES
from engine.studies.live import STAND_IN, draw_stand_in
from engine.studies.problem import LearningProblem
from engine.studies.study import AnyStudy
from pgmgui.project.study_files import find_files, list_folders
from pgmgui.project.words import LEARNERS, count

PAPERS = {"thesis": "Thesis", "compression": "Compression paper", "bound": "Bound paper"}
"""What the papers are called, by what stands in brackets in a study's line, in the order they are shown."""


@dataclass(frozen=True)
class StudyExample:
    """A problem of a study, as an example.

    Attributes
    ----------
    id : str
        The study's name on the command line.
    files : mapping from name to path
        The networks that were found, of those that the study reads.
    """

    id: str
    files: dict[str, Path] = field(default_factory=dict)

    @property
    def study(self) -> AnyStudy:
        return STUDIES[self.id]

    @property
    def paper(self) -> str:
        """Which paper it is of first: a key of :data:`PAPERS`."""
        return self.study.place.partition("[")[2].partition("]")[0]

    @cached_property
    def network_name(self) -> str:
        """The network of the problem, as the paper calls it; it may be another that stands in for it."""
        known = sorted(self.files, key=lambda name: self.files[name].stat().st_size)
        return self.study.choose_live(known) or self.study.networks[0]

    @property
    def is_stand_in(self) -> bool:
        """Whether another network stands in, because none of the study's is to be had."""
        return self.network_name not in self.study.drawn and self.network_name not in self.files

    @property
    def told_network(self) -> str:
        """The network, in words."""
        return f"{STAND_IN} in place of {self.network_name}" if self.is_stand_in else self.network_name

    @property
    def command(self) -> str:
        """What runs the whole study in a shell."""
        return f"pgmgui experiment {self.id}"

    @property
    def title(self) -> str:
        first = f"{self.study.place.partition(']')[0]}]"  # one place in one paper: a title has little room
        return f"{first}: {f'stand-in for {self.network_name}' if self.is_stand_in else self.network_name}"

    @property
    def shows(self) -> str:
        """What the paper saw."""
        return self.study.saw

    @property
    def hide(self) -> tuple[str, ...]:
        """The variables that are hidden; their values are in the data."""
        dataset = self._problem.dataset
        return tuple(v.name for v, role in zip(dataset.variables, dataset.roles, strict=True) if role is Role.HIDDEN)

    @property
    def truth(self) -> Network:
        return self._problem.network

    def read(self) -> tuple[Document, DataDocument]:
        """The network, and its rows with nothing hidden."""
        problem, read = self._problem, self._document
        document = Document(problem.network, read.name, read.positions, notes=read.notes)
        note = f"simulated from {self.told_network}: {count(problem.complete.n_rows, 'row')}, as the study does"
        return document, DataDocument(problem.complete, (note,))

    @cached_property
    def _document(self) -> Document:
        if self.network_name in self.files and self.network_name not in self.study.drawn:
            return read_network(self.files[self.network_name])
        seed = self.study.quick.random_state
        draw = draw_stand_in if self.is_stand_in else self.study.drawn[self.network_name]
        return Document(draw(random_state=seed), self.network_name)

    @cached_property
    def _problem(self) -> LearningProblem:
        return self.study.pose_live(self.network_name, self._document.network)

    @property
    def link(self) -> dict[str, str]:
        """What opens it, and begins to learn: the parameters of :mod:`pgmgui.project.links`."""
        live, quick = self.study.live, self.study.quick
        query = {
            "example": self.id,
            "learner": ",".join(live.methods),
            "seed": str(self._problem.start),
            "restarts": str(live.restarts),
            "tol": f"{live.tol:g}",
            "criterion": live.criterion,
            "max-iter": str(quick.max_iter),
            "x": live.across,
            "y": live.up.replace(" ", "-"),
            "fit": live.fit,
            "run": "1",
        }
        return query | ({"prior": f"{quick.prior:g}"} if isinstance(self.truth, BayesianNetwork) else {})

    @property
    def setting(self) -> str:
        """What is learned from what, in words, without drawing it."""
        live, quick = self.study.live, self.study.quick
        learners = " against ".join(LEARNERS[name] for name in live.methods)
        starts = f" from {live.restarts} starts" if live.restarts > 1 else ""
        return f"{learners}{starts}, {count(quick.max_iter, 'iteration')} at most"


def find_study(name: str) -> StudyExample:
    """The problem of a study that is watched, with the networks that are to be had now."""
    return _find_studies([name])[0]


def list_studies() -> dict[str, Sequence[StudyExample]]:
    """All studies, by the title of their paper."""
    found = _find_studies(list(STUDIES))
    return {title: [each for each in found if each.paper == paper] for paper, title in PAPERS.items()}


def _find_studies(names: Sequence[str]) -> list[StudyExample]:
    """The problems of some studies; a network of several of them is looked for once."""
    known = find_files(dict.fromkeys(n for name in names for n in STUDIES[name].networks), list_folders())
    return [StudyExample(name, {n: known[n] for n in STUDIES[name].networks if n in known}) for name in names]
