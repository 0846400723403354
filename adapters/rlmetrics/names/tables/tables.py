"""Access to the tables, whatever gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from .key_records import Evidence
from .levels import Level, levels_of
from .user_errors import NamesError

if TYPE_CHECKING:
    from .component_rows import ComponentTable
    from .known_settings import KnownSettings
    from .versions import Releases

__all__ = ["AROUND", "FrameworkTable", "MetricTable", "Overlays", "Tables"]

Overlays = str | PathLike[str] | Sequence[str | PathLike[str]] | None
"""Folders with further YAML, of the structure of ``spec/``."""

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

    def __reduce__(self) -> Any:
        """Have copies be the tables that are loaded there: they are never changed."""
        return super().__reduce__() if self._again is None else (self._again, ())

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
