"""What a record or a fact says where it applies, and a key with all that holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model.key_record import Piece

if TYPE_CHECKING:
    from ..loader.document import YamlPath
    from ..model import Mode

__all__ = ["BoundRow", "Resolved", "SpecPiece"]


@dataclass(frozen=True)
class SpecPiece:
    """What one record or fact says, where it applies.

    Attributes:
        stem: The file in which it stands.
        path: Its place in that file.
        fields: The record or fact.
        when: Its guard written out; None where it always holds.
        says: Its fields with guards and scales written out, without those that only say where it applies.
    """

    stem: str
    path: YamlPath
    fields: Piece
    when: str | None
    says: Mapping[str, Any] = field(compare=False)


@dataclass(frozen=True)
class Resolved:
    """A key of a component in releases in which it means the same.

    Attributes:
        key: As it is logged, the prefix of evaluation included.
        mode: ``train`` or ``eval``.
        releases: The releases, as bits.
        stem: The file in which its record stands.
        path: Where the record stands in that file.
        record: What the record says.
        facts: What holds always in these releases, and, with a guard, what holds in some configurations.
    """

    key: str
    mode: Mode
    releases: int
    stem: str
    path: YamlPath
    record: SpecPiece
    facts: tuple[SpecPiece, ...]


class BoundRow(NamedTuple):
    """What a parameter is taken from in some releases.

    Attributes:
        releases: As bits.
        when: A guard written out; None where nothing is asked.
        value: A number, an expression, or ``given``.
        default: The value where no setting says one.
        part: Which of the two numbers that the setting joins by an underscore; None where it is one number.
    """

    releases: int
    when: str | None
    value: float | str
    default: float | None
    part: int | None
