"""Links to a prepared scene: ``?example=asia&hide=tub,lung&learner=em,d-em&seed=3``.

===========  ==================================================================================
example      an example of the gallery, by its id; or a study of the papers, by its name on the command line
hide         variables to hide besides those the example hides: names with commas between
show         variables to show that the example hides
partial      variables of which half the values are missing; ``smoke:0.2`` for another share
learner      learners, by their names on the command line
start        random, uniform or current
seed         of the random starts
restarts     how many starts
prior        the Dirichlet exponent of all variables; or a prior on tables and its width, logistic-normal:1.5
tie          variables that share one table: ``A,B``, and ``A,B;C,D`` for two such groups
target       variables whose likelihoods in the data are read as targets for the posterior
likelihood   variables whose targets in the data are read as likelihoods
given        variables of a Markov network that the others are learned given
l2, l1       the width of a Gaussian or Laplace prior on the factors of a Markov network
tol          the tolerance of the learners
criterion    what it is of: likelihood or parameters
max-iter     the most iterations of a learner
hold-out     the share of the rows that is not learned from, to test on
hold-out-seed  which rows these are
targets      of learning: fixed, or non-fixed: whether the targets of cells hold whatever else a row says
x, y         what the plot shows: iterations, inferences or seconds; objective, log-gap or per-row
fit          what the plot shows: curves (where they end), bounds (looser ones too) or all (from the start)
suppose      what a query supposes: ``smoke:yes``, with commas between
suppose-likelihood  a number for each state: ``xray:0.8/0.1``
suppose-target  what shall be: ``dysp:0.7/0.3``, or of several variables ``smoke+bronc:0.2/0.1/0.3/0.4``
non-fixed    of a query, 1: the targets that are supposed hold before the rest is
run          1: begin learning at once
structure    a search for a structure to begin at once: hill-climbing, chow-liu, tan, exact, k2 or l1
data         where other data than the example's lies, to be counted there: a path, a pattern or a URL
table        the table of that data, where it is a database that has several
===========  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import numpy as np

from engine.learning.hold_out import HoldOut
from engine.learning.methods import METHODS
from engine.learning.starts import KINDS
from engine.learning.stopping import CRITERIA
from engine.model.dataset import Dataset
from engine.model.errors import ModelError, PgmError
from engine.model.messages import MOST_QUOTED, shorten
from engine.model.network import MarkovNetwork, Network
from engine.model.table_prior import TablePrior, parse_prior, show_table_prior
from engine.model.ties import find_ties
from engine.model.variable import list_names
from pgmgui.project import link_data, link_evidence
from pgmgui.project.axes import ACROSS, FITS, UP, Axes
from pgmgui.project.counted_data import Rows
from pgmgui.project.examples import AnyExample, find_example
from pgmgui.project.factor_prior import PRIORS, FactorPrior, kind_of, make_factor_prior, width_of
from pgmgui.project.layout import arrange
from pgmgui.project.link_data import find_place, parse_place, write_place
from pgmgui.project.link_numbers import read_number, read_whole
from pgmgui.project.marks import READINGS, Given, Hidden, Mark, Partial, ReadAs
from pgmgui.project.scene import Scene
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.structure_settings import StructureSettings, list_searches
from pgmgui.project.study_scenes import StudyExample
from pgmgui.project.tying import share_tables
from pgmgui.project.wanted import Supposed

HALF = 0.5
_FOR_MARKOV = ("given", *PRIORS)
_FOR_ALL = (
    "example",
    "hide",
    "show",
    "partial",
    "tie",
    *READINGS,
    "learner",
    "start",
    "seed",
    "restarts",
    "prior",
    "tol",
    "criterion",
    "max-iter",
    "hold-out",
    "hold-out-seed",
    "targets",
    "x",
    "y",
    "fit",
    "run",
    "structure",
    *link_data.KEYS,
    *link_evidence.KEYS,
)
KEYS = (*_FOR_ALL, *_FOR_MARKOV)


@dataclass(frozen=True, eq=False)
class Link:
    """What a link opens."""

    scene: Scene
    settings: Settings
    axes: Axes
    run: bool
    supposed: Supposed
    structure: str = ""

    @property
    def saved(self) -> Saved:
        """The same, as a session's file would hold it."""
        search = StructureSettings(search=self.structure) if self.structure else StructureSettings()
        return Saved(self.scene, self.settings, self.supposed, axes=self.axes, search=search)


