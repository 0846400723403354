"""What a component logs, by the names that trackers show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from .inheritance import AppliedRow, applied_rows
from .surfaces import route_surfaces, show_template
from .tables import FrameworkTable, Tables
from .templates import Template, placeholders_in

__all__ = ["Emissions", "emissions_of"]


class Emissions:
    """What a component logs in some releases, by the names that trackers show, whichever keys are asked for.

    Attributes:
        certain: What every run logs.
        always: How many keys these are in each release.
    """

    def __init__(self, tables: Tables, table: FrameworkTable, stem: str, releases: Sequence[str]) -> None:
        self._table = table
        self._literal: dict[str, list[AppliedRow]] = {}
        self._templates: list[tuple[Template, AppliedRow]] = []
        self.certain: list[AppliedRow] = []
        own = {stem for _, stem, _, _ in table.components}
        chain = table.chain(stem)
        ways = [rules for _, rules in route_surfaces(tables, self._routes(chain))]
        for applied in applied_rows(table, stem, releases):
            shown = {applied.key, *(show_template(applied.key, rules) for rules in ways)} - {""}
            if "{" in applied.key:
                self._templates += [(template, applied) for template in self._closed(shown, chain)]
            else:
                for text in shown:
                    self._literal.setdefault(text, []).append(applied)
            if applied.stem in own and _is_always_logged(applied, tables):
                self.certain.append(applied)
        self.always = Counter(release for applied in self.certain for release in applied.releases)

    def that_show(self, name: str) -> Iterator[AppliedRow]:
        """Yield the emissions that a tracker may show under a name."""
        yield from self._literal.get(name, ())
        yield from (applied for template, applied in self._templates if template.parse(name) is not None)

    def _routes(self, chain: list[str]) -> list[str]:
        rows = (row for part in chain for row in self._table.file(part).get("tracking", ()))
        return list(dict.fromkeys(row["route"] for row in rows))

    def _closed(self, shown: set[str], chain: list[str]) -> Iterator[Template]:
        for text in shown:
            rows = self._placeholders(text, chain)
            if not any(row.get("open") for row in rows.values()):
                yield Template(text, {name: row["pattern"] for name, row in rows.items()})

    def _placeholders(self, text: str, chain: list[str]) -> dict[str, Mapping[str, Any]]:
        known: dict[str, Mapping[str, Any]] = dict(self._table.placeholders)
        for part in reversed(chain):
            known.update(self._table.file(part).get("placeholders", ()))
        return {name: known[name] for name in placeholders_in(text)}


@lru_cache(maxsize=512)
def emissions_of(tables: Tables, framework: str, stem: str, releases: tuple[str, ...]) -> Emissions:
    """Return what a component logs; read once for all files and runs of which the source is asked."""
    return Emissions(tables, tables.framework(framework), stem, releases)


def _is_always_logged(applied: AppliedRow, tables: Tables) -> bool:
    """Whether every run logs a number under a key, as far as that can be told.

    What is shared by many classes is left out: it comes with a run's end, or from elsewhere.
    """
    row = applied.row
    kind = row.get("kind") or tables.metrics.get(row.get("metric") or "", {}).get("kind", "scalar")
    return applied.mode == "train" and kind == "scalar" and not row.keys() & {"when", "condition", "route"}
