"""What answers make of conditions, factors, reductions and templates, held against what the spec says of each key.

Each check finds nothing in the answers as they are, and the fault where it is planted in the words again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import pytest
from rlmetrics.answers import trust
from rlmetrics.names.differences import entry_signature
from rlmetrics.names.lookup.lookup_records import Resolution
from rlmetrics.names.lookup.resolving import resolution_of
from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.meanings.protocol import Match
from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.settings.guards import Expression, GuardError, Or, parse
from rlmetrics.names.settings.simplification import truth
from rlmetrics.names.sources.surfaces import LOGGED
from rlmetrics.names.tables.key_records import Entry, Signature
from rlmetrics.names.tables.levels import Level
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables
from rlmetrics.reproduction.recipes import recipe_of
from rlmetrics.wording import condition_words as conditions
from rlmetrics.wording import key_words, metric_facts, signature_words
from rlmetrics.wording.signature_words import averaged_words

TABLES = load_tables()
SOURCES = [f"{name}=={TABLES.framework(name).releases.names[-1]}" for name in TABLES.frameworks]
EVERY_FEW = [
    f"{name}=={release}" for name in TABLES.frameworks for release in TABLES.framework(name).releases.names[::7]
]
"""Releases of all ages."""
POPULATIONS = TABLES.signatures["WORDS"]["populations"]
OUTER = ("micro_batch", "mini_batch", "epoch", "rank", "window")
_MADE = re.compile(r"logged = (?!the formula(?! [-+]))")
WORDS = {"max": "largest", "min": "smallest"}


def _entries(sources: Sequence[str] = SOURCES) -> Iterator[tuple[FrameworkView, ComponentView, Entry]]:
    for source in sources:
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


def steps_turned_round() -> list[str]:
    """Return keys that show the value of a later step, or of one before, and are told the other way round."""
    found = []
    for view, _, entry in _entries(EVERY_FEW):
        told = " ".join(" ".join(trust.averaged_lines(view, cast("Resolution", entry))).split())
        lag = entry.signature.lag
        if lag and ("next" in told or "later" in told) != (lag > 0):
            found.append(f"{entry.key}: {told}")
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


def contradicted_briefs() -> list[str]:
    """Return keys of old and new releases whose own sentence speaks of other tokens than those that are counted."""
    found = []
    for _, _, entry in _entries(EVERY_FEW):
        signature, metric = entry.signature, str(entry.metric)
        own = TABLES.metrics.get(metric, {}).get("population")
        if own is None or signature.population in (own, None):
            continue
        says = str(TABLES.metrics[metric]["brief"])
        text, over = key_words.key_brief(says, signature, metric, TABLES, entry.mode)
        words = str(POPULATIONS.get(str(signature.population), over)).removeprefix("all ").partition(",")[0]
        if words not in f"{text} {over}":
            found.append(f"{entry.key}: {text}")
    return found


def means_told_as_extremes() -> list[str]:
    """Return keys that average largest or smallest numbers, or spreads, and are told as if they did not."""
    found = []
    for _, _, entry in _entries(EVERY_FEW):
        row = TABLES.metrics.get(str(entry.metric), {})
        statistic = str(row.get("identity", {}).get("statistic"))
        averaged = [level for level in OUTER if entry.signature.reduction.get(level) == "mean"]
        if averaged and statistic in ("max", "min", "std", "var"):
            text, _ = key_words.key_brief(str(row["brief"]), entry.signature, entry.metric, TABLES, entry.mode)
            if "averaged over" not in text:
                found.append(f"{entry.key}: {text}")
    return found


def evaluations_told_as_training() -> list[str]:
    """Return keys of evaluation that are said to be averaged over steps of training."""
    return [
        entry.key
        for _, _, entry in _entries()
        if entry.mode == "eval" and "last log" in (averaged_words(entry.signature, entry.metric, TABLES, "eval") or "")
    ]


def spans_beside_others() -> list[str]:
    """Return keys of which it is said what codes usually measure, although this one measures something else."""
    found = []
    for _, _, entry in _entries():
        usual = TABLES.texts.get(str(entry.metric), {}).get("measured")
        span = entry.signature.span
        if span is not None and metric_facts.measured_text(str(entry.metric), TABLES, span) == usual != span:
            found.append(entry.key)
    return found


def means_of_means_told_as_one() -> list[str]:
    """Return keys of training in TRL that are told to be averaged otherwise than all since the last log are.

    transformers adds a loss up within each step; everything else is one list.
    """
    found = []
    for _, _, entry in _entries([source for source in EVERY_FEW if source.startswith("trl")]):
        reduction = entry.signature.reduction
        if entry.mode == "train" and reduction.get("window") == "mean" == reduction.get("micro_batch"):
            told = averaged_words(entry.signature, entry.metric, TABLES) or ""
            added_up = entry.key == "loss" and entry.component != "IterativeSFTTrainer"
            if added_up == ("one plain mean over" in told):
                found.append(f"{entry.component} {entry.key}: {told}")
    return found


def forgotten_weights() -> list[str]:
    """Return keys whose parts are weighted before they are averaged, and are told to count alike."""
    found = []
    for _, component, entry in _entries(EVERY_FEW):
        recipe = recipe_of(entry._replace(constant_when=()), component, TABLES)
        if any(recipe.named("weigh")) and "mean" in dict(recipe.folds).values():
            told = averaged_words(entry.signature, entry.metric, TABLES, entry.mode) or ""
            if "weighted by" not in told:
                found.append(f"{component.label} {entry.key}: {told}")
    return found


def forgotten_windows() -> list[str]:
    """Return keys for which everything since the last log is taken at once, and is not said to be."""
    return [
        entry.key
        for _, _, entry in _entries(EVERY_FEW)
        if (entry.mode, entry.kind) == ("train", "scalar") and entry.signature.reduction.get("window") == "pool"
        if "steps since the last log" not in (averaged_words(entry.signature, entry.metric, TABLES) or "")
    ]


def parts_of_the_policy() -> list[str]:
    """Return metrics of numbers that another model gives, to which the parameters of the policy are said to matter."""
    found = []
    for name in TABLES.metrics:
        inputs = {word for word in TABLES.texts.get(name, {}).get("inputs", ()) if word != "mask"}
        for model in ("rollout_", "teacher_", "ref_"):
            if inputs and all(word.startswith(model) for word in inputs):
                said = {"metric": name, "snapshot": "current", "reduction": {}, "without": (), "traits": ()}
                if entry_signature.effective_signature(said, TABLES, {}).snapshot is not None:
                    found.append(name)
    return found


def words_behind_needs() -> list[str]:
    """Return conditions that are told behind "needs" as if they were the names of settings."""
    found = {}
    for view, component, entry in _entries():
        if entry.logged is False and entry.condition is not None:
            words = conditions.condition_words(entry.condition, component.config)
            missing = words.missing(entry.logged_by_default) or ""
            if re.search(r"needs (?:without|with|only|the|if|where|when|in|on|for)\b", missing):
                found[missing] = view
    return [*found]


def plain_beside_notes() -> list[str]:
    """Return keys that are told to be as the formula says, beside a note by which something is left out of it."""
    found = []
    for view, _, entry in _entries():
        told = trust.trust_texts(view, resolution_of(view, entry.key, Match(entry, LOGGED, {})))
        if told[:1] == ["= plain: as the formula says"]:
            found += [f"{entry.key}: {note}" for note in entry.notes if note.endswith("are left out.")]
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


def _never(*_: object) -> bool:
    return False


def _nothing(*_: object) -> list[str]:
    return []


def _of_training(_: object, tables: Tables) -> Mapping[str, Level]:
    return tables.levels


def _usual(metric: str, tables: Tables, _: object = None) -> str | None:
    found: str | None = tables.texts.get(metric, {}).get("measured")
    return found


def _spliced(words: conditions.ConditionWords, _: object) -> str:
    return f"not logged by default: needs {' and '.join([*filter(None, [words.unmet]), *words.said])}"


CHECKS: dict[str, tuple[Callable[[], list[str]], tuple[Any, str, Any]]] = {
    "an alternative is left out": (false_conditions, (conditions, "decisive", _without_alternatives)),
    "a factor is forgotten": (forgotten_factors, (trust, "_made_of", lambda _: "the formula")),
    "a value of the next step is told as that of the step before": (
        steps_turned_round,
        (trust, "_STEPS", {1: trust._STEPS[-1], -1: trust._STEPS[1]}),
    ),
    "a largest of parts is left out": (forgotten_extremes, (signature_words, "_rest", lambda *_: iter(()))),
    "a sentence speaks of other tokens than are counted": (contradicted_briefs, (key_words, "says_over", _never)),
    "a mean of extremes is told as an extreme": (means_told_as_extremes, (key_words, "averaged_over", _nothing)),
    "an evaluation is told as training": (evaluations_told_as_training, (signature_words, "levels_in", _of_training)),
    "what others measure stands for what this one does": (spans_beside_others, (metric_facts, "measured_text", _usual)),
    "a mean of means is told as one mean": (means_of_means_told_as_one, (signature_words, "_ADDED_UP", frozenset())),
    "weights of parts are forgotten": (forgotten_weights, (signature_words, "_weights_of", lambda *_: {})),
    "a pooled window is forgotten": (forgotten_windows, (signature_words, "_at_once", lambda *_: iter(()))),
    "the policy has a part in what it does not compute": (
        parts_of_the_policy,
        (entry_signature, "effective_signature", lambda said, *_: Signature(snapshot=said["snapshot"])),
    ),
    "a condition in words stands behind needs": (words_behind_needs, (conditions.ConditionWords, "missing", _spliced)),
    "plain stands beside a note that takes something out": (
        plain_beside_notes,
        (trust, "_BUT_FOR", "plain: as the formula says"),
    ),
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
