"""A metric on one screen: what it is, who logs it under which name, what changed, what it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.upgrades.history import History
from rlmetrics.wording.change_words import change_row, changes
from rlmetrics.wording.condition_words import condition_words
from rlmetrics.wording.difference_words import brief_of
from rlmetrics.wording.metric_facts import (
    converted,
    formula_texts,
    health_texts,
    measured_text,
    quantity,
    reads_texts,
    variant_brief,
)
from rlmetrics.wording.signature_words import listed, population_words, ranges_words
from rlmetrics.wording.terminal import LABEL, columns, labelled, symbol, wrapped
from rlmetrics.wording.voice import phrase, spoken

from .unlike import friends_of, look_alikes

if TYPE_CHECKING:
    from rlmetrics.names.lookup.metric_summary import Shown, Spelling
    from rlmetrics.names.settings.configuration import Config
    from rlmetrics.names.sources.source import Source
    from rlmetrics.names.tables.framework_table import FrameworkTable
    from rlmetrics.names.tables.key_records import Entry
    from rlmetrics.names.tables.tables import Tables

__all__ = ["choice_lines", "shown_lines"]

_ROWS, _REST, _CHANGES, _HISTORIES, _FRIENDS, _REMARK, _LINE = 7, 4, 3, 2, 3, 16, 80


class _Name(NamedTuple):
    """What one component calls a metric.

    Attributes:
        framework: The framework.
        component: The component's name.
        key: As logged; without the prefix of evaluation where training logs it too.
        mode: ``train`` or ``eval``.
        logged: The same as the component's table has it.
        releases: Those that do, oldest first.
    """

    framework: str
    component: str
    key: str
    mode: str
    logged: str
    releases: tuple[str, ...]


def shown_lines(
    item: Shown,
    tables: Tables,
    *,
    variant: str | None = None,
    source: Source | None = None,
    config: Config = None,
    full: bool = False,
) -> list[str]:
    """Return a metric as it is told on one screen.

    Args:
        item: The metric and its spellings.
        tables: The spec.
        variant: The variant of the metric that was asked for.
        source: The release and components that alone are meant; all, if left out.
        config: Values of configuration keys that differ from the releases' defaults.
        full: Whether lists are shown whole.
    """
    metric, entry = item.metric, item.entry
    lines = [*wrapped(f"{metric}: {spoken(str(entry['brief']))}"), ""]
    differs = variant_brief(metric, variant, tables)
    if differs is not None:
        lines = [*wrapped(f"{metric}@{variant}: {spoken(differs)}"), "", *lines]
    formula = formula_texts(metric, variant, tables)
    lines += labelled("formula", formula if full or len(formula) <= 5 else formula[:1])
    measured = measured_text(metric, tables)
    lines += labelled("measures", [] if formula or measured is None else [measured])
    lines += labelled("healthy", health_texts(metric, tables))
    lines += labelled("reads", reads_texts(metric, tables, full=full))
    names = _names(item.spellings, tables, source)
    lines += ["", *_logged_as(names, metric, tables, source, config, full=full)]
    lines += _what_changed(names, tables, source, config, full=full)
    lines += _unlike(metric, tables, source, full=full)
    lines += ["", *_compute(entry, variant)]
    more = "--full (inputs, references, every spelling)"
    lines += labelled("more", more if source is not None else f"--at SOURCE (one release); {more}")
    return lines


def choice_lines(name: str, found: Sequence[Shown], tables: Tables) -> list[str]:
    """Return the metrics that share a name, the most used first, and how to pick one."""
    ranked = sorted(found, key=lambda item: _use(item.spellings, tables))
    lines = [*wrapped(f"{name} is a name of {len(found)} metrics. Which one?"), ""]
    rows = []
    for item in ranked:
        names = _names(item.spellings, tables, None)
        who = list(dict.fromkeys(each.component for each in names))
        where = who[0] if len(who) == 1 else f"{who[0]} and {len(who) - 1} more" if who else "not logged"
        rows.append([item.metric, quantity(item.metric, tables), where])
    lines += columns([[metric, f"{words}   ({where})"] for metric, words, where in rows])
    logged = next((each for item in ranked for each in _names(item.spellings, tables, None)), None)
    lines += ["", f"Next: rlmetrics show {ranked[0].metric}"]
    if logged is not None:
        lines += wrapped(f"or a logged key with its source: --at '{logged.framework}[{logged.component}]'", indent=6)
    return lines


def _use(spellings: Sequence[Spelling], tables: Tables) -> tuple[int, int]:
    """Return how much a metric is used: the rank of the foremost component that logs it, then how many do."""
    ranks = [_rank(tables.framework(item.framework), item.component) for item in spellings]
    return min(ranks, default=1 << 20), -len(ranks)


def _rank(table: FrameworkTable, component: str) -> int:
    return next((at for at, row in enumerate(table.components) if row[0] == component), 1 << 20)


def _names(spellings: Sequence[Spelling], tables: Tables, source: Source | None) -> list[_Name]:
    """Return one record for each name that a component uses, in the spec's order, its newest name last."""
    by_place: dict[tuple[str, str, str], list[Spelling]] = {}
    for item in spellings:
        by_place.setdefault((item.framework, item.component, item.key), []).append(item)
    names = []
    for (framework, component, key), items in by_place.items():
        order = tables.framework(framework).releases.index
        releases = sorted({release for item in items for release in item.releases}, key=order)
        train = [item for item in items if item.mode == "train"] or items
        newest = max(train, key=lambda item: order(item.releases[-1]))
        names.append(_Name(framework, component, key, newest.mode, newest.logged, tuple(releases)))
    if source is not None:
        components = {component.name for component in source.components}
        names = [
            name
            for name in names
            if name.framework == source.framework and name.component in components and source.release in name.releases
        ]
    frameworks = tables.named

    def place(name: _Name) -> tuple[int, int, int]:
        table = tables.framework(name.framework)
        return frameworks.index(name.framework), _rank(table, name.component), table.releases.index(name.releases[0])

    return sorted(names, key=place)


