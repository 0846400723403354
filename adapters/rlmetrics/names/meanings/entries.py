"""One key as it is logged in a mode and under a configuration; an entry is made once for all releases that agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rlmetrics.lazy_typing import Any

from ..differences.entry_signature import effective_signature
from ..settings.configuration import Configuration
from ..settings.key_condition import condition_of
from ..tables.component_rows import ComponentTable, TableRow
from ..tables.key_records import Alternative, Entry, Signature
from ..tables.pieces import NOT_OF_THE_NUMBER
from ..tables.tables import Tables

__all__ = ["Entries"]

_PLAIN: Mapping[str, str] = {}


class Entries:
    """Makes entries of a component's rows under one configuration; equal rows give one and the same signature.

    Args:
        component: The component's name in answers.
        tables: The spec.
        table: The component.
    """

    def __init__(self, component: str, tables: Tables, table: ComponentTable) -> None:
        self._component = component
        self._tables = tables
        self._table = table

    def make(self, row: TableRow, config: Configuration, *, alternatives: bool = True) -> Entry:
        """Return what a row is under a configuration, by default with what other configurations would give."""
        active = _holding(row, config.holds)
        said = self._table.combined(row, active)
        logged = _logged(said, config.holds)
        by_default = logged
        if config.values is not config.defaults:
            usual = self._table.combined(row, _holding(row, config.holds_by_default))
            by_default = _logged(usual, config.holds_by_default)
        if isinstance(said.get("scale"), str) or isinstance(said.get("offset"), str):
            signature = effective_signature(said, self._tables, config.values)
            return self._made(row, said, active, signature, (logged, by_default), alternatives=alternatives)
        # Nothing else of a configuration matters, whatever the release.
        asked = Entry, self._component, row.key, row.mode, row.place, active, logged, by_default, alternatives
        entry: Entry | None = self._table.kept.get(asked)
        if entry is None:
            signature, decided = self._signature(said), (logged, by_default)
            entry = self._made(row, said, active, signature, decided, alternatives=alternatives)
            self._table.kept[asked] = entry
        return entry

    def _made(
        self,
        row: TableRow,
        said: Mapping[str, Any],
        active: tuple[int, ...],
        signature: Signature,
        logged: tuple[bool | None, bool | None],
        *,
        alternatives: bool,
    ) -> Entry:
        """Return what a row is, given what is said of it, and whether it is logged so and by default."""
        metric: str | None = said.get("metric")
        known = self._tables.metrics.get(metric or "", {})
        held = [row.facts[index] for index in active if "when" in row.facts[index]]
        names = [fact.get("name", fact["when"]) for fact in held if not fact.keys() <= NOT_OF_THE_NUMBER]
        notes = tuple(self._table.notes(said))
        return Entry(
            component=self._component,
            key=row.key,
            mode=row.mode,
            metric=metric,
            kind=said.get("kind") or known.get("kind", "scalar"),
            signature=signature,
            condition=condition_of(said),
            logged_by_default=logged[1],
            logged=logged[0],
            constant_when=said["constant_when"],
            variant="; ".join(dict.fromkeys(names)) or None,
            alternatives=_alternatives(row, active, metric) if alternatives else (),
            bind=said.get("bind", _PLAIN),
            at=said["at"],
            note=" ".join(notes) or None,
            route=said.get("route"),
            notes=notes,
            reads=self._table.reads(said) if said["reads"] else (),
            never=bool(said["fails"]),
            preferred=bool(said.get("preferred")),
            every=said.get("every"),
            axis=said.get("axis"),
        )

    def said(self, row: TableRow, config: Configuration) -> Mapping[str, Any]:
        """Return everything that is said of a row under a configuration."""
        return self._table.combined(row, _holding(row, config.holds))

    def _signature(self, said: Mapping[str, Any]) -> Signature:
        # The table keeps what it combined, so that its identity stands for it.
        signature = self._table.signatures.get(id(said))
        if signature is None:
            signature = self._table.signatures[id(said)] = effective_signature(said, self._tables, {})
        return signature


def _holding(row: TableRow, holds: Callable[[str], bool | None]) -> tuple[int, ...]:
    """Return which facts of a row hold; one that nothing can tell does not."""
    return tuple([index for index, fact in enumerate(row.facts) if "when" not in fact or holds(fact["when"])])


def _logged(said: Mapping[str, Any], holds: Callable[[str], bool | None]) -> bool | None:
    """Tell whether a key is logged: all its guards must hold, and its worded condition hold by default.

    Nothing tells it of a key whose code was replaced by code that nobody has read for it.
    """
    if said["fails"]:
        return False
    answers = [holds(guard) for guard in said["logged_when"]]
    if "logged_by_default" in said or "condition" in said:
        answers.append(said.get("logged_by_default"))
    if "overridden" in said:
        answers.append(None)
    return False if False in answers else None if None in answers else True


def _alternatives(row: TableRow, active: tuple[int, ...], metric: str | None) -> tuple[Alternative, ...]:
    """Return what other configurations would change: the usual metric, then one for each guard that does not hold."""
    alternatives: dict[str, Alternative] = {}
    usual = [piece["metric"] for piece in (row.record, *row.facts) if "when" not in piece and "metric" in piece]
    if usual and usual[-1] != metric:
        alternatives[""] = Alternative(None, None, usual[-1])
    for index, fact in enumerate(row.facts):
        if "when" not in fact or index in active or fact.keys() <= NOT_OF_THE_NUMBER:
            continue
        when = fact["when"]
        before = alternatives.get(when)
        said = _said(fact) if before is None else "; ".join(text for text in (before.what, _said(fact)) if text)
        named = before.metric if before is not None and before.metric != metric else fact.get("metric", metric)
        alternatives[when] = Alternative(fact.get("name"), when, named, said)
    return tuple(alternatives.values())


def _said(fact: Mapping[str, Any]) -> str:
    """Return in short what a fact changes."""
    texts = []
    for name, value in fact.items():
        if name in NOT_OF_THE_NUMBER or name == "metric":
            continue
        if name == "reduction":
            texts.append(", ".join(f"{level} {operation}" for level, operation in value.items()))
        elif isinstance(value, list):
            texts.append(f"{name.replace('_', ' ')} {', '.join(map(str, value))}")
        else:
            texts.append(f"{name.replace('_', ' ')} {value}")
    return "; ".join(texts)
