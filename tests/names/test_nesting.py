"""YAML that is nested too deeply is told by our own count, whatever limits a loader has."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from rlmetrics.names.tables.nesting import beyond

BLOCK = ("- ", "? ", "key:\n")
FLOW = ("[", "[ ", "{", "{key: ", "[x, ", "['it''s [[[[[[[[[[', ", '["\\"{{{{{{{{{{", ', "{? ", "[# [[[[[[[[[[\n")
LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]


def nested(openings: list[str]) -> tuple[str, list[int]]:
    """Return a text whose collections lie inside one another, and where each of them begins."""
    text, places = "", []
    for opening in openings:
        column = len(text) - (text.rfind("\n") + 1)
        places.append(len(text))
        text += opening + " " * (column + 1) * opening.endswith("\n")
    return text, places


@pytest.mark.parametrize("loader", LOADERS)
@given(st.lists(st.sampled_from(BLOCK), max_size=40), st.lists(st.sampled_from(FLOW), max_size=60), st.integers(1, 60))
@example([], ["["] * 3000, 40)
@example([], ["[ "] * 3000, 400)
@example([], ["{key: "] * 3000, 40)
@example(["- "] * 3000, [], 40)
@example(["? "] * 3000, [], 40)
@example(["key:\n"] * 1100, [], 40)
@example(["- "] * 30, ["["] * 3000, 40)
@example(["key:\n"], [FLOW[-1], *["["] * 3000], 400)
def test_the_first_that_lies_too_deep_is_found(loader: Any, block: list[str], flow: list[str], most: int) -> None:
    """In blocks and in brackets, among texts and comments full of brackets, it is the one after as many as may be."""
    text, places = nested([*block, *flow])
    assert beyond(text, most, loader) == (places[most] if most < len(places) else None)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    "text",
    [
        "key: '" + "[" * 5000 + "'",
        'key: "' + "[{" * 5000 + '"',
        "key: text " + "[" * 5000,
        "key: 1 # " + "[" * 5000,
        "key: |\n  " + "[" * 5000,
        "[" * 10 + "]" * 10,
        "[" + "[[[[[[[[[]]]]]]]]]," * 2000 + "]",
    ],
)
def test_brackets_that_open_nothing_are_no_nesting(loader: Any, text: str) -> None:
    """In quotes, comments, texts of lines and one after the other, brackets may be as many as they like."""
    assert beyond(text, 40, loader) is None


@pytest.mark.parametrize("text", ["[" * 200_000, "- " * 200_000, "[" * 40 + "'" + "[" * 400_000])
def test_what_lies_behind_takes_no_time(text: str) -> None:
    """However much follows, and however deep, the answer takes the time of reading it once."""
    start = time.process_time()
    beyond(text, 40, LOADERS[-1])
    assert time.process_time() - start < 2
