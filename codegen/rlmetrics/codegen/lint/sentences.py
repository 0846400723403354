"""Every sentence of the spec that claims something of a number, with its place, and the digest of what it rests on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from ..model import SpecReading
from ..tables.metrics_table import texts_of
from .said import said_anywhere

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..meaning import SpecPiece
    from .context import Context

__all__ = ["Sentence", "sentences"]

_TEXTS = frozenset({"at", "notes", "documented", "foreign", "name", "logged_by", "reads"})
"""What pieces say that changes no number."""


class Sentence(NamedTuple):
    """A sentence that claims something of a number.

    Attributes:
        kind: ``reading``, ``range``, ``constant`` or ``varies``: that no sentence calls a number constant.
        ref: The file.
        path: Its place there.
        subject: The metric, or the trait, that it is about; empty for what records say.
        says: The reading, or the text.
        digest: Of the sentence, and of all that decides the numbers it is about.
    """

    kind: str
    ref: str
    path: YamlPath
    subject: str
    says: Any
    digest: str

    @property
    def place(self) -> str:
        """The file and the node in it, as the lock has them."""
        return f"{self.ref}:{'.'.join(map(str, self.path))}"


def sentences(context: Context) -> list[Sentence]:
    """Return every sentence of a spec that steps can bear out or refute."""
    return list(_Sentences(context).all())


class _Sentences:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._digests: dict[int, str] = {}
        self._configs: dict[tuple[str, str], str] = {}

    def all(self) -> Iterator[Sentence]:
        spec = self._context.spec
        for name, metric in spec.metrics.items():
            ref = f"metrics/{spec.family_of[name]}"
            path: YamlPath = ("metrics", name)
            for index, reading in enumerate(metric.reads):
                yield self._of_metric("reading", name, ref, (*path, "reads", index), reading)
            if metric.range not in (None, (None, None)) and metric.formula is not None:
                yield self._of_metric("range", name, ref, (*path, "range"), metric.range)
            if metric.formula is not None:
                yield self._of_metric("varies", name, ref, path, f"{name} varies")
        for name, trait in spec.signatures.traits.items():
            for index, reading in enumerate(trait.reads):
                resting = [f"trait {name}", *sorted(self._carried.get(f"trait {name}", ()))]
                path = ("traits", name, "reads", index)
                yield Sentence("reading", "signatures", path, name, reading, _digest(_dumped(reading), resting))
        for said in said_anywhere(self._context):
            resting = sorted(self._carried.get(f"{said.ref} {said.path}", ()))
            for index, reading in enumerate(said.fields.reads):
                digest = _digest(_dumped(reading), resting)
                yield Sentence("reading", said.ref, (*said.path, "reads", index), "", reading, digest)
            stated = said.fields.constant_when
            path = (*said.path, "constant_when")
            for index, text in enumerate([stated] if isinstance(stated, str) else stated or ()):
                place = path if isinstance(stated, str) else (*path, index)
                yield Sentence("constant", said.ref, place, "", text, _digest(text, resting))

    def _of_metric(self, kind: str, name: str, ref: str, path: YamlPath, says: Any) -> Sentence:
        # What a metric says of values explains those out of its range, and those that never change.
        told = [] if kind == "reading" else _values(self._context.spec.metrics[name].reads)
        resting = [f"metric {name}", self._formula(name), told, *sorted(self._carried.get(f"metric {name}", ()))]
        return Sentence(kind, ref, path, name, says, _digest(_dumped(says), resting))

    def _formula(self, name: str) -> str:
        texts = texts_of(self._context.spec.metrics[name])
        return _digest(
            {field: texts.get(field) for field in ("let", "formula", "variants", "parameters", "empty", "nan")}
        )

    @cached_property
    def _carried(self) -> dict[str, set[str]]:
        """For each metric, trait and place of a record or fact, the digests of the meanings that it is part of."""
        carried: dict[str, set[str]] = {}
        for component in self._context.components:
            framework, stem = component.scope.framework, component.scope.stem
            settings = self._settings(framework, stem)
            for item in component.resolved:
                pieces = (item.record, *item.facts)
                meaning = _digest([item.mode, item.releases, settings, *(self._piece(piece) for piece in pieces)])
                for piece in pieces:
                    asked = [f"frameworks/{framework}/{piece.stem} {piece.path}"]
                    if piece.says.get("metric"):
                        asked.append(f"metric {piece.says['metric']}")
                    asked += [f"trait {name}" for name in piece.says.get("traits", ())]
                    for one in asked:
                        carried.setdefault(one, set()).add(meaning)
        return carried

    def _piece(self, piece: SpecPiece) -> str:
        if id(piece) not in self._digests:
            said = {name: _dumped(value) for name, value in piece.says.items() if name not in _TEXTS}
            traits = [self._trait(name) for name in piece.says.get("traits", ())]
            self._digests[id(piece)] = _digest([piece.when, said, _values(piece.says.get("reads", ())), traits])
        return self._digests[id(piece)]

    def _trait(self, name: str) -> Any:
        """Return what a trait does to a number, and which values it explains."""
        trait = self._context.spec.signatures.traits.get(name)
        return None if trait is None else [_dumped(trait.does), trait.grade, _values(trait.reads)]

    def _settings(self, framework: str, stem: str) -> str:
        """Return the digest of the defaults of a component's settings."""
        asked = framework, stem
        if asked not in self._configs:
            bits = self._context.frameworks[framework].bits
            held: dict[str, dict[str, int]] = {}
            for name, key in self._context.config(framework, stem).items():
                for item in key.defaults:
                    values = held.setdefault(name, {})
                    values[repr(item.value)] = values.get(repr(item.value), 0) | bits(item.releases or "..")
            self._configs[asked] = _digest(held)
        return self._configs[asked]


def _values(readings: Iterable[SpecReading]) -> list[Any]:
    return [[reading.value, reading.level] for reading in readings]


def _dumped(value: Any) -> Any:
    if isinstance(value, BaseModel):
        shown = {"shown_by": list(value.shown_by)} if isinstance(value, SpecReading) else {}
        return {**value.model_dump(mode="json", exclude_defaults=True), **shown}
    if isinstance(value, dict):
        return {str(name): _dumped(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_dumped(item) for item in value]
    return value


def _digest(*values: Any) -> str:
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
