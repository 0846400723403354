"""Runs on W&B's server: read row by row, translated, and logged as a new run.

The history of a run can't be changed there. The copy can be continued where it was interrupted, because its id follows
from the run, the source and the target, and the server knows its last step.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames
from rlmetrics.logs.kinds.wandb.row_items import is_own
from rlmetrics.logs.kinds.wandb.run import settings
from rlmetrics.logs.log import arguments_among
from rlmetrics.logs.run_settings import RunSettings, flattened
from rlmetrics.names.inference import Clues
from rlmetrics.names.tables.user_errors import UserError

from .detection import origin_of
from .origins import Decision, Origin, origin_by
from .report import Report
from .rewriting.wandb.ids import NewId
from .rewriting.wandb.nested_rows import nested_row
from .rival_keys import colliding
from .run_severity import judge_by
from .translation_options import Options
from .translator import Translator, nothing_translated

__all__ = ["COPY_MARK", "SCHEME", "metrics_of", "recorded_in", "told", "translate_server_run", "values_of"]

SCHEME = "wandb:"
"""What the address of a run begins with: ``wandb:ENTITY/PROJECT/RUN``."""

COPY_MARK = "translated_from"
"""What the configuration of a copy has, and no original."""
_BACK = "translated_to"
"""What the configuration of an original has, if that was asked for: its copies by target."""

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How the server tells numbers that JSON lacks."""

_STATISTICS = ("min", "max", "mean", "last", "first", "none")
"""Statistics of a summary that can still be asked for; ``best`` and ``copy`` are gone."""


@dataclass(frozen=True, slots=True)
class _Definition:
    """A definition of a metric, as ``Run.define_metric`` takes it."""

    name: str
    step: str | None
    options: dict[str, Any]

    def matches(self, name: str) -> bool:
        return name.startswith(self.name[:-1]) if self.name.endswith("*") else name == self.name


