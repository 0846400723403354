"""Notes that no step shows, since somebody has to know them: what keys need them follows from what else is said.

Each check finds no key without its note, and finds one in a copy of the spec in which the note is gone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import pytest
from planted_spec import planted_spec
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.tables import build_meanings
from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables

_MEGATRON = {"actor_rollout_ref.actor.strategy": "megatron"}
_OF_USERS = "group/user_metric"
"""What users log under names of their choice."""
_OF_TRANSFORMERS = ("loss", "grad_norm", "learning_rate")
"""What transformers puts into a row before TRL's own numbers are added, which take the place of equal names."""


def _components(
    tables: Tables, framework: str, every: int = 1, config: Mapping[str, str] | None = None
) -> Iterator[tuple[FrameworkView, ComponentView]]:
    for release in tables.framework(framework).releases.names[::-every]:
        view = FrameworkView(tables, parse_source(f"{framework}=={release}", tables), dict(config or {}))
        for component in view.components.values():
            yield view, component


def replaced_silently(tables: Tables) -> list[str]:
    """Return transformers' own numbers that a user's number of that name replaces, without a word of it."""
    found = []
    for view, component in _components(tables, "trl", every=6):
        entries = component.entries()
        if any(entry.metric == _OF_USERS for entry in entries):
            own = [entry for entry in entries if entry.key in _OF_TRANSFORMERS and entry.mode == "train"]
            found += [
                _named(view, entry)
                for entry in own
                if not any("replaces the number in the row" in note for note in entry.notes)
            ]
    return found


def left_out_silently(tables: Tables) -> list[str]:
    """Return numbers of prompts' samples whose count is part of the name, without a word on samples that are None."""
    return [
        _named(view, entry)
        for view, component in _components(tables, "verl")
        for entry in component.entries()
        if "@{n}" in entry.key and view.tables.framework("verl").releases.covers("0.9.1..", view.source.release)
        if not any(re.search(r"\bNone\b", note) for note in entry.notes)
    ]


def clamps_without_trait(tables: Tables) -> list[str]:
    """Return keys whose note says that they are taken after a clamp, and of which no trait says so."""
    found = []
    for view, component in _components(tables, "verl", every=2, config=_MEGATRON):
        for entry in component.entries():
            told = " ".join(str(tables.traits[name]["what"]) for name in entry.signature.traits)
            found += [_named(view, entry) for note in entry.notes if "after the clamp" in note and "raised" not in told]
    return found


def absences_unread(tables: Tables) -> list[str]:
    """Return numbers that are NaN where a function gave nothing for a whole step, and of whose NaN nothing is said."""
    return [
        _named(view, entry)
        for view, component in _components(tables, "trl", every=6)
        for entry in component.entries()
        if any("returned None are left out" in note for note in entry.notes)
        if entry.metric == "reward/function/mean" and not _readings(tables, entry, math.nan)
    ]


def limits_unread(tables: Tables) -> list[str]:
    """Return shares of lengths at one limit of which 0 is read as if no other limit could cut a response."""
    return [
        _named(view, entry)
        for view, component in _components(tables, "verl", every=3)
        for entry in component.entries()
        if entry.metric == "length/at_limit_fraction"
        if not any("goes unseen" in says for says in _readings(tables, entry, 0.0))
    ]


def _readings(tables: Tables, entry: Entry, value: float) -> list[str]:
    """Return what is said of a value of the metric."""
    reads = tables.texts.get(entry.metric or "", {}).get("reads", ())
    return [item["says"] for item in reads if str(float(item["value"])) == str(value)]


def _named(view: FrameworkView, entry: Entry) -> str:
    return f"{entry.component}=={view.source.release} {entry.key}"


class Forgotten(NamedTuple):
    """A check, and the note that its copy of the spec lacks.

    Attributes:
        check: What finds keys without it.
        file: The file.
        found: What is taken out there.
        left: What is left of it.
    """

    check: Callable[[Tables], list[str]]
    file: str
    found: str
    left: str = ""


FORGOTTEN = {
    "a user's number takes the place of the trainer's": Forgotten(
        replaced_silently,
        "frameworks/trl/grpo_trainer",
        r"A reward function that calls log_metric with this name replaces the number in the row\.",
        "As the trainer logs it.",
    ),
    "a None is left out, and the prompt counts under another name": Forgotten(
        left_out_silently,
        "frameworks/verl/validation",
        r"          - A response for which the variable is None is left out(?:.*\n){2}",
    ),
    "a function that gave nothing for a whole step leaves NaN": Forgotten(
        absences_unread,
        "metrics/reward",
        r"      - value: nan\n {8}level: info\n {8}says: >-\n(?:.*\n){2} {8}watch: >-\n.*this kind of task(?:.*\n){2}",
    ),
    "a share at one limit is blind to others": Forgotten(
        limits_unread,
        "metrics/length",
        r"as the limit that is compared here, mostly the width of the tensor of\n.*goes unseen",
        "as the limit, so that none was cut off",
    ),
    "a number is taken after a clamp": Forgotten(
        clamps_without_trait, "frameworks/verl/distillation", r"        traits: \[mass_after_clamp\]\n"
    ),
}


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables of a copy of the spec without any of them."""
    changes = [(fault.file, fault.found, fault.left) for fault in FORGOTTEN.values()]
    root = planted_spec(tmp_path_factory.mktemp("forgotten"), changes)
    data = build_meanings(load(root))
    return Tables(lambda name: data[name].data)


@pytest.mark.parametrize("name", FORGOTTEN)
def test_no_key_lacks_a_note_that_it_needs(name: str) -> None:
    """Of those that are looked at."""
    assert FORGOTTEN[name].check(load_tables()) == []


@pytest.mark.parametrize("name", FORGOTTEN)
def test_a_note_that_is_gone_is_missed(name: str, without: Tables) -> None:
    """In the keys that had it."""
    assert FORGOTTEN[name].check(without) != []
