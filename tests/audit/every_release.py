"""Compares what every release logs, as recorded, with the spec; ``python tests/audit/every_release.py`` prints it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rlmetrics.codegen.audit.described import DescribedKey, describe
from rlmetrics.codegen.audit.extract import ExtractedKey, Extraction
from rlmetrics.codegen.audit.recorded import short
from rlmetrics.codegen.audit.release_audit import settings_of
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables

__all__ = ["FOLDER", "RECORDED", "REQUIRED", "Agreement", "agreement", "differences", "load_recorded"]

FOLDER = Path(__file__).parents[1] / "fixtures" / "extractions"
RECORDED = sorted(path.stem for path in FOLDER.glob("*.json"))
"""The frameworks of which every release was extracted."""
REQUIRED = 0.99


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
    new = {(k.component, k.key, k.path, k.symbol, short(k.expression)) for k in extracted.keys}
    lines = [f"- {' '.join(entry)}" for entry in sorted(old - new)]
    lines += [f"+ {' '.join(entry)}" for entry in sorted(new - old)]
    if dict(recorded.inherited) != dict(extracted.inherited):
        lines.append("keys of other packages differ")
    return lines


def _indices(ranges: str) -> list[int]:
    indices: list[int] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        indices.extend(range(int(first), int(last or first) + 1))
    return indices


@dataclass
class Agreement:
    """How far the spec and the recorded extractions of a framework agree, counted over (component, release, key).

    Attributes:
        logged: How many are logged.
        lacking: Those of them that the spec lacks: component and key to releases.
        described: How many the spec says are logged by the framework itself.
        invented: Those of them that no release logs: component and key to releases.
    """

    logged: int = 0
    described: int = 0
    lacking: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    invented: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        """Which part of what is logged the spec has."""
        return 1 - sum(map(len, self.lacking.values())) / self.logged

    @property
    def precision(self) -> float:
        """Which part of what the spec says is logged."""
        return 1 - sum(map(len, self.invented.values())) / max(1, self.described)

    def lines(self) -> Iterator[str]:
        """Yield what is lacking and what is invented, the most releases first."""
        for word, found in (("lacking", self.lacking), ("invented", self.invented)):
            for (component, key), releases in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
                yield f"{word}: {component} {key} in {len(releases)} releases, {releases[0]} to {releases[-1]}"


def agreement(framework: str, tables: Tables | None = None) -> Agreement:
    """Return how far the spec and the recorded extractions of all releases of a framework agree."""
    tables = tables or load_tables()
    recorded = load_recorded(FOLDER / f"{framework}.json")
    by_component = not settings_of(tables, framework).trackers
    result = Agreement()
    known: dict[str, dict[str, bool]] = {}

    for release in recorded.releases:
        extraction = recorded.extractions[release]
        description = describe(tables, framework, release)
        # Releases log much the same, so most questions have been answered for an earlier one.
        answers = {id(key): known.setdefault(_question(key), {}) for key in description.keys}

        def fits(key: DescribedKey, logged: str, answers: Mapping[int, dict[str, bool]] = answers) -> bool:
            found = answers[id(key)]
            if logged not in found:
                found[logged] = key.fits(logged)
            return found[logged]

        by_name: dict[str, list[DescribedKey]] = {}
        for key in description.keys:
            by_name.setdefault(key.component if by_component else "", []).append(key)
        seen: set[int] = set()
        for component, logged in sorted({(found.component, found.key) for found in extraction.keys}):
            result.logged += 1
            fitting = [key for key in by_name.get(component if by_component else "", ()) if fits(key, logged)]
            seen.update(map(id, fitting))
            if not fitting:
                result.lacking.setdefault((component, logged), []).append(release)
        for key in description.keys:
            if key.external or any(fits(key, name) for name in extraction.inherited.get(key.component, ())):
                continue
            result.described += 1
            if id(key) not in seen:
                result.invented.setdefault((key.component, key.key), []).append(release)
    return result


def _question(key: DescribedKey) -> str:
    """Return all of a described key that decides what fits it."""
    return key.eval_prefix + key.regex.pattern + repr(sorted(key.examples.items()))


def main(frameworks: list[str]) -> None:
    """Print how far the spec and the releases agree."""
    for framework in frameworks or RECORDED:
        found = agreement(framework)
        print(f"{framework}: recall {found.recall:.2%} of {found.logged}, precision {found.precision:.2%}", end=" ")
        print(f"of {found.described} (component, release, key)")
        for word, part in (("lacking", found.lacking), ("invented", found.invented)):
            worst = Counter[str]()
            for (component, _), releases in part.items():
                worst[component] += len(releases)
            print(f"  {word}:", ", ".join(f"{name} {count}" for name, count in worst.most_common(60)) or "nothing")
        for line in found.lines():
            print(f"  {line}")


if __name__ == "__main__":
    main(sys.argv[1:])
