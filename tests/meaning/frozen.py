"""What every key meant when the spec was rewritten as facts, and a comparer that names the first difference.

``python tests/meaning/frozen.py [trl/grpo_trainer …]`` compares every configuration, in some minutes; the tests compare
a sample of them. The fixture was made from the earlier form of the spec, by the code that resolved that form: for each
component, key, mode and release it holds the meaning under each configuration that the guards of that form told apart;
where these are more than 4,096, under all pairs of settings and a seeded sample.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import sys
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from rlmetrics.names.settings.configuration import holds
from rlmetrics.names.settings.guards import GuardLiteral, parse
from rlmetrics.names.tables.component_rows import TableRow, guards_of
from rlmetrics.names.tables.framework_table import FrameworkTable
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables

__all__ = ["FOLDER", "Difference", "compare", "components", "corrections", "is_listed"]

FOLDER = Path(__file__).parents[1] / "fixtures" / "frozen_meaning"
_SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z\"`])")
DRAWN = 4
"""How many draws of the settings that the earlier form did not ask about are tried."""


@dataclass(frozen=True)
class Difference:
    """One key that means something else than it did.

    Attributes:
        component: File of the component, such as ``trl/grpo_trainer``.
        key: The key as logged.
        mode: ``train`` or ``eval``.
        releases: In which releases.
        config: A configuration that shows it.
        old: What it meant; None for nothing, ``off`` first for what is not logged.
        new: What it means.
    """

    component: str
    key: str
    mode: str
    releases: tuple[str, ...]
    config: Mapping[str, Any]
    old: Any
    new: Any

    @property
    def fields(self) -> frozenset[str]:
        """Which fields differ; ``logged`` where one of the two is not logged or unknown."""
        old, new = _fields(self.old), _fields(self.new)
        if old is None or new is None or (self.old[0] == "off") != (self.new[0] == "off"):
            return frozenset({"logged"})
        return frozenset(name for name in {*old, *new} if old.get(name) != new.get(name))

    @property
    def traits(self) -> frozenset[str]:
        """Traits that only one of the two has."""
        old, new = _fields(self.old) or {}, _fields(self.new) or {}
        return frozenset(old.get("trait", ())) ^ frozenset(new.get("trait", ()))

    def __str__(self) -> str:
        """Return the difference in one line."""
        old, new = _fields(self.old) or {}, _fields(self.new) or {}
        said = "; ".join(f"{name}: {old.get(name)} -> {new.get(name)}" for name in sorted(self.fields))
        where = f"{self.component} {self.key} ({self.mode}) {self.releases[0]}..{self.releases[-1]}"
        return f"{where} with {dict(self.config)}: {said}"


def _fields(meaning: Any) -> dict[str, Any] | None:
    return None if meaning is None or meaning[-1] is None else meaning[-1]


@dataclass(frozen=True)
class Correction:
    """A listed change of meaning since then.

    ``when`` limits it to settings with which this guard holds, ``traits`` to these traits alone.
    """

    file: str
    keys: tuple[str, ...]
    releases: frozenset[str] | None
    fields: frozenset[str]
    why: str
    when: str | None = None
    traits: frozenset[str] = frozenset()

    def concerns(self, found: Difference) -> bool:
        """Whether it is about a key and its settings."""
        return (
            fnmatchcase(found.component, self.file)
            and any(fnmatchcase(found.key, key) for key in self.keys)
            and (self.releases is None or self.releases.issuperset(found.releases))
            and (self.when is None or holds(self.when, found.config) is True)
        )

    def explains(self, found: Difference) -> bool:
        """Whether it explains a field of a difference, or one of its traits."""
        if not self.concerns(found):
            return False
        return bool(self.traits & found.traits if self.traits else self.fields & found.fields)


def is_listed(found: Difference, listed: Iterable[Correction]) -> bool:
    """Whether a difference is explained: by the traits that corrections name, and each other field by one of them."""
    about = [one for one in listed if one.concerns(found)]
    named = frozenset(name for one in about for name in one.traits)
    left = found.fields - {"trait"} if found.traits <= named else found.fields
    return left <= {field for one in about for field in one.fields if field != "trait" or not one.traits}


@lru_cache(maxsize=1)
def corrections() -> tuple[Correction, ...]:
    """Return the listed changes of meaning."""
    rows = yaml.safe_load((FOLDER / "corrections.yaml").read_text("utf-8")) or []
    tables = load_tables()
    found = []
    for row in rows:
        releases = None
        if "releases" in row:
            order = tables.framework(row["file"].split("/")[0]).releases
            releases = order.covered([row["releases"]] if isinstance(row["releases"], str) else row["releases"])
        found.append(
            Correction(
                row["file"],
                tuple(row["keys"]),
                releases,
                frozenset(row["fields"]),
                row["why"],
                row.get("when"),
                frozenset(row.get("traits", ())),
            )
        )
    return tuple(found)


@lru_cache(maxsize=1)
def _frozen() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(lzma.decompress((FOLDER / "meaning.json.xz").read_bytes()))
    return found


def components() -> list[str]:
    """Return every component that the fixture holds."""
    return list(_frozen())


def compare(component: str, tables: Tables | None = None, *, most: int | None = None) -> Iterator[Difference]:
    """Yield what a component's keys mean in another way than they did.

    Args:
        component: Such as ``trl/grpo_trainer``.
        tables: The spec.
        most: How many configurations of a key are tried, drawn with a fixed seed; all of them if left out.
    """
    framework, stem = component.split("/")
    tables = tables or load_tables()
    table = tables.framework(framework)
    frozen = _frozen()[component]
    view = _Meanings(tables, table, stem)
    seen = set()
    for place, row in enumerate(frozen["keys"]):
        seen.add((row["key"], row["mode"]))
        configs, alike = zip(*_configs(row), strict=True)
        chosen = range(len(configs))
        if most is not None and len(configs) > most:
            chosen = sorted(random.Random(place).sample(chosen, most))  # type: ignore[assignment]
        for releases, runs in row["releases"]:
            numbers = [number for number, count in runs for _ in range(count)]
            for part, rows in view.alike(row["key"], row["mode"], releases):
                others = view.others(rows, configs[0] if configs else {}, random.Random(place))
                for index in chosen:
                    if numbers[index] < 0:
                        continue  # settings that the trainer does not take in these releases
                    old = _stored(frozen["meanings"][numbers[index]])
                    # Settings that the earlier form did not ask about change nothing, whatever they are.
                    # Values that it did not tell apart mean the same, each of them.
                    for other in (*others, *alike[index]):
                        config = {**configs[index], **other}
                        new = view.meaning(rows, config)
                        if not _same(old, new):
                            yield Difference(component, row["key"], row["mode"], part, config, old, new)
                            break
    for key, mode in view.places - seen:
        yield Difference(component, key, mode, ("0",), {}, None, ("on", {}))


def _stored(meaning: Any) -> Any:
    """Return a meaning of the fixture as ``(on | off, fields)``."""
    if meaning is None:
        return None
    if meaning == "off":
        return ("off", None)
    state, fields = ("off", meaning[1]) if isinstance(meaning, list) else ("on", meaning)
    return (state, {**fields, "condition": True} if fields and "condition" in fields else fields)


def _same(old: Any, new: Any) -> bool:
    if old is None or new is None:
        return old is new
    # Where several places write a key that is not logged, neither form says which of them is meant.
    return old == new or (old[0] == new[0] == "off" and None in (old[1], new[1]))


def _configs(row: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each configuration of a row, and what may stand in it instead without a change of meaning."""
    switches: Sequence[Sequence[Mapping[str, Any]]] = row["switches"]
    alike: Sequence[Sequence[Sequence[Mapping[str, Any]]]] = row.get("alike", ())
    points = row.get("points") or product(*(range(len(switch)) for switch in switches))
    for point in points:
        config = dict(row["fixed"])
        for switch, index in zip(switches, point, strict=True):
            config.update(switch[index])
        groups = [group[index] for group, index in zip(alike, point, strict=bool(alike))]
        turns = range(1, max(map(len, groups), default=0))
        yield config, [dict(ChainMap(*(dict(group[turn % len(group)]) for group in groups))) for turn in turns]


