"""What the spec says a release logs, read from the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from rlmetrics.names.tables.framework_table import FrameworkTable
from rlmetrics.names.tables.tables import Tables

__all__ = ["DescribedKey", "Description", "describe"]

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MAX_SAMPLES = 512


@dataclass(frozen=True)
class DescribedKey:
    """A record of one component in one release.

    Attributes:
        component: The component.
        stem: The file that the record stands in.
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
        texts = set()
        for values in product(*(self.examples.get(name, ("x",)) for name in names)):
            chosen = dict(zip(names, values, strict=True))
            texts.add(_PLACEHOLDER.sub(lambda match, chosen=chosen: chosen[match[1]], self.key))  # type: ignore[misc]
            if len(texts) >= _MAX_SAMPLES:
                break
        return frozenset(texts)

    def fits(self, logged: str) -> bool:
        """Tell whether an extracted key or template can be this one; what users name is no literal of the source."""
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
    """

    components: frozenset[str]
    keys: tuple[DescribedKey, ...]


def describe(tables: Tables, framework: str, release: str, component: str | None = None) -> Description:
    """Return what the spec says about a release.

    Args:
        tables: The spec.
        framework: A framework of the spec.
        release: Any release; one that is not described gives an empty description.
        component: Only this component.
    """
    table = tables.framework(framework)
    release = next(reversed(table.releases.paired(release)), release)
    covered = [
        (name, stem)
        for name, stem, ranges, _ in table.components
        if release in table.releases and table.releases.covers(ranges, release) and component in (None, name)
    ]
    keys = [key for name, stem in covered for key in _keys(table, stem, name, release)]
    return Description(frozenset(name for name, _ in covered), tuple(keys))


def _keys(table: FrameworkTable, stem: str, component: str, release: str) -> Iterator[DescribedKey]:
    own = table.component(stem)
    rows = own.placeholders
    for key, row in {row.key: row for row in own.at(release)}.items():
        names = _PLACEHOLDER.findall(key)
        always = [row.record, *(fact for fact in row.facts if "when" not in fact)]
        yield DescribedKey(
            component=component,
            stem=row.fragment or stem,
            key=key,
            patterns={name: rows[name]["pattern"] for name in names if name in rows},
            examples={name: tuple(rows[name]["examples"]) for name in names if name in rows},
            eval_prefix=own.eval_prefix if row.mode == "eval" else "",
            external="foreign" in row.record
            or "/" in (row.fragment or "")
            or any(piece.get("logged_by") == "user" for piece in always),
        )
