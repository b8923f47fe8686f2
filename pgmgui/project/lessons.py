"""Worked scenes from the papers: each opens something, says what to do, and what to see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pgmgui.project.folders import assets_folder


@dataclass(frozen=True)
class LessonStep:
    """A step of a lesson.

    Attributes
    ----------
    link : mapping
        What the page shows when the step is done: the parameters of :mod:`pgmgui.project.links`.
    do, see : str
        What the user does, and what is then to be seen.
    """

    link: Mapping[str, str]
    do: str
    see: str


@dataclass(frozen=True)
class Lesson:
    """Three steps, and the paper they come from."""

    id: str
    title: str
    source: str
    steps: tuple[LessonStep, ...]


@cache
def load_lessons() -> tuple[Lesson, ...]:
    """The lessons, in the order they are shown."""
    items = json.loads((assets_folder() / "lessons.json").read_text(encoding="utf-8"))
    return tuple(
        Lesson(item["id"], item["title"], item["source"], tuple(LessonStep(**step) for step in item["steps"]))
        for item in items
    )


@cache
def list_steps() -> tuple[str, ...]:
    """The places where a guide can be, as addresses have them: a lesson's id, a point and the number of its step."""
    return tuple(f"{lesson.id}.{k}" for lesson in load_lessons() for k in range(1, len(lesson.steps) + 1))