def translate_server_run(
    address: str,
    options: Options,
    *,
    progress: Callable[[Path, int, int], None] | None = None,
    decide: Decision | None = None,
    client: Any = None,
) -> Report:
    """Log a translated copy of a run to the same project, or continue one that was interrupted.

    Args:
        address: ``wandb:ENTITY/PROJECT/RUN``; RUN is the id, the last part of the address of the run's page.
        options: How its names are translated, and whether all rows are read and nothing is logged.
        progress: Called after each row with the address, and how many of how many steps are done.
        decide: Says where its names come from, given what infers it; by default the options do.
        client: W&B's client, which asks who it is when it is made; a new one by default.

    Returns:
        The account; its ``outputs`` name the new run.

    Raises:
        InputError: If the address is none, the server refuses, or no key could be translated.
        NamesError: If source, target or configuration can't be resolved.
        ModuleNotFoundError: If wandb is not installed.
    """
    entity, project, name = _parts(address)
    wandb = import_module("wandb")
    with told(address):
        api = client or wandb.Api()
        run = api.run(f"{entity}/{project}/{name}")
        kept = values_of(run.summaryMetrics)
        logged = _logged(run)
        last = run.lastHistoryStep
    nested = NestedNames()
    nested.know(logged)
    summary, _ = nested.flat(kept, summary=True)

    def infer() -> Origin:
        recorded = recorded_in(run)
        fields = arguments_among(recorded)
        clues = Clues(tuple(summary), whole=True, settings=frozenset(recorded), settings_whole=bool(fields))
        return origin_of(Path(address), clues, options.spec)

    translator = origin_by(options, infer, decide).translator(options, options.surface)
    report = translator.new_report("wandb")
    moves = [translator.key(key) for key in summary]
    if not any(move.translated for move in moves):
        translator.entries(summary)
        raise InputError(nothing_translated(report, [translator]), Path(address))
    report = translator.new_report("wandb")
    outputs = [output for key in dict.fromkeys([*summary, *logged]) if (output := translator.claimed(key)) is not None]
    if len(set(outputs)) < len(outputs):
        # Decided by the whole run each time, so that a copy that is continued is what it would have been.
        with told(address):
            rows = ((None, row) for row in chain((metrics_of(row, nested) for row in run.scan_history()), [summary]))
            translator.set_aside(colliding(rows, translator).get(None, frozenset()))
    copy_id = NewId.of(name, report.source, report.target).new
    with told(address):
        done = _last_step(api, address, f"{entity}/{project}/{copy_id}", entity=entity, project=project)
    report.outputs.append(f"{SCHEME}{entity}/{project}/{copy_id}")
    if options.dry_run:
        report.dry_run = True
        with told(address):
            _define(_Unlogged(), _definitions(run.rawconfig.get("_wandb", {})), translator, summary)
            for row in run.scan_history():
                translator.row(metrics_of(row, nested))
                report.records += 1
        translator.row(summary)
        judge_by(report, translator, RunSettings(flattened(run.config), "W&B"), advise=True)
        return report
    note = {"run": f"{entity}/{project}/{name}", "from": report.source, "to": report.target}
    with tempfile.TemporaryDirectory() as folder, told(address):
        copy = wandb.init(
            entity=entity,
            project=project,
            id=copy_id,
            resume="allow",
            mode="online",
            name=f"{run.name} ({report.target})",
            group=_named(options.copy_group, run, report) or run.group,
            job_type=run.jobType,
            tags=[*run.tags, *([tag] if (tag := _named(options.copy_tag, run, report)) else [])],
            notes=run.notes,
            config={**{key: value for key, value in run.config.items() if key != _BACK}, COPY_MARK: note},
            dir=folder,
            settings=_settings(wandb),
        )
        try:
            _define(copy, _definitions(run.rawconfig.get("_wandb", {})), translator, summary)
            for row in run.scan_history(min_step=done + 1) if done < last else []:
                values = values_of(row)
                when = {"_timestamp": row["_timestamp"]} if "_timestamp" in row else {}
                copy.log({**nested_row(values, nested, translator), **when}, step=row["_step"], commit=True)
                report.records += 1
                if progress:
                    progress(Path(address), row["_step"] + 1, last + 1)
            copy.summary.update(nested_row(kept, nested, translator, summary=True))
            names = {old: how["to"] for old, how in report.translated.items() if how["to"] != old}
            copy.config.update({COPY_MARK: {**note, "names": names | report.set_aside}}, allow_val_change=True)
        except BaseException:
            copy.finish(exit_code=1)
            raise
        copy.finish()
        if options.link_originals:
            run.config[_BACK] = {**run.config.get(_BACK, {}), report.target: f"{entity}/{project}/{copy_id}"}
            run.update()
    judge_by(report, translator, RunSettings(flattened(run.config), "W&B"), advise=True)
    if done >= 0:
        report.notes.append(f"continued after step {done} of an earlier translation")
    report.notes.append("not copied: console output, system metrics, artifacts and files; W&B counts _runtime anew")
    return report


def recorded_in(run: Any) -> dict[str, Any]:
    """Return the settings that a run recorded, by their names."""
    return settings([], run.config)


def _named(pattern: str, run: Any, report: Report) -> str:
    """Return a tag or the name of a group, made for a copy by a pattern."""
    known = {"from": report.source, "to": report.target, "group": run.group or "", "run": run.id, "name": run.name}
    text = pattern
    for name, value in known.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text.strip()


def _parts(address: str) -> tuple[str, str, str]:
    parts = address.removeprefix(SCHEME).split("/")
    if len(parts) != 3 or not all(parts):
        msg = f"no run; write {SCHEME}ENTITY/PROJECT/RUN, where RUN is the last part of the address of the run's page"
        raise InputError(msg, Path(address))
    return parts[0], parts[1], parts[2]


@contextmanager
def told(address: str) -> Iterator[None]:
    """Turn what W&B's client raises into one line.

    Raises:
        InputError: The client could not do it.
    """
    errors = import_module("wandb.errors")
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        # Its service has errors of its own, which are of no common class.
        if not (isinstance(error, errors.Error | ValueError | OSError) or type(error).__module__.startswith("wandb.")):
            raise
        why = " ".join(str(error).split())
        msg = f"{why}; is the address right, and are you logged in (wandb login)?"
        raise InputError(msg, Path(address)) from None


