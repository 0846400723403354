"""What writes a copy of a log with other names, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.logs.files import discard
from rlmetrics.logs.log import Log, RowLog

from ..report import Report
from ..rival_keys import claimed
from ..translation_options import Options
from ..translator import RivalsError, Translator

__all__ = ["LogRewriter", "RowRewriter"]

LogT = TypeVar("LogT", bound=Log)
RowLogT = TypeVar("RowLogT", bound=RowLog)


@dataclass(frozen=True)
class LogRewriter(ABC, Generic[LogT]):
    """Writes copies of a log; whatever reads it raises an ``InputError`` where it is damaged.

    Attributes:
        log: The log.
        options: How it is to be translated.
        only: The only runs of it that are meant; None for all.
        advises: Whether rewriting tells which recorded settings would change what becomes of a name.
    """

    log: LogT
    options: Options
    only: Collection[str] | None
    advises: ClassVar[bool] = False

    @abstractmethod
    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with translated names to ``output``.

        The translator takes down in ``report`` what becomes of names; how many records there are, and what of them was
        lost, stands there only if it is counted here.
        """

    def translate(self, output: Path, translator: Translator) -> Report:
        """Write a translated copy to ``output`` and return the account."""
        report = translator.new_report(self.log.kind.name)
        self.rewrite(output, translator, report)
        return report


class RowRewriter(LogRewriter[RowLogT]):
    """Writes rows one by one, so that who gets a name that several keys claim is decided before."""

    def translate(self, output: Path, translator: Translator) -> Report:
        """Write a translated copy to ``output``, with what the runs say about names that several keys claim."""
        report = translator.new_report(self.log.kind.name, watched=True)
        try:
            self.rewrite(output, translator, report)
        except RivalsError:
            discard(output)
            return self.translate_with_rivals(output, translator)
        return report

    def translate_with_rivals(self, output: Path, translator: Translator) -> Report:
        """Write each run as its values decide who gets a name that several keys claim."""
        translator.new_report(self.log.kind.name)
        verdicts: dict[frozenset[str], list[str]] = {}
        all_claims = claimed(self.log.rows(), translator)
        claims_of = {run: claims for run, claims in all_claims.items() if self.only is None or run in self.only}
        for run, claims in claims_of.items():
            verdicts.setdefault(claims.colliding(), []).append(run or "")
        reports: list[Report] = []
        path = self.log.path
        for keys, runs in verdicts.items() or [(frozenset[str](), [""])]:
            report = translator.new_report(self.log.kind.name)
            translator.set_aside(keys)
            part = output.with_name(f"{output.name}.{len(reports)}")
            chosen = runs if runs != [""] else self.only
            type(self)(replace(self.log, path=path), self.options, chosen).rewrite(part, translator, report)
            if reports:
                discard(path)
            path = part
            reports.append(report)
        path.replace(output)
        for other in reports[1:]:
            reports[0].merge(other)
        for run, claims in claims_of.items():
            claims.tell(reports[0], run)
        return reports[0]