def _logged_as(
    names: Sequence[_Name], metric: str, tables: Tables, source: Source | None, config: Config, *, full: bool
) -> list[str]:
    rows: list[list[str]] = []
    notes: dict[str, int] = {}
    meant = [*tables.frameworks] if source is None else [source.framework]
    # However many frameworks there are, the list takes no more lines than that of two.
    most = max(1, _ROWS if len(meant) < 3 else 2 * _ROWS // len(meant))
    for framework in meant:
        title = tables.title(framework)
        mine = [name for name in names if name.framework == framework]
        if not mine:
            rows.append([title, _not_logged(framework, metric, tables)])
            continue
        told = [*_rows(mine, tables, source, config)]
        shown = told if full or len(told) <= most + 1 else told[:most]
        for at, (who, key, spans, remark) in enumerate(shown):
            cell = remark
            if len(remark) > _REMARK:
                cell = f"[{notes.setdefault(remark, len(notes) + 1)}]"
            repeated = at > 0 and shown[at - 1][0] == who
            rows.append([title if at == 0 else "", "" if repeated else who, key, spans, cell])
        if len(told) > len(shown):
            rest = list(dict.fromkeys(row[0] for row in told[len(shown) :]))
            # A list that is cut takes one line.
            some = ", ".join(rest) if len(rest) <= _REST else f"{', '.join(rest[: _REST - 1])} …"
            rows.append(["", f"{len(told) - len(shown)} more: {some}"])
    lines = [phrase("Logged as"), *columns(rows)]
    return [
        *lines,
        *(line for text, at in notes.items() for line in wrapped(f"[{at}] {spoken(text)}", indent=2, hanging=6)),
    ]


def _rows(names: Sequence[_Name], tables: Tables, source: Source | None, config: Config) -> Iterator[list[str]]:
    """Yield who, key, releases and a remark; trainers that say the same share a row."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    histories: dict[str, History] = {}
    for name in names:
        table = tables.framework(name.framework)
        if name.component not in histories:
            histories[name.component] = History(tables, name.framework, name.component, config)
        history = histories[name.component]
        release = name.releases[-1] if source is None else source.release
        entry = history.entry(name.logged, name.mode, release)
        spans = ranges_words(name.releases, table.releases.names)
        remark = "" if entry is None else _remark(entry, history, release, tables)
        mode = "in evaluation" if name.mode == "eval" else ""
        groups.setdefault((name.key, spans, "; ".join(text for text in (mode, remark) if text)), []).append(
            name.component
        )
    for (key, spans, remark), components in groups.items():
        who = components[0]
        if len(components) > 1:
            who = phrase("{name} and {count} more", name=who, count=len(components) - 1)
        yield [who, key, spans, remark]


def _remark(entry: Entry, history: History, release: str, tables: Tables) -> str:
    """Return what is special about a key: when it is logged, over what it is taken, what spoils it."""
    parts = []
    if entry.logged is not True and entry.condition is not None:
        parts += condition_words(entry.condition, history.config(release)).only[:1]
    own = tables.metrics.get(entry.metric or "", {}).get("population")
    if entry.signature.population not in (None, own):
        parts.append(f"over {population_words(entry.signature.population, tables)}")
    if entry.signature.unstated:
        parts.append(f"{symbol('unreviewed')} {phrase('unreviewed')}")
    spoilt = [name for name in entry.signature.traits if tables.traits[name]["grade"] == "incomparable"]
    parts += [f"{symbol('biased')} {brief_of(tables.traits[name])}" for name in spoilt[:1]]
    axis = entry.signature.axis
    if axis is not None and not axis.is_plain:
        parts.append(converted("that", axis))
    return "; ".join(parts)


def _not_logged(framework: str, metric: str, tables: Tables) -> str:
    newest = tables.framework(framework).releases.names[-1]
    for friend in friends_of(metric, tables):
        keys = look_alikes(tables, framework, newest, friend)
        if keys:
            what = spoken(quantity(friend, tables))
            return phrase("not logged. Closest: {key} ({what})", key=keys[0], what=what)
    return "not logged"


def _what_changed(
    names: Sequence[_Name], tables: Tables, source: Source | None, config: Config, *, full: bool
) -> list[str]:
    """Return what changed for the foremost trainer of each framework, of the first ones unless all is asked for."""
    lines: list[str] = []
    titles: list[str] = []
    for framework in dict.fromkeys(name.framework for name in names):
        mine = [name for name in names if name.framework == framework]
        first = [name for name in mine if name.component == mine[0].component][-1]
        release = first.releases[-1] if source is None else source.release
        history = History(tables, framework, first.component, config)
        told = changes(history, tables, first.logged, first.mode, release)
        weighing = [
            change for change in told if change.kind != "changed" or any(cause.weighs for cause in change.causes)
        ]
        shown = list(told) if full else (weighing or [*told])[-_CHANGES:]
        if not shown:
            continue
        if len(titles) == _HISTORIES and not full:
            break
        titles.append(framework)
        who = f"{tables.title(framework)} {first.component}"
        lines += ["", phrase("What changed ({who})", who=who)]
        lines += columns([change_row(change, full=full) for change in shown])
        if len(told) > len(shown):
            lines.append(f"  {phrase('and {count} more: --full', count=len(told) - len(shown))}")
    return lines


def _unlike(metric: str, tables: Tables, source: Source | None, *, full: bool) -> list[str]:
    friends = [*friends_of(metric, tables).items()]
    shown = friends if full else friends[:_FRIENDS]
    lines = [line for name, why in shown for line in wrapped(f"{name}: {spoken(why)}", indent=2, hanging=4)]
    if len(friends) > len(shown):
        lines.append(f"  {phrase('and {count} more: --full', count=len(friends) - len(shown))}")
    return ["", phrase("Not the same"), *lines] if lines else []


def _compute(entry: Mapping[str, object], variant: str | None) -> list[str]:
    function = entry.get("function") or entry.get("variant_functions")
    variants = entry.get("variants")
    if function is None:
        return []
    if variant is not None:
        return labelled("compute", _importable(f"{function}_{variant}"))
    names = [str(function).rpartition(".")[2]] if not isinstance(variants, Mapping) else []
    if isinstance(variants, Mapping):
        names = [f"_{name}" for name in variants][:4]
        more = f", … ({len(variants)} variants)" if len(variants) > len(names) else ""
        return labelled("compute", f"{_importable(str(function))}; variants end in {listed(names)}{more}")
    return labelled("compute", _importable(str(function)))


def _importable(function: str) -> str:
    """Return the full name of a function, as an import where that is too long for a line: it can be wrapped."""
    if LABEL + len(function) < _LINE:
        return function
    module, _, name = function.rpartition(".")
    return f"from {module} import {name}"
