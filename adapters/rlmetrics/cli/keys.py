"""``rlmetrics keys``: everything that a release logs."""

from __future__ import annotations

import argparse
import sys

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from .exits import UsageError
from .options import add_config, add_json, add_key, add_source, add_spec, add_surface, config_of, spec_of
from .output import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rlmetrics.logs.log import Log
    from rlmetrics.names import KeyInfo
    from rlmetrics.names.inference import Clues, SourceAnswer
    from rlmetrics.names.tables.tables import Tables

_NOT, _DEPENDS = "-", "?"
"""How keys are marked that are not logged by default, and those of which only settings tell."""
_EPOCHS = frozenset({"epoch", "train/epoch"})
"""Places of rows that are metrics, too."""
_SCREEN, _FIRST = 60, 4
"""Above so many lines a terminal shows the foremost keys of each component, so many of them."""
_NARROWEST = 20
"""Columns for keys at least, however long the names of metrics are."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "keys",
        help="every key that a release logs",
        description="List every key and template that a source logs, with its metric and when it is logged; of a log, "
        "the keys that it holds.",
    )
    parser.add_argument("run_path", metavar="RUN", nargs="?", help="a log, whose own keys are listed")
    add_source(parser, "--at", "the release", without="needed without a log, of which it is inferred")
    parser.set_defaults(at=None)
    add_config(parser)
    add_surface(parser, "as logged")
    parser.add_argument("--full", action="store_true", help="every key, also on a terminal, and when it is logged")
    add_key(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Raises:
        UsageError: Neither a log nor a source is named.
    """
    from rlmetrics.names import keys

    if args.run_path is not None:
        return _of_run(args)
    if args.at is None:
        msg = "rlmetrics keys: name a log, or a release with --at, such as trl[GRPOTrainer]==1.16.0"
        raise UsageError(msg)
    listed = keys(args.at, config=config_of(args), surface=args.surface, spec=spec_of(args))
    if args.json:
        print(json_text(listed))
        return 0
    from rlmetrics.wording.terminal import printed

    lines = [*_lines(listed, is_full=args.full)]
    if sys.stdout.isatty() and not args.full and len(lines) > _SCREEN:
        lines = [*_lines(listed, is_full=False, most=_FIRST, source=args.at)]
    print(printed(lines, keys=[item.key for item in listed]))
    return 0


def _of_run(args: argparse.Namespace) -> int:
    """List the keys of each run of a log, with what they measure."""
    from pathlib import Path

    from rlmetrics.health.judging import logs_of
    from rlmetrics.logs.reading.steps import STEP_NAMES
    from rlmetrics.names import load_tables, resolve
    from rlmetrics.names.inference import completed, find_source, is_clock
    from rlmetrics.names.inference.wording import prefix_lines, source_line, spelling_lines
    from rlmetrics.wording.terminal import columns, printed, wrapped
    from rlmetrics.wording.voice import later, phrase

    tables = load_tables(spec_of(args))
    documents: list[dict[str, Any]] = []
    for unit in logs_of(Path(args.run_path))[0]:
        log = unit.open()
        for label, clues in _clues(log, args.at, tables):
            own = sorted({*clues.keys} - (STEP_NAMES - _EPOCHS))
            clues = replace(clues, keys=tuple(own))
            answer = completed(args.at, clues, tables) if args.at else find_source(clues, tables)
            at = args.at or answer.source
            said = "" if args.at else source_line(answer)
            said = "; ".join([*prefix_lines(answer.prefix), *spelling_lines(answer), *([said] if said else [])])
            # What says how far the run has come tells what wrote it, and is no metric.
            own = [key for key in own if key in _EPOCHS or not is_clock(key)]
            own = [answer.spelling(key) if answer.spelling else key.removeprefix(answer.prefix) for key in own]
            meant: dict[str, str | None] = dict.fromkeys(own)
            for item in resolve(own, at, config=config_of(args), spec=tables) if at and own else ():
                meant[item.key] = meant[item.key] or item.metric
            run_name = f"{unit.path}{label}"
            documents.append({"run": run_name, "at": at, "keys": meant, "said": said})
    if args.json:
        print(json_text([{name: row[name] for name in ("run", "at", "keys")} for row in documents]))
        return 0
    if not any(row["keys"] for row in documents):
        msg = f"rlmetrics keys: {args.run_path}: nothing is logged in it; name a log, or a folder of them"
        raise UsageError(msg)
    lines: list[str] = []
    for row in documents:
        known = sum(metric is not None for metric in row["keys"].values())
        lines += [""] if lines else []
        said = later("{run}: {count} keys, {known} known of {source}.")
        source = row["at"] or phrase("no described source")
        lines += wrapped(phrase(said, run=row["run"], count=len(row["keys"]), known=known, source=source))
        lines += ["", *columns([(key, metric or phrase("unknown")) for key, metric in row["keys"].items()])]
        lines += ["", *wrapped(row["said"])] if row["said"] else []
    print(printed(lines, keys=[key for row in documents for key in row["keys"]]))
    return 0


