"""What becomes of each key between two sources, by the relations that the spec implies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial

from rlmetrics.lazy_dataclasses import asdict, dataclass, replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.meanings.view import FrameworkView, open_views
from rlmetrics.names.sources.source import nearest
from rlmetrics.names.tables.user_errors import NamesError

# A translator is made in no time; what compares meanings is imported when the first row comes.
if TYPE_CHECKING:
    from rlmetrics.names.mapping.mapping import NameMap
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.meanings.recorded_settings import Understood
    from rlmetrics.names.tables.key_records import Difference, Entry, LookAlike, Transform
    from rlmetrics.names.tables.tables import Overlays, Tables

__all__ = ["Judge", "Plan", "Translation", "told"]


_STAND_INS = ("zqzq", "zqzqz", "qzqz", "90817", "90819", "0.90817")
"""Values that no key has, for placeholders."""

_OF_TRACKERS = frozenset({"step", "Step", "_step", "_runtime", "_timestamp"})
"""Where and when a row was logged, as trackers and transformers write it into logs."""
_INNER = {"vanishes_if"}
"""Guards, whose answer is given."""


@dataclass(frozen=True, slots=True)
class Translation:
    """What becomes of one key.

    Attributes:
        key: As given.
        target: Its counterpart, or None if there is none that values may be carried to.
        relation: ``exact``, ``affine``, ``approximate``, ``unreviewed``, ``related`` or ``none``.
        differs_by: How the two numbers differ.
        transform: How values are converted; None if they stay as they are.
        output: The name that is written, whatever the relation: the counterpart, the key itself, or a name under
            ``untranslated/``.
        note: What else there is to know.
        metric: Canonical name of what the key measures; None if the source doesn't define the key.
        translated: Whether ``output`` is the counterpart.
        order: Rank among keys that claim the same output: nearest in meaning first, then in the order of the spec.
        severity: How much weighs what sets the two apart: ``same``, ``close``, ``biased``, ``look-alike`` or ``none``.
        related: Keys of the target that look like the counterpart and are none.
        needs: Placeholders of the counterpart without a value, for whose lack the key is not translated.
    """

    key: str
    target: str | None
    relation: str
    differs_by: tuple[Difference, ...]
    transform: Transform | None
    output: str
    note: str | None
    metric: str | None
    translated: bool
    order: tuple[int, int]
    severity: str = "none"
    related: tuple[LookAlike, ...] = ()
    needs: tuple[str, ...] = ()

    def __repr__(self) -> str:
        from rlmetrics.names.tables.record_display import one_line

        said = f", {len(self.differs_by)} differences" if self.differs_by else ""
        return one_line("Translation", f"{self.key!r} -> {self.target!r}, {self.relation}{said}")

    def _repr_html_(self) -> str:
        from rlmetrics.names.tables.record_display import facts_html

        scale = self.transform
        facts: list[tuple[str, object]] = [
            ("counterpart", self.target or "none"),
            ("relation", self.relation),
            ("written as", self.output),
            ("converted", None if scale is None else f"{scale.scale:g} * value + {scale.offset:g}"),
            ("differs by", [f"{item.grade}: {item.what}" for item in self.differs_by]),
            ("note", self.note),
        ]
        return facts_html(self.key, facts)

    def account(self) -> dict[str, Any]:
        """Return how a report tells this translation."""
        return {
            "to": self.output,
            "relation": self.relation,
            "severity": self.severity,
            "metric": self.metric,
            "differs_by": told(self.differs_by),
            "transform": asdict(self.transform) if self.transform else None,
        }

    def kept(self) -> dict[str, Any]:
        """Return how a report tells why a key is not translated, with what looks most like it."""
        nearest_ = self.related[0] if self.related else None
        why = self.note if nearest_ is None else nearest_.why
        nearest_key = None if nearest_ is None else nearest_.to
        return {
            "severity": self.severity,
            "metric": self.metric,
            "nearest": nearest_key,
            "why": why,
            "needs": list(self.needs),
        }


def told(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return how a report tells what differs."""
    rows = [asdict(difference) for difference in differences]
    return [{name: value for name, value in row.items() if name not in _INNER} for row in rows]


def _is_told(name: str, view: View) -> bool:
    """Tell whether a source itself logs a name, and not only whoever invents names."""
    from rlmetrics.names.tables.templates import OPEN

    return any(view.template(match.entry).rank != OPEN for match in view.find(name))


