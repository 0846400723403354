"""One framework's tables: its releases, settings and components, and where its source shows what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from .key_records import Evidence
from .user_errors import NamesError

if TYPE_CHECKING:
    from .component_rows import ComponentTable
    from .known_settings import KnownSettings
    from .versions import Releases

__all__ = ["AROUND", "FrameworkTable", "Load", "beside", "statements"]

AROUND = frozenset({"config", "training_args", "training_arguments", "trainer_args", "args", "hparams", "training"})
"""Names under which programs of any kind put a whole configuration; a framework can have more of its own."""

Load = Callable[[str], Mapping[str, Any]]
"""Gives a table by its name, such as ``metrics/policy``."""


class FrameworkTable:
    """One framework: its releases, configuration keys, components and files."""

    def __init__(self, name: str, load: Load) -> None:
        self.name = name
        self._load = load
        self._index = load(f"frameworks/{name}/framework")
        self._components: dict[str, ComponentTable] = {}
        self._proven: dict[str, Mapping[str, Any]] = {}
        self._stated: dict[tuple[str, str], list[tuple[str, str, Sequence[int], Sequence[str], str]]] = {}
        self._defaults: dict[str, Mapping[str, Any]] = {}
        self._described: dict[str, Sequence[tuple[str, str]]] = {}
        self._shown: tuple[tuple[object, ...], tuple[Evidence, ...]] = (), ()
        self.kept: dict[object, Any] = {}
        """What is found out about the framework once, for whoever asks again."""

    @cached_property
    def base(self) -> tuple[FrameworkTable, Mapping[str, str]] | None:
        """The framework that this one derives from, and its release under each of this one's; None if it does not."""
        name, under = self._index.get("DERIVES", (None, {}))
        return None if name is None else (FrameworkTable(name, self._load), under)

    @cached_property
    def releases(self) -> Releases:
        """Every known release, oldest first, with its date."""
        from .versions import Releases

        return Releases(self._index["RELEASES"])

    @property
    def components(self) -> Sequence[tuple[str, str, list[str], str]]:
        """Name, file, ranges of described releases and module of every component."""
        components: Sequence[tuple[str, str, list[str], str]] = self._index["COMPONENTS"]
        return components

    def described(self, release: str) -> Sequence[tuple[str, str]]:
        """Return name and file of the components that are described in a release."""
        if release not in self._described:
            covers = self.releases.covers
            components = [(name, stem) for name, stem, ranges, _ in self.components if covers(ranges, release)]
            self._described[release] = components
        return self._described[release]

    @property
    def programs(self) -> Mapping[str, Mapping[str, Any]]:
        """What is started as one run, where that is not just one component."""
        programs: Mapping[str, Mapping[str, Any]] = self._index.get("PROGRAMS", {})
        return programs

    @property
    def tasks(self) -> Mapping[str, str]:
        """What people train with it, each with the component or program that does it."""
        tasks: Mapping[str, str] = self._index.get("TASKS", {})
        return tasks

    @property
    def jumps(self) -> Sequence[str]:
        """Minor releases from which people upgrade far at once, the oldest first."""
        jumps: Sequence[str] = self._index.get("JUMPS", ())
        return jumps

    @property
    def succeeded(self) -> Mapping[str, str]:
        """Components that ended, each with the one that does their work since."""
        succeeded: Mapping[str, str] = self._index.get("SUCCEEDED", {})
        return succeeded

    @property
    def config(self) -> Mapping[str, Any]:
        """Configuration keys that every component has."""
        config: Mapping[str, Any] = self._index["CONFIG"]
        return config

    @cached_property
    def around(self) -> frozenset[str]:
        """Names under which runs of it record a whole configuration."""
        of_base = frozenset() if self.base is None else self.base[0].around
        return AROUND | of_base | frozenset(self._index.get("AROUND", ()))

    @property
    def code(self) -> tuple[str | None, Sequence[str]]:
        """Where the repository shows a line, with places for release, path and line, and which releases have a tag."""
        url, ranges = self._index.get("CODE", (None, ()))
        return url, ranges

    def address(self, place: Evidence) -> str | None:
        """Return where the framework's repository shows a line; None for other packages and releases without a tag."""
        url, ranges = self.code
        if url is None or place.note is not None or not self.releases.covers(ranges, place.release):
            return None
        return str(url).format(release=place.release, path=place.path, line=place.line)

    def component(self, stem: str) -> ComponentTable:
        """Return what the components of a file log, by its stem; read once."""
        if stem not in self._components:
            from .component_rows import ComponentTable

            data = self._load(f"frameworks/{self.name}/{stem}")
            if self.base is not None:
                data = self._whole(data, *self.base)
            self._components[stem] = ComponentTable(data, self.releases)
        return self._components[stem]

    def _whole(self, data: Mapping[str, Any], base: FrameworkTable, under: Mapping[str, str]) -> Mapping[str, Any]:
        """Return a table with what it shares with one of the base."""
        from .derived_tables import BASED, BaseTable, whole

        if BASED not in data:
            return data  # it was built in memory, or is all its own
        stem = data[BASED]
        of_base = self._load(f"frameworks/{base.name}/{stem}")
        return whole(data, BaseTable(of_base, base.name, stem, base.releases, self.releases, under))

    def evidence(self, stem: str, anchors: Sequence[str], release: str) -> tuple[Evidence, ...]:
        """Return where anchors of a component's file stand in a release; those of other packages in their own."""
        asked = stem, tuple(anchors), release
        if self._shown[0] != asked:  # an answer asks for the same several times
            self._shown = asked, self._evidence(stem, anchors, release)
        return self._shown[1]

    def _evidence(self, stem: str, anchors: Sequence[str], release: str) -> tuple[Evidence, ...]:
        evidence: dict[Evidence, None] = {}
        for anchor in anchors:
            other, colon, name = anchor.rpartition(":")
            if "/" in other:
                evidence.update(dict.fromkeys(self._in_base(stem, other.partition("/")[2], name, release)))
                continue
            evidence.update(dict.fromkeys(self._places(other if colon else stem, name, release)))
        return tuple(evidence)

    def _places(self, stem: str, anchor: str, release: str) -> Iterator[Evidence]:
        proofs = self.proofs(stem)
        covers = self.releases.covers
        asked = stem, anchor
        if asked not in self._stated:
            self._stated[asked] = statements(proofs, anchor, self.releases)
        for path, symbol, offsets, ranges, _ in self._stated[asked]:
            if covers(ranges, release):
                for line, where in proofs["lines"][path][symbol]:
                    if covers(where, release):
                        yield from (Evidence(release, path, line + offset, symbol, anchor) for offset in offsets)
        yield from beside(proofs, anchor, lambda ranges: covers(ranges, release))

    def _in_base(self, own: str, stem: str, anchor: str, release: str) -> Iterator[Evidence]:
        """Yield where an anchor of a file of the base stands, unless an own method takes the place of what holds it."""
        assert self.base is not None
        base, under = self.base
        replaced: Mapping[str, Sequence[str]] = self._index.get("OVERRIDES", {}).get(own, {})
        for place in base.evidence(stem, [anchor], under[release]):
            method = place.symbol.partition(".")[2].partition(".")[0]
            if method not in replaced or not self.releases.covers(replaced[method], release):
                yield place if place.note else replace(place, note=f"of {base.name}")

    def proofs(self, stem: str) -> Mapping[str, Any]:
        """Return where the anchors of a file stand in all releases; see `rlmetrics.codegen.tables.proof_table`."""
        if stem not in self._proven:
            try:
                self._proven[stem] = self._load(f"proofs/{self.name}/{stem}")
            except (KeyError, NamesError):
                self._proven[stem] = {}  # a file without a lock, such as an overlay's
        return self._proven[stem]

    @cached_property
    def settings(self) -> KnownSettings:
        """Which settings each release has; read when they are first asked for."""
        from .known_settings import KnownSettings

        base = None if self.base is None else (self.base[0].settings, self.base[1])
        try:
            return KnownSettings(self._load(f"settings/{self.name}"), self.releases, base)
        except (KeyError, NamesError):
            return KnownSettings({}, self.releases, base)  # a framework without a lock, such as an overlay's

    def defaults(self, stem: str) -> Mapping[str, Any]:
        """Return every known default of a file's settings, and what they do to curves; read once."""
        if stem not in self._defaults:
            try:
                self._defaults[stem] = self._load(f"defaults/{self.name}/{stem}")
            except (KeyError, NamesError):
                self._defaults[stem] = {}  # a file without a lock whose settings nothing describes
        return self._defaults[stem]


