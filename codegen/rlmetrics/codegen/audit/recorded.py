"""Extractions of all releases of a framework in one small file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from .extract import Extraction

__all__ = ["pack", "short"]

_FORMAT = 1


def pack(extractions: Sequence[Extraction]) -> str:
    """Return extractions of one framework, oldest release first, as a text with one line for each component's key."""
    places: dict[str, int] = {}
    rows: dict[tuple[str, str], dict[tuple[int, str], list[int]]] = {}
    inherited: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for index, extraction in enumerate(extractions):
        for extracted in extraction.keys:
            place = places.setdefault(f"{extracted.path} {extracted.symbol}", len(places))
            sites = rows.setdefault((extracted.component, extracted.key), {})
            indices = sites.setdefault((place, short(extracted.expression)), [])
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


def _block(name: str, lines: Iterable[str]) -> str:
    return f"{json.dumps(name)}: [\n" + ",\n".join(lines) + "\n]"


def short(expression: str) -> str:
    """Return what a file keeps of an expression, so that a change of it shows."""
    return blake2b(expression.encode(), digest_size=4).hexdigest()


def _ranges(indices: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(f"{first}-{last}" if first != last else str(first) for first, last in runs)
