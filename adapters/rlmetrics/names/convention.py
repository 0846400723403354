"""The names of a convention outside the frameworks, such as OpenTelemetry's proposal, as a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from .protocol import Match
from .records import Entry, Evidence
from .signature import canonical_signature
from .source import Source
from .tables import Tables
from .templates import Template

__all__ = ["ConventionView"]


class ConventionView:
    """What a convention names, each name with the metric of the spec that it measures.

    Args:
        tables: The spec.
        source: The convention.
    """

    def __init__(self, tables: Tables, source: Source) -> None:
        self.tables = tables
        self.source = source

    @cached_property
    def _entries(self) -> list[Entry]:
        convention = self.tables.conventions[self.source.framework]
        traits = convention.get("traits", ())
        return [self._entry(row["name"], row["metric"], row.get("note"), traits) for row in convention["names"]]

    def _entry(self, name: str, metric: str, note: str | None, traits: Sequence[str]) -> Entry:
        signature = canonical_signature(metric, self.tables)
        return Entry(
            component=self.source.framework,
            key=name,
            mode="train",
            metric=metric,
            kind=self.tables.metrics[metric].get("kind", "scalar"),
            signature=replace(signature, traits=(*signature.traits, *traits)),
            condition=None,
            logged_by_default=True,
            logged=True,
            constant_when=(),
            variant=None,
            alternatives=(),
            bind={},
            at=(),
            note=note,
        )

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

    def program(self, component: str) -> str:
        """Return the one program that there is."""
        return component

    def circumstances(self, component: str) -> None:
        """Return nothing: there are no settings."""

    def evidence(self, entry: Entry) -> tuple[Evidence, ...]:
        """Return nothing: no source shows these names."""
        return ()

    def show(self, entry: Entry, name: str, surface: str) -> str:
        """Return the name: a convention says how it is spelt, not how a tracker shows it."""
        return name
