"""A scalar of a YAML or JSON file, and what is wrong with a file that has none to tell."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Path", "Scalar", "YamlError"]

Path = tuple[str | int, ...]
"""Keys and indices that lead to a scalar."""


class YamlError(ValueError):
    """Text that is not YAML, with the offset at which that shows.

    Attributes:
        offset: Index into the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Scalar(NamedTuple):
    """A scalar: what it says, the keys and indices that lead to it, its span, and whether it is itself a key.

    The path of a key ends in the key. Others lead to it by an alias. Of a block scalar it is the one line of its text.
    """

    text: str
    path: Path
    start: int
    end: int
    is_key: bool
    others: tuple[Path, ...] = ()
    is_block: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """All that lead to it."""
        return (self.path, *self.others)
