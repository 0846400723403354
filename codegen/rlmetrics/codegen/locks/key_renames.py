"""Keys that a release logs by the same statement under another name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .component_lock import Claim, LockedComponent
from .news_items import ReleaseStep
from .similar import text_of
from .symbols import Symbol

__all__ = ["KeyRenaming", "renamed", "yaml_name"]


class KeyRenaming(NamedTuple):
    """A key that has another name.

    Attributes:
        old: The key in the release before.
        new: The key.
        before: The statement that wrote it.
        after: The statement that writes it.
        hint: What to write where.
    """

    old: str
    new: str
    before: str
    after: str
    hint: str


def renamed(
    step: ReleaseStep,
    appeared: Mapping[str, Sequence[LockedComponent]],
    vanished: Mapping[str, Sequence[LockedComponent]],
) -> Iterator[KeyRenaming]:
    """Yield the pairs of a key that vanished and one that appeared whose statements differ in the name alone.

    Args:
        step: The two releases.
        appeared: New keys to the components that log them.
        vanished: Keys that are not written any more, to the files that describe them.
    """
    left = set(vanished)
    for new, owners in appeared.items():
        for old in sorted(left):
            statements = _statements(step, owners, old, new)
            if statements is not None:
                left.discard(old)
                yield KeyRenaming(old, new, *statements, _hint(step, vanished[old], old, new))
                break


def yaml_name(key: str) -> str:
    """Return a key as it may stand in YAML."""
    return key if re.fullmatch(r"[A-Za-z_][\w/.-]*", key) else f"'{key}'"


def _statements(step: ReleaseStep, owners: Iterable[LockedComponent], old: str, new: str) -> tuple[str, str] | None:
    for owner in owners:
        place = step.written.get((owner.stem, new))
        after = place and _text_at(step, place[0], place[1])
        if not after:
            continue
        symbol, text = after
        module = step.old.module(symbol.path)
        before = module.symbols.get(symbol.name) if module else None
        lines = step.old.texts[symbol.path].splitlines() if before else []
        said = {text_of(before, number, lines) for number in range(len(before.statements))} if before else set()
        for ours, theirs in _spellings(old, new):
            wanted = text.replace(theirs, ours)
            if wanted != text and wanted in said:
                return f"{symbol.path}  {wanted}", f"{symbol.path}  {text}"
    return None


def _text_at(step: ReleaseStep, path: str, line: int) -> tuple[Symbol, str] | None:
    module = step.new.module(path)
    symbol = module.symbol_at(line) if module else None
    place = symbol.place_at(line) if symbol else None
    if symbol is None or place is None:
        return None
    return symbol, text_of(symbol, place, step.new.texts[path].splitlines())


def _spellings(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Return both keys whole, and without what both begin with: a prefix is often put before them elsewhere."""
    yield old, new
    for end in range(min(len(old), len(new)) - 1, 0, -1):
        if old[:end] == new[:end] and old[end - 1] in "_/":
            yield old[end:], new[end:]


def _hint(step: ReleaseStep, owners: Sequence[LockedComponent], old: str, new: str) -> str:
    claim = _record(owners, old)
    if claim is None:
        return f"a record of {old} ends before {step.new.release}, and one of {new} begins with it"
    owner, statement = claim
    prefix = owner.prefix if old.startswith(owner.prefix) and old not in statement.keys else ""
    key, name = old.removeprefix(prefix), new.removeprefix(prefix)
    of = "" if statement.keys[0] == key else f"of: {yaml_name(key)}, "
    added = f"renamed: {{{yaml_name(name)}: {{{of}releases: {step.new.release}..}}}}"
    return f"the same by another name? {step.locate(owner.stem, statement.path)}: add to the record   {added}"


def _record(owners: Sequence[LockedComponent], key: str) -> tuple[LockedComponent, Claim] | None:
    for owner in owners:
        for claim in owner.claims:
            if (
                claim.path[0] == "keys"
                and "facts" not in claim.path
                and {key, key.removeprefix(owner.prefix)} & {*claim.keys}
            ):
                return owner, claim
    return None