def _clues(log: Log, at: str | None, tables: Tables) -> Iterator[tuple[str, Clues]]:
    """Yield what is known of each run of a log, after what its name has behind that of the log.

    Runs that stand in one file one after another are told apart where another trainer logged them.
    """
    from rlmetrics.logs.log_clues import clues_of, with_values
    from rlmetrics.logs.successive_runs import successive_clues
    from rlmetrics.names.inference import completed, find_source

    def source(clues: Clues) -> SourceAnswer:
        return completed(at, clues, tables) if at else find_source(clues, tables)

    runs = {run.name: run for run in log.reread()}
    for name, found in log.runs().items():
        label = f":{name}" if name else ""
        run = runs.get(name or "")
        parts = [] if run is None else successive_clues(log, run, source)
        if parts:
            yield from ((f"{label}#{part}" if part else label, clues) for part, clues in parts)
        else:
            yield label, with_values(clues_of(log, name, sorted(found), whole=True), log, name)


def _lines(listed: Sequence[KeyInfo], *, is_full: bool, most: int | None = None, source: str = "") -> Iterator[str]:
    """Yield the list, with the keys of evaluation folded into those that they repeat.

    Args:
        listed: The keys.
        is_full: Whether it is said when each is logged.
        most: How many keys of each of several components are shown.
        source: What the user named, of which a component is named to see all of its keys.
    """
    from rlmetrics.wording.terminal import wrapped
    from rlmetrics.wording.voice import later, phrase

    rows, twins = _folded(listed)
    components = list(dict.fromkeys(item.component for item in listed))
    unreviewed = sum(bool(item.unstated) for item in listed)
    if len(components) == 1:
        head = phrase("{count} keys of {component}", count=len(rows), component=components[0])
    else:
        head = phrase("{count} keys of {parts} components", count=len(rows), parts=len(components))
    also = phrase(", {count} of them in evaluation, too (+)", count=len(twins)) if twins else ""
    legend = phrase("{no} not by default, {depends} depends on settings.", no=_NOT, depends=_DEPENDS)
    yield from wrapped(f"{head}{also}{phrase('; ')}{legend}")
    for component in components:
        yield ""
        if len(components) > 1:
            yield component
        own = [item for item in rows if item.component == component]
        shown = own if most is None or len(components) == 1 or len(own) <= most + 1 else own[:most]
        yield from _aligned(shown, twins, is_full=is_full)
        if len(shown) < len(own):
            framework, mark, release = source.partition("==")
            at = f"--at '{framework.partition('[')[0]}[{component}]{mark}{release}'"
            yield f"     {phrase('{count} more: {option}', count=len(own) - len(shown), option=at)}"
    if unreviewed:
        yield ""
        said = later("≈ unreviewed: how {count} of {total} keys are computed is not stated in full.")
        yield from wrapped(phrase(said, count=unreviewed, total=len(listed)))
    if not is_full and any(item.condition for item in listed):
        yield ""
        yield phrase("Conditions: --full") if most is None else phrase("Conditions, and every key: --full")


def _folded(listed: Sequence[KeyInfo]) -> tuple[list[KeyInfo], list[KeyInfo]]:
    """Return the keys without those that say in evaluation what another says in training, and those others."""
    trained = {(item.component, item.metric, item.key): item for item in listed if item.mode == "train"}
    rows: list[KeyInfo] = []
    twins: list[KeyInfo] = []
    for item in listed:
        bare = item.key.removeprefix("eval_").removeprefix("eval/")
        names = (bare, f"train/{bare}") if item.mode == "eval" else ()
        twin = next(filter(None, (trained.get((item.component, item.metric, name)) for name in names)), None)
        if twin is None:
            rows.append(item)
        else:
            twins.append(twin)
    return rows, twins


def _aligned(own: Sequence[KeyInfo], twins: Sequence[KeyInfo], *, is_full: bool) -> Iterator[str]:
    """Yield a line for each key with its metric beside it, or below where both are too long for one."""
    from rlmetrics.wording.terminal import width, wrapped

    said = [_metric(item) for item in own]
    room = min(max(len(item.key) for item in own), max(_NARROWEST, width() - 7 - max(map(len, said))))
    for item, metric in zip(own, said, strict=True):
        mark = {True: " ", False: _NOT, None: _DEPENDS}[item.logged] + ("+" if item in twins else " ")
        beside = f"  {mark} {item.key:<{room}}  {metric}".rstrip()
        if len(beside) <= width():
            yield beside
        else:
            yield f"  {mark} {item.key}"
            yield f"{'':{min(7 + room, max(7, width() - len(metric)))}}{metric}"
        if is_full and item.condition:
            yield from wrapped(f"if {item.condition}", indent=9)


def _metric(item: KeyInfo) -> str:
    name = "" if item.metric in (None, item.key) else str(item.metric)
    return f"≈ {name}" if item.unstated else name
