"""Access to the tables, whatever gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike

from rlmetrics.lazy_typing import Any, TypeVar

from .framework_table import FrameworkTable, Load
from .levels import Level, levels_of
from .user_errors import NamesError

__all__ = ["MetricTable", "Overlays", "Tables"]

Overlays = str | PathLike[str] | Sequence[str | PathLike[str]] | None
"""Folders with further YAML, of the structure of ``spec/``."""

_T = TypeVar("_T")


class MetricTable(Mapping[str, Mapping[str, Any]]):
    """Metrics by id, in the order of the spec; a family is loaded when one of its metrics is first asked for."""

    def __init__(self, load: Load, folder: str, field: str) -> None:
        self._load = load
        self._folder = folder
        self._field = field
        self._family_of: Mapping[str, str] = load("families")["FAMILY_OF"]
        self._open: dict[str, Mapping[str, Any]] = {}

    def __getitem__(self, metric: str) -> Mapping[str, Any]:
        data = self._open.get(metric)
        if data is None:
            self._open.update(self._load(f"{self._folder}/{self._family_of[metric]}")[self._field])
            data = self._open[metric]
        return data

    def get(self, metric: str, default: Any = None) -> Any:
        """Return what is known about a metric, or the default; much faster than the inherited one for no metric."""
        if (known := self._open.get(metric)) is not None:
            return known
        return self[metric] if metric in self._family_of else default

    def family(self, metric: str) -> str:
        """Return the file of the spec in which a metric stands."""
        return self._family_of[metric]

    def __contains__(self, metric: object) -> bool:
        return metric in self._family_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._family_of)

    def __len__(self) -> int:
        return len(self._family_of)


class Tables:
    """Everything that the spec says, loaded part by part.

    Args:
        load: Gives a table by its name.
        again: Gives the same tables, in another process as well, so that what holds them can be copied there.
    """

    def __init__(self, load: Load, again: Callable[[], Tables] | None = None) -> None:
        self._load = load
        self._again = again
        self._frameworks: dict[str, FrameworkTable] = {}
        self._shared: dict[object, Any] = {}

    def __reduce__(self) -> Any:
        """Have copies be the tables that are loaded there: they are never changed."""
        return super().__reduce__() if self._again is None else (self._again, ())

    def shared(self, make: Callable[[Tables], _T]) -> _T:
        """Return what is made of all tables, once for whoever asks again.

        Args:
            make: Makes it; what it makes has read all that it will ever read.
        """
        if make not in self._shared:
            self._shared[make] = make(self)
        made: _T = self._shared[make]
        return made

    @cached_property
    def _index(self) -> Mapping[str, Any]:
        return self._load("index")

    @property
    def version(self) -> str:
        """The version of the spec."""
        return str(self._index["SPEC_VERSION"])

    @property
    def renamed(self) -> Sequence[tuple[str, str, str, str]]:
        """Canonical names that changed: from, to, since which version, why."""
        renamed: Sequence[tuple[str, str, str, str]] = self._index["RENAMED"]
        return renamed

    @property
    def frameworks(self) -> Mapping[str, Mapping[str, Any]]:
        """Title, package and brief of every framework that derives from no other one."""
        frameworks: Mapping[str, Mapping[str, Any]] = self._index["FRAMEWORKS"]
        return frameworks

    @cached_property
    def derived(self) -> Mapping[str, Mapping[str, Any]]:
        """The same of those that derive from another one: they log what that one logs, but for keys of their own."""
        frameworks: Mapping[str, Mapping[str, Any]] = self._index.get("DERIVED", {})
        return frameworks

    @property
    def named(self) -> list[str]:
        """The names of all frameworks, those that derive from another one last."""
        return [*self.frameworks, *self.derived]

    def head(self, framework: str) -> Mapping[str, Any]:
        """Return title, package and brief of a framework; nothing of one that is not described."""
        return self.frameworks.get(framework) or self.derived.get(framework, {})

    def title(self, framework: str) -> str:
        """Return what a framework is called in sentences."""
        return str(self.head(framework).get("title", framework))

    @cached_property
    def _lookup(self) -> Mapping[str, Any]:
        return self._load("lookup")

    @cached_property
    def catalogue(self) -> Mapping[str, Any]:
        """Which components have a key, and what trackers call it; see `rlmetrics.names.meanings.key_index`."""
        return self._load("catalogue")

    @cached_property
    def audit(self) -> Mapping[str, Mapping[str, Any]]:
        """How the sources of each framework are found and read; see `rlmetrics.codegen.audit`."""
        return self._load("audit")

    def logged_by(self, metric: str) -> Mapping[str, Sequence[str]]:
        """Return the files, by framework, of the components that may log a metric."""
        keys: Mapping[str, Sequence[str]] = self._lookup["LOGGED_BY"].get(metric, {})
        return keys

    def called(self, alias: str) -> list[str]:
        """Return the metrics that have an alias."""
        metrics: Sequence[str] = self._lookup["ALIASES"].get(alias, ())
        return [*metrics]

    def meant_by(self, key: str) -> list[str]:
        """Return the metrics that some release logs under a key or template, without the prefix of evaluation."""
        metrics: Sequence[str] = self._lookup["KEYS"].get(key, ())
        return [*metrics]

    def framework(self, name: str) -> FrameworkTable:
        """Return a framework's table; only then is it loaded."""
        if name not in self._frameworks:
            self._frameworks[name] = FrameworkTable(name, self._load)
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
    def reproduction(self) -> Mapping[str, Mapping[str, Any]]:
        """What is needed to compute logged numbers: DOES by trait, and FUNCTIONS by id."""
        return self._load("reproduction")

    @cached_property
    def inputs(self) -> Mapping[str, Mapping[str, Any]]:
        """The words of formulas: domain, dtype, unit and brief of each input."""
        inputs: Mapping[str, Mapping[str, Any]] = self._load("inputs")["INPUTS"]
        return inputs

    @cached_property
    def signatures(self) -> Mapping[str, Any]:
        """The vocabulary of signatures: LEVELS, OPERATIONS, GRADES, SNAPSHOT, POPULATIONS and TRAITS."""
        return self._load("signatures")

    @cached_property
    def levels(self) -> Mapping[str, Level]:
        """Levels of reduction by name, innermost first."""
        return levels_of(self.signatures["LEVELS"])

    @cached_property
    def traits(self) -> Mapping[str, Mapping[str, Any]]:
        """Traits by name."""
        traits: Mapping[str, Mapping[str, Any]] = self.signatures["TRAITS"]
        return traits

    @cached_property
    def sizes(self) -> Mapping[str, Mapping[str, Any]]:
        """How large differences are on the reference batches, by function and by what they are about."""
        try:
            sizes: Mapping[str, Mapping[str, Any]] = self._load("sizes")["SIZES"]
        except (KeyError, NamesError):
            return {}  # a spec of which nothing was measured
        return sizes

    @cached_property
    def trackers(self) -> Mapping[str, Mapping[str, Any]]:
        """Trackers by name."""
        trackers: Mapping[str, Mapping[str, Any]] = self._load("trackers")["TRACKERS"]
        return trackers

    @cached_property
    def conventions(self) -> Mapping[str, Mapping[str, Any]]:
        """Conventions outside the frameworks by name: title, version and names."""
        conventions: Mapping[str, Mapping[str, Any]] = self._load("conventions")["CONVENTIONS"]
        return conventions

    @cached_property
    def sources(self) -> Mapping[str, Any]:
        """Who logs each key and has each setting; see `rlmetrics.names.inference.index`."""
        return self._load("sources")

    def sources_of(self, derived: str) -> Mapping[str, Any]:
        """Return the same for a framework that derives from another one."""
        return self._load(f"sources/{derived}")

    @cached_property
    def health(self) -> Mapping[str, Any]:
        """The rules and diagnoses of health: RULES and DIAGNOSES."""
        return self._load("health")
