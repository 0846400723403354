"""What became of a key from one source to another: the one answer that all who ask for it share."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ..tables.key_records import Entry, LookAlike, MapRow
    from .mapping import NameMap

__all__ = ["Fate", "fate"]

FateKind = Literal["kept", "renamed", "instead", "look-alike", "gone"]


class Fate(NamedTuple):
    """What became of a key.

    Attributes:
        kind: ``kept`` under its name; ``renamed`` to one that the old source did not log; ``instead`` if a key that the
            old source logged beside it measures the same; ``look-alike`` if keys that are taken for it are all that is
            left; else ``gone``.
        row: Its line in the translation table.
        target: What it is in the new source.
    """

    kind: FateKind
    row: MapRow
    target: Entry | None

    @property
    def to(self) -> str | None:
        """The name in the new source; None where only look-alikes are left, or nothing."""
        return self.row.to

    @property
    def related(self) -> tuple[LookAlike, ...]:
        """What is taken for it in the new source, the likeliest first."""
        return self.row.related


def fate(names: NameMap, entry: Entry) -> Fate:
    """Return what became of a key of one source in another.

    Args:
        names: The translation from the one to the other.
        entry: The key as the old source logs it.
    """
    row = names.row_of(entry)
    target = names.target_of(row)
    if target is None:
        return Fate("look-alike" if row.related else "gone", row, None)
    if target.key == entry.key:
        return Fate("kept", row, target)
    program = names.to_view.program(target.component)
    beside = any(
        (other.key, other.mode) == (target.key, target.mode)
        and (other.component == target.component or names.from_view.program(other.component) == program)
        for other in names.from_view.entries()
    )
    return Fate("instead" if beside else "renamed", row, target)
