"""The report of a run: one page that stands on its own, with nothing in it that a name could inject."""

import re
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.learning.learn import learn
from engine.model.prior import Laplace
from engine.model.table_prior import LogisticNormal
from pgmgui.board.arrow_layer import paint
from pgmgui.board.arrow_picture import CLASSES, SHARES, VERDICTS, WORTHS
from pgmgui.board.picture import draw, look_at
from pgmgui.components.canvas import canvas
from pgmgui.project.examples import load_gallery
from pgmgui.project.links import parse_link
from pgmgui.project.marks import Given, Partial, Soft
from pgmgui.project.ticks import find_ticks
from pgmgui.state.arrow_facts import ArrowFacts
from pgmgui.state.predicting import foretell
from pgmgui.state.race import Race
from pgmgui.state.session import Session
from pgmgui.tabs.share.report import make_report
from pgmgui.tabs.share.svg import PENS, draw_curves, draw_network
from tests.pgmgui.state.test_predicting import at_once
from tests.pgmgui.state.test_race import follow

HOSTILE = '<img src=x onerror="alert(1)">'
WHEN = datetime(2026, 1, 2, 3, 4)


def opened(identifier="asia"):
    session = Session()
    session.open_example(next(example for example in load_gallery() if example.id == identifier))
    return session


