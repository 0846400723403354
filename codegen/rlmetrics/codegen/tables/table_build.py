"""All tables of a spec, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..cache import kept
from .catalogue_table import catalogue_table
from .data import Row, Table, plain, row, source
from .defaults_table import default_tables
from .framework_tables import framework_tables
from .health_table import health_table
from .inference_table import sources_tables
from .metrics_table import metrics_tables
from .proof_table import proof_tables
from .reproduction_table import reproduction_table
from .settings_table import settings_tables
from .size_table import sizes_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..model import Convention, Population, Signatures, Tracker
    from ..spec import FrameworkSpec, Spec

__all__ = ["Definitions", "build", "build_meanings"]

_FOR_READERS = frozenset({"metrics", "texts", "languages"})
"""Tables with texts of metrics."""


class Definitions(NamedTuple):
    """A spec without what is written for readers, and one without any metrics, each with the digest of it."""

    spec: Spec
    digest: str
    logging: Spec
    logging_digest: str


def build(spec: Spec, cache: Path | None = None, definitions: Definitions | None = None) -> dict[str, Table]:
    """Return the tables of a spec.

    Args:
        spec: A spec without errors.
        cache: A folder that keeps tables which take long and seldom change.
        definitions: The spec without what is written for readers, where tables of these are to be kept.

    Returns:
        The tables ``index``, ``lookup``, ``families``, ``inputs``, ``signatures``, ``reproduction``, ``trackers``,
        ``conventions``, ``health``, ``sizes``, ``catalogue`` and ``sources``; in ``metrics`` and ``texts`` one for each
        family; in ``settings`` one for each framework; in ``languages`` one for each language; in ``frameworks``,
        ``proofs`` and ``defaults`` a folder for each framework, with one for each of its files.
    """
    of_frameworks = _of_frameworks(spec, definitions)
    tables = {
        **_of_metrics(spec),
        **of_frameworks,
        "trackers": Table(
            "spec/trackers", {"TRACKERS": {name: _tracker(tracker) for name, tracker in spec.trackers.items()}}
        ),
        "conventions": Table(
            "spec/conventions", {"CONVENTIONS": {name: _convention(item) for name, item in spec.conventions.items()}}
        ),
        **proof_tables(spec, cache),
        **_settings(spec, definitions),
        "audit": Table("spec/frameworks", {name: _audit(item) for name, item in spec.frameworks.items()}),
    }
    for language, said in spec.texts.items():
        tables[f"languages/{language}"] = Table(f"spec/texts/{language}", said.catalog_table())
    tables["lookup"] = _lookup(spec, tables)
    plain_tables = {**tables, **_plain({name: table for name, table in tables.items() if name not in of_frameworks})}
    texts = {key: row for family in spec.families for key, row in plain_tables[f"texts/{family}"].data["TEXTS"].items()}
    return {
        **plain_tables,
        "sizes": sizes_table(spec, texts),
        "catalogue": catalogue_table(spec, plain_tables),
        **_sources(spec, plain_tables, definitions),
    }


def _sources(spec: Spec, tables: Mapping[str, Table], definitions: Definitions | None) -> dict[str, Table]:
    if definitions is None:
        return sources_tables(spec, tables)

    def found() -> dict[str, Table]:
        others = {name: table for name, table in tables.items() if name.partition("/")[0] not in _FOR_READERS}
        return sources_tables(definitions.spec, {**others, **_plain(metrics_tables(definitions.spec))})

    return kept("source_tables", (definitions.digest,), found)


def build_meanings(spec: Spec) -> dict[str, Table]:
    """Return those of the tables that say what keys mean and how their numbers are computed."""
    return {**_plain(_of_metrics(spec)), **_of_frameworks(spec)}


def _of_metrics(spec: Spec) -> dict[str, Table]:
    return {
        "index": _index(spec),
        **metrics_tables(spec),
        "signatures": _signatures(spec),
        "reproduction": reproduction_table(spec),
        "health": health_table(spec),
    }


def _of_frameworks(spec: Spec, definitions: Definitions | None = None) -> dict[str, Table]:
    """Return the tables of frameworks, for which every key is resolved, and which say nothing of a metric but its name.

    They are plain.
    """
    if definitions is not None:
        return kept("framework_tables", (definitions.logging_digest,), lambda: _of_frameworks(definitions.logging))
    each = (framework_tables(name, framework) for name, framework in spec.frameworks.items())
    return _plain({**{path: table for made in each for path, table in made.items()}, **default_tables(spec)})


def _settings(spec: Spec, definitions: Definitions | None) -> dict[str, Table]:
    if definitions is None:
        return settings_tables(spec)
    return kept("settings_tables", (definitions.logging_digest,), lambda: settings_tables(definitions.logging))


def _plain(tables: Mapping[str, Table]) -> dict[str, Table]:
    return {name: Table(table.source, plain(table.data)) for name, table in tables.items()}


def _audit(item: FrameworkSpec) -> Row:
    """Return how the sources of a framework are found and read, and on what each of its releases is built."""
    framework = item.framework
    own = framework.audit.model_dump(mode="json", exclude_defaults=True)
    source = None if framework.source is None else framework.source.model_dump()
    base = None
    if item.base is not None:
        newest = {pair.partition("+")[0]: under for pair, under in item.base.under.items()}
        base = {"framework": item.base.name, "releases": newest}
    return row(imports=framework.imports, source=source, settings=own, base=base)


def _lookup(spec: Spec, tables: Mapping[str, Table]) -> Table:
    """Return which files may log a metric, which metrics share an alias, and which a key can mean."""
    logged: dict[str, dict[str, list[str]]] = {name: {} for name in spec.family_of}
    keys: dict[str, dict[str, None]] = {}
    for name, framework in spec.independent.items():
        for stem in framework.files:
            table = tables.get(f"frameworks/{name}/{stem}")
            if table is None:
                continue
            named = [piece.get("metric") for piece in table.data.get("pieces", ())]
            for metric in dict.fromkeys(metric for metric in named if metric is not None):
                logged.setdefault(metric, {}).setdefault(name, []).append(stem)
            prefix = table.data.get("eval_prefix", "eval_")
            for key, mode, _, record, facts, *_ in table.data.get("keys", ()):
                bare = key.removeprefix(prefix) if mode == "eval" else key
                metrics = (named[piece] for piece in (record, *facts))
                keys.setdefault(bare, {}).update(dict.fromkeys(metric for metric in metrics if metric is not None))
    aliases: dict[str, list[str]] = {}
    for family in spec.families.values():
        for metric, item in family.metrics.items():
            for alias in item.aliases:
                aliases.setdefault(alias, []).append(metric)
    data = {
        "LOGGED_BY": {name: by_framework for name, by_framework in logged.items() if by_framework},
        "ALIASES": aliases,
        "KEYS": {key: list(metrics) for key, metrics in keys.items()},
    }
    return Table("spec", data)


def _index(spec: Spec) -> Table:
    renamed = [(item.from_, item.to, item.since, item.why) for item in spec.info.renamed]
    data = {"SPEC_VERSION": spec.info.version, "RENAMED": renamed, "FRAMEWORKS": _titles(spec.independent)}
    derived = {name: item for name, item in spec.frameworks.items() if item.base is not None}
    return Table("spec", {**data, "DERIVED": _titles(derived)} if derived else data)


def _titles(frameworks: Mapping[str, FrameworkSpec]) -> dict[str, Row]:
    return {
        name: row(
            title=item.framework.title,
            package=item.framework.package,
            brief=item.framework.brief,
            base=None if item.base is None else item.base.name,
            known_by=item.framework.known_by,
        )
        for name, item in frameworks.items()
    }


def _signatures(spec: Spec) -> Table:
    signatures = spec.signatures
    data = {
        "LEVELS": signatures.levels,
        "OPERATIONS": signatures.operations,
        "GRADES": signatures.grades,
        "SNAPSHOT": (signatures.snapshot_grade, signatures.snapshot_vanishes_when),
        "GENERIC": signatures.generic_quantities,
        "BOOKKEEPING": signatures.bookkeeping_quantities,
        "POPULATIONS": {name: _population(item, signatures) for name, item in signatures.populations.items()},
        "WITHOUT": {name: (item.brief, item.trait, item.shares) for name, item in signatures.without.items()},
        "TRAITS": {name: trait.model_copy(update={"does": None}) for name, trait in signatures.traits.items()},
        "WORDS": _words(signatures),
    }
    return Table("spec/signatures.yaml", data)


def _words(signatures: Signatures) -> Row:
    words = signatures.words
    return row(
        operations=words.operations,
        policies=words.policies,
        snapshots=words.snapshots,
        moments=words.moments,
        divergences=words.divergences,
        extents=words.extents,
        estimators=words.estimators,
        statistics=words.statistics,
        populations={name: item.words for name, item in signatures.populations.items()},
    )


def _population(item: Population, signatures: Signatures) -> list[object]:
    """Return domain, brief and traits; of a part of another population also that, and what is left out."""
    left = [signatures.without[name].trait for name in item.without if name in signatures.without]
    cells: list[object] = [item.domain, item.brief, [*item.traits, *left]]
    return cells if item.of is None else [*cells, item.of, item.without]


def _convention(convention: Convention) -> Row:
    return row(
        title=convention.title,
        version=convention.version,
        search=convention.search or None,
        known_by=convention.known_by,
        traits=convention.traits,
        names=[
            row(
                name=item.name,
                metric=item.metric,
                instrument=item.instrument,
                unit=item.unit,
                scale=None if item.scale == 1 else item.scale,
                note=item.note,
            )
            for item in convention.names
        ],
    )


def _tracker(tracker: Tracker) -> Row:
    return row(
        title=tracker.title,
        allowed=tracker.allowed,
        max_length=tracker.max_length,
        path_prefix_conflict=tracker.path_prefix_conflict or None,
        stores_nan_as=tracker.stores_nan_as,
        kinds=tracker.kinds,
        routes={
            route: [(rule.pattern, rule.replacement, rule.stop) for rule in rules]
            for route, rules in tracker.routes.items()
        },
        notes=tracker.notes,
        sources=[source(item) for item in tracker.sources],
    )
