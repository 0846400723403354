"""What several checks need, worked out once: resolved keys, configuration keys and compiled formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from uuid import uuid4

from rlmetrics.names.settings.guards import GuardError

from ..meaning import FrameworkScope, Resolved, chain, scope_of, spelled
from ..meaning.overridden import of_base
from .compiled_formulas import FormulaProgram, programs
from .definitions_digest import definitions_digest
from .reach import ReadGuard
from .readable import readable

if TYPE_CHECKING:
    from rlmetrics.names.tables.versions import Releases

    from ..meaning import SpecPiece
    from ..model import ComponentFile, ConfigKey, Placeholder, Profile, Ranges
    from ..spec import Spec

__all__ = ["ComponentScope", "Context", "FileScope", "SearchResult"]

_Item = TypeVar("_Item")
Table = Literal["config", "placeholders", "profiles"]
_UNSAID = {"brief": "", "description": ""}


@dataclass(frozen=True)
class SearchResult:
    """What a search for a configuration found.

    Attributes:
        config: A configuration that satisfies all guards, None if none was found.
        is_certain: Whether there is none if none was found.
    """

    config: dict[str, Any] | None
    is_certain: bool


@dataclass(frozen=True)
class FileScope:
    """A component file.

    Attributes:
        framework: The framework.
        stem: The file.
        file: Its content.
        described: The releases, as bits, that its components, or those of the files that extend it, cover.
    """

    framework: str
    stem: str
    file: ComponentFile
    described: int
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ref(self) -> str:
        """The file."""
        return f"frameworks/{self.framework}/{self.stem}"

    def keep(self, name: str, derive: Callable[[FileScope], Iterable[_Item]]) -> tuple[_Item, ...]:
        """Return what is derived from the file, worked out once."""
        if name not in self._kept:
            self._kept[name] = tuple(derive(self))
        derived: tuple[_Item, ...] = self._kept[name]
        return derived


@dataclass(frozen=True)
class ComponentScope:
    """A file that has components, and everything that they log.

    Attributes:
        scope: The file.
        resolved: Its keys, own ones and those of extended files, each in releases in which it means the same.
    """

    scope: FileScope
    resolved: tuple[Resolved, ...]

    def ref(self, item: Resolved | SpecPiece) -> str:
        """Return the file in which a record or a fact stands."""
        return f"frameworks/{self.scope.framework}/{item.stem}"

    def elsewhere(self, stem: str) -> str:
        """Return the words that name this component in a message about another file."""
        return "" if stem == self.scope.stem else f" in {self.scope.stem}"


def _is_own(item: Resolved) -> bool:
    """Tell whether a derived framework says anything of a key itself; the rest is checked where it is written."""
    return any(not of_base(piece.stem) and piece.path[0] in ("keys", "shared") for piece in (item.record, *item.facts))


class Context:
    """The spec, and what is derived from it for the checks."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.answers: dict[tuple[object, ...], SearchResult] = {}
        """What `guardsets` found, by guards and configuration keys."""
        self.guards: dict[str, ReadGuard | None] = {}
        """Each guard as `guardsets` has read it; None for those that cannot be read."""
        self._config: dict[tuple[str, str], dict[str, ConfigKey]] = {}
        self._once: dict[str, Any] = {}
        self._spellings: dict[tuple[str, str], frozenset[str]] = {}

    def once(self, name: str, derive: Callable[[Context], _Item]) -> _Item:
        """Return what several checks derive from the spec, worked out by the first."""
        if name not in self._once:
            self._once[name] = derive(self)
        derived: _Item = self._once[name]
        return derived

    @cached_property
    def definitions(self) -> Context:
        """The same without what is written for readers."""
        spec = self.spec
        metrics = {name: metric.model_copy(update=_UNSAID) for name, metric in spec.metrics.items()}
        families = {
            name: family.model_copy(
                update={"title": "", "description": "", "metrics": {one: metrics[one] for one in family.metrics}}
            )
            for name, family in spec.families.items()
        }
        return Context(replace(spec, metrics=metrics, families=families, texts={}))

    @cached_property
    def logging(self) -> Context:
        """The same without metrics: what is logged, where and when."""
        files = {ref: file for ref, file in self.spec.files.items() if not ref.startswith(("metrics/", "texts/"))}
        return Context(replace(self.spec, metrics={}, families={}, family_of={}, texts={}, files=files))

    @cached_property
    def digest(self) -> str:
        """The digest of the spec, as far as it is not written for readers."""
        try:
            return definitions_digest(self.spec)
        except OSError:
            return uuid4().hex  # what cannot be read may say anything: nothing that was kept is of this spec

    @cached_property
    def frameworks(self) -> Mapping[str, FrameworkScope]:
        """Each framework; a guard that cannot be read counts as false, since `guard-syntax` reports it."""
        return {name: scope_of(readable(framework)) for name, framework in self.spec.frameworks.items()}

    @cached_property
    def programs(self) -> tuple[FormulaProgram, ...]:
        """Every formula, compiled."""
        return tuple(programs(self.spec))

    def releases(self, framework: str) -> Releases:
        """Return the releases of a framework."""
        return self.frameworks[framework].releases

    def bits(self, framework: str, ranges: Ranges) -> int:
        """Return the releases of a range as bits; none for one that `unknown-release` reports."""
        return self.frameworks[framework].bits(ranges)

    def chain(self, framework: str, stem: str) -> list[str]:
        """Return a file and, in order, the files whose keys it takes over."""
        return chain(self.spec.frameworks[framework].known, stem)

    @cached_property
    def users(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """For each file, the other files that take over its keys."""
        users: dict[tuple[str, str], list[str]] = {}
        for framework, stem, _ in self.spec.component_files():
            for extended in self.chain(framework, stem)[1:]:
                users.setdefault((framework, extended), []).append(stem)
        return {key: tuple(stems) for key, stems in users.items()}

    @cached_property
    def files(self) -> Mapping[tuple[str, str], FileScope]:
        """Every component file."""
        own: dict[tuple[str, str], int] = {}
        for framework, stem, file in self.spec.component_files():
            own[framework, stem] = 0
            for component in file.components:
                own[framework, stem] |= self.bits(framework, component.releases)
        return {
            (framework, stem): self._scope(framework, stem, file, own)
            for framework, stem, file in self.spec.component_files()
        }

    def scope(self, framework: str, stem: str) -> FileScope:
        """Return a file, which may be one of the framework that this one derives from."""
        known = self.files.get((framework, stem))
        if known is None:
            file = self.spec.frameworks[framework].known[stem]
            known = FileScope(framework, stem, file, self.frameworks[framework].described(stem))
        return known

    def _scope(self, framework: str, stem: str, file: ComponentFile, own: Mapping[tuple[str, str], int]) -> FileScope:
        described = own[framework, stem]
        for user in self.users.get((framework, stem), ()):
            described |= own[framework, user]
        return FileScope(framework, stem, file, described)

    @cached_property
    def components(self) -> tuple[ComponentScope, ...]:
        """Every file that has components."""
        return tuple(self._components())

    def _components(self) -> Iterator[ComponentScope]:
        for (framework, stem), scope in self.files.items():
            if scope.file.components:
                component = self.frameworks[framework].component(stem)
                try:
                    resolved = component.resolved
                except GuardError:
                    resolved = ()  # too long when written out, which `guard-syntax` reports
                if component.overridden is not None:
                    resolved = tuple(item for item in resolved if _is_own(item))
                yield ComponentScope(scope, resolved)

    def config(self, framework: str, stem: str) -> Mapping[str, ConfigKey]:
        """Return the configuration keys that a file can name, the nearest definition of each."""
        asked = framework, stem
        if asked not in self._config:
            self._config[asked] = self._table(framework, stem, "config")
        return self._config[asked]

    def _table(self, framework: str, stem: str, table: Table) -> dict[str, Any]:
        files = self.spec.frameworks[framework].known
        entries_by_name: dict[str, Any] = {}
        # What every file that extends a fragment defines, the fragment may name.
        users = [getattr(files[user], table) for user in self.users.get((framework, stem), ())]
        for name in users[0] if users else ():
            if all(name in entries for entries in users):
                entries_by_name[name] = users[0][name]
        entries_by_name.update(getattr(self.spec.frameworks[framework].framework, table, {}))
        for part in reversed(self.chain(framework, stem)):
            entries_by_name.update(getattr(files[part], table))
        return entries_by_name

    def find(self, framework: str, stem: str, table: Table, name: str) -> tuple[str, Any] | None:
        """Look a name up in a file, the files it extends, and its framework.

        A fragment may also use what every file that extends it defines.

        Returns:
            The ref of the file that defines it and the definition, or None.
        """
        files = self.spec.frameworks[framework].known
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
        """Return every name that ``find`` would find in a file, for suggestions."""
        files = self.spec.frameworks[framework].known
        names = [name for part in self.chain(framework, stem) for name in getattr(files[part], table)]
        return [*names, *getattr(self.spec.frameworks[framework].framework, table, {})]

    def spellings(self, framework: str, stem: str) -> frozenset[str]:
        """Return the names and keys of the records that a shared fact of a file can reach."""
        asked = framework, stem
        if asked not in self._spellings:
            files = self.spec.frameworks[framework].known
            component = self.frameworks[framework].component(stem)
            spellings: set[str] = set()
            for part in component.chain:
                for name, _, record in files[part].records():
                    keys = [item.key for item in spelled(name, record)]
                    spellings.update([name, *keys, *map(component.filled, keys)])
            self._spellings[asked] = frozenset(spellings)
        return self._spellings[asked]

    def config_key(self, framework: str, stem: str, name: str) -> ConfigKey | None:
        """Return a configuration key by its full name."""
        return self.config(framework, stem).get(name)

    def full(self, framework: str, stem: str, name: str) -> str:
        """Return the configuration key for which a name stands in a file: itself, a short name, or an ending."""
        return self.frameworks[framework].component(stem).expander(stem).full(name)

    def placeholder(self, framework: str, stem: str, name: str) -> Placeholder | None:
        """Return a placeholder by name."""
        definition = self.find(framework, stem, "placeholders", name)
        return None if definition is None else definition[1]

    def profile(self, framework: str, stem: str, name: str) -> Profile | None:
        """Return a profile by name."""
        definition = self.find(framework, stem, "profiles", name)
        return None if definition is None else definition[1]