class _Meanings:
    """What the keys of a component mean today, in the terms of the fixture."""

    def __init__(self, tables: Tables, table: FrameworkTable, stem: str) -> None:
        self._tables = tables
        self._component = table.component(stem)
        self._releases = table.releases
        self._config = {**table.config, **self._component.config}
        self._rows: dict[tuple[str, str], list[TableRow]] = {}
        self._told: dict[int, Any] = {}
        for row in self._component.rows:
            self._rows.setdefault((row.key, row.mode), []).append(row)

    @property
    def places(self) -> set[tuple[str, str]]:
        """Every key with its mode."""
        return set(self._rows)

    def alike(self, key: str, mode: str, releases: Sequence[str]) -> list[tuple[tuple[str, ...], tuple[TableRow, ...]]]:
        """Return the releases in parts in which the same rows apply."""
        parts: dict[tuple[int, ...], list[str]] = {}
        rows = self._rows.get((key, mode), [])
        for release in releases:
            active = tuple(i for i, row in enumerate(rows) if self._releases.covers(row.ranges, release))
            parts.setdefault(active, []).append(release)
        return [(tuple(part), tuple(rows[i] for i in active)) for active, part in parts.items()]

    def others(self, rows: Sequence[TableRow], known: Mapping[str, Any], chance: random.Random) -> list[dict[str, Any]]:
        """Return values of the settings that rows ask about beyond the known ones: none, and some drawn ones."""
        texts = {text for row in rows for text in guards_of(row)}
        names = sorted({name for text in texts for name in parse(text).names()} - known.keys())
        if not names:
            return [{}]
        found: list[dict[str, Any]] = [{}]
        for _ in range(DRAWN):
            found.append({name: chance.choice(self._values(name, texts)) for name in names})
        return found

    def _values(self, name: str, texts: set[str]) -> list[Any]:
        setting = self._config.get(name, {})
        values: list[Any] = [value for _, value, _ in setting.get("defaults", ())]
        values += setting.get("choices", ())
        if setting.get("type") == "bool":
            values += [True, False]
        for text in texts:
            node = parse(text)
            if name in node.names():
                values += [part.value for part in node.walk() if isinstance(part, GuardLiteral)]
        kind = setting.get("type")
        if kind not in ("bool", "choice"):
            values.append(3 if kind in ("int", "float") else "something")  # guards often compare with null alone
        fitting = [value for value in values if value is None or _fits(value, kind)]
        return fitting or [None]

    def meaning(self, rows: Sequence[TableRow], config: Mapping[str, Any]) -> Any:
        """Return what rows of one key mean under a configuration."""
        last: Any = None
        for row in rows:
            active = tuple(i for i, f in enumerate(row.facts) if "when" not in f or holds(f["when"], config) is True)
            said = self._component.combined(row, active)
            answers = [holds(guard, config) for guard in said["logged_when"]]
            if False in answers:
                last = ("off", self._tell(said) if len(rows) == 1 else None)
                continue
            told = self._tell(said)
            return ("on", {**told, "logged": None} if None in answers else told)
        return last

    def _tell(self, said: Mapping[str, Any]) -> dict[str, Any]:
        # The component keeps what it combined, so that its identity stands for it.
        if id(said) not in self._told:
            self._told[id(said)] = dict(self._fields(said))
        found: dict[str, Any] = self._told[id(said)]
        return found

    def _fields(self, said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        known = self._tables.metrics.get(said.get("metric") or "", {})
        population, without = said.get("population") or known.get("population"), set(said["without"])
        row = self._tables.signatures["POPULATIONS"].get(population or "", ())
        if len(row) > 3:
            population, without = row[3], {*row[4], *without}
        told = {
            "metric": said.get("metric"),
            "population": population,
            "without": sorted(without),
            "reduction": dict(sorted(said["reduction"].items())),
            "kind": said.get("kind") or known.get("kind", "scalar"),
            # That something is asked for which no setting tells is part of the meaning, its wording is not.
            "condition": bool(said.get("condition") or said["fails"]),
            "logged_by": None if said.get("logged_by") == "framework" else said.get("logged_by"),
            "bind": [list(item) for item in sorted(said.get("bind", {}).items())],
            **{name: said.get(name) for name in ("snapshot", "span", "lag", "reproduced_by", "route")},
            **{name: _number(said.get(name), usual) for name, usual in (("scale", 1), ("offset", 0))},
            "trait": sorted(said["traits"]),
            "constant_when": sorted(said["constant_when"]),
            "note": sorted({text for note in self._component.notes(said) for text in _SENTENCE.split(note) if text}),
            "documented": sorted(([says, code] for says, code, *_ in self._component.documented(said)), key=str),
        }
        yield from ((name, value) for name, value in told.items() if value)
        by_default = False if said["fails"] else said.get("logged_by_default")
        if by_default is not None:
            yield "logged_by_default", by_default


def _fits(value: Any, kind: str | None) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("int", "float"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)


def _number(value: float | str | None, usual: float) -> float | str | None:
    """Return a scale as the fixture has it: expressions by what they are worth for made-up settings."""
    if value is None or value == usual:
        return None
    if not isinstance(value, str):
        return value
    names = {name: 2.0 + sum(map(ord, name.split(".")[-1])) % 89 for name in parse(value).names()}
    return f"={round(float(parse(value).evaluate(names)), 12)!r}"  # type: ignore[arg-type]


def main() -> None:
    """Compare everything, or the named components, and print the first differences of each."""
    listed = corrections()
    for component in sys.argv[1:] or components():
        found = list(compare(component))
        open_ = [item for item in found if not is_listed(item, listed)]
        print(f"{component}: {len(found)} differences, {len(open_)} of them not listed", flush=True)
        for item in open_[:3]:
            print("   ", item)


if __name__ == "__main__":
    main()
