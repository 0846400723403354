"""The names of a convention outside the frameworks, such as OpenTelemetry's proposal, as a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import Any

from ..differences.entry_signature import canonical_signature
from ..tables.key_records import Entry
from ..tables.templates import Template
from .names_only import NamesOnly
from .protocol import Match

__all__ = ["ConventionView"]


class ConventionView(NamesOnly):
    """What a convention names, each name with the metric of the spec that it measures."""

    @cached_property
    def _entries(self) -> list[Entry]:
        convention = self.tables.conventions[self.source.framework]
        traits = convention.get("traits", ())
        return [self._named(row, traits) for row in convention["names"]]

    def _named(self, row: Mapping[str, Any], traits: Sequence[str]) -> Entry:
        signature = canonical_signature(row["metric"], self.tables)
        signature = replace(signature, traits=(*signature.traits, *traits), scale=row.get("scale", 1.0))
        return self._entry(self.source.framework, row["name"], row["metric"], signature, note=row.get("note"))

    def readings(self, entry: Entry) -> list[Entry]:
        """Return what a name may be: an entry for each metric that the convention's words fit."""
        return [reading for reading in self._entries if reading.key == entry.key]

    def entries(self) -> list[Entry]:
        """Return every name, as the first of its readings."""
        return list({entry.key: entry for entry in reversed(self._entries)}.values())[::-1]

    def candidates(self, metric: str, mode: str) -> list[Entry]:
        """Return the names of a metric; there are none for evaluation."""
        return [entry for entry in self._entries if (entry.metric, entry.mode) == (metric, mode)]

    def find(self, key: str) -> list[Match]:
        """Return what a name is, by the first of its readings."""
        return [Match(entry, "logged", {}) for entry in self.entries() if entry.key == key]

    def template(self, entry: Entry) -> Template:
        """Return the template of a name, which has no placeholders."""
        return Template(entry.key, {})
