"""Rewrites the records of one run; whatever holds no renamed metric is copied byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames
from rlmetrics.logs.kinds.wandb.row_items import is_own
from rlmetrics.logs.kinds.wandb.run import parsed, settings
from rlmetrics.logs.kinds.wandb.transactions import Tail, Writer, records
from rlmetrics.logs.kinds.wandb.wandb_messages import record_class
from rlmetrics.logs.protobufs import decode_error
from rlmetrics.names.tables.user_errors import NamesError

from ...report import Report
from ...translation_options import Options
from ...translator import Translator
from .ids import NewId
from .item_translator import ItemTranslator

__all__ = ["translate_run"]

_BUFFER = 1 << 18
"""Bytes written at a time."""


def translate_run(path: Path, output: Path, translator: Translator, report: Report, options: Options) -> NestedNames:
    """Write a ``.wandb`` file with translated names.

    The new id of a run follows from the old one and the names of source and target, so that a second translation has
    the same.

    Returns:
        What names of nested dicts are, by the rows of the run.

    Raises:
        InputError: If the file is damaged, or a value can't be converted.
    """
    new_id = _new_id(path, report) if options.new_run_id else None
    run = _Records(translator, report, new_id, keep_alerts=options.keep_alerts)
    tail = Tail()
    with output.open("wb", buffering=_BUFFER) as file:
        writer = Writer(file)
        for offset, payload in records(path, tail):
            record = parsed(path, offset, payload)
            try:
                for part in run.translate(record):
                    writer.write(payload if part is None else part.SerializeToString())
            except NamesError:
                raise
            except (InputError, ValueError, RecursionError, decode_error()) as error:
                msg = f"record at byte {offset}: {error}"
                raise InputError(msg, path) from None
            report.records += 1
        for part in run.end():
            writer.write(part.SerializeToString())
    report.lost.records += tail.torn > 0
    report.lost.bytes += tail.torn
    report.notes += [f"{path.name}: {advice}" for advice in translator.advise(run.config)]
    if run.alerts:
        report.notes.append(f"{path.name}: {run.alerts} alert(s) left out; syncing would send them again")
    return run.nested


class _Records:
    """Translates one record after the other.

    Attributes:
        alerts: How many were left out.
        config: The run's configuration, by dotted names.
        nested: What names of nested dicts are.
    """

    def __init__(self, translator: Translator, report: Report, new_id: NewId | None, *, keep_alerts: bool) -> None:
        self.alerts = 0
        self.config: dict[str, Any] = {}
        self._translator = translator
        self._report = report
        self._new_id = new_id
        self._keep_alerts = keep_alerts
        self.nested = NestedNames()
        self._items = ItemTranslator(translator, self.nested)
        self._globs: list[Any] = []
        self._defined: set[str] = set()
        self._noted = False

    def translate(self, record: Any) -> Iterator[Any]:
        """Yield what a record becomes: None stands for its own bytes."""
        kind = record.WhichOneof("record_type")
        changed = self._new_id.put_into(record) if self._new_id else False
        if kind == "history":
            changed = self._items.rename(record.history, "item") or changed
            if self._globs:
                yield from self._definitions()
            yield record if changed else None
        elif kind == "summary":
            yield record if self._summary(record.summary) or changed else None
        elif kind == "metric":
            yield from self._metric(record, changed=changed)
        elif kind == "alert" and not self._keep_alerts:
            self.alerts += 1
        else:
            if kind in ("exit", "final", "footer"):
                yield from self.end()
            if kind in ("run", "config"):
                self._note_settings((record.run.config if kind == "run" else record.config).update)
            if kind == "run" and record.run.HasField("summary"):
                changed = self._summary(record.run.summary) or changed
            yield record if changed else None

    def _note_settings(self, items: Any) -> None:
        for item in items:
            with suppress(ValueError):
                self.config |= settings([*item.nested_key] or [item.key], json.loads(item.value_json))

    def end(self) -> Iterator[Any]:
        """Yield the note in the run's configuration that says where the names come from, once."""
        if not self._noted:
            self._noted = True
            names = {old: how["to"] for old, how in self._report.translated.items() if how["to"] != old}
            note = {"from": self._report.source, "to": self._report.target, "names": names | self._report.set_aside}
            record = record_class()()
            record.config.update.add(key="translated_from", value_json=json.dumps(note))
            yield record

    def _summary(self, summary: Any) -> bool:
        changed = self._items.rename(summary, "update")
        return (bool(summary.remove) and self._items.rename_removed(summary.remove)) or changed

    def _metric(self, record: Any, *, changed: bool) -> Iterator[Any]:
        """Yield the definitions that one becomes; a glob stays, and goes along with every name it no longer matches."""
        metric = record.metric
        if metric.step_metric and not is_own(metric.step_metric):
            step = self._translator.key(metric.step_metric).output
            changed = changed or step != metric.step_metric
            metric.step_metric = step
        if metric.glob_name and not metric.name:
            self._globs.append(record)
        if not metric.name or is_own(metric.name):
            yield record if changed else None
            return
        old = metric.name
        for entry in self._translator.entries({old: None}):
            self._defined.add(entry.name)
            if entry.name == old:
                metric.name = old
                yield record if changed else None
            else:
                metric.name = entry.name
                self._define(metric)
                yield record

    def _define(self, metric: Any) -> None:
        """Make a definition one of its own if wandb's Go writer wrote it for a glob that doesn't match the new name.

        Syncing would leave it out, since the glob is there.
        """
        if getattr(metric, "expanded_from_glob", False) and not self._is_matched(metric.name):
            metric.expanded_from_glob = False
            metric.options.defined = True

    def _is_matched(self, name: str) -> bool:
        return any(_matches(glob.metric.glob_name, name) for glob in self._globs)

    def _definitions(self) -> Iterator[Any]:
        """Yield definitions for names that are new and that a glob matched under their old spelling."""
        fresh, self._items.fresh = self._items.fresh, []
        for new, old in fresh:
            if new in self._defined:
                continue
            self._defined.add(new)
            match = next((glob for glob in self._globs if _matches(glob.metric.glob_name, old)), None)
            if match is not None and not self._is_matched(new):
                record = type(match)()
                record.CopyFrom(match)
                record.metric.glob_name = ""
                record.metric.name = new
                yield record


def _matches(glob: str, name: str) -> bool:
    """Tell whether W&B applies a glob to a name: only a trailing star has a meaning."""
    return name.startswith(glob[:-1]) if glob.endswith("*") else name == glob


def _new_id(path: Path, report: Report) -> NewId | None:
    """Return the new id of a run; None if its records don't say the old one."""
    for offset, payload in records(path, Tail()):
        record = parsed(path, offset, payload)
        if record.HasField("run") and record.run.run_id:
            new_id = NewId.of(record.run.run_id, report.source, report.target)
            report.notes.append(f"run {new_id.old} has the new id {new_id.new}")
            return new_id
    return None
