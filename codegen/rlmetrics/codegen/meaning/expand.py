"""Guards of one file written out: short names, named conditions with their releases, and settings that are pinned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rlmetrics.names.settings.guards import Expression, GuardLiteral, SettingName, parse

from .guard_texts import replaced, text

if TYPE_CHECKING:
    from ..model import ComponentFile, Guard, Ranges

__all__ = ["Bits", "ExpandError", "Expander"]

Bits = Callable[["Ranges"], int]
"""Gives the releases of a range as bits; bit 0 is the oldest release."""

_FALSE = GuardLiteral(1, False)


class ExpandError(ValueError):
    """A named condition that refers to itself.

    Attributes:
        name: The condition.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"the guard `{name}` refers to itself")
        self.name = name


class Expander:
    """Writes out the guards of one file.

    Args:
        file: The file; its ``names`` and ``guards`` are known, and nothing that other files name.
        config: All configuration keys that the file can see. One may be written by its unique ending.
        bits: Gives the releases of a range as bits.
        everything: All releases as bits.
        pinned: Settings that never have another value, each with the releases in which that holds.
    """

    def __init__(
        self,
        file: ComponentFile,
        config: Sequence[str],
        bits: Bits,
        everything: int,
        pinned: Sequence[tuple[int, Mapping[str, object]]] = (),
    ) -> None:
        self._bits = bits
        self._everything = everything
        self._names = {**_endings(config), **file.names}
        self._guards: dict[str, list[tuple[int, str]]] = {
            name: [(everything, guard)]
            if isinstance(guard, str)
            else [(self._covered(item), item.when) for item in guard]
            for name, guard in file.guards.items()
        }
        self._pinned = [
            (covered, {name: GuardLiteral(1, value) for name, value in settings.items()})  # type: ignore[arg-type]
            for covered, settings in pinned
        ]
        self._written: dict[str, list[tuple[int, str | None]]] = {}

    def _covered(self, guard: Guard) -> int:
        return self._everything if guard.releases is None else self._bits(guard.releases)

    def full(self, name: str) -> str:
        """Return the configuration key that a name stands for."""
        return self._names.get(name, name)

    def guard(self, when: str) -> list[tuple[int, str | None]]:
        """Return a guard written out, for each set of releases in which it reads alike.

        Returns:
            Releases as bits, and the guard: None where it always holds. Releases in which it never holds are left out.

        Raises:
            GuardError: The guard, or one that it names, cannot be read.
            ExpandError: A named guard refers to itself.
        """
        if when not in self._written:
            choices: dict[str | None, int] = {}
            for covered, node in self._parts(parse(when), self._everything, ()):
                if isinstance(node, GuardLiteral):
                    if not node.value:
                        continue
                    choices[None] = choices.get(None, 0) | covered
                else:
                    written = text(node)
                    choices[written] = choices.get(written, 0) | covered
            self._written[when] = [(covered, written) for written, covered in choices.items()]
        return self._written[when]

    def number(self, scale: float | str) -> float | str:
        """Return an arithmetic expression with full names of configuration keys; a number stays what it is."""
        if not isinstance(scale, str):
            return scale
        return text(
            replaced(parse(scale), lambda name: SettingName(1, self._names[name]) if name in self._names else None)
        )

    def _parts(self, node: Expression, releases: int, open_: tuple[str, ...]) -> list[tuple[int, Expression]]:
        """Return an expression in each part of some releases, with everything in it written out."""
        pieces = [(releases, node)]
        for name in sorted(node.names()):
            if name in self._guards:
                if name in open_:
                    raise ExpandError(name)
                choices = self._choices(name, releases, (*open_, name))
                pieces = [
                    (covered & where, replaced(part, {name: choice}.get))
                    for covered, part in pieces
                    for where, choice in choices
                    if covered & where
                ]
        result: list[tuple[int, Expression]] = []
        for covered, part in pieces:
            named = replaced(part, lambda name: SettingName(1, self._names[name]) if name in self._names else None)
            result += self._settled(covered, named)
        return result

    def _choices(self, name: str, releases: int, open_: tuple[str, ...]) -> list[tuple[int, Expression]]:
        choices: list[tuple[int, Expression]] = []
        left = releases
        for covered, when in self._guards[name]:
            if covered & left:
                choices += self._parts(parse(when), covered & left, open_)
                left &= ~covered
        return [*choices, (left, _FALSE)] if left else choices

    def _settled(self, releases: int, node: Expression) -> list[tuple[int, Expression]]:
        """Return an expression with the values of pinned settings filled in."""
        settled: list[tuple[int, Expression]] = []
        left = releases
        for covered, values in self._pinned:
            if covered & left and node.names() & values.keys():
                settled.append((covered & left, replaced(node, values.get)))
                left &= ~covered
        return [*settled, (left, node)] if left else settled


def _endings(config: Sequence[str]) -> dict[str, str]:
    """Return every ending of a configuration key that no other one has."""
    endings: dict[str, set[str]] = {}
    for key in config:
        parts = key.split(".")
        for index in range(1, len(parts)):
            endings.setdefault(".".join(parts[index:]), set()).add(key)
    known = set(config)
    return {ending: next(iter(keys)) for ending, keys in endings.items() if len(keys) == 1 and ending not in known}
