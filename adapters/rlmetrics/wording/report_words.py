"""Issues and pull requests of a framework about a number, in words."""

from __future__ import annotations

from .voice import later, phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import UpstreamReport

__all__ = ["report_name", "report_state", "reported_text"]

_STATES = {"open": later("open"), "closed": later("closed"), "merged": later("merged")}


def report_name(report: UpstreamReport) -> str:
    """Return how a report is called: its repository and its number."""
    return f"{'/'.join(report.url.split('/')[3:5])}#{report.number}"


def report_state(report: UpstreamReport) -> str:
    """Return what became of what was reported: the release that mended it, else the state of the report."""
    if report.fixed is None:
        return phrase(_STATES[report.state])
    if report.by is None or report.by == report.number:
        return phrase("fixed in {release}", release=report.fixed)
    return phrase("fixed in {release} by #{number}", release=report.fixed, number=report.by)


def reported_text(report: UpstreamReport) -> str:
    """Return in one sentence that something was reported, and what became of it."""
    return phrase("Reported: {name} ({state}).", name=report_name(report), state=report_state(report))
