"""What a dashboard of a release shows, whatever draws it: sections by family, panels by quantity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rlmetrics.logs.dashboard_names import escaped
from rlmetrics.names.meanings.protocol import View
from rlmetrics.names.meanings.view import open_views
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.crucial_metrics import FIRST_FAMILIES, MACHINE_FAMILIES, crucial_quantities, measured
from rlmetrics.names.tables.key_records import Entry, Fallback, Transform
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.templates import OPEN
from rlmetrics.wording.condition_words import condition_texts
from rlmetrics.wording.metric_facts import as_shown, of_metric, sentence

__all__ = ["CRUCIAL", "Board", "Panel", "Section", "make_board"]

STEP = "progress/global_step"
"""The metric that other metrics are drawn over."""

CRUCIAL = "crucial"
"""The first section: what the frameworks' guides say to watch, and other numbers of the same quantities."""

_TIMERS = "timing"
_SECONDS = "s"
_CURVES = {"scalar", "counter"}


@dataclass(frozen=True, slots=True)
class Panel:
    """Metrics that belong into one chart: one quantity with its statistics, in training and evaluation.

    Attributes:
        title: The canonical names in short.
        kind: ``scalar``, ``distribution`` or ``text``, as logged.
        names: The keys without placeholders, as the tracker shows them.
        patterns: Regular expressions for keys with placeholders.
        x: The key of the x-axis; None where the tracker's own step is the only one.
        unit: The unit of the values; None for plain numbers.
        healthy: The range that no rule complains about, in words; None if there is no rule with a bound.
        notes: What each metric is, when it is logged, and what its rules say.
    """

    title: str
    kind: str
    names: tuple[str, ...]
    patterns: tuple[str, ...]
    x: str | None
    unit: str | None
    healthy: str | None
    notes: tuple[str, ...]

    @property
    def caption(self) -> str:
        """The title with the healthy range."""
        return f"{self.title} (healthy: {self.healthy})" if self.healthy else self.title


@dataclass(frozen=True, slots=True)
class Section:
    """The panels of one family of metrics, or those that guides call crucial."""

    name: str
    panels: tuple[Panel, ...]

    @property
    def is_open(self) -> bool:
        """Whether the panels are shown at once: they are crucial, or a rule about health watches one of them."""
        return self.name == CRUCIAL or any(panel.healthy for panel in self.panels)


@dataclass(frozen=True, slots=True)
class Board:
    """A dashboard; ``at`` is the source as it was resolved, ``fallbacks`` what it answers in the place of."""

    at: str
    sections: tuple[Section, ...]
    fallbacks: tuple[Fallback, ...] = ()


def make_board(
    at: str, *, surface: str, config: Config = None, everything: bool = False, spec: Overlays | Tables = None
) -> Board:
    """Return the dashboard of a source.

    Args:
        at: Such as ``trl[GRPOTrainer]==1.16.0`` or ``verl==0.9.1``.
        surface: The tracker whose names are shown: ``wandb`` or ``tensorboard``.
        config: Values of configuration keys that differ from the release's defaults.
        everything: Show also what the configuration does not log.
        spec: Folders with further YAML.

    Returns:
        What is crucial first, timers last. Names that users invent are left out.

    Raises:
        NamesError: The source or a configuration key is unknown.
    """
    (view,) = open_views([at], config=config, surface=surface, spec=spec)
    families: dict[str, dict[object, list[Entry]]] = {}
    crucial = crucial_quantities(view.tables)
    for entry in view.entries():
        wanted = everything or entry.logged is not False
        if entry.metric is not None and wanted and view.template(entry).rank != OPEN:
            place = _place(view.tables, entry.metric, crucial)
            families.setdefault(place, {}).setdefault(_quantity(view, entry), []).append(entry)
    logged = {(view.show(entry, entry.key, surface), entry.metric) for entry in view.entries()}
    meanings = Counter(name for name, _ in logged)
    ambiguous = {name for name, count in meanings.items() if count > 1}
    sections = tuple(
        Section(
            family.replace("_", " "),
            tuple(_panel(view, entries, surface, ambiguous) for entries in _ordered(view.tables, families[family])),
        )
        for family in _in_order(view.tables)
        if family in families
    )
    return Board(str(view.source), sections, view.source.fallbacks)


def _place(tables: Tables, metric: str, crucial: set[object]) -> str:
    """Return the section of a metric."""
    if measured(tables, metric) in crucial:
        return CRUCIAL
    return _TIMERS if tables.metrics[metric].get("unit") == _SECONDS else tables.metrics.family(metric)


def _in_order(tables: Tables) -> list[str]:
    families = list(dict.fromkeys(tables.metrics.family(metric) for metric in tables.metrics))
    between = [family for family in families if family not in (*FIRST_FAMILIES, *MACHINE_FAMILIES)]
    return [CRUCIAL, *FIRST_FAMILIES, *between, *MACHINE_FAMILIES]


def _ordered(tables: Tables, panels: Mapping[object, list[Entry]]) -> list[list[Entry]]:
    """Return the entries of each panel of a section in the order of families, then of the spec."""
    families, metrics = _in_order(tables), {metric: index for index, metric in enumerate(tables.metrics)}
    places = {
        quantity: (families.index(tables.metrics.family(metric)), metrics[metric])
        for quantity, entries in panels.items()
        if (metric := str(entries[0].metric))
    }
    return [panels[quantity] for quantity in sorted(panels, key=lambda quantity: places[quantity])]


def _quantity(view: View, entry: Entry) -> object:
    """Return what the entries of one panel have in common: all of their identity but the statistic, unit and axis."""
    row = view.tables.metrics[str(entry.metric)]
    identity = {name: value for name, value in dict(row.get("identity", {})).items() if name != "statistic"}
    kind = "scalar" if entry.kind in _CURVES else entry.kind
    return repr((sorted(identity.items()) or entry.metric, row.get("unit"), kind, entry.signature.axis))


