"""Links to prepared scenes: what they open, and what they refuse."""

from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest

from engine.learning.hold_out import HoldOut
from engine.model.errors import PgmError
from engine.model.prior import Gaussian, Laplace
from engine.model.table_prior import LogisticNormal
from pgmgui.project.axes import Axes
from pgmgui.project.examples import Example, find_example
from pgmgui.project.links import KEYS, is_linkable, make_link, parse_link
from pgmgui.project.marks import Given, Hidden, Partial, ReadAs, Soft
from pgmgui.project.session_file import Saved
from pgmgui.project.settings import Settings
from pgmgui.project.wanted import Supposed, Wanted
from pgmgui.state.session import Session


def test_a_link_opens_its_example_with_its_marks_and_settings():
    link = parse_link(
        {"example": "asia", "hide": "xray,dysp", "partial": "smoke,bronc:0.2", "learner": "em,d-edml", "seed": "3"}
    )
    assert link.scene.title == "Asia"
    assert link.scene.marks == {"xray": Hidden(), "dysp": Hidden(), "smoke": Partial(0.5), "bronc": Partial(0.2)}
    assert link.settings == Settings(("em", "d-edml"), seed=3)
    assert not link.run


def test_what_the_example_hides_can_be_shown():
    assert parse_link({"example": "thesis-chain"}).scene.marks == {"Y": Hidden()}
    assert parse_link({"example": "thesis-chain", "show": "Y", "hide": "Z"}).scene.marks == {"Z": Hidden()}


def test_a_link_that_was_made_opens_the_same():
    example = find_example("thesis-chain")
    scene = parse_link({"example": "thesis-chain"}).scene
    scene = replace(scene, marks={"V": Hidden(), "Z": Partial(0.3)}, common_prior=2.0)
    settings = Settings(("em", "d-em"), "uniform", 5, 4, 1e-6)
    text = make_link(example, Saved(scene, settings, axes=Axes("seconds", "log gap", "all")), run=True)
    link = parse_link(dict(parse_qsl(text.removeprefix("?"))))
    assert (link.scene.marks, link.scene.common_prior) == (scene.marks, 2.0)
    assert (link.settings, link.run) == (settings, True)
    assert link.axes == link.saved.axes == Axes("seconds", "log gap", "all")
    assert "log" not in make_link(example, Saved(scene))


def test_a_link_has_a_prior_on_tables_by_its_name():
    scene = replace(parse_link({"example": "asia"}).scene, table_prior=LogisticNormal(1.5), common_prior=2.0)
    assert is_linkable(scene)
    text = make_link(find_example("asia"), Saved(scene, Settings(("numerical-em",))))
    assert "learner=numerical-em&" in text
    assert "prior=logistic-normal:1.5" in text
    assert parse_link(dict(parse_qsl(text.removeprefix("?")))).scene.table_prior == LogisticNormal(1.5)
    assert parse_link({"example": "asia", "prior": "dirichlet:2"}).scene.common_prior == 2.0


def test_a_link_says_what_is_read_otherwise():
    scene = parse_link({"example": "asia", "target": "smoke,xray", "likelihood": "tub"}).scene
    assert scene.marks == {"smoke": ReadAs("target"), "xray": ReadAs("target"), "tub": ReadAs("likelihood")}
    assert is_linkable(scene)
    text = make_link(find_example("asia"), Saved(scene))
    assert "&target=smoke,xray&likelihood=tub&" in text
    assert parse_link(dict(parse_qsl(text.removeprefix("?")))).scene.marks == scene.marks


def test_data_that_differs_in_what_is_a_target_is_not_the_examples(monkeypatch):
    scene = parse_link({"example": "asia"}).scene
    soft = replace(scene.data.dataset, likelihoods={0: np.array([[0.25, 0.75]])})
    monkeypatch.setattr(Example, "read", lambda _: (scene.document, replace(scene.data, dataset=soft)))
    for targets in ({}, {0: np.array([True])}):
        data = replace(scene.data, dataset=replace(soft, targets=targets))
        assert is_linkable(replace(scene, data=data)) == (not targets)


