"""First lines of `diff`, and changes that `resolve` tells, held against each key at both ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rlmetrics.answers.diff_summary import summary
from rlmetrics.answers.resolved import changed_lines
from rlmetrics.names import diff, resolve
from rlmetrics.names.differences.verdict import Verdict
from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.upgrades import causes, release_differences
from rlmetrics.reproduction.recipes import recipe_of
from rlmetrics.wording import change_words

TABLES = load_tables()
UPGRADES = [("trl[GRPOTrainer]==1.8.0", "trl[GRPOTrainer]==1.16.0"), ("verl[actor]==0.8.0", "verl[actor]==0.9.1")]
EARNING = [("verl[validation]==0.8.0", "verl[validation]==0.9.1")]
"""Where sessions that fail count from then on, and fail in no sound run."""
CHANGING = [
    ("trl[AsyncGRPOTrainer]==1.13.0", "trl[AsyncGRPOTrainer]==1.16.0"),
    ("trl[DPOTrainer]==1.6.0", "trl[DPOTrainer]==1.16.0"),
    ("trl[SDFTTrainer]==1.8.0", "trl[SDFTTrainer]==1.16.0"),
    ("verl[actor]==0.3.0.post1", "verl[actor]==0.9.1"),
]


def _view(source: str) -> FrameworkView:
    view = open_view(source)
    assert isinstance(view, FrameworkView)
    return view


def _constants(source: str) -> dict[str, float]:
    """Return the keys that have one value under default settings."""
    found = {}
    for component in _view(source).components.values():
        for entry in component.entries():
            value = recipe_of(entry, component, TABLES).constant
            if value is not None and entry.mode == "train":
                found[entry.key] = value
    return found


def constants_told_first() -> list[str]:
    """Return keys that are said to be seen, although default settings give them one value at both ends."""
    found = []
    for before, after in UPGRADES:
        seen = summary(diff(before, after), TABLES).partition("With default settings you see this:")[2]
        ends = _constants(before), _constants(after)
        found += [key for key, value in ends[0].items() if ends[1].get(key) == value and key in _unfolded(seen)]
    return found


def _unfolded(text: str) -> list[str]:
    """Return the keys of a text, those in braces one by one."""
    keys = []
    for word in text.replace(", ", ",").split():
        head, brace, rest = word.partition("{")
        keys += [f"{head}{one}" for one in rest.partition("}")[0].split(",")] if brace else word.split(",")
    return [key.strip(":;.") for key in keys]


def rare_told_as_usual() -> list[str]:
    """Return what is said of usual runs, although only what no setting tells makes the difference."""
    found = []
    for before, after in EARNING:
        result = diff(before, after)
        told = summary(result, TABLES)
        for cause in result.causes:
            trait = TABLES.traits.get(cause.name, {})
            unknown = "vanishes_when" in trait and "vanishes_if" not in trait
            if unknown and cause.effect and f"usually {cause.effect}" in told:
                found.append(f"{cause.name}: {told}")
    return found


def changes_left_out() -> list[str]:
    """Return keys that are said to keep their meaning, beside a `diff` that tells otherwise."""
    found = []
    for before, after in CHANGING:
        changed = {item.key for item in diff(before, after, evidence=False).changed if item.mode == "train"}
        view = _view(before)
        for key in sorted(changed):
            for item in resolve(key, before):
                if item.component in view.components and item.mode == "train":
                    told = " ".join(changed_lines(view, item, full=True))
                    found += [f"{before} {key}: {told}"] if "no change of meaning up to" in told else []
    return found


CHECKS: dict[str, tuple[Callable[[], list[str]], tuple[Any, str, Any]]] = {
    "a constant is told first": (constants_told_first, (release_differences, "same_constant", lambda *_: False)),
    "what is rare is told as usual": (rare_told_as_usual, (causes, "verdict_on", lambda *_: Verdict(applies=True))),
    "what is taken back later is left out": (changes_left_out, (change_words, "endings", lambda *_: [])),
}


@pytest.mark.parametrize("name", CHECKS)
def test_answers_say_what_the_ends_show(name: str) -> None:
    """Nothing else is said of any key of these releases."""
    check, _ = CHECKS[name]

    assert check() == []


@pytest.mark.parametrize("name", CHECKS)
def test_a_fault_that_is_planted_in_answers_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it once was."""
    check, (place, function, faulty) = CHECKS[name]
    monkeypatch.setattr(place, function, faulty)

    assert check() != []
