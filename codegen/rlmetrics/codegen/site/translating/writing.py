"""The files that the translator in the page loads: scripts, because a page from a folder may not fetch anything."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .components import Gathered, canonical_names, components_of
from .likeness import Likenesses
from .meaning_numbers import NumberedMeanings
from .relating import Relations
from .source_choices import detection, frameworks, telling, trackers

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["FOLDER", "Data", "made", "pieces", "script", "version_of"]

FOLDER = "assets/generated/translator"
_CANONICAL = "canonical"
_ALIKE = "alike"
_RECEIVE = "rlmetricsData"


class Data(NamedTuple):
    """The data of the translator.

    Attributes:
        files: The files by their paths below `FOLDER`, such as ``trl/PPOTrainer.js``.
        sentences: What a language may have words for, by the file that says it, such as ``trl/PPOTrainer.facts``; see
            `sentences`.
    """

    files: Mapping[str, str]
    sentences: Mapping[str, Collection[str]]


def made(tables: Tables) -> Data:
    """Return the data, which is the same in every language."""
    meanings = NumberedMeanings(tables)
    found: dict[str, Gathered] = {}
    for framework in tables.named:
        for name, gathered in components_of(tables, framework, meanings).items():
            found[f"{framework}/{name}"] = gathered
    found[_CANONICAL] = canonical_names(tables, meanings)
    spelled: dict[str, dict[str, None]] = {}
    for gathered in found.values():
        for key, metrics in gathered.spelled.items():
            spelled.setdefault(key, {}).update(metrics)
    relations, likenesses = Relations(tables, meanings), Likenesses(tables, spelled)
    data: dict[str, Any] = {}
    sentences: dict[str, set[str]] = {}
    for name, gathered in found.items():
        data[name] = _names(gathered)
        facts = data[f"{name}.facts"] = _facts(gathered, relations)
        sentences[f"{name}.facts"] = {part for text in _texts(facts["differences"]) for part in pieces(text)}
    data[_CANONICAL]["renamed"] = {old: new for old, new, _, _ in tables.renamed}
    for metric in tables.metrics:
        rows = likenesses.of(metric)
        if rows:
            name = f"{_ALIKE}/{metric.partition('/')[0]}"
            data.setdefault(name, {})[metric] = rows
            sentences.setdefault(name, set()).update(row[-1] for row in rows)
    alike = [name.partition("/")[2] for name in data if name.startswith(f"{_ALIKE}/")]
    data["sources"] = {
        "version": tables.version,
        "frameworks": frameworks(tables),
        "trackers": trackers(tables),
        "alike": alike,
    }
    data["detection"] = {**detection(tables, tables.frameworks), "derived": telling(tables)}
    data["derived"] = detection(tables, tables.derived)
    return Data({f"{name}.js": script(name, said) for name, said in data.items()}, sentences)


def version_of(files: Mapping[str, str]) -> str:
    """Return what a browser tells files of one build from those of another by."""
    return hashlib.sha256("".join(files[name] for name in sorted(files)).encode()).hexdigest()[:12]


def script(name: str, data: Any) -> str:
    """Return a file that hands data to the page."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{_RECEIVE}({json.dumps(name)},{text});\n"


def _names(gathered: Gathered) -> dict[str, Any]:
    """Return what a component logs: all that is needed of a target."""
    return {
        "metrics": list(gathered.metrics),
        "patterns": list(gathered.patterns.values()),
        "entries": gathered.entries,
        "views": gathered.views,
    }


def _facts(gathered: Gathered, relations: Relations) -> dict[str, Any]:
    """Return what the meanings of a component have to do with all others of their metrics: needed of a source."""
    numbers: dict[tuple[Any, ...], int] = {}
    differences: dict[tuple[Any, ...], int] = {}
    told: list[list[Any]] = []
    facts: dict[str, dict[str, dict[int, list[int]]]] = {}
    for (metric, mode), meanings in gathered.meanings.items():
        for number in meanings:
            codes = []
            for relation in relations.row((metric, mode), number):
                if relation not in numbers:
                    kind, items, conversion = relation
                    numbers[relation] = len(told)
                    told.append([kind, [differences.setdefault(item, len(differences)) for item in items], *conversion])
                codes.append(numbers[relation])
            facts.setdefault(metric, {}).setdefault(mode, {})[number] = codes
    return {"facts": facts, "relations": told, "differences": [_trimmed(item) for item in differences]}


def _texts(differences: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield what differences say, when they are gone, and how they are corrected."""
    for words, _, _, *rest in differences:
        yield from filter(None, (words, *rest[:2]))


def _trimmed(item: tuple[Any, ...]) -> list[Any]:
    found = list(item)
    while found[-1] is None:
        found.pop()
    return found


_ONLY = re.compile(r"only in the (?:source|target): (.+)", re.DOTALL)
_BOTH = re.compile(r"(?:(.+?): )?(.+) in the source, (.+) in the target", re.DOTALL)


def pieces(text: str) -> Iterator[str]:
    """Yield what the scripts look up of a text of the data; they part it alike."""
    found = _ONLY.fullmatch(text) or _BOTH.fullmatch(text)
    yield from (text,) if found is None else filter(None, found.groups())
