"""The page of a lesson: one HTML file with sliders that work offline."""

from __future__ import annotations

from raidsim.teaching.lesson import Lesson


def page(lesson: Lesson, seed: int) -> str:
    """Fill in the page of a lesson."""
    return f"{lesson.title} {seed}"
