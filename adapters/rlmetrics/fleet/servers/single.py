"""All runs at one address of a server, carried over without a plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.translate.origins import origin_by
from rlmetrics.translate.report import Report
from rlmetrics.translate.translation_options import Options

from .chosen_runs import Selection
from .server_addresses import items_at

__all__ = ["translate_at"]


def translate_at(address: str, options: Options, *, progress: Callable[[Path, int, int], None] | None = None) -> Report:
    """Log translated copies of the runs at an address; those that are there already are left as they are.

    Args:
        address: ``mlflow:`` and the address of a server, or of the page of an experiment or a run.
        options: How names are translated, and whether nothing is logged.
        progress: Called after each run with its address, and how many of how many are done.

    Raises:
        UserError: No run can be translated.
    """
    items = [*items_at(address, Selection())]
    if not items:
        msg = "holds no run; is this the right experiment?"
        raise InputError(msg, address)
    reports: list[Report] = []
    refused: dict[str, UserError] = {}
    for number, item in enumerate(items, start=1):
        try:
            reports.append(item.carry(options, partial(origin_by, options), {}))
        except UserError as error:
            refused[item.address] = error
        if progress:
            progress(Path(item.address), number, len(items))
    if not reports:
        raise next(iter(refused.values()))
    report = reports[0] if len(items) == 1 else Report.of(reports)
    report.failed.update({place: str(error) for place, error in refused.items()})
    report.dry_run = options.dry_run
    return report
