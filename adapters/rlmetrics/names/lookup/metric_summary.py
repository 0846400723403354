"""Everything about one metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.entry_signature import unstated_of
from ..meanings.protocol import View
from ..meanings.view import open_view
from ..settings.configuration import Config
from ..settings.key_condition import condition_of
from ..sources.source import parse_source
from ..tables.component_rows import ComponentTable, TableRow
from ..tables.key_records import Fallback
from ..tables.loading import load_tables
from ..tables.metric_renames import warn_renamed
from ..tables.tables import Overlays, Tables
from ..tables.user_errors import NamesError
from .resolving import resolve_in

__all__ = ["Shown", "Spelling", "show"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How some releases of a component spell a metric, and under which condition.

    Attributes:
        framework: The framework.
        component: The component.
        releases: The releases, oldest first.
        key: As logged, without the prefix of evaluation.
        condition: When it is logged under this name.
        note: What else there is to know.
        mode: ``train`` or ``eval``.
        logged: The same with the prefix of evaluation.
        unstated: What nobody has looked up of how it is computed, such as its ``reduction``.
    """

    framework: str
    component: str
    releases: tuple[str, ...]
    key: str
    condition: str | None
    note: str | None
    mode: str = "train"
    logged: str = ""
    unstated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A metric's whole entry.

    Attributes:
        metric: Canonical name.
        entry: What the spec says about it, by field: brief, unit, kind, identity, description, formula, inputs, health,
            references and so on; fields without a value are missing.
        spellings: How frameworks spell it.
        fallbacks: The release that was asked for, if the spec lacks it, and what answers in its place.
    """

    metric: str
    entry: Mapping[str, Any]
    spellings: tuple[Spelling, ...]
    fallbacks: tuple[Fallback, ...] = ()


class _Logged(NamedTuple):
    """A row of a component, and the releases in which it applies."""

    framework: str
    component: str
    table: ComponentTable
    row: TableRow
    releases: set[str]


def show(name: str, at: str | None = None, *, config: Config = None, spec: Overlays | Tables = None) -> list[Shown]:
    """Return everything about the metrics that a name can mean.

    Args:
        name: A canonical name, with ``@variant`` or without, an alias such as ``approx_kl``, or a logged key.
        at: The source that logs the key; without one, any.
        config: Values of configuration keys that differ from the release's defaults.
        spec: Folders with further YAML.

    Returns:
        One record for each metric: several if an alias or a key has several meanings.

    Raises:
        NamesError: Nothing has that name.
    """
    tables = load_tables(spec)
    view = None if at is None or name in tables.metrics else open_view(at, config=config, spec=tables)
    spellings = _anywhere(name, tables) if view is None else _by_key(name, view)
    if not spellings:
        known = [*tables.metrics, *(alias for row in tables.metrics.values() for alias in row.get("aliases", ()))]
        from difflib import get_close_matches

        near = get_close_matches(name, dict.fromkeys(known), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "rlmetrics keys --at SOURCE lists what is logged"
        msg = f"nothing is called {name!r}{'' if at is None else f' in {at}'}; {hint}"
        raise NamesError(msg)
    fallbacks = () if view is None else view.source.fallbacks
    asked = parse_source(at, tables).framework if at is not None and tables.derived else None
    derived = asked if asked in tables.derived else None
    return [
        Shown(metric, _entry(metric, tables), tuple(_spellings(metric, tables, derived)), fallbacks)
        for metric in spellings
    ]


def _by_key(name: str, view: View) -> list[str]:
    return list(dict.fromkeys(item.metric for item in resolve_in(view, [name]) if item.metric is not None))


def _anywhere(name: str, tables: Tables) -> list[str]:
    renamed = {old: new for old, new, _, _ in tables.renamed}
    if name in renamed:
        warn_renamed(name, renamed[name])
        name = renamed[name]
    if name in tables.metrics:
        return [name]
    metric, _, variant = name.partition("@")
    if variant in tables.metrics.get(metric, {}).get("variants", ()):
        return [metric]
    called = tables.called(name)
    if any(tables.logged_by(metric) for metric in called):
        return called
    wanted = dict.fromkeys([name, name.removeprefix("train/"), name.removeprefix("eval_"), name.removeprefix("eval/")])
    keyed = [metric for key in wanted for metric in tables.meant_by(key)]
    # A metric that nothing logs is hardly what is meant by a name that some release logs.
    return list(dict.fromkeys([*keyed, *called]))


def _entry(metric: str, tables: Tables) -> dict[str, Any]:
    row, texts = tables.metrics[metric], tables.texts[metric]
    inputs = {name: tables.inputs[name] for name in texts.get("inputs", ())}
    population = tables.signatures["POPULATIONS"].get(row.get("population"))
    health = tables.health["RULES"].get(metric, ())
    extra = {"inputs": inputs, "health": health, "population_brief": population and population[1]}
    entry = {**row, **texts, **{name: value for name, value in extra.items() if value}}
    entry.pop("templates", None)
    return entry


def _spellings(metric: str, tables: Tables, derived: str | None) -> list[Spelling]:
    spellings: list[Spelling] = []
    for logged in _logged(metric, tables, derived):
        row, always = logged.row, tuple(i for i, fact in enumerate(logged.row.facts) if "when" not in fact)
        said = logged.table.combined(row, always)
        own = [fact["when"] for fact in row.facts if "when" in fact and fact.get("metric") == metric]
        guards = [condition_of(said)]
        if said.get("metric") != metric:
            guards.append(" or ".join(f"({when})" for when in own))
        condition = "; ".join(text for text in guards if text) or None
        spelled = tuple(sorted(logged.releases, key=tables.framework(logged.framework).releases.index))
        note = " ".join(logged.table.notes(said)) or None
        bare = logged.table.bare(row)
        spellings.append(
            Spelling(
                logged.framework,
                logged.component,
                spelled,
                bare,
                condition,
                note,
                row.mode,
                row.key,
                unstated_of(said, metric, tables),
            )
        )
    return spellings


def _logged(metric: str, tables: Tables, derived: str | None) -> Iterator[_Logged]:
    """Yield where a metric is logged; of the frameworks that derive from another one only where one is asked about."""
    logged_by = tables.logged_by(metric)
    for framework in (*logged_by, *([] if derived is None else [derived])):
        table = tables.framework(framework)
        for component, stem, ranges, _ in table.components:
            if stem not in logged_by.get(framework, (stem,)):
                continue
            own, among = table.component(stem), table.releases.covered(ranges)
            rows: dict[tuple[object, ...], _Logged] = {}
            for row in own.measuring(metric):
                covered = own.releases_of(row, among)
                if covered:
                    new = _Logged(framework, component, own, row, set())
                    rows.setdefault((own.bare(row), row.place), new).releases.update(covered)
            yield from rows.values()
