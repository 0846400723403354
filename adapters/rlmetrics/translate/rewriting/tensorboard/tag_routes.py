"""What becomes of each tag of a run, decided once for all files of the run and before anything is written.

An event holds one value, so it takes the whole run to see which tags claim one name, and whether with equal values.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.tensorboard.scalar_events import head_of
from rlmetrics.logs.kinds.tensorboard.tags import events_of, tags_of
from rlmetrics.logs.kinds.tensorboard.tfrecord import Extent
from rlmetrics.names.tables.key_records import Transform

from ...translator import Translator
from .event_values import convert_value

__all__ = ["TagRoute", "convert_in", "routes_of"]


@dataclass(frozen=True, slots=True)
class TagRoute:
    """What becomes of the values under a tag.

    Attributes:
        names: The tags that they are written under, each with the conversion of its values, if any.
        skip: How many of the first values the first of these names goes without, because another tag wrote equal ones.
    """

    names: tuple[tuple[str, Transform | None], ...]
    skip: int = 0


def routes_of(paths: Sequence[Path], extents: Mapping[Path, Extent], translator: Translator) -> dict[str, TagRoute]:
    """Return what becomes of each tag of a run.

    Raises:
        InputError: If a record is damaged, or a tag is unknown and that is an error.
    """
    tags = tags_of(paths, extents)
    moves = [translator.key(tag) for tag in tags]
    claims: dict[str, list[str]] = {}
    for move in moves:
        claims.setdefault(move.output, []).append(move.key)
    rivals = {tag for claimants in claims.values() if len(claimants) > 1 for tag in claimants}
    transforms = {move.key: move.transform if move.translated else None for move in moves}
    series = _series(paths, extents, {tag: transforms[tag] for tag in rivals}, set(tags) - rivals) if rivals else {}
    row = dict.fromkeys(tags, "")
    for claimants in claims.values():
        if len(claimants) > 1:
            shortest = min(series[tag].count for tag in claimants)
            row.update({tag: series[tag].digest(shortest) for tag in claimants})
    names: dict[str, list[tuple[str, Transform | None]]] = {tag: [] for tag in tags}
    for entry in translator.entries(row):
        names[entry.old].append((entry.name, transforms[entry.old] if entry.converted else None))
    routes = {tag: TagRoute(tuple(new)) for tag, new in names.items()}
    for tag, output in translator.report.duplicates.items():
        written = next(other for other in claims[output] if (output, transforms[other]) in routes[other].names)
        routes[tag] = TagRoute(((output, transforms[tag]), *routes[tag].names), skip=series[written].count)
    return routes


class _Series:
    """A fingerprint of the steps and values of one tag, and of the same without the last of them."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.blake2b(digest_size=16)
        self._before = self._hash.hexdigest()

    def add(self, step: int, value: bytes) -> None:
        self._before = self._hash.hexdigest()
        self._hash.update(struct.pack("<qI", step, len(value)) + value)
        self.count += 1

    def digest(self, count: int) -> str:
        """Return the fingerprint of the first ``count`` values, one less than there are at most.

        A crash falls between two values of one step, so that one tag may have a value more than another.
        """
        return self._before if count == self.count - 1 else self._hash.hexdigest()


def _series(
    paths: Sequence[Path], extents: Mapping[Path, Extent], rivals: Mapping[str, Transform | None], others: set[str]
) -> dict[str, _Series]:
    series = {tag: _Series() for tag in rivals}
    uninteresting = {head_of(tag) for tag in others}
    for path in paths:
        for event in events_of(path, extents[path], uninteresting):
            for value in event.summary.value:
                if value.tag in series:
                    tag, transform = value.tag, rivals[value.tag]
                    if transform is not None:
                        convert_in(path, value, transform)
                    value.tag = ""
                    value.ClearField("metadata")
                    series[tag].add(event.step, value.SerializeToString(deterministic=True))
    return series


def convert_in(path: Path, value: Any, transform: Transform) -> None:
    """Convert a value of the file ``path`` in place.

    Raises:
        InputError: If it can't be converted.
    """
    try:
        convert_value(value, transform)
    except TypeError as error:
        msg = f"{value.tag}: {error}; translate with --strict, or leave the tag out of the input"
        raise InputError(msg, path) from None
