"""What answers make of conditions, factors, reductions and templates, held against what the spec says of each key.

Each check finds nothing in the answers as they are, and the fault where it is planted in the words again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pytest
from rlmetrics.answers import trust
from rlmetrics.names.lookup.lookup_records import Resolution
from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.settings.guards import Expression, GuardError, Or, parse
from rlmetrics.names.settings.simplification import truth
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording import condition_words as conditions
from rlmetrics.wording import signature_words
from rlmetrics.wording.signature_words import averaged_words

TABLES = load_tables()
SOURCES = [f"{name}=={TABLES.framework(name).releases.names[-1]}" for name in TABLES.frameworks]
OUTER = ("micro_batch", "mini_batch", "epoch", "rank", "window")
_MADE = re.compile(r"logged = (?!the formula(?! [-+]))")
WORDS = {"max": "largest", "min": "smallest"}


def _entries() -> Iterator[tuple[FrameworkView, ComponentView, Entry]]:
    for source in SOURCES:
        view = open_view(source)
        assert isinstance(view, FrameworkView)
        for component in view.components.values():
            for entry in component.entries():
                yield view, component, entry


def _drawn(guard: Expression, draws: random.Random) -> Mapping[str, Any]:
    """Return settings, of values that a guard names and others."""
    nodes: list[Any] = list(guard.walk())
    values = [node.value for node in nodes if hasattr(node, "value")]
    return {name: draws.choice([*values, True, False, None, 0, 1, 7, "other"]) for name in guard.names()}


def false_conditions() -> list[str]:
    """Return guards that hold under settings under which what is said to be needed does not."""
    found: dict[str, None] = {}
    draws = random.Random(31)
    seen: set[tuple[str, str]] = set()
    for _, component, entry in _entries():
        for text in (entry.condition or "").split("; "):
            if (text, component.label) in seen:
                continue
            seen.add((text, component.label))
            try:
                guard = parse(text)
            except GuardError:
                continue
            needed = conditions.decisive(guard, component.config.values)
            for values in (_drawn(guard, draws) for _ in range(40)):
                if truth(guard, values) is True and truth(needed, values) is False:
                    found[text] = None
    return list(found)


def forgotten_factors() -> list[str]:
    """Return keys that show another number than their formula without a word of what they make of it."""
    found = []
    for view, _, entry in _entries():
        if (entry.signature.scale, entry.signature.offset) != (1, 0):
            told = " ".join(" ".join(trust.averaged_lines(view, cast("Resolution", entry))).split())
            if not _MADE.search(told):
                found.append(entry.key)
    return found


def forgotten_extremes() -> list[str]:
    """Return keys of which it is not said that the largest, or smallest, of several parts is logged."""
    found = []
    for view, _, entry in _entries():
        reduction = entry.signature.reduction
        statistic = view.tables.metrics.get(entry.metric or "", {}).get("identity", {}).get("statistic")
        told = averaged_words(entry.signature, entry.metric, view.tables) or ""
        means = any(reduction.get(level) == "mean" for level in OUTER)
        for level in OUTER:
            operation = reduction.get(level)
            if operation in WORDS and (operation != statistic or means) and WORDS[operation] not in told:
                found.append(entry.key)
    return found


def unknown_templates() -> list[str]:
    """Return templates that are not found under the name that is listed."""
    return [
        entry.key
        for view, _, entry in _entries()
        if "{" in entry.key and entry.key not in {match.entry.key for match in view.find(entry.key)}
    ]


def _without_alternatives(node: Expression, _: Mapping[str, Any]) -> Expression:
    return node.operands[0] if isinstance(node, Or) else node


CHECKS: dict[str, tuple[Callable[[], list[str]], tuple[Any, str, Any]]] = {
    "an alternative is left out": (false_conditions, (conditions, "decisive", _without_alternatives)),
    "a factor is forgotten": (forgotten_factors, (trust, "_made_of", lambda _: "the formula")),
    "a largest of parts is left out": (forgotten_extremes, (signature_words, "_rest", lambda *_: iter(()))),
    "a template does not know itself": (unknown_templates, (ComponentView, "_templated", property(lambda _: []))),
}


@pytest.mark.parametrize("name", CHECKS)
def test_words_say_what_the_spec_says(name: str) -> None:
    """Of every key of the newest releases."""
    check, _ = CHECKS[name]

    assert check() == []


@pytest.mark.parametrize("name", CHECKS)
def test_a_fault_that_is_planted_in_the_words_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it once was."""
    check, (place, function, faulty) = CHECKS[name]
    monkeypatch.setattr(place, function, faulty)

    assert check() != []