def parse_link(query: Mapping[str, str]) -> Link:
    """The scene and settings of a link's parameters.

    Raises
    ------
    PgmError
        Naming the parameter that is wrong, and what it may be.
    """
    unknown = [key for key in query if key not in KEYS]
    if unknown:
        shown = list_names([key[:MOST_QUOTED] for key in unknown])
        raise PgmError(f"the link has {shown}, which is not known; it may have {', '.join(KEYS)}")
    example, query = _take_example(query)
    document, data = example.read()
    names = [variable.name for variable in document.network.variables]
    for key in _FOR_MARKOV:
        if query.get(key) and not isinstance(document.network, MarkovNetwork):
            raise PgmError(f"the link's {key!r} is for Markov networks, and the example {example.id!r} is none")
    marks: dict[str, Mark] = dict.fromkeys(example.hide, Hidden())
    for name in _split(query, "show", names):
        marks.pop(name, None)
    marks |= dict.fromkeys(_split(query, "hide", names), Hidden())
    for name, share in _split_shares(query, names):
        marks[name] = Partial(share)
    for meaning in READINGS:
        marks |= dict.fromkeys(_split(query, meaning, names), ReadAs(meaning))
    marks |= dict.fromkeys(_split(query, "given", names), Given())
    place = parse_place(query)
    if marks and data is None and place is None:
        raise PgmError(f"the example {example.id!r} has no data, so that nothing can be hidden")
    common_prior, table_prior = _parse_prior(query, document.network)
    scene = Scene(
        example.title,
        example.shows,
        arrange(document),
        data if place is None else None,
        marks,
        common_prior=common_prior,
        example=example.id,
        truth=example.truth,
        factor_prior=_parse_factor_prior(query),
        hold_out=_parse_hold_out(query),
        table_prior=table_prior,
        fixed_targets=_parse_targets(query),
        ties=_split_groups(query, names),
        place=place,
    )
    network = document.network
    learned = _share_tables(scene), _parse_settings(query), _parse_axes(query), _parse_run(query)
    return Link(*learned, link_evidence.parse_supposed(query, network), _parse_structure(query, network))


def _take_example(query: Mapping[str, str]) -> tuple[AnyExample, Mapping[str, str]]:
    """The example of a link, and all parameters: those of a study that is named alone are what the Guide opens."""
    example = find_example(query.get("example", ""))
    if isinstance(example, StudyExample) and "learner" not in query:  # which all links have that the page makes
        return example, {**example.link, **query}
    return example, query


def is_linkable(scene: Scene) -> bool:
    """Whether a scene is an example with other marks, and nothing else that a link could not say."""
    if not scene.example or scene.prior:
        return False
    document, data = find_example(scene.example).read()
    example = Scene(document=document, ties=scene.ties)
    ours, theirs = scene.document.network, share_tables(example, example)[0].document.network
    place = find_place(scene)
    same = ours.variables == theirs.variables and ours.scopes == theirs.scopes
    same = same and (place is not None or (scene.data is None) == (data is None))
    if not same or not all(np.array_equal(a, b) for a, b in zip(ours.tables, theirs.tables, strict=True)):
        return False
    plain = all(
        isinstance(mark, Hidden | Given | ReadAs) or (isinstance(mark, Partial) and mark.mechanism == "mcar")
        for mark in scene.marks.values()
    )
    if place is not None:
        return plain and not place.columns and not place.values
    return plain and (scene.data is None or data is None or _are_equal(scene.data.dataset, data.dataset))


def _are_equal(one: Rows, other: Rows) -> bool:
    """Whether two datasets have the same cells and weights, row by row."""
    if not isinstance(one, Dataset) or not isinstance(other, Dataset):
        return False
    return (
        np.array_equal(one.codes, other.codes)
        and np.array_equal(one.weights, other.weights)
        and one.likelihoods.keys() == other.likelihoods.keys()
        and all(np.array_equal(vectors, other.likelihoods[v]) for v, vectors in one.likelihoods.items())
        and one.targets.keys() == other.targets.keys()
        and all(np.array_equal(chosen, other.targets[v]) for v, chosen in one.targets.items())
    )