class Reader(HTMLParser):
    """Collects the tags, the attributes and the text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader, " ".join(reader.text)


def learned(session, methods=("em", "d-em")):
    curves = {}
    for method in methods:
        snapshots = list(learn(session.network, session.seen, method))
        curves[method] = [(s.iteration, float(s.objective.sum())) for s in snapshots]
    session.report(snapshots[-1])
    return curves, snapshots[-1]


def test_a_report_has_the_network_the_parts_the_curves_the_certificate_and_the_tables():
    session = opened()
    curves, last = learned(session)
    page = make_report(session, curves, ["EM converged."], WHEN)
    _, text = read(page)
    for name in ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"):
        assert name in text
    assert "6 components" in text
    assert "certified" in text
    assert "EM converged." in text
    assert f"{session.parts.bounds.total:,.4f}" in text
    assert "2026-01-02 03:04" in text
    for value in last.network().tables[0]:
        assert f"{value:.4f}" in text


def test_a_report_has_the_roc_and_the_calibration_of_the_rows_held_out():
    session = Session()
    race = Race(session)
    assert race.open(parse_link({"example": "sprinkler", "hold-out": "0.3"}).saved)
    assert foretell(session.parts, session.learned, "Rain") is None
    race.begin()
    follow(race)
    found = foretell(session.parts, session.learned, "Rain")
    page = make_report(session, {}, [], WHEN, found)
    _, text = read(page)
    split = session.parts.split
    assert f"{split.test.total_weight:,.0f} of" in text
    assert f"held out {found.score.log_loss:.4f} nats" in text
    rain = session.network.variables[session.network.index["Rain"]]
    for k, state in enumerate(rain.states):
        assert f"ROC, area {found.prediction.roc(k).area:.3f}" in text
        assert f"Calibration, error {found.prediction.calibration(k).error:.3f}" in text
        assert f"Rain = {state}" in text
    assert "Confusion" in text
    # A variable that cannot be foretold, or none: the first that can.
    assert foretell(session.parts, session.learned, "").target == "Cloudy"


def test_a_report_asks_for_nothing_from_elsewhere():
    session = opened()
    reader, _ = read(make_report(session, learned(session)[0], [], WHEN))
    assert not reader.tags & {"script", "link", "img", "iframe", "object"}
    assert not reader.attributes & {"src", "href"}


def test_names_are_only_text():
    session = opened()
    session.rename("smoke", HOSTILE)
    session.set_states(HOSTILE, [(0, "<b>"), (1, "&amp;")])
    curves, _ = learned(session)
    reader, text = read(make_report(session, {HOSTILE: curves["em"]}, [HOSTILE], WHEN))
    assert not reader.tags & {"img", "b"}
    assert "onerror" not in reader.attributes
    assert HOSTILE in text
    assert "&amp;" in text


@pytest.mark.parametrize("identifier", ["earthquake", "thesis-grid"])
def test_without_a_run_or_data_there_is_still_a_report(identifier):
    session = opened(identifier)
    _, text = read(make_report(session, {}, [], WHEN))
    assert session.scene.title in text
    assert "Learned parameters" not in text


def elements(picture, tag):
    return ElementTree.fromstring(picture).iter(f"{{http://www.w3.org/2000/svg}}{tag}")


def test_the_picture_is_well_formed_and_tells_roles_apart():
    session = opened()
    session.mark(["smoke"], Partial(0.5))
    session.mark(["xray"], Soft(0.8))
    picture = draw_network(draw(session.document), look_at(session))
    dashed = [rect for rect in elements(picture, "rect") if rect.get("stroke-dasharray")]
    assert len(dashed) == 2  # tub and lung
    titles = [title.text for title in elements(picture, "title")]
    assert any("Component" in title for title in titles)
    assert sum(text.text == "smoke" for text in elements(picture, "text")) == 1


@pytest.mark.parametrize("factor_graph", [False, True])
def test_the_picture_of_a_markov_network_has_its_factors_as_squares(factor_graph):
    session = opened("thesis-grid")
    session.connect("1", "9")
    session.add_variable(0, 0, "alone")
    factors = len(session.network.scopes)
    picture = draw_network(draw(session.document, factor_graph=factor_graph), look_at(session))
    titles = [title.text for title in elements(picture, "title")]
    assert sum(title.startswith("Factor") for title in titles) == factors - (not factor_graph)
    assert ("Factor 13 over 1, 9" in titles, f"Factor {factors} over alone" in titles) == (True, factor_graph)
    lines = [path for path in elements(picture, "path") if path.get("stroke-width") == "1.8"]
    assert len(lines) == (2 * 13 + 1 if factor_graph else 13)
    assert sorted(title for title in titles if title.startswith("Component")) == [
        f"Component {k + 1}"
        for k, component in enumerate(session.parts.task.decomposition.components)
        if not component.is_complete
    ]


def test_curves_rise_on_the_page_and_stay_below_the_bound():
    picture = draw_curves({"EM": [(0, -90.0), (1, -12.0), (2, -10.0)], "none": [(0, float("-inf"))]}, -9.0)
    (line,) = [p.get("d") for p in elements(picture, "path") if (p.get("d") or "").count("L") == 2]
    (_, y0), (_, y1), (_, y2) = [tuple(map(float, point)) for point in re.findall(r"([\d.]+) ([\d.]+)", line)]
    level = float(re.search(r"M96 ([\d.]+)H", picture).group(1))
    floor = float(re.search(r"M96 10V([\d.]+)H", picture).group(1))
    assert level < y2 < y1 < floor < y0  # a start far below leaves the picture, and does not flatten the rest
    assert [text.text for text in elements(picture, "text")][6:10] == ["-9.0", "0", "1", "2"]
    assert draw_curves({}, -9.0) == draw_curves({"none": [(0, float("-inf"))]}, -9.0) == ""


@given(st.integers(1, 10**6), st.floats(-1e6, 0), st.floats(1e-3, 1e6))
def test_ticks_are_round_few_and_inside(last, least, room):
    for ticks, ends in (
        (find_ticks(0.0, last, whole=True), (0, last)),
        (find_ticks(least, least + room), (least, least + room)),
    ):
        slack = 1e-9 * (ends[1] - ends[0])
        assert 2 <= len(ticks) <= 8
        assert all(ends[0] - slack <= value <= ends[1] + slack for value, _ in ticks)
        assert len({text for _, text in ticks}) == len(ticks)
    assert not any("." in text for _, text in find_ticks(0.0, last, whole=True))


def test_the_prior_and_what_is_given_are_told():
    session = opened("thesis-grid")
    session.mark(["2"], Given())
    session.set_factor_prior(Laplace(0.5))
    scene = session.scene
    *_, last = learn(session.network, session.seen, prior=scene.whole_prior, given=scene.given, task=session.parts.task)
    session.report(last)
    page = make_report(session, {}, [], WHEN)
    assert "With a Laplace prior (L1) on the logarithms of the factors, b = 0.5." in page
    assert "The likelihood of the others given 2 (a conditional random field)." in page
    assert "1 given: 2" in page
    assert ">given</text>" in page


def test_a_prior_on_tables_is_told():
    session = opened("asia")
    session.set_table_prior(LogisticNormal(0.5))
    options = {"prior": session.scene.whole_prior, "task": session.parts.task}
    *_, last = learn(session.network, session.seen, "d-numerical-em", **options)
    session.report(last)
    page = make_report(session, {}, [], WHEN)
    assert "With a logistic-normal prior of width 0.5 on every row of the tables." in page


def test_arrows_look_in_a_report_as_on_the_canvas_and_names_are_text():
    session = opened()
    session.rename("asia", HOSTILE)
    session.compare_with(session.network)
    session.remove([], [("tub", "either")])
    session.colour_arrows("comparison")
    facts = ArrowFacts(session, at_once)
    facts.begin()
    arrows = paint(session, facts)
    picture = draw_network(draw(session.document), look_at(session), arrows)
    labels = [text.text for text in elements(picture, "text")]
    assert (labels.count("✓"), labels.count("missing")) == (7, 1)
    dashed = [path for path in elements(picture, "path") if path.get("stroke-dasharray") == "6 6"]
    assert len(dashed) == 1
    page = make_report(session, {}, [], WHEN, arrows=arrows)
    assert HOSTILE not in page
    assert "Arrows beside the true network:" in page


def test_every_look_of_an_arrow_has_a_pen_and_a_rule_of_the_canvas():
    rules = (Path(canvas.__file__).parent / "canvas_arrows.css").read_text()
    assert {kind for kind in PENS if kind and f".arrow-{kind}" not in rules} == set()
    told = {*VERDICTS, *dict(CLASSES), *(f"worth-{k}" for k in range(len(WORTHS) + 1))}
    assert told | {f"sure-{k}" for k in range(len(SHARES) + 1)} | {""} == set(PENS)
