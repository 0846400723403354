"""The names of a convention outside the frameworks, such as OpenTelemetry's proposal, as a target."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rlmetrics.lazy_dataclasses import replace

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
        return [self._named(row["name"], row["metric"], row.get("note"), traits) for row in convention["names"]]

    def _named(self, name: str, metric: str, note: str | None, traits: Sequence[str]) -> Entry:
        signature = canonical_signature(metric, self.tables)
        signature = replace(signature, traits=(*signature.traits, *traits))
        return self._entry(self.source.framework, name, metric, signature, note=note)

    def entries(self) -> list[Entry]:
        """Return every name."""
        return list(self._entries)

    def candidates(self, metric: str, mode: str) -> list[Entry]:
        """Return the names of a metric; there are none for evaluation."""
        return [entry for entry in self._entries if (entry.metric, entry.mode) == (metric, mode)]

    def find(self, key: str) -> list[Match]:
        """Return what a name is."""
        return [Match(entry, "logged", {}) for entry in self._entries if entry.key == key]

    def template(self, entry: Entry) -> Template:
        """Return the template of a name, which has no placeholders."""
        return Template(entry.key, {})
