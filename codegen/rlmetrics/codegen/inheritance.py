"""Which records of a component file, and of the files that it extends, apply where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rlmetrics.names.inheritance import both

if TYPE_CHECKING:
    from .model import Amendment, ComponentFile, Emission, Ranges

__all__ = ["Applied", "applied_records", "chain"]


@dataclass(frozen=True)
class Applied:
    """An emission where it applies.

    Attributes:
        stem: The file in which it stands.
        index: Its index in that file.
        emission: The emission, with what amendments add to it.
        releases: The releases in which no nearer file replaces or omits it.
        modes: The modes in which that holds.
    """

    stem: str
    index: int
    emission: Emission
    releases: frozenset[str]
    modes: frozenset[str]


@dataclass(frozen=True)
class _Amending:
    """An amendment with the keys as this component logs them, None for every key, and the releases that it covers."""

    amendment: Amendment
    keys: frozenset[str] | None
    releases: frozenset[str]

    def covers(self, key: str) -> bool:
        return self.keys is None or key in self.keys


def chain(files: Mapping[str, ComponentFile], stem: str) -> list[str]:
    """A file and, nearest first, the files whose entries apply to it too."""
    found: list[str] = []
    waiting = [stem]
    while waiting:
        current = waiting.pop(0)
        if current in files and current not in found:
            found.append(current)
            waiting += files[current].extends
    return found


def applied_records(
    files: Mapping[str, ComponentFile],
    stem: str,
    described: frozenset[str],
    expand: Callable[[Ranges], frozenset[str]],
) -> Iterator[Applied]:
    """Yields what applies to the components of a file, its own records first.

    A placeholder that has one possible value here, such as the class's name in the keys of a shared fragment, is filled
    in. A record of a nearer file takes the place of the others of its key, release and mode; records of one file never
    replace each other. What a file amends is added to its own records and to those that it
    takes over, where the amendment covers them.

    Args:
        files: The files of the framework.
        stem: The file.
        described: The releases that its components cover.
        expand: Gives the releases of a range.
    """
    taken: dict[tuple[str, str], frozenset[str]] = {}
    amended: list[_Amending] = []
    parts = chain(files, stem)
    constants = _constants([files[part] for part in parts])
    for part in parts:
        file = files[part]
        for item in file.amends:
            keys = None if item.keys is None else frozenset(_filled(key, constants) for key in item.keys)
            covered = described if item.releases is None else expand(item.releases) & described
            amended.append(_Amending(item, keys, covered))
        own: list[tuple[str, str, frozenset[str]]] = []
        for index, emission in enumerate(file.emissions):
            releases = described if emission.releases is None else expand(emission.releases) & described
            key = _filled(emission.key, constants)
            if key != emission.key:
                emission = emission.model_copy(update={"key": key})
            modes_of: dict[frozenset[str], set[str]] = {}
            for mode in emission.modes or file.modes:
                left = releases - taken.get((emission.key, mode), frozenset())
                if left:
                    modes_of.setdefault(left, set()).add(mode)
                own.append((emission.key, mode, releases))
            for left, modes in modes_of.items():
                yield from _amended(Applied(part, index, emission, left, frozenset(modes)), amended)
        for omission in file.omits:
            releases = described if omission.releases is None else expand(omission.releases) & described
            key = _filled(omission.key, constants)
            own += [(key, mode, releases) for mode in omission.modes or ("train", "eval")]
        for key, at, releases in own:
            taken[key, at] = taken.get((key, at), frozenset()) | releases


def _amended(applied: Applied, amendments: Sequence[_Amending]) -> Iterator[Applied]:
    """Yields a record as it is where nothing amends it, and with what is added where something does."""
    for index, amending in enumerate(amendments):
        releases = applied.releases & amending.releases
        modes = applied.modes & frozenset(amending.amendment.modes or ("train", "eval"))
        if not amending.covers(applied.emission.key) or not releases or not modes:
            continue
        added = _with(applied.emission, amending.amendment)
        rest = amendments[index + 1 :]
        yield from _amended(replace(applied, emission=added, releases=releases, modes=modes), rest)
        if applied.releases - releases:
            yield from _amended(replace(applied, releases=applied.releases - releases, modes=modes), rest)
        if applied.modes - modes:
            yield from _amended(replace(applied, modes=applied.modes - modes), rest)
        return
    yield applied


def _filled(key: str, constants: Mapping[str, str]) -> str:
    for name, value in constants.items():
        key = key.replace(f"{{{name}}}", value)
    return key


def _with(emission: Emission, amendment: Amendment) -> Emission:
    added: dict[str, object] = {
        "traits": [*emission.traits, *amendment.traits],
        "note": " ".join(note for note in (emission.note, amendment.note) if note) or None,
        "evidence": [*emission.evidence, *amendment.evidence],
    }
    if amendment.constant_when is not None:
        added["constant_when"] = amendment.constant_when
    if amendment.when is not None:
        added["when"] = both(emission.when, amendment.when)
    if amendment.drops:
        dropped = frozenset(amendment.drops)
        added["traits"] = [*(trait for trait in emission.traits if trait not in dropped), *amendment.traits]
        added["variants"] = [
            variant.model_copy(update={"traits": [trait for trait in variant.traits if trait not in dropped]})
            for variant in emission.variants
            if variant.name not in dropped
        ]
    if amendment.fails:
        conditions = (emission.condition, amendment.fails)
        added |= {"condition": "; ".join(text for text in conditions if text), "logged_by_default": False}
    return emission.model_copy(update=added)


def _constants(files: Sequence[ComponentFile]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in reversed(files):
        for name, item in file.placeholders.items():
            found.pop(name, None)
            if item.examples == [item.pattern] and item.pattern.isalnum():
                found[name] = item.pattern
    return found
