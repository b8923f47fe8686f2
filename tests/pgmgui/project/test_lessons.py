"""The lessons say what is true: every sentence with a number in it is computed."""

import numpy as np
import pytest

from engine.insight.relabelling import group_restarts
from engine.learning.bounds import CERTIFIED
from engine.learning.learn import learn
from engine.learning.stopping import Stopping
from pgmgui.project.lessons import load_lessons
from pgmgui.project.links import parse_link
from pgmgui.project.scene import derive

LESSONS = {lesson.id: lesson for lesson in load_lessons()}


def opened(lesson, step):
    link = parse_link(LESSONS[lesson].steps[step].link)
    return link, derive(link.scene)


def run(lesson, step):
    """What each learner of a step reaches."""
    link, derived = opened(lesson, step)
    settings, found = link.settings, {}
    for method in settings.methods:
        found[method] = list(
            learn(
                link.scene.document.network,
                derived.seen,
                method,
                start=settings.start,
                random_state=settings.seed,
                n_init=settings.restarts,
                prior=link.scene.exponents,
                stopping=Stopping(settings.tol, settings.criterion, settings.max_iter),
            )
        )
    return found, derived.parts.bounds.total


def height(snapshot):
    return float(snapshot.objective.sum(axis=1).max())


def components(lesson, step):
    _, derived = opened(lesson, step)
    decomposition = derived.parts.task.decomposition
    names = [variable.name for variable in decomposition.network.variables]
    return [{names[v] for v in component.variables} for component in decomposition.components]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_lesson_has_three_steps_that_open(lesson):
    assert len(lesson.steps) == 3
    for step in lesson.steps:
        assert step.do.endswith(".")
        assert step.see.endswith(".")
        assert derive(parse_link(step.link).scene).parts is not None


def test_decomposition():
    assert components("decomposition", 0) == [{"V"}, {"X"}, {"Y", "Z"}]
    assert components("decomposition", 1) == [{"V"}, {"X"}, {"Y"}, {"Z"}]
    assert components("decomposition", 2) == [{"V"}, {"X", "Y", "Z"}]


@pytest.mark.parametrize("step", [1, 2])
def test_with_only_leaves_missing_edml_needs_one_step(step):
    found, bound = run("leaves", step)
    assert bound - height(found["edml"][1]) < CERTIFIED
    assert bound - height(found["em"][1]) > 1
    assert 15 <= found["em"][-1].iteration <= 30


def test_a_local_optimum_and_its_gap():
    (low, bound), (high, _), (several, _) = (run("local-optimum", step) for step in range(3))
    low, high, several = low["d-em"][-1], high["d-em"][-1], several["d-em"][-1]
    assert {low.stop, high.stop} == {"converged"}
    assert bound - height(low) > 11
    assert height(high) > height(low) + 1
    assert abs(height(several) - height(high)) < 0.01
    assert 3 <= len(set(group_restarts(several))) <= 8
    assert bound - height(several) > 5


def test_a_certified_optimum():
    (first, bound), (second, _) = run("certificate", 1), run("certificate", 2)
    first, second = first["d-em"][-1], second["d-em"][-1]
    assert bound - height(first) < CERTIFIED
    assert bound - height(second) < CERTIFIED
    assert np.abs(first.theta - second.theta).max() > 0.05


def test_compression_on_a_chain():
    _, derived = opened("compression", 0)
    data, task = derived.seen, derived.parts.task
    assert data.n_rows == 2000
    assert data.project(range(12)).n_rows == 288
    incomplete = [k for k, c in enumerate(task.decomposition.components) if not c.is_complete]
    assert [task.distinct_rows[k] for k in incomplete] == [4, 4, 4]
    found, _ = run("compression", 1)
    for plain, decomposed in zip(found["em"], found["d-em"], strict=False):
        assert abs(height(plain) - height(decomposed)) < 0.01
    before, after = components("compression", 0), components("compression", 2)
    assert {"X3", "X4"} in before
    assert {"X7", "X8"} in before
    assert {"X3", "X4", "X5", "X6", "X7", "X8"} in after