def _settings(wandb: Any) -> Any:
    """Return settings under which the copy holds nothing of the machine that it is made on."""
    known = wandb.Settings()
    wanted = {"silent": True, "console": "off", "disable_code": True, "disable_git": True, "save_code": False}
    # The packages that are installed here, which the client would read anew for each copy, are none of the original's.
    for name, value in (("disable_stats", True), ("disable_meta", True), ("save_requirements", False)):
        wanted[f"x_{name}" if hasattr(known, f"x_{name}") else f"_{name}"] = value
    return wandb.Settings(**wanted)


def _last_step(api: Any, address: str, path: str, *, entity: str, project: str) -> int:
    """Return the last step that a copy holds; -1 if there is no copy.

    Raises:
        InputError: If the run is something else.
    """
    try:
        copy = api.run(path)
    except (import_module("wandb.errors").CommError, ValueError) as error:
        if "not find run" in str(error):
            return -1
        raise
    original = copy.config.get(COPY_MARK, {})
    wanted = address.removeprefix(SCHEME)
    if not isinstance(original, dict) or original.get("run") != wanted:
        msg = f"there is a run {path} that is no translation of this one; delete it or give it another id"
        raise InputError(msg, Path(address))
    step: int = copy.lastHistoryStep
    return step


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which numbers that JSON lacks are numbers again."""
    return {key: _NUMBERS.get(value, value) if isinstance(value, str) else value for key, value in row.items()}


def values_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a row says about metrics, without those of W&B itself."""
    return _numbers({key: value for key, value in row.items() if not is_own(key)})


def metrics_of(row: dict[str, Any], nested: NestedNames) -> dict[str, Any]:
    """Return what a row of the history says about metrics, those in dicts under the names that W&B shows."""
    return nested.flat(values_of(row), summary=False)[0]


def _logged(run: Any) -> list[str]:
    """Return the names in the history of a run, as far as the server lists them: a summary may lack some."""
    history = getattr(run, "history_keys", None)
    return [key for key in (history.get("keys") or () if isinstance(history, dict) else ()) if not is_own(key)]


def _definitions(own: Mapping[str, Any]) -> list[_Definition]:
    """Return the definitions of metrics that the server keeps in the run's configuration.

    They are dicts from the numbers of the fields of W&B's ``MetricRecord`` to values; a step is told by its place.
    """
    summary = import_module("wandb.proto.wandb_internal_pb2").MetricSummary.DESCRIPTOR.fields_by_number
    kept = [{int(number): value for number, value in entry.items()} for entry in own.get("m", [])]
    names = [entry.get(1) or entry.get(2) or "" for entry in kept]
    definitions: list[_Definition] = []
    for name, entry in zip(names, kept, strict=True):
        step, flags = entry.get(5, 0), entry.get(6, [])
        statistics = [summary[number].name for number in entry.get(7, []) if number in summary]
        options: dict[str, Any] = {"hidden": True} if 2 in flags else {}
        if wanted := ",".join(statistic for statistic in statistics if statistic in _STATISTICS):
            options["summary"] = wanted
        if step:
            # The rows hold the step wherever the original did.
            options["step_sync"] = False
        definitions.append(_Definition(name, names[step - 1] if step else None, options))
    return definitions


def _define(copy: Any, definitions: list[_Definition], translator: Translator, names: Mapping[str, Any]) -> None:
    """Define the metrics of the copy: a prefix stays, and names that leave it get definitions of their own."""
    globs = [definition for definition in definitions if definition.name.endswith("*")]
    single = {definition.name: definition for definition in definitions if definition not in globs}
    for name in names:
        match = next((glob for glob in globs if glob.matches(name)), None)
        if match and name not in single and not any(glob.matches(translator.key(name).output) for glob in globs):
            single[name] = _Definition(name, match.step, match.options)
    for definition in (*globs, *single.values()):
        step = definition.step and translator.key(definition.step).output
        new = [definition.name] if definition in globs else _new_names(translator, definition.name)
        for name in new:
            copy.define_metric(name, step_metric=step, **definition.options)


class _Unlogged:
    """Takes definitions, and does nothing with them."""

    def define_metric(self, name: str, **options: Any) -> None:
        """Do nothing."""


def _new_names(translator: Translator, name: str) -> list[str]:
    return [name] if is_own(name) else [entry.name for entry in translator.entries({name: None})]
