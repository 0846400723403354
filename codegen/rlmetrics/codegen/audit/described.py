"""What the spec says a release logs, with its evidence, read from the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from rlmetrics.names.inheritance import applied_rows
from rlmetrics.names.records import Evidence
from rlmetrics.names.tables import FrameworkTable, Tables

__all__ = ["Claim", "DescribedKey", "Description", "describe"]

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MAX_SAMPLES = 512


@dataclass(frozen=True)
class Claim:
    """A line that the spec cites.

    Attributes:
        where: What of the spec cites it: file and key, configuration key or tracking entry.
        path: Path in the wheel.
        line: Counted from 1.
        symbol: The enclosing class and function.
        shows: ``key`` if the line must show the key, else ``value``.
        key: The emission's key, where the line must show it.
        eval_prefix: What the key is prefixed with in evaluation.
    """

    where: str
    path: str
    line: int
    symbol: str
    shows: str
    key: str = ""
    eval_prefix: str = ""


@dataclass(frozen=True)
class DescribedKey:
    """An emission of one component in one release.

    Attributes:
        component: The component.
        stem: The file that the emission stands in.
        key: The key or template as it is logged, with the prefix of evaluation.
        patterns: Pattern of each placeholder.
        examples: Examples of each placeholder.
        eval_prefix: What the key begins with because it is logged in evaluation.
        external: Whether something else logs it: another package, such as transformers, or the user.
    """

    component: str
    stem: str
    key: str
    patterns: Mapping[str, str]
    examples: Mapping[str, tuple[str, ...]]
    eval_prefix: str
    external: bool

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """What a logged key must match."""
        parts: list[str] = []
        position = 0
        for match in _PLACEHOLDER.finditer(self.key):
            parts.append(re.escape(self.key[position : match.start()]))
            parts.append(f"(?:{self.patterns.get(match[1], '.+')})")
            position = match.end()
        return re.compile("".join(parts) + re.escape(self.key[position:]))

    @cached_property
    def is_open(self) -> bool:
        """Whether nothing of the key is fixed."""
        return not self._fixed(self.key)

    def _fixed(self, key: str) -> bool:
        return re.search(r"\w", _PLACEHOLDER.sub("", key.removeprefix(self.eval_prefix))) is not None

    @cached_property
    def samples(self) -> frozenset[str]:
        """Keys that it stands for, by the examples of its placeholders."""
        names = list(dict.fromkeys(_PLACEHOLDER.findall(self.key)))
        found = set()
        for values in product(*(self.examples.get(name, ("x",)) for name in names)):
            chosen = dict(zip(names, values, strict=True))
            found.add(_PLACEHOLDER.sub(lambda match, chosen=chosen: chosen[match[1]], self.key))  # type: ignore[misc]
            if len(found) >= _MAX_SAMPLES:
                break
        return frozenset(found)

    def fits(self, logged: str) -> bool:
        """Whether an extracted key or template can be this one; what the user names is no literal of the source."""
        if "{" not in logged:
            return not self.is_open and self.regex.fullmatch(logged) is not None
        if not self._fixed(logged):
            return self.is_open and logged.startswith(self.eval_prefix)
        if self.is_open:
            return False
        template = re.compile(".+".join(re.escape(part) for part in re.split(r"\{[^{}]*\}", logged)))
        if any(template.fullmatch(sample) for sample in self.samples):
            return True
        pool = sorted({value for values in self.examples.values() for value in values} | {"x", "2"})
        count = len(_PLACEHOLDER.findall(logged))
        if len(pool) ** count > 20 * _MAX_SAMPLES:
            pool = pool[:4]
        for values in product(pool, repeat=count):
            replacements = iter(values)
            if self.regex.fullmatch(_PLACEHOLDER.sub(lambda _, r=replacements: next(r), logged)):  # type: ignore[misc]
                return True
        return False


@dataclass(frozen=True)
class Description:
    """What the spec says about one release.

    Attributes:
        components: Names of the described components.
        keys: Their keys.
        claims: Lines of the release that the spec cites.
        external: How many cited lines stand in other packages.
    """

    components: frozenset[str]
    keys: tuple[DescribedKey, ...]
    claims: tuple[Claim, ...]
    external: int


def describe(tables: Tables, framework: str, release: str, component: str | None = None) -> Description:
    """Returns what the spec says about a release.

    Args:
        tables: The spec.
        framework: A framework of the spec.
        release: Any release; one that is not described gives an empty description.
        component: Only this component.
    """
    table = tables.framework(framework)
    package = str(tables.frameworks[framework]["package"]) + "/"
    covered = [
        (name, stem)
        for name, stem, ranges, _ in table.components
        if release in table.releases and table.releases.covers(ranges, release) and component in (None, name)
    ]
    keys = [key for name, stem in covered for key in _keys(table, stem, name, release, package)]
    stems = list(dict.fromkeys(part for _, stem in covered for part in table.chain(stem)))
    cited = [claim for stem in stems for claim in _claims(table, stem, release)]
    cited += _config_claims(table, "framework", table.config, release) if covered else ()
    claims = tuple(dict.fromkeys(claim for claim in cited if claim.path.startswith(package)))
    return Description(frozenset(name for name, _ in covered), tuple(keys), claims, len(set(cited)) - len(claims))


def _keys(table: FrameworkTable, stem: str, component: str, release: str, package: str) -> Iterator[DescribedKey]:
    chain = table.chain(stem)
    rows: dict[str, Any] = dict(table.placeholders)
    for part in reversed(chain):
        rows.update(table.file(part).get("placeholders", {}))
    for key, applied in {applied.key: applied for applied in applied_rows(table, stem, (release,))}.items():
        names = _PLACEHOLDER.findall(key)
        cited = table.evidence(applied.row.get("evidence", ""))
        yield DescribedKey(
            component=component,
            stem=applied.stem,
            key=key,
            patterns={name: rows[name]["pattern"] for name in names if name in rows},
            examples={name: tuple(rows[name]["examples"]) for name in names if name in rows},
            eval_prefix=table.file(applied.stem)["eval_prefix"] if applied.mode == "eval" else "",
            external=applied.row.get("logged_by") == "user" or not any(item.path.startswith(package) for item in cited),
        )


def _covers(table: FrameworkTable, row: Mapping[str, Any], release: str) -> bool:
    return "releases" not in row or table.releases.covers(row["releases"], release)


def _claims(table: FrameworkTable, stem: str, release: str) -> Iterator[Claim]:
    file = table.file(stem)
    for row in file.get("emissions", ()):
        if not _covers(table, row, release):
            continue
        where = f"{stem}: {row['key']}"
        for entry in table.evidence(row.get("evidence", "")):
            yield from _claim(where, entry, release, row["key"], file["eval_prefix"])
        for variant in row.get("variants", ()):
            for entry in table.evidence(variant.get("evidence", "")):
                yield from _claim(f"{where} @{variant['name']}", entry, release, row["key"], file["eval_prefix"])
    for field in ("tracking", "omits", "amends"):
        for row in file.get(field, ()):
            for entry in table.evidence(row.get("evidence", "")):
                yield from _claim(f"{stem}: {row.get('key', field)}", entry, release)
    yield from _config_claims(table, stem, file.get("config", {}), release)


def _config_claims(table: FrameworkTable, stem: str, config: Mapping[str, Any], release: str) -> Iterator[Claim]:
    for name, row in config.items():
        for _, _, cited in row.get("defaults", ()):
            for entry in table.evidence(cited):
                yield from _claim(f"{stem}: config {name}", entry, release)


def _claim(where: str, cited: Evidence, release: str, key: str = "", eval_prefix: str = "") -> Iterator[Claim]:
    if cited.release == release:
        is_key = bool(key) and cited.shows == "key"
        yield Claim(
            where,
            cited.path,
            cited.line,
            cited.symbol,
            "key" if is_key else "value",
            key if is_key else "",
            eval_prefix if is_key else "",
        )
