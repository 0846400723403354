"""What became of many runs: the few causes first, each with how many runs it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rlmetrics.lazy_dataclasses import asdict, dataclass, field
from rlmetrics.logs.printable import printable
from rlmetrics.translate.report import Report
from rlmetrics.wording.voice import later, phrase, spoken

__all__ = ["FleetAccount", "RunAccount"]

_MOST_CAUSES, _MOST_RUNS = 12, 12
_LOSES = ("biased", "unreviewed")


@dataclass(frozen=True, slots=True)
class RunAccount:
    """What became of one log.

    Attributes:
        run: Where it is.
        kind: What keeps it.
        source: Where its names come from.
        records: Rows read.
        renamed: How many keys have a new name.
        causes: What a person should know of it, in words that are the same for all runs that it is true of.
        failed: Why it was left out; empty if it was not.
        outputs: What was written.
        is_whole: Whether nothing was set aside because of doubt, or lost.
        left_behind: What a copy on a server lacks.
    """

    run: str
    kind: str = ""
    source: str = ""
    records: int = 0
    renamed: int = 0
    causes: tuple[str, ...] | list[str] = ()
    failed: str = ""
    outputs: tuple[str, ...] | list[str] = ()
    is_whole: bool = True
    left_behind: str = ""

    @classmethod
    def refused(cls, run: str, why: str) -> RunAccount:
        """Return that a run was left out."""
        return cls(run, causes=(f"left out: {why}",), failed=why, is_whole=False)

    @classmethod
    def of(cls, run: str, kind: str, report: Report, outputs: list[str], left_behind: str = "") -> RunAccount:
        """Return what a translation comes to."""
        renamed = sum(old != how["to"] for old, how in report.translated.items())
        is_whole = not (report.collisions or report.undecided or report.lost.records or report.lost.bytes)
        causes = tuple(dict.fromkeys(_causes(report)))
        return cls(run, kind, report.source, report.records, renamed, causes, "", tuple(outputs), is_whole, left_behind)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


def _causes(report: Report) -> Iterator[str]:
    if report.lost.records or report.lost.bytes:
        yield later("the end of the log was torn off, and is lost")
    told: set[str] = set()
    for new, olds in report.collisions.items():
        told.update(olds)
        yield f"{', '.join(olds)}: all would be {new}, with different values; set aside"
    for key in report.undecided:
        told.add(key)
        yield f"{key}: {later('differs between the sources that are likely; set aside')}"
    for key in report.set_aside:
        if key not in told:
            yield f"{key}: {later('means something else in the target; set aside')}"
    for key, how in report.translated.items():
        if how["severity"] in _LOSES:
            what = next((item["what"] for item in how["differs_by"]), "")
            yield f"{key} -> {how['to']}: {how['severity']}{f': {what}' if what else ''}"


@dataclass
class FleetAccount:
    """What became of the runs of a plan.

    Attributes:
        target: Where the names go.
        output: The folder.
        runs: Each log.
        again: How many of them were done before.
        seconds: How long it took.
        dry_run: Whether nothing was written.
    """

    target: str
    output: str
    runs: list[RunAccount] = field(default_factory=list)
    again: int = 0
    seconds: float = 0.0
    dry_run: bool = False

    def add(self, run: RunAccount, *, again: bool) -> None:
        """Take down one more."""
        self.runs.append(run)
        self.again += again

    @property
    def exit_code(self) -> int:
        """0; 1 where a run was left out, keys were set aside because of doubt, or an end was lost."""
        return int(not all(run.is_whole for run in self.runs))

    def causes(self) -> list[tuple[str, int]]:
        """Return the causes with the number of their runs: first why runs are left out, then the most frequent."""
        counts = Counter(cause for run in self.runs for cause in run.causes)
        return sorted(counts.items(), key=lambda item: (not item[0].startswith("left out"), -item[1], item[0]))

    def as_json(self) -> dict[str, Any]:
        """Return all of it."""
        return {
            "to": self.target,
            "output": self.output,
            "dry_run": self.dry_run,
            "seconds": round(self.seconds, 3),
            "done_before": self.again,
            "causes": [{"cause": cause, "runs": count} for cause, count in self.causes()],
            "runs": [run.as_json() for run in self.runs],
        }

    def lines(self, *, full: bool = False) -> list[str]:
        """Return it as a person reads it: one screen, unless all of it is asked for."""
        failed = [run for run in self.runs if run.failed]
        lines = [self._first(len(self.runs) - len(failed))]
        if self.output and not self.dry_run:
            lines.append(phrase("written below {place}", place=self.output))
        behind = dict.fromkeys(run.left_behind for run in self.runs if run.left_behind and not run.failed)
        lines += [phrase("not copied: {what}", what=phrase(what)) for what in behind]
        causes = self.causes()
        shown = causes if full else causes[:_MOST_CAUSES]
        lines += ["", f"runs  {phrase('cause')}"] if causes else []
        lines += [f"{count:4}  {_said(cause)}" for cause, count in shown]
        if len(causes) > len(shown):
            lines.append(" " * 6 + phrase("and {count} more causes: --full", count=len(causes) - len(shown)))
        rows = self.runs if full else failed[:_MOST_RUNS]
        lines += ["", phrase("runs:") if full else phrase("left out:")] if rows else []
        for run in rows:
            rest = {"source": run.source, "rows": run.records, "renamed": run.renamed}
            lines.append(
                f"  {run.run}: {spoken(run.failed) or phrase('{source}, {rows} rows, {renamed} renamed', **rest)}"
            )
        if len(failed) > len(rows):
            lines.append("  " + phrase("and {count} more: --full", count=len(failed) - len(rows)))
        return [printable(line) for line in lines]

    def _first(self, done: int) -> str:
        new = len(self.runs) - self.again
        values = {"done": done, "all": len(self.runs), "to": self.target, "seconds": f"{self.seconds:.1f}"}
        if self.dry_run:
            first = phrase("{done} of {all} runs would be translated to {to} in {seconds} s", **values)
        else:
            first = phrase("{done} of {all} runs translated to {to} in {seconds} s", **values)
        if self.seconds > 0 and new:
            first += phrase(", {rate} a second", rate=f"{new / self.seconds:.1f}")
        return first + (phrase("; {count} done before", count=self.again) if self.again else "")


def _said(cause: str) -> str:
    """Return a cause in the language of the answer: names stay, and what is said of them is looked up."""
    head, colon, rest = cause.partition(": ")
    if not colon:
        return spoken(cause)
    if " -> " not in head:
        return f"{phrase(head)}: {spoken(rest)}"
    severity, colon, what = rest.partition(": ")
    return f"{head}: {phrase(severity)}{colon}{spoken(what) if what else ''}"
