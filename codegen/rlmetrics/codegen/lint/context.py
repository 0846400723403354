"""What several checks need, worked out once: scopes, effective signatures and compiled formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from ..inheritance import applied_records, chain
from ..releases import RangeError, Releases
from .programs import Program, programs

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import ComponentFile, ConfigKey, Emission, Placeholder, Profile, Ranges
    from ..spec import Spec
    from .guardsets import Answer

__all__ = ["Context", "Entry", "FileScope", "Scope"]

Table = Literal["config", "placeholders", "profiles"]


@dataclass(frozen=True)
class Entry:
    """One emission as it applies to a component.

    Attributes:
        framework: The framework.
        stem: The file in which the emission stands, which may be a fragment.
        index: Its index in that file.
        emission: The emission.
        releases: The described releases that it covers.
        modes: In which modes it is logged.
    """

    framework: str
    stem: str
    index: int
    emission: Emission
    releases: frozenset[str]
    modes: frozenset[str]

    @property
    def ref(self) -> str:
        """The file."""
        return f"frameworks/{self.framework}/{self.stem}"

    @property
    def path(self) -> YamlPath:
        """The emission in its file."""
        return ("emissions", self.index)


@dataclass(frozen=True)
class FileScope:
    """A component file with what it can refer to.

    Attributes:
        framework: The framework.
        stem: The file.
        file: Its content.
        releases: All releases of the framework.
        described: The releases that its components, or those of the files that extend it, cover.
    """

    framework: str
    stem: str
    file: ComponentFile
    releases: Releases
    described: frozenset[str]

    @property
    def ref(self) -> str:
        """The file."""
        return f"frameworks/{self.framework}/{self.stem}"


@dataclass(frozen=True)
class Scope:
    """A file with components, and every emission that applies to them, its own first."""

    scope: FileScope
    entries: tuple[Entry, ...]


class Context:
    """The spec, and what is derived from it for the checks."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.answers: dict[tuple[str, ...], Answer] = {}
        """What `guardsets` found, by framework, file and guards."""

    @cached_property
    def releases(self) -> Mapping[str, Releases]:
        """The releases of each framework."""
        return {
            name: Releases(tuple(release.release for release in framework.framework.releases))
            for name, framework in self.spec.frameworks.items()
        }

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """Every formula, compiled."""
        return tuple(programs(self.spec))

    def expand(self, framework: str, ranges: Ranges) -> frozenset[str]:
        """The releases of a range; nothing for one that `unknown-release` reports."""
        try:
            return self.releases[framework].expand(ranges)
        except RangeError:
            return frozenset()

    def chain(self, framework: str, stem: str) -> list[str]:
        """A file and, in order, the files whose entries apply to it too."""
        return chain(self.spec.frameworks[framework].files, stem)

    @cached_property
    def users(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """For each file, the other files that take over its emissions."""
        users: dict[tuple[str, str], list[str]] = {}
        for framework, stem, _ in self.spec.component_files():
            for extended in self.chain(framework, stem)[1:]:
                users.setdefault((framework, extended), []).append(stem)
        return {key: tuple(stems) for key, stems in users.items()}

    @cached_property
    def files(self) -> Mapping[tuple[str, str], FileScope]:
        """Every component file."""
        own = {
            (framework, stem): frozenset[str]().union(*(self.expand(framework, c.releases) for c in file.components))
            for framework, stem, file in self.spec.component_files()
        }
        result = {}
        for framework, stem, file in self.spec.component_files():
            described = own[framework, stem]
            for user in self.users.get((framework, stem), ()):
                described |= own[framework, user]
            result[framework, stem] = FileScope(framework, stem, file, self.releases[framework], described)
        return result

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """Every file that has components."""
        scopes = []
        for (framework, stem), scope in self.files.items():
            if scope.file.components:
                described = frozenset[str]().union(
                    *(self.expand(framework, component.releases) for component in scope.file.components)
                )
                files = self.spec.frameworks[framework].files
                expand = partial(self.expand, framework)
                entries = [
                    Entry(framework, found.stem, found.index, found.emission, found.releases, found.modes)
                    for found in applied_records(files, stem, described, expand)
                ]
                scopes.append(Scope(scope, tuple(entries)))
        return tuple(scopes)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every emission once, in its own file."""
        return tuple(entry for scope in self.files.values() for entry in self._entries(scope, scope.described))

    def _entries(self, scope: FileScope, described: frozenset[str]) -> Iterator[Entry]:
        for index, emission in enumerate(scope.file.emissions):
            releases = described
            if emission.releases is not None:
                releases = self.expand(scope.framework, emission.releases) & described
            modes = frozenset[str](emission.modes or scope.file.modes)
            yield Entry(scope.framework, scope.stem, index, emission, releases, modes)

    def find(self, framework: str, stem: str, table: Table, name: str) -> tuple[str, Any] | None:
        """Look a name up in a file, the files it extends, and its framework.

        A fragment may also use what every file that extends it defines.

        Returns:
            The ref of the file that defines it and the definition, or None.
        """
        files = self.spec.frameworks[framework].files
        for part in self.chain(framework, stem):
            entries = getattr(files[part], table)
            if name in entries:
                return f"frameworks/{framework}/{part}", entries[name]
        shared = getattr(self.spec.frameworks[framework].framework, table, {})
        if name in shared:
            return f"frameworks/{framework}/framework", shared[name]
        users = [getattr(files[user], table) for user in self.users.get((framework, stem), ())]
        if users and all(name in entries for entries in users):
            user = self.users[framework, stem][0]
            return f"frameworks/{framework}/{user}", users[0][name]
        return None

    def known(self, framework: str, stem: str, table: Table) -> list[str]:
        """Every name that ``find`` would find in a file, for suggestions."""
        files = self.spec.frameworks[framework].files
        names = [name for part in self.chain(framework, stem) for name in getattr(files[part], table)]
        return [*names, *getattr(self.spec.frameworks[framework].framework, table, {})]

    def config_key(self, framework: str, stem: str, name: str) -> ConfigKey | None:
        """A configuration key by name."""
        found = self.find(framework, stem, "config", name)
        return None if found is None else found[1]

    def placeholder(self, framework: str, stem: str, name: str) -> Placeholder | None:
        """A placeholder by name."""
        found = self.find(framework, stem, "placeholders", name)
        return None if found is None else found[1]

    def profile(self, framework: str, stem: str, name: str) -> Profile | None:
        """A profile by name."""
        found = self.find(framework, stem, "profiles", name)
        return None if found is None else found[1]
