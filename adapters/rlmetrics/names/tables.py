"""Access to the tables: the generated ones, or those of the spec with overlays, built in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from .errors import NamesError

if TYPE_CHECKING:
    from .versions import Releases

__all__ = ["FrameworkTable", "MetricTable", "Overlays", "Tables", "load_tables"]

Overlays = str | PathLike[str] | Sequence[str | PathLike[str]] | None
"""Folders with further YAML, of the structure of ``spec/``."""

Load = Callable[[str], Mapping[str, Any]]
"""Gives the constants of a module of tables by its name, such as ``metrics.policy``."""

PACKAGE = "rlmetrics.tables"


class FrameworkTable:
    """One framework: its releases, configuration keys, components and files."""

    def __init__(self, name: str, package: str, load: Load) -> None:
        self.name = name
        self._package = package
        self._load = load
        self._constants = load(f"{package}.__init__")
        self._files: dict[str, dict[str, Any]] = {}

    @cached_property
    def releases(self) -> Releases:
        """Every known release, oldest first, with its date."""
        from .versions import Releases

        return Releases(self._constants["RELEASES"])

    @property
    def components(self) -> Sequence[tuple[str, str, tuple[str, ...], str]]:
        """Name, file, ranges of described releases and module of every component."""
        components: Sequence[tuple[str, str, tuple[str, ...], str]] = self._constants["COMPONENTS"]
        return components

    @cached_property
    def config(self) -> dict[str, Any]:
        """Configuration keys that every component has."""
        return dict(self._constants["CONFIG"])

    @cached_property
    def placeholders(self) -> dict[str, Any]:
        """Placeholders that every component can use."""
        return dict(self._constants["PLACEHOLDERS"])

    def file(self, stem: str) -> dict[str, Any]:
        """Return a component file by its stem."""
        if stem not in self._files:
            module = self._constants["FILES"][stem]
            self._files[stem] = dict(self._load(f"{self._package}.{module}")["FILE"])
        return self._files[stem]

    def chain(self, stem: str) -> list[str]:
        """Return a file and, nearest first, the files whose emissions apply to it too."""
        chain: list[str] = []
        waiting = [stem]
        while waiting:
            current = waiting.pop(0)
            if current not in chain:
                chain.append(current)
                waiting += self.file(current).get("extends", ())
        return chain


class MetricTable(Mapping[str, Mapping[str, Any]]):
    """Metrics by id, in the order of the spec; a family is loaded when one of its metrics is first asked for."""

    def __init__(self, load: Load, package: str, constant: str) -> None:
        self._load = load
        self._package = package
        self._constant = constant
        self._module_of: Mapping[str, str] = load("metrics.__init__")["MODULE_OF"]
        self._open: dict[str, Mapping[str, Any]] = {}

    def __getitem__(self, metric: str) -> Mapping[str, Any]:
        found = self._open.get(metric)
        if found is None:
            module = self._module_of[metric]
            found = self._open[metric] = dict(self._load(f"{self._package}.{module}")[self._constant][metric])
        return found

    def __contains__(self, metric: object) -> bool:
        return metric in self._module_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._module_of)

    def __len__(self) -> int:
        return len(self._module_of)


class Tables:
    """Everything that the spec says, loaded part by part.

    Args:
        load: Gives the constants of a module of tables by the module's name.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._frameworks: dict[str, FrameworkTable] = {}

    @cached_property
    def _index(self) -> Mapping[str, Any]:
        return self._load("__init__")

    @property
    def version(self) -> str:
        """The version of the spec."""
        return str(self._index["SPEC_VERSION"])

    @property
    def renamed(self) -> Sequence[tuple[str, str, str, str]]:
        """Canonical names that changed: from, to, since which version, why."""
        renamed: Sequence[tuple[str, str, str, str]] = self._index["RENAMED"]
        return renamed

    @cached_property
    def frameworks(self) -> dict[str, dict[str, Any]]:
        """Title, package and module of every framework."""
        return {name: dict(row) for name, row in self._index["FRAMEWORKS"].items()}

    def framework(self, name: str) -> FrameworkTable:
        """Return a framework's table; only then is it loaded."""
        if name not in self._frameworks:
            self._frameworks[name] = FrameworkTable(name, self.frameworks[name]["module"], self._load)
        return self._frameworks[name]

    @cached_property
    def metrics(self) -> MetricTable:
        """What relations need to know about every metric."""
        return MetricTable(self._load, "metrics", "METRICS")

    @cached_property
    def texts(self) -> MetricTable:
        """The long texts about every metric."""
        return MetricTable(self._load, "texts", "TEXTS")

    @cached_property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """The words of formulas: domain, dtype, unit and brief of each input."""
        return {name: dict(row) for name, row in self._load("texts.__init__")["INPUTS"].items()}

    @cached_property
    def signatures(self) -> Mapping[str, Any]:
        """The vocabulary of signatures: LEVELS, OPERATIONS, GRADES, SNAPSHOT, POPULATIONS and TRAITS."""
        return self._load("signatures")

    @cached_property
    def traits(self) -> dict[str, dict[str, Any]]:
        """Traits by name."""
        return {name: dict(row) for name, row in self.signatures["TRAITS"].items()}

    @cached_property
    def trackers(self) -> dict[str, dict[str, Any]]:
        """Trackers by name."""
        return {name: dict(row) for name, row in self._load("trackers")["TRACKERS"].items()}

    @cached_property
    def conventions(self) -> dict[str, dict[str, Any]]:
        """Conventions outside the frameworks by name: title, version and names."""
        return {name: dict(row) for name, row in self._load("conventions")["CONVENTIONS"].items()}

    @cached_property
    def health(self) -> Mapping[str, Any]:
        """The rules and diagnoses of health: RULES and DIAGNOSES."""
        return self._load("health")


def load_tables(spec: Overlays | Tables = None) -> Tables:
    """Return the tables.

    Args:
        spec: Nothing for the generated tables, folders that extend the spec, or tables, which are returned as they are.

    Raises:
        NamesError: An overlay is missing or wrong, or the tables have not been generated.
    """
    if isinstance(spec, Tables):
        return spec
    if spec is None:
        return _generated()
    folders = [spec] if isinstance(spec, str | PathLike) else list(spec)
    return _with_overlays(tuple(fspath(folder) for folder in folders)) if folders else _generated()


@lru_cache(maxsize=1)
def _generated() -> Tables:
    def load(module: str) -> Mapping[str, Any]:
        name = f"{PACKAGE}.{module}".removesuffix(".__init__")
        try:
            return vars(import_module(name))
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith(PACKAGE):
                raise
            msg = "the tables have not been generated; run rlmetrics generate in the checkout"
            raise NamesError(msg) from None

    return Tables(load)


@lru_cache(maxsize=4)
def _with_overlays(folders: tuple[str, ...]) -> Tables:
    from .overlays import build_tables

    return build_tables(folders)