def statements(
    proofs: Mapping[str, Any], anchor: str, releases: Releases
) -> list[tuple[str, str, Sequence[int], Sequence[str], str]]:
    """Return where an anchor stands: path, symbol, lines after the symbol's first one, releases and fingerprint.

    Args:
        proofs: Where the anchors of a file stand.
        anchor: The anchor.
        releases: Those of the framework: within a file, what stood there first comes first.
    """
    order = dict(zip(releases.names, range(len(releases.names)), strict=True))
    found = [
        (number, order[ranges[0].partition("..")[0]], symbol, said, offsets, ranges)
        for number, symbol, said, places in proofs.get("anchors", {}).get(anchor, ())
        for offsets, ranges in places
    ]
    paths = {number: proofs["paths"][number] for number in {number for number, *_ in found}}
    return [
        (paths[number], symbol, offsets, ranges, said) for number, _, symbol, said, offsets, ranges in sorted(found)
    ]


def beside(proofs: Mapping[str, Any], anchor: str, covers: Callable[[Sequence[str]], bool]) -> Iterator[Evidence]:
    """Yield where another package shows an anchor, in the release of it that was current, or the next that has it.

    Args:
        proofs: Where the anchors of a file stand.
        anchor: The anchor.
        covers: Tells whether ranges hold the release that is asked about.
    """
    package, places = proofs.get("others", {}).get(anchor, ("", ()))
    versions: Sequence[tuple[str, Sequence[str]]] = proofs.get("beside", {}).get(package, ())
    current = next((index for index, (_, ranges) in enumerate(versions) if ranges and covers(ranges)), len(versions))
    for index in (*range(current, len(versions)), *reversed(range(current))):
        for path, symbol, lines in places:
            if lines[index]:
                yield Evidence(versions[index][0], path, lines[index], symbol, anchor, f"of {package}")
                return