def make_link(example: AnyExample, saved: Saved, run: bool = False) -> str:
    """The parameters that open a scene of an example again, from the question mark on.

    Only what a link can say is in it: which variables are hidden, partial, tied, given or read otherwise, the learners,
    where they start, the plot's axes, and what is supposed.
    """
    scene, settings = saved.scene, saved.settings
    hidden = [name for name, mark in scene.marks.items() if isinstance(mark, Hidden) and name not in example.hide]
    shown = [name for name in example.hide if not isinstance(scene.marks.get(name), Hidden)]
    partial = [f"{name}:{mark.fraction:g}" for name, mark in scene.marks.items() if isinstance(mark, Partial)]
    marked = {"hide": hidden, "show": shown, "partial": partial}
    for key, other in (*((meaning, ReadAs(meaning)) for meaning in READINGS), ("given", Given())):
        marked[key] = [name for name, mark in scene.marks.items() if mark == other]
    plain = Settings()
    query = {"example": example.id, **{key: ",".join(names) for key, names in marked.items() if names}}
    if scene.ties:
        query["tie"] = ";".join(",".join(group) for group in scene.ties)
    query |= write_place(scene)
    query["learner"] = ",".join(settings.methods)
    query["seed"] = str(settings.seed)
    if settings.start != plain.start:
        query["start"] = settings.start
    if settings.restarts != plain.restarts:
        query["restarts"] = str(settings.restarts)
    if scene.table_prior is not None and not isinstance(scene.document.network, MarkovNetwork):
        query["prior"] = show_table_prior(scene.table_prior)
    elif scene.common_prior != 1.0:
        query["prior"] = f"{scene.common_prior:g}"
    if scene.factor_prior is not None:
        query[kind_of(scene.factor_prior)] = f"{width_of(scene.factor_prior):g}"
    if settings.tol != plain.tol:
        query["tol"] = f"{settings.tol:g}"
    if settings.criterion != plain.criterion:
        query["criterion"] = settings.criterion
    if settings.max_iter != plain.max_iter:
        query["max-iter"] = str(settings.max_iter)
    if scene.hold_out is not None:
        query["hold-out"], query["hold-out-seed"] = str(scene.hold_out.share), str(scene.hold_out.seed)
    if not scene.fixed_targets:
        query["targets"] = "non-fixed"
    if saved.axes.across != Axes.across:
        query["x"] = saved.axes.across
    if saved.axes.up != Axes.up:
        query["y"] = _dashed(saved.axes.up)
    if saved.axes.fit != Axes.fit:
        query["fit"] = saved.axes.fit
    query |= link_evidence.write_supposed(saved.supposed, scene.document.network)
    return "?" + urlencode({**query, **({"run": "1"} if run else {})}, safe=",:/")


def _parse_run(query: Mapping[str, str]) -> bool:
    run = query.get("run", "0")
    if run not in ("0", "1"):
        raise PgmError(f"the link's 'run' is {shorten(run)}; expected 1, or nothing")
    return run == "1"


def _parse_structure(query: Mapping[str, str], network: Network) -> str:
    """The search for a structure that a link begins; empty for none."""
    name = query.get("structure", "")
    offered = list_searches(network)
    if name and name not in offered:
        raise PgmError(f"the link's 'structure' is {shorten(name)}; use one of {', '.join(offered)}")
    return name


