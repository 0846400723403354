"""What was reported upstream about the numbers under a key, and which faults are known of which no report is."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.wording.report_words import report_name, report_state
from rlmetrics.wording.signature_words import listed, source_words
from rlmetrics.wording.terminal import wrapped
from rlmetrics.wording.voice import phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import Resolution, UpstreamReport
    from rlmetrics.names.tables.tables import Tables

__all__ = ["bug_lines", "bug_links"]

_MOST_WHO = 3


def bug_lines(key: str, found: Sequence[Resolution], tables: Tables, *, full: bool = False) -> list[str]:
    """Return the reports on a key, those of a release that is asked about first, then known faults without one.

    Args:
        key: The key.
        found: What it means, for each component that logs it.
        tables: The spec.
        full: Whether all components are named.
    """
    logged = [item for item in found if item.component is not None]
    if not logged:
        return wrapped(phrase("No described release that is asked about logs `{key}`.", key=key))
    reports = _by_report(logged)
    lines = wrapped(_head(key, logged, [*reports.values()], tables))
    for report, who in reports.values():
        shown = who if full or len(who) <= _MOST_WHO + 1 else [*who[:_MOST_WHO], f"{len(who) - _MOST_WHO} more"]
        lines += ["", f"{report_name(report)}  {report_state(report)}"]
        text = f"{listed(shown)} {', '.join(report.releases)}: {spoken(report.says)}"
        lines += [*wrapped(text, indent=2), f"  {report.url}"]
    faults = _faults([item for item in logged if not any(report.holds for report in item.reports)])
    if faults:
        lines += ["", *wrapped(phrase("Known of the newest release that is asked about, and no report is known:"))]
        for what, who in faults.items():
            shown = who if full or len(who) <= _MOST_WHO + 1 else [*who[:_MOST_WHO], f"{len(who) - _MOST_WHO} more"]
            lines += wrapped(f"{listed(shown)}: {spoken(what)}", indent=2)
    if reports:
        day = max(report.read for report, _ in reports.values())
        lines += ["", *wrapped(phrase("States as they were read up to {day}.", day=day))]
    return lines


def bug_links(found: Sequence[Resolution]) -> dict[str, str]:
    """Return the addresses of the reports that an answer names."""
    return {report_name(report): report.url for item in found for report in item.reports}


def _head(
    key: str, logged: Sequence[Resolution], reports: Sequence[tuple[UpstreamReport, list[str]]], tables: Tables
) -> str:
    sources = list(dict.fromkeys(str(item.source) for item in logged))
    where = f"{source_words(sources[0], tables)}: " if len(sources) == 1 else ""
    if not reports:
        return where + phrase("nothing that was reported upstream about `{key}` is known.", key=key)
    if len(sources) == 1:
        holding = sum(report.holds for report, _ in reports)
        if not holding:
            return where + phrase("what was reported about `{key}` does not hold in this release.", key=key)
        return where + phrase("what was reported about `{key}`, and holds here:", key=key)
    return phrase("what was reported upstream about `{key}`:", key=key)


def _by_report(logged: Sequence[Resolution]) -> dict[tuple[str, tuple[str, ...]], tuple[UpstreamReport, list[str]]]:
    """Return each report with the components that it is about, those that hold first."""
    found: dict[tuple[str, tuple[str, ...]], tuple[UpstreamReport, list[str]]] = {}
    for item in logged:
        for report in item.reports:
            _, who = found.setdefault((report.url, report.releases), (report, []))
            if item.component not in who:
                who.append(str(item.component))
    return dict(sorted(found.items(), key=lambda each: not each[1][0].holds))


def _faults(logged: Sequence[Resolution]) -> dict[str, list[str]]:
    """Return known faults with the components that have them."""
    faults: dict[str, list[str]] = {}
    for item in logged:
        for defect in item.defects:
            who = faults.setdefault(defect.what, [])
            if item.component not in who:
                who.append(str(item.component))
    return faults
