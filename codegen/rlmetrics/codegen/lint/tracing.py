"""Notes which parts of a spec a check reads, so that its result holds until one of these changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from typing import Any

from ..spec import Spec
from .context import Context

__all__ = ["ANYTHING", "TracedContext", "TracedSpec", "read_anything", "trace"]

ANYTHING = ""
"""Stands for every part: nothing is known about what was read."""

_PARTS = {
    "info": ("spec.yaml",),
    "inputs": ("inputs.yaml",),
    "signatures": ("signatures.yaml",),
    "families": ("metrics", "sources.yaml"),
    "metrics": ("metrics", "sources.yaml"),
    "family_of": ("metrics",),
    "frameworks": ("frameworks", "locks"),
    "trackers": ("trackers",),
    "conventions": ("conventions",),
    "health": ("health", "sources.yaml"),
    "suites": ("suites",),
    "texts": ("texts",),
    "sources": ("sources.yaml",),
}
"""The files or folders of ``spec`` that each field of the spec comes from; all others come from anything."""

_open: list[set[str]] = []


@contextmanager
def trace() -> Iterator[set[str]]:
    """Give a set that fills with the parts that are read inside."""
    parts: set[str] = set()
    _open.append(parts)
    try:
        yield parts
    finally:
        _open.pop()


def _note(parts: Iterable[str]) -> None:
    for one in _open:
        one.update(parts)


def read_anything() -> None:
    """Note that a check reads what stands beside the spec."""
    _note([ANYTHING])


def _noting(name: str, parts: tuple[str, ...]) -> property:
    """Return an attribute that notes these parts whenever it is read."""

    def read(self: Any) -> Any:
        if _open:
            _note(parts)
        return self.__dict__[f"_{name}"]

    return property(read)


class TracedSpec(Spec):
    """A spec that notes what is read of it."""

    def __init__(self, spec: Spec) -> None:
        self.__dict__.update({f"_{field.name}": getattr(spec, field.name) for field in fields(Spec)})


for _field in fields(Spec):
    setattr(TracedSpec, _field.name, _noting(_field.name, _PARTS.get(_field.name, (ANYTHING,))))


class TracedContext(Context):
    """A context that notes what is read through it, also where something was derived long before."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(TracedSpec(spec))
        # Whoever asks for these has read the keys that they are about, which stand in the same part.
        unseen = self.__dict__.keys() - {"spec", "answers", "guards", "_config", "_spellings"}
        assert not unseen, f"reads of {sorted(unseen)} go unnoticed; make it a cached_property"
        self._traces: dict[str, frozenset[str]] = {}


def _deriving(name: str, derive: Callable[[Any], Any]) -> property:
    """Return a derived attribute that notes, whenever it is read, what was read to derive it."""
    kept = f"_{name}"

    def read(self: Any) -> Any:
        values = self.__dict__
        if kept not in values:
            with trace() as parts:
                values[kept] = derive(self)
            self._traces[name] = frozenset(parts)
        if _open:
            _note(self._traces[name])
        return values[kept]

    return property(read)


for _name, _value in vars(Context).items():
    if isinstance(_value, cached_property):
        setattr(TracedContext, _name, _deriving(_name, _value.func))