@pytest.mark.parametrize("prior", [Gaussian(0.5), Laplace(2.0)])
def test_a_link_to_a_markov_network_has_its_prior_and_what_is_given(prior):
    scene = parse_link({"example": "thesis-grid"}).scene
    scene = replace(scene, marks={"2": Given(), "3": Hidden()}, factor_prior=prior)
    assert is_linkable(scene)
    link = parse_link(dict(parse_qsl(make_link(find_example("thesis-grid"), Saved(scene)).removeprefix("?"))))
    assert (link.scene.marks, link.scene.factor_prior) == (scene.marks, prior)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"example": "asia", "given": "smoke"}, "'given' is for Markov networks, and the example 'asia' is none"),
        ({"example": "asia", "l2": "1"}, "'l2' is for Markov networks"),
        ({"example": "thesis-grid", "given": "10"}, "'given' names '10'"),
        ({"example": "thesis-grid", "l2": "0"}, "'l2' is '0'; expected a number from 1e-15"),
        ({"example": "thesis-grid", "l1": "1", "l2": "1"}, "both l1 and l2"),
        ({"example": "asia", "prior": "os:1"}, "the link's 'prior': the prior 'os' is not installed"),
        (
            {"example": "asia", "prior": "logistic-normal:wide"},
            "the link's 'prior': 'logistic-normal:wide' is no prior",
        ),
        ({"example": "asia", "prior": "dirichlet:0.5"}, "'prior' is '0.5'; expected a number from 1"),
        (
            {"example": "thesis-grid", "prior": "logistic-normal:1"},
            "'logistic-normal' is for Bayesian networks; use l2",
        ),
        ({"example": "asia", "x": "rows"}, "'x' is 'rows'; use one of iterations, inferences, seconds"),
        ({"example": "asia", "y": "log gap"}, "'y' is 'log gap'; use one of objective, log-gap"),
        ({}, "no example ''; there are asia"),
        ({"example": "nobody"}, "no example 'nobody'"),
        ({"example": "asia", "hide": "<b>"}, "'<b>'; the example has 'asia'"),
        ({"example": "asia", "partial": "smoke:2"}, "'partial' is '2'; expected a number from 0 to 1"),
        ({"example": "asia", "partial": "no:0.5"}, "'partial' names 'no'"),
        ({"example": "asia", "learner": "magic"}, "learner 'magic'"),
        ({"example": "asia", "start": "magic"}, "start 'magic'"),
        ({"example": "asia", "seed": "-1"}, "'seed' is '-1'"),
        ({"example": "asia", "restarts": "1e9"}, "'restarts'"),
        ({"example": "asia", "seed": "nan"}, "'seed' is 'nan'"),
        ({"example": "asia", "seed": "1.5"}, "'seed' is '1.5'; expected a whole number"),
        ({"example": "asia", "restarts": "1001"}, "'restarts' is '1001'; expected a number from 1 to 1,000"),
        ({"example": "asia", "tol": "1e999"}, "'tol' is '1e999'"),
        ({"example": "asia", "tol": "9" * 5000}, "'tol' is '999"),
        ({"example": "<" * 500}, "no example"),
        ({"example": "asia", "run": "yes"}, "'run' is 'yes'; expected 1"),
        ({"example": "asia", "prior": "0.5"}, "'prior' is '0.5'"),
        ({"example": "asia", "colour": "red"}, "'colour', which is not known"),
        ({"example": "earthquake", "hide": "Alarm"}, "has no data"),
        ({"example": "asia", "suppose": "smoke"}, "'suppose' has 'smoke'; expected a name, a colon"),
        ({"example": "asia", "suppose": "no:yes"}, "'suppose' names 'no'; the example has 'asia'"),
        ({"example": "asia", "suppose": "smoke:maybe"}, "gives smoke the state 'maybe'; it has 'yes', 'no'"),
        (
            {"example": "asia", "suppose-likelihood": "smoke:1"},
            "'suppose-likelihood' of smoke must be 2 different numbers",
        ),
        ({"example": "asia", "suppose-likelihood": "smoke:1/x"}, "'suppose-likelihood' has '1/x'; expected numbers"),
        ({"example": "asia", "suppose-target": "smoke:0.5/0.6"}, "the target of 'smoke' sums to 1.1"),
        ({"example": "asia", "suppose-target": "smoke:0.5/0.5;lung:0.1/0.9"}, "Between several stand commas"),
        ({"example": "asia", "suppose-target": "smoke+smoke:1/0/0/0"}, "name each of its variables once"),
        ({"example": "asia", "suppose": "smoke:yes", "suppose-target": "smoke:0.5/0.5"}, "evidence of another kind"),
        ({"example": "asia", "non-fixed": "yes"}, "'non-fixed' is 'yes'; expected 1"),
    ],
)
def test_a_bad_link_says_what_is_wrong(query, message):
    with pytest.raises(PgmError) as caught:
        parse_link(query)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_link_carries_what_is_supposed():
    tables = {("lung",): (0.25, 0.75), ("smoke", "bronc"): (0.1, 0.2, 0.3, 0.4)}
    supposed = Supposed({"dysp": (1.0, 0.0), "xray": (0.9, 0.1)}, Wanted(tables, fixed=False))
    scene = parse_link({"example": "asia"}).scene
    text = make_link(find_example("asia"), Saved(scene, supposed=supposed))
    wanted = "suppose-target=lung:0.25/0.75,smoke%2Bbronc:0.1/0.2/0.3/0.4&non-fixed=1"
    assert text.endswith(f"suppose=dysp:yes&suppose-likelihood=xray:0.9/0.1&{wanted}")
    link = parse_link(dict(parse_qsl(text.removeprefix("?"))))
    assert link.supposed == link.saved.supposed == supposed


