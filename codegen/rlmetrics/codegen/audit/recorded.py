"""Extractions of all releases of a framework in one small file, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from .extract import ExtractedKey, Extraction

__all__ = ["RecordedFramework", "differences", "load_recorded", "pack"]

_FORMAT = 1


@dataclass(frozen=True)
class RecordedFramework:
    """What every release of a framework logs, as it was extracted once.

    Attributes:
        framework: The framework.
        releases: The releases, oldest first.
        extractions: Release to what it logs; lines are not kept, and ``expression`` is a hash.
    """

    framework: str
    releases: tuple[str, ...]
    extractions: Mapping[str, Extraction]


def pack(extractions: Sequence[Extraction]) -> str:
    """Return extractions of one framework, oldest release first, as a text with one line for each component's key."""
    places: dict[str, int] = {}
    rows: dict[tuple[str, str], dict[tuple[int, str], list[int]]] = {}
    inherited: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for index, extraction in enumerate(extractions):
        for extracted in extraction.keys:
            place = places.setdefault(f"{extracted.path} {extracted.symbol}", len(places))
            sites = rows.setdefault((extracted.component, extracted.key), {})
            indices = sites.setdefault((place, _short(extracted.expression)), [])
            if index not in indices:
                indices.append(index)
        for component, keys in extraction.inherited.items():
            inherited.setdefault((component, tuple(keys)), []).append(index)
    lines = [
        json.dumps([component, key, [[_ranges(indices), *site] for site, indices in sorted(sites.items())]])
        for (component, key), sites in sorted(rows.items())
    ]
    bases = [json.dumps([name, _ranges(indices), list(keys)]) for (name, keys), indices in sorted(inherited.items())]
    head = {
        "format": _FORMAT,
        "framework": extractions[0].framework,
        "releases": [extraction.release for extraction in extractions],
        "not_understood": {e.release: len(e.unclear) for e in extractions if e.unclear},
    }
    parts = [
        *(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()),
        _block("places", [json.dumps(place) for place in places]),
        _block("inherited", bases),
        _block("keys", lines),
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def load_recorded(path: Path) -> RecordedFramework:
    """Return the extractions that a file holds."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    releases = tuple(data["releases"])
    places = [place.split(" ", 1) for place in data["places"]]
    keys: dict[str, list[ExtractedKey]] = {release: [] for release in releases}
    for component, key, sites in data["keys"]:
        for ranges, place, expression in sites:
            file, symbol = places[place]
            extracted = ExtractedKey(component, "", key, file, 0, symbol, expression, ())
            for index in _indices(ranges):
                keys[releases[index]].append(extracted)
    inherited: dict[str, dict[str, tuple[str, ...]]] = {release: {} for release in releases}
    for component, ranges, names in data["inherited"]:
        for index in _indices(ranges):
            inherited[releases[index]][component] = tuple(names)
    made = {
        release: Extraction(data["framework"], release, tuple(keys[release]), (), inherited[release])
        for release in releases
    }
    return RecordedFramework(data["framework"], releases, made)


def differences(recorded: Extraction, extracted: Extraction) -> list[str]:
    """Return how an extraction differs from the recorded one of the same release, one line for each difference."""
    old = {(k.component, k.key, k.path, k.symbol, k.expression) for k in recorded.keys}
    new = {(k.component, k.key, k.path, k.symbol, _short(k.expression)) for k in extracted.keys}
    lines = [f"- {' '.join(entry)}" for entry in sorted(old - new)]
    lines += [f"+ {' '.join(entry)}" for entry in sorted(new - old)]
    if dict(recorded.inherited) != dict(extracted.inherited):
        lines.append("keys of other packages differ")
    return lines


def _block(name: str, lines: Iterable[str]) -> str:
    return f"{json.dumps(name)}: [\n" + ",\n".join(lines) + "\n]"


def _short(expression: str) -> str:
    return blake2b(expression.encode(), digest_size=4).hexdigest()


def _ranges(indices: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(f"{first}-{last}" if first != last else str(first) for first, last in runs)


def _indices(ranges: str) -> list[int]:
    indices: list[int] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        indices.extend(range(int(first), int(last or first) + 1))
    return indices
