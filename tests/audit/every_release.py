"""Compares what every release logs, as recorded, with the spec; ``python tests/audit/every_release.py`` prints it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rlmetrics.codegen.audit.described import DescribedKey, describe
from rlmetrics.codegen.audit.recorded import load_recorded
from rlmetrics.codegen.audit.release_audit import settings_of
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables

__all__ = ["FOLDER", "RECORDED", "REQUIRED", "Agreement", "agreement"]

FOLDER = Path(__file__).parents[1] / "fixtures" / "extractions"
RECORDED = sorted(path.stem for path in FOLDER.glob("*.json"))
"""The frameworks of which every release was extracted."""
REQUIRED = 0.99


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
