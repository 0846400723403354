"""What the spec cites of other packages, such as transformers, and whether it stands there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from rlmetrics.names.tables import FrameworkTable, Tables
from rlmetrics.names.templates import placeholders_in

from .described import Claim
from .evidence import WINDOW, EvidenceChecker
from .extract import Extraction

__all__ = ["ForeignCitation", "foreign_citations", "problems_in"]


@dataclass(frozen=True, order=True)
class ForeignCitation:
    """A line of another package that the spec cites.

    Attributes:
        package: The package.
        release: Its release, not the framework's.
        path: Path in its wheel.
        line: Counted from 1.
        symbol: The enclosing class and function.
        shows: What the line shows.
        key: The emission's key, where the line must show it.
        samples: Keys that it stands for, by the examples of its placeholders.
    """

    package: str
    release: str
    path: str
    line: int
    symbol: str
    shows: str
    key: str = ""
    samples: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = f"the key {self.key}" if self.key else self.shows
        return f"{self.path}:{self.line} {self.symbol}: {shown}"


def foreign_citations(tables: Tables) -> list[ForeignCitation]:
    """Return every line of other packages that the spec cites, in order."""
    own = {str(framework["package"]) for framework in tables.frameworks.values()}
    found = {item for name in tables.frameworks for item in _of(tables.framework(name)) if item.package not in own}
    return sorted(found)


def _of(table: FrameworkTable) -> Iterator[ForeignCitation]:
    stems = dict.fromkeys(part for _, stem, _, _ in table.components for part in table.chain(stem))
    for stem in stems:
        for key, text in _cited(table.file(stem)):
            for cited in table.evidence(text):
                package = cited.path.partition("/")[0]
                shown = key if cited.shows == "key" else ""
                samples = _samples(table, stem, shown)
                yield ForeignCitation(
                    package, cited.release, cited.path, cited.line, cited.symbol, cited.shows, shown, samples
                )


def _samples(table: FrameworkTable, stem: str, key: str) -> tuple[str, ...]:
    names = placeholders_in(key)
    rows = {**table.placeholders}
    for part in reversed(table.chain(stem)):
        rows.update(table.file(part).get("placeholders", {}))
    choices = ([str(example) for example in rows[name]["examples"]] for name in names if name in rows)
    return tuple(_filled(key, names, values) for values in product(*choices))


def _filled(key: str, names: Sequence[str], values: Sequence[str]) -> str:
    for name, value in zip(names, values, strict=False):
        key = key.replace(f"{{{name}}}", value)
    return key


def _cited(file: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield all evidence of a file, with the emission's key where a line may have to show one."""
    for row in file.get("emissions", ()):
        yield row["key"], row["evidence"]
        yield from ((row["key"], variant.get("evidence", "")) for variant in row.get("variants", ()))
    for field in ("tracking", "omits", "amends"):
        yield from (("", row.get("evidence", "")) for row in file.get(field, ()))
    for row in file.get("config", {}).values():
        yield from (("", cited) for _, _, cited in row.get("defaults", ()))


def problems_in(sources: Mapping[str, str], citations: list[ForeignCitation]) -> dict[str, str | None]:
    """Reopen the cited lines of one release of a package.

    Args:
        sources: Path in its wheel to text.
        citations: What the spec cites of this release.

    Returns:
        Citation to what is wrong with it, or to nothing.
    """
    checker = EvidenceChecker(sources, Extraction("", "", (), (), {}))
    found: dict[str, str | None] = {}
    for item in citations:
        claim = Claim("", item.path, item.line, item.symbol, "key" if item.key else "value", item.key)
        problem = checker.problem(claim)
        if problem is not None and item.key and _put_together(sources.get(item.path, ""), item):
            # The line shows all of the key but what a caller says, so only where it stands has to be right.
            problem = checker.problem(Claim("", item.path, item.line, item.symbol, "value"))
        found[str(item)] = problem
    return found


def _put_together(source: str, item: ForeignCitation) -> bool:
    """Whether a string with gaps on the cited line, such as ``f"{split}_runtime"``, becomes the key."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr) and abs(node.lineno - item.line) <= WINDOW:
            words = [part.value for part in node.values if isinstance(part, ast.Constant)]
            pattern = "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in node.values
            )
            says_something = any(re.search(r"[A-Za-z]{2}", str(word)) for word in words)
            if says_something and any(re.fullmatch(pattern, sample) for sample in item.samples):
                return True
    return False