def _panel(view: View, entries: list[Entry], surface: str, ambiguous: set[str]) -> Panel:
    metrics = list(dict.fromkeys(str(entry.metric) for entry in entries))
    row = view.tables.metrics[metrics[0]]
    shown = {view.show(entry, entry.key, surface): entry for entry in entries}
    patterns = [_pattern(view, entry, name) for name, entry in shown.items() if view.template(entry).names]
    names = [name for name, entry in shown.items() if not view.template(entry).names]
    axis = entries[0].signature.axis
    ranges = {metric: text for metric in metrics if (text := _healthy(view.tables, metric, axis))}
    shared = _shared(metrics)
    told = [f"{'/'.join(metric.split('/')[shared:])} {text}".lstrip() for metric, text in ranges.items()]
    # Trainers give one name to different things: a source without a component says whose a panel is.
    owners = dict.fromkeys(entry.component for entry in entries if view.show(entry, entry.key, surface) in ambiguous)
    return Panel(
        title=", ".join([_title(metrics), *owners]),
        kind="scalar" if entries[0].kind in _CURVES else entries[0].kind,
        names=tuple(names),
        patterns=tuple(dict.fromkeys(patterns)),
        x=_axis(view, entries[0], surface),
        unit=str(row["unit"]) if row.get("unit") not in (None, "1") and axis is not None and axis.is_plain else None,
        healthy="; ".join(told if len(metrics) > 1 else ranges.values()) or None,
        notes=tuple(_notes(view.tables, metric, entries) for metric in metrics),
    )


def _title(metrics: list[str]) -> str:
    """Return the name of one metric, or what the names of several have in common and how they differ."""
    shared = _shared(metrics)
    parts = [metric.split("/") for metric in metrics]
    if len(metrics) == 1:
        return metrics[0]
    return f"{'/'.join(parts[0][:shared])} ({', '.join('/'.join(part[shared:]) for part in parts)})"


def _shared(metrics: list[str]) -> int:
    """Return how many parts at the beginning of some names are the same, at least one part of each being left."""
    parts = [metric.split("/")[:-1] for metric in metrics]
    shared = 0
    while shared < min(map(len, parts)) and len({tuple(part[: shared + 1]) for part in parts}) == 1:
        shared += 1
    return shared


def _notes(tables: Tables, metric: str, entries: Iterable[Entry]) -> str:
    row: dict[str, Any] = dict(tables.metrics[metric])
    mine = [entry for entry in entries if entry.metric == metric]
    conditions = dict.fromkeys(
        f"Logged {'; '.join(condition_texts(entry.condition))}." for entry in mine if entry.condition
    )
    constants = dict.fromkeys(f"{text}." for entry in mine for text in entry.constant_when)
    axis = mine[0].signature.axis
    brief = sentence(as_shown(str(row["brief"]).rstrip("."), axis))
    rules = _told(tables, metric)
    rules = [of_metric(rules[0], axis), *rules[1:]] if rules else []
    return " ".join([f"**{metric}**: {brief}", *conditions, *constants, *rules])


def _pattern(view: View, entry: Entry, shown: str) -> str:
    """Return a regular expression, in what all dialects share, for a key with placeholders."""
    template = view.template(entry)
    parts = re.split(r"\{(\w+)\}", shown)
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = ".+" if re.fullmatch(template.patterns[part], "a/b") else "[^/]+"
        else:
            parts[index] = escaped(part)
    return f"^{''.join(parts)}$"


def _axis(view: View, entry: Entry, surface: str) -> str | None:
    """Return the key of the step that the component, or another of its program, logs; one that moves."""
    steps = [
        step for step in view.candidates(STEP, "train") if not any("always" in text for text in step.constant_when)
    ]
    own = [step for step in steps if step.component == entry.component]
    program = [step for step in steps if view.program(step.component) == view.program(entry.component)]
    found = next(iter(own or program), None)
    return None if found is None else view.show(found, found.key, surface)


def _healthy(tables: Tables, metric: str, axis: Transform | None) -> str | None:
    """Return the range that no rule complains about at any level; None if none draws a line by itself.

    Rules that join a bound with something else, or that look at a trend, draw no line.

    Args:
        tables: The spec.
        metric: Its name.
        axis: What the key makes of it, on which bounds are told; None if nobody knows.
    """
    if axis is None:
        return None
    rules = _rules(tables, metric)
    low, high = axis.span(
        max((rule["below"] for rule in rules if "below" in rule), default=None),
        min((rule["above"] for rule in rules if "above" in rule), default=None),
    )
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    if high is not None:
        return f"at most {high:g}"
    if axis.scale < 0 or axis.offset:
        return None  # a multiple of the start is another one there
    share = max((rule["below_start"] for rule in rules if "below_start" in rule), default=None)
    if share is not None:
        return f"at least {share:g} times its start"
    share = min((rule["above_start"] for rule in rules if "above_start" in rule), default=None)
    return None if share is None else f"at most {share:g} times its start"


def _told(tables: Tables, metric: str) -> list[str]:
    """Return each rule as a sentence: its highest level, what is wrong and what to try."""
    return [_sentence(rule) for rule in _rules(tables, metric)]


def _rules(tables: Tables, metric: str) -> list[dict[str, Any]]:
    rules: Mapping[str, Any] = tables.health["RULES"]
    return [dict(rule) for rule in rules.get(metric, ())]


def _sentence(rule: Mapping[str, Any]) -> str:
    return f"_{rule['level']}, {rule['words']}_: {rule['message']} {rule['advice']}"