def _parse_settings(query: Mapping[str, str]) -> Settings:
    plain = Settings()
    methods = tuple(query["learner"].split(",")) if query.get("learner") else plain.methods
    for method in methods:
        if method not in METHODS:
            raise PgmError(
                f"the link names the learner {shorten(method)}, which is not known; use {', '.join(METHODS)}"
            )
    start = query.get("start", plain.start)
    if start not in KINDS:
        raise PgmError(f"the link has the start {shorten(start)}; use one of {', '.join(KINDS)}")
    criterion = query.get("criterion") or plain.criterion
    if criterion not in CRITERIA:
        raise PgmError(f"the link's 'criterion' is {shorten(criterion)}; use one of {', '.join(CRITERIA)}")
    return replace(
        plain,
        methods=methods,
        start=start,
        seed=read_whole(query, "seed", plain.seed),
        restarts=read_whole(query, "restarts", plain.restarts),
        tol=read_number(query, "tol", plain.tol),
        criterion=criterion,
        max_iter=read_whole(query, "max-iter", plain.max_iter),
    )


def _parse_axes(query: Mapping[str, str]) -> Axes:
    def choose(key: str, names: Iterable[str]) -> str:
        known = {_dashed(name): name for name in names}
        value = query.get(key) or next(iter(known))
        if value not in known:
            raise PgmError(f"the link's {key!r} is {shorten(value)}; use one of {', '.join(known)}")
        return known[value]

    return Axes(choose("x", ACROSS), choose("y", UP), choose("fit", FITS))


def _dashed(name: str) -> str:
    """The name of an axis as a link has it."""
    return name.replace(" ", "-")


def _parse_prior(query: Mapping[str, str], network: Network) -> tuple[float, TablePrior | None]:
    """The exponent of all variables, or a prior on the tables of a Bayesian network that is no Dirichlet."""
    text = query.get("prior", "")
    if ":" not in text:
        return read_number(query, "prior", 1.0), None
    try:
        prior = parse_prior(text)
    except PgmError as error:
        raise PgmError(f"the link's 'prior': {error}") from None
    if not isinstance(prior, TablePrior):
        return read_number({"prior": str(prior)}, "prior", 1.0), None
    if isinstance(network, MarkovNetwork):
        raise PgmError(f"the link's prior {prior.name!r} is for Bayesian networks; use l2 or l1")
    return 1.0, prior


def _parse_factor_prior(query: Mapping[str, str]) -> FactorPrior | None:
    kinds = [kind for kind in PRIORS if query.get(kind)]
    if len(kinds) > 1:
        raise PgmError("the link has both l1 and l2, which exclude each other; give one")
    return make_factor_prior(kinds[0], read_number(query, kinds[0], 1.0)) if kinds else None


def _parse_hold_out(query: Mapping[str, str]) -> HoldOut | None:
    share = read_number(query, "hold-out", 0.0)
    return HoldOut(share, read_whole(query, "hold-out-seed", 0)) if share else None


def _parse_targets(query: Mapping[str, str]) -> bool:
    value = query.get("targets") or "fixed"
    if value not in ("fixed", "non-fixed"):
        raise PgmError(f"the link's 'targets' is {shorten(value)}; use fixed or non-fixed")
    return value == "fixed"


def _split(query: Mapping[str, str], key: str, names: Sequence[str]) -> list[str]:
    """The variables that a parameter names."""
    text = query.get(key, "")
    found = [text] if text in names else [name for name in text.split(",") if name]
    for name in found:
        if name not in names:
            raise PgmError(f"the link's {key!r} names {shorten(name)}; the example has {list_names(list(names))}")
    return found


def _split_groups(query: Mapping[str, str], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The groups of variables that share a table."""
    groups = filter(None, query.get("tie", "").split(";"))
    return tuple(tuple(_split({"tie": group}, "tie", names)) for group in groups)


def _share_tables(scene: Scene) -> Scene:
    """The scene with one table for all that are tied."""
    try:
        find_ties(scene.document.network, scene.ties)
    except ModelError as error:
        raise PgmError(f"the link's 'tie': {error}") from None
    return share_tables(scene, scene)[0]


def _split_shares(query: Mapping[str, str], names: Sequence[str]) -> list[tuple[str, float]]:
    found = []
    for item in filter(None, query.get("partial", "").split(",")):
        name, _, share = item.rpartition(":") if item not in names else (item, "", "")
        if name not in names:
            raise PgmError(
                f"the link's 'partial' names {shorten(name or item)}; the example has {list_names(list(names))}"
            )
        found.append((name, read_number({"partial": share}, "partial", HALF)))
    return found
