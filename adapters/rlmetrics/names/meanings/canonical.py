"""The spec's own names as a source and a target."""

from __future__ import annotations

from functools import cached_property

from ..differences.entry_signature import canonical_signature
from ..sources.source import CANONICAL, Source
from ..tables.key_records import Entry
from ..tables.metric_renames import warn_renamed
from ..tables.tables import Tables
from ..tables.templates import Template
from .names_only import NamesOnly
from .protocol import Match

__all__ = ["EVAL_PREFIX", "CanonicalView"]

EVAL_PREFIX = "eval/"
"""Canonical names of what is measured in evaluation start with this."""
_TRAINING = "train/"


class CanonicalView(NamesOnly):
    """Every metric under its canonical name: pooled, over its own population.

    A metric that is logged once for each of something, such as each reward function, has the values of the
    placeholders at the end of its name: ``reward/function/mean/accuracy``.
    """

    def __init__(self, tables: Tables, source: Source) -> None:
        super().__init__(tables, source)
        self._made: dict[tuple[str, str], list[Entry]] = {}
        self._templates: dict[str, Template] = {}
        self._renamed = {old: new for old, new, _, _ in tables.renamed}

    def entries(self) -> list[Entry]:
        """Return every metric as it is named for training."""
        return [entry for metric in self.tables.metrics for entry in self.candidates(metric, "train")]

    def candidates(self, metric: str, mode: str) -> list[Entry]:
        """Return the names of a metric: one, or one for each set of placeholders under which it is logged."""
        if metric not in self.tables.metrics:
            return []
        if (metric, mode) not in self._made:
            prefix = EVAL_PREFIX if mode == "eval" else ""
            signature = canonical_signature(metric, self.tables)
            made = []
            for placeholders in self.tables.metrics[metric].get("templates", ({},)):
                key = "/".join([prefix + metric, *(f"{{{name}}}" for name in placeholders)])
                self._templates[key] = Template(key, placeholders)
                made.append(self._entry(CANONICAL, key, metric, signature, mode))
            self._made[metric, mode] = made
        return self._made[metric, mode]

    @cached_property
    def _templated(self) -> list[str]:
        return [metric for metric, row in self.tables.metrics.items() if any(row.get("templates", ()))]

    def find(self, key: str) -> list[Match]:
        """Return what a canonical name is, as trackers show it and suites write it.

        Trackers of transformers put ``train/`` before it, and a suite names the inputs behind ``@``. Names of earlier
        versions of the spec are understood.
        """
        bare = key.removeprefix(_TRAINING).partition("@")[0]
        return self._named(key) or (self._named(bare) if bare != key else [])

    def _named(self, key: str) -> list[Match]:
        mode, prefix = ("eval", EVAL_PREFIX) if key.startswith(EVAL_PREFIX) else ("train", "")
        name = key[len(prefix) :]
        if name in self._renamed:
            warn_renamed(name, self._renamed[name])
            name = self._renamed[name]
        for entry in self.candidates(name, mode):
            if not self.template(entry).names:
                return [Match(entry, "logged", {})]
        for metric in self._templated:
            if name.startswith(f"{metric}/"):
                # The longest form first: a data source may contain slashes itself.
                forms = [(entry, self.template(entry)) for entry in reversed(self.candidates(metric, mode))]
                read = [
                    (entry, form, values) for entry, form in forms if (values := form.parse(prefix + name)) is not None
                ]
                if read:
                    longest = len(read[0][1].names)
                    return [
                        Match(entry, "logged", values) for entry, form, values in read if len(form.names) == longest
                    ]
        return []

    def template(self, entry: Entry) -> Template:
        """Return the template of a canonical name."""
        return self._templates[entry.key]