def test_whatever_a_link_says_is_opened_or_refused():
    plain = {"example": "asia", "hide": "smoke", "partial": "xray:0.2", "learner": "em", "seed": "3", "prior": "2"}
    odd = ["", "nan", "-1", "1e999", "9" * 5000, "\ud800", "\0", ",,", ":", "a:b:c", "²", "١", "1_0", " 1 ", "xray:"]
    for key in KEYS:
        for value in odd:
            try:
                parse_link({**plain, key: value})
            except PgmError:
                continue


@pytest.mark.parametrize("key", ["example", "hide", "show", "partial", "learner", "start", "seed"])
def test_what_is_wrong_is_quoted_in_part(key):
    with pytest.raises(PgmError) as caught:
        parse_link({"example": "asia", key: "x" * 5_000})
    assert "'" + "x" * 60 + "…'" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_only_an_example_with_other_marks_can_be_linked():
    session = Session()
    session.open_example(find_example("asia"))
    session.mark(["smoke"], Hidden())
    session.move({"smoke": (5.0, 5.0)})
    assert is_linkable(session.scene)
    session.mark(["smoke"], Soft(0.8))
    assert not is_linkable(session.scene)
    session.undo()
    session.set_prior("dysp", 3.0)
    assert not is_linkable(session.scene)
    session.undo()
    session.set_table(0, [0.5, 0.5])
    assert not is_linkable(session.scene)
    session.undo()
    assert is_linkable(session.scene)
    data = session.data
    session.set_data(replace(data, dataset=replace(data.dataset, weights=data.dataset.weights * 2)))
    assert not is_linkable(session.scene)
    session.new()
    assert not is_linkable(session.scene)


def test_a_link_says_which_rows_are_held_out():
    scene = replace(parse_link({"example": "asia"}).scene, hold_out=HoldOut(1 / 3, 4))
    text = make_link(find_example("asia"), Saved(scene, axes=Axes(up="per row")))
    link = parse_link(dict(parse_qsl(text.removeprefix("?"))))
    assert (link.scene.hold_out, link.axes.up) == (scene.hold_out, "per row")
    assert parse_link({"example": "asia", "hold-out": "0", "hold-out-seed": "2"}).scene.hold_out is None
    with pytest.raises(PgmError, match=r"'hold-out' is '0\.95'; expected a number from 0 to 0\.9"):
        parse_link({"example": "asia", "hold-out": "0.95"})
