"""Plans of many runs, for the commands that follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.tables.user_errors import UserError

from .output import json_text
from .progress import bar, steady

if TYPE_CHECKING:
    import argparse

    from rlmetrics.health.checking import Checked
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.translate.translation_options import Options

__all__ = ["checked_places", "checked_plan", "look_for_cycles", "run_plan"]

_NOT_OF_PLANS = ("html", "shard", "code", "kind", "overwrite")
"""Options of ``translate`` that say something about one file."""


def look_for_cycles() -> None:
    """Have the process look for cycles again: each of many runs leaves some, while the tables stay."""
    import gc

    from rlmetrics.names.tables.loading import load_tables

    load_tables()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def run_plan(args: argparse.Namespace, options: Options) -> int:
    """Translate the runs of a plan, and print what became of them.

    Returns:
        0; 1 where runs were left out, keys set aside because of doubt, or ends lost.

    Raises:
        UserError: An option does not go with a plan.
    """
    from textwrap import wrap

    from rlmetrics.fleet.carrying import carry
    from rlmetrics.fleet.run_plan import read_plan
    from rlmetrics.lazy_dataclasses import replace
    from rlmetrics.wording.terminal import printed, width

    given = [f"--{name}" for name in _NOT_OF_PLANS if getattr(args, name)]
    if args.from_ != "auto":
        given.append("--from")
    if given:
        msg = f"{', '.join(given)} does not go with --plan, whose rows say what each run is"
        raise UserError(msg)
    path = Path(args.plan)
    plan = read_plan(path)
    output = path.with_name(f"{path.stem}.translated") if args.output is None else Path(args.output)
    wanted = replace(options, new_run_id=args.new_run_id, keep_alerts=args.keep_alerts)
    look_for_cycles()
    with bar() as watched, steady("runs") as told:

        def moved(log: Path, done: int, total: int) -> None:
            if watched:
                watched(log, done, total)
            else:
                told(done, total)

        account = carry(plan, output, wanted, jobs=args.jobs, force=args.force, progress=moved)
    if args.json:
        print(json_text(account.as_json()))
    else:
        lines = account.lines(full=args.full)
        parts = (wrap(line, width(), subsequent_indent=" " * 6, break_long_words=False) or [""] for line in lines)
        print(printed([part for line in parts for part in line]))
    return account.exit_code


def checked_plan(args: argparse.Namespace, config: Mapping[str, Any]) -> Checked:
    """Judge the runs of a plan.

    Raises:
        UserError: None of them can be judged.
    """
    from rlmetrics.fleet.judging_plan import judge_plan
    from rlmetrics.fleet.run_plan import read_plan
    from rlmetrics.health.checking import Checked

    from .options import spec_of

    look_for_cycles()

    if args.at != "auto":
        msg = "--at does not go with --plan, whose rows say what logged each run"
        raise UserError(msg)
    checked, path = Checked(), Path(args.plan)
    plan = read_plan(path)
    order = {run.run: place for place, run in enumerate(plan)}
    with steady("runs") as told:
        for judged in judge_plan(plan, config=config, spec=spec_of(args), jobs=args.jobs):
            checked.reports += judged.reports
            told(len(checked.reports), len(plan))
            if judged.refusal:
                checked.leave_out(f"{judged.path}: {judged.refusal}")
    checked.reports.sort(key=lambda report: order.get(report.run, len(order)))
    if not checked.reports:
        raise UserError(checked.left_out[0])
    return checked


def checked_places(places: Sequence[str], at: str, config: Mapping[str, Any], spec: Tables) -> Checked:
    """Judge runs on this machine, and on servers.

    Raises:
        UserError: None of them can be judged.
    """
    from rlmetrics.health.checking import Checked, check_all

    far: list[str] = []
    if any(":" in place for place in places):
        # What talks to servers takes longer to import than a short log takes to judge.
        from rlmetrics.fleet.servers.server_addresses import is_on_server

        far = [place for place in places if is_on_server(place)]
    if not far:
        return check_all(places, at=at, config=config, spec=spec)
    from rlmetrics.fleet.judging_plan import judge_places

    near = [place for place in places if place not in far]
    checked = check_all(near, at=at, config=config, spec=spec) if near else Checked()
    for judged in judge_places(far, at, config, spec):
        checked.reports += judged.reports
        if judged.refusal:
            checked.leave_out(f"{judged.path}: {judged.refusal}")
    if not checked.reports:
        raise UserError(checked.left_out[0] if checked.left_out else f"{far[0]}: holds no run")
    return checked