class Plan:
    """The translation of any key from one source to another.

    Args:
        prefix: What stands before every key and is no part of its name; it stays before the new one.

    Attributes:
        source: The source as the spec resolves it.
        target: The target likewise.
        slug: The source in a name, such as ``trl-0.7.10``.
        note: What there is to say about the target; None if there is nothing.

    Raises:
        NamesError: If source, target, configuration or a bound placeholder can't be used.
    """

    def __init__(
        self,
        source: str,
        target: str,
        *,
        config: Mapping[str, Any],
        bind: Mapping[str, str],
        spec: Overlays | Tables,
        surface: str | None,
        program: str | None = None,
        prefix: str = "",
    ) -> None:
        self._prefix = prefix
        views = open_views([source, target], config=config, surface=surface, spec=spec)
        first, second = views
        self.note: str | None = None
        self._undecided: Mapping[str, str] = {}
        if program is not None or len(second.source.components) > 1:
            from rlmetrics.names.mapping.programs import narrowed

            first, second, self.note, self._undecided = narrowed(first, second, program, config)
        self._views = first, second
        self._config = dict(config)
        self._reopen = partial(
            Plan, source, target, bind=bind, spec=spec, surface=surface, program=program, prefix=prefix
        )
        self._others: dict[tuple[str, str], Plan | None] = {}
        self._bind, self._surface = bind, surface
        self.source = str(first.source)
        self.target = str(second.source)
        self.fallbacks = (*first.source.fallbacks, *second.source.fallbacks)
        self.chosen = tuple(view.source.choice for view in (first, second) if view.source.choice)
        self.slug = f"{first.source.framework}-{first.source.release}"
        if bind:
            _ = self._names  # which refuses what can't be bound

    @cached_property
    def _names(self) -> NameMap:
        from rlmetrics.names.mapping.mapping import NameMap

        return NameMap(*self._views, bind=self._bind, surface=self._surface)

    @cached_property
    def _position(self) -> dict[tuple[str, str, str], int]:
        """Where the keys of the source stand among all of them."""
        return {place[:3]: position for position, place in enumerate(self._views[0].places())}

    def lookup(self, key: str) -> Translation:
        """Return what the spec says about ``key``; ``output`` is the counterpart, or the key if there is none.

        Raises:
            NamesError: If it belongs to a program for which there is none that is clearly its counterpart.
        """
        name = key.removeprefix(self._prefix)
        found = self._found(name)
        if name == key:
            return found
        target = None if found.target is None else f"{self._prefix}{found.target}"
        return replace(found, key=key, target=target, output=f"{self._prefix}{found.output}")

    def _found(self, key: str) -> Translation:
        """Return what the spec says about a key that has nothing before its name."""
        counterpart = self._names.translate(key)
        row = counterpart.row
        note = counterpart.note
        if key in _OF_TRACKERS and not _is_told(key, self._views[0]):
            # A user may call a metric `step`; what trackers write beside every row is far more likely.
            row, note = None, "trackers write it beside every row"
        if row is None:
            return Translation(key, None, "none", (), None, key, note, None, translated=False, order=(0, 0))
        program = self._views[0].program(row.from_component)
        if program in self._undecided:
            raise NamesError(self._undecided[program])
        from rlmetrics.names.differences.relations import GRADES

        worst = max((GRADES.index(difference.grade) + 1 for difference in row.differs_by), default=0)
        position = self._position.get((row.from_component, row.from_, row.mode), len(self._position))
        return Translation(
            key,
            counterpart.target,
            row.relation,
            row.differs_by,
            row.transform,
            key if counterpart.target is None else counterpart.target,
            counterpart.note,
            counterpart.metric,
            translated=counterpart.target is not None,
            order=(worst, position),
            severity=row.severity,
            related=row.related,
            needs=row.unbound if counterpart.target is None else (),
        )

    def understood(self, settings: Mapping[str, Any]) -> Understood:
        """Return what the source takes of a configuration that a run recorded; what was given explicitly wins."""
        from rlmetrics.names.meanings.recorded_settings import around_of, keys_of, understood

        recorded = understood(settings, keys_of(self._views[0]), around_of(self._views[0]))
        return replace(recorded, values={name: v for name, v in recorded.values.items() if name not in self._config})

    def under(self, settings: Mapping[str, Any]) -> Judge | None:
        """Return what judges differences by the configuration that a run recorded; None if none of it is known here.

        What was given explicitly wins. A target of the same framework is taken to have the same settings.
        """
        from rlmetrics.names.mapping.mapping import NameMap

        first, second = self._views
        same = first.source.framework == second.source.framework
        views = [
            _configured(view, settings if taken else {}, self._config)
            for view, taken in ((first, True), (second, same))
        ]
        if views[0] is first:
            return None
        return Judge(NameMap(*views, bind=self._bind, surface=self._surface), self._prefix)

    def means_something_else(self, name: str) -> bool:
        """Tell whether the target itself logs ``name``; names that users invent don't count."""
        return _is_told(name.removeprefix(self._prefix), self._views[1])

    def changed_by(self, config: Mapping[str, Any], keys: Iterable[str]) -> dict[str, list[str]]:
        """Return which values of a run's configuration change what becomes of its keys, as ``NAME=VALUE``.

        Values that were given count as they were given, and values that the spec doesn't know are left alone.
        """
        from rlmetrics.names.settings.configuration import single

        view, effects = self._views[0], dict[str, list[str]]()
        if not isinstance(view, FrameworkView):
            return effects
        assumed = [component.config for component in view.components.values()]
        for name, value in config.items():
            known = [one for one in assumed if name in one.keys]
            if name in self._config or not known:
                continue
            value = single(value, known[0].keys[name])
            if any(one.values.get(name) == value for one in known):
                continue
            other = self._under(name, value)
            changed = [key for key in keys if other and self._becomes(key) != other._becomes(key)]
            if changed:
                effects[f"{name}={value}"] = changed
        return effects

    def _under(self, name: str, value: Any) -> Plan | None:
        asked = name, repr(value)
        if asked not in self._others:
            try:
                self._others[asked] = self._reopen(config={**self._config, name: value})
            except NamesError:
                self._others[asked] = None
        return self._others[asked]

    def _becomes(self, key: str) -> tuple[str | None, str, Transform | None]:
        move = self.lookup(key)
        return move.target, move.relation, move.transform

    def examples(self, surface: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield every key of the source as a surface shows it, with stand-ins for what placeholders may be.

        Each comes with the stand-ins in it and the regular expression that such a value must match. Templates that fit
        any name are left out.
        """
        view = self._views[0]
        for entry in view.entries():
            example = _example(view, entry, surface)
            if example is not None:
                yield example

    def counterparts(self, key: str, surface: str) -> Iterator[str]:
        """Yield what the target calls the metric of a key that it does not log itself, with stand-ins.

        Several keys may become one, and then not all of these become the key.
        """
        view = self._views[1]
        for match in () if self.means_something_else(key) else self._views[0].find(key):
            metric = match.entry.metric
            for entry in [] if metric is None else view.candidates(metric, match.entry.mode):
                example = _example(view, entry, surface)
                if example is not None:
                    yield example[0]

    def hint(self, key: str) -> str:
        """Return the known names that look like ``key``, ready to be appended to a message."""
        known = [entry.key for entry in self._views[0].entries()]
        return f"; {nearest(key, known, 'keys')}"


class Judge:
    """Says how much weighs what sets keys apart under the configuration of a run.

    Args:
        names: The translation under that configuration.
        prefix: What stands before keys and is no part of their names.
    """

    def __init__(self, names: NameMap, prefix: str = "") -> None:
        self._names = names
        self._prefix = prefix

    def __call__(self, move: Translation) -> tuple[str, tuple[Difference, ...]]:
        """Return the severity and what differs, with whether it applies to the run.

        A difference that the configuration takes away is still there, as one that does not apply.
        """
        translation = self._names.translate(move.key.removeprefix(self._prefix))
        target = None if move.target is None else move.target.removeprefix(self._prefix)
        if translation.row is None or translation.target != target:
            return move.severity, move.differs_by
        now = {difference.what: difference for difference in translation.row.differs_by}
        before = [now.pop(one.what, replace(one, applies=False)) for one in move.differs_by]
        # What is no longer comparable was carried over all the same: the advice to give the setting says so.
        severity = (
            "biased" if translation.row.severity == "look-alike" and move.translated else translation.row.severity
        )
        return severity, (*before, *now.values())


def _configured(view: View, settings: Mapping[str, Any], given: Mapping[str, Any]) -> View:
    """Return a view with the settings that a run recorded; the same one if it knows none of them."""
    from rlmetrics.names.meanings.recorded_settings import around_of, keys_of, understood

    known = understood(settings, keys_of(view), around_of(view)).values
    if not known or not isinstance(view, FrameworkView):
        return view
    return FrameworkView(view.tables, view.source, {**known, **given})


def _example(view: View, entry: Entry, surface: str) -> tuple[str, dict[str, str]] | None:
    """Return a name of an entry, as a surface shows it, and the stand-ins in it with what such a value must match."""
    from rlmetrics.names.tables.templates import OPEN

    template = view.template(entry)
    fitting = {name: [text for text in _STAND_INS if template.fits(name, text)] for name in template.names}
    if template.rank == OPEN or not all(fitting.values()):
        return None
    values = {name: texts[index % len(texts)] for index, (name, texts) in enumerate(fitting.items())}
    shown = view.show(entry, template.format(values), surface)
    return shown, {value: template.patterns[name] for name, value in values.items()}
