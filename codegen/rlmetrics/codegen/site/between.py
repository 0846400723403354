"""What a key is called in the other framework: the rows of the command line's map, opened once for all pages."""

from __future__ import annotations

from functools import lru_cache

from rlmetrics.names.mapping.mapping import NameMap
from rlmetrics.names.mapping.programs import paired
from rlmetrics.names.meanings.protocol import View
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.key_records import MapRow
from rlmetrics.names.tables.tables import Tables

from .lives import Life

__all__ = ["Between", "between_of"]


class Between:
    """Translates keys between the newest releases of frameworks.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._views: dict[str, View] = {}
        self._maps: dict[tuple[str, str], dict[tuple[str, str, str], MapRow]] = {}

    def row(self, life: Life, to: str) -> tuple[str, str, MapRow] | None:
        """Return what a key is in the newest release of another framework, as its newest release logs it.

        Args:
            life: The key.
            to: The other framework.

        Returns:
            The two sources, and the row of the map between them.
        """
        table = self._tables.framework(life.framework)
        release = table.releases.names[life.pieces[-1].last]
        target = f"{to}=={self._tables.framework(to).releases.names[-1]}"
        # Where several components run together, the key is one of a run; where each is a trainer, one of the trainer.
        for component in ("", f"[{life.component}]") if table.programs else (f"[{life.component}]",):
            source = f"{life.framework}{component}=={release}"
            found = self._rows(source, target).get((life.component, life.key, life.mode))
            if found is not None:
                return source, target, found
        return None

    def _view(self, source: str) -> View:
        if source not in self._views:
            self._views[source] = FrameworkView(self._tables, parse_source(source, self._tables))
        return self._views[source]

    def _rows(self, source: str, target: str) -> dict[tuple[str, str, str], MapRow]:
        place = (source, target)
        if place not in self._maps:
            first, second = paired(self._view(source), self._view(target), None, None)
            rows = NameMap(first, second).rows
            self._maps[place] = {(row.from_component, row.from_, row.mode): row for row in rows}
        return self._maps[place]


@lru_cache(maxsize=2)
def between_of(tables: Tables) -> Between:
    """Return the maps between the frameworks of a spec."""
    return Between(tables)
