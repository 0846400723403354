"""Judges rlmetrics by the corpus: asks ``check LOG --json`` without ``--at``, and counts what is right.

``python tests/programs/corpus/judge.py`` writes the corpus into a new folder and prints figures for both halves, and
what is missed in the development half. Of the held-out half it shows counts alone, so that nothing is mended on it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from programs.corpus.corpus_runs import CORPUS, Entry
from programs.corpus.log_kinds import write
from programs.corpus.trainers import rows_of
from rlmetrics.cli import main as rlmetrics

COARSE = ("console", "verl", "wandb_files", "llama_factory", "swift", "tensorboard")
"""Kinds that round values or leave some out: their verdicts are compared, their steps are not."""
_SOURCE = re.compile(
    r"(?<![\w-])([a-z][\w-]*)(?:\[([^\]]+)\])?==([\w.+]+?)(?:\s*(?:\.\.|to|–|-)\s*([\d][\w.+]*))?(?=[\s,;)'\"]|$)"
)


@dataclass
class Answer:
    """What was said of one log."""

    entry: Entry
    kind: str
    path: Path
    code: int
    said: dict[str, Any]
    errors: str
    runs: int = 1
    """How many runs were found where there is one."""

    @property
    def source(self) -> str:
        """The source that was taken, in words."""
        found = self.said.get("source") or {}
        answer = found.get("answer") if isinstance(found, dict) else found
        named = self.said.get("undescribed") or (found.get("undescribed") if isinstance(found, dict) else None)
        return f"undescribed {named}" if named else str(answer or self.said.get("at") or "")

    @property
    def verdict(self) -> str:
        """The verdict, or what the exit code tells where there is none."""
        if not self.said:
            return "refused"
        return str(
            self.said.get("verdict") or ("error" if self.code == 1 else "warning" if self.first else "nothing_found")
        )

    @property
    def first(self) -> dict[str, Any]:
        """The first diagnosis of at least a warning."""
        found = [one for one in self.said.get("diagnoses", ()) if one["level"] in ("error", "warning")]
        return found[0] if found else {}

    def judged(self) -> dict[str, bool]:
        """Return which demands hold; those that do not apply are left out."""
        held = {"answered": self.answered()}
        held["no wrong source"] = self.right_source() or not self.answered()
        if _SOURCE.search(self.source) and self.right_source():
            held["no release too many"] = any(_inside(self.source, right) for right in self.entry.right(self.kind))
        if self.entry.source[0].startswith("undescribed"):
            held["undescribed named"] = self.entry.source[0].split()[1].lower() in self.source.lower()
        held["one run"] = self.runs <= 1
        held["no crash"] = self.code in (0, 1, 2) and "Traceback" not in self.errors
        sick = self.entry.sick
        if sick is None:
            held["healthy without error"] = self.verdict != "error"
            held["healthy without warning"] = self.verdict not in ("error", "warning")
            return held
        held["sick found"] = bool(self.first)
        held["cause right"] = self.first.get("cause") in sick.causes
        step = self.first.get("onset_step")
        held["cause and step right"] = held["cause right"] and step is not None and sick.first <= step <= sick.last
        return held

    def answered(self) -> bool:
        """Tell whether a source was named, or it was said that none is known."""
        if not self.said:
            return False
        return bool(self.source) or self.verdict == "not_judged"

    def right_source(self) -> bool:
        """Tell whether the source is one of those that are right."""
        described = _SOURCE.search(self.source)
        for right in self.entry.right(self.kind):
            if described is None and (right in ("none", "transformers") or right.startswith("undescribed")):
                return True
            if _within(self.source, right):
                return True
        return False


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release.replace("post", "")))


def _ranges(source: str, right: str) -> tuple[tuple[int, ...], ...] | None:
    """Return the first and last release of both, where they are of one framework and component."""
    found, allowed = _SOURCE.search(source), _SOURCE.search(right)
    if (
        found is None
        or allowed is None
        or found[1] != allowed[1]
        or (allowed[2] and found[2] not in (None, allowed[2]))
    ):
        return None
    return tuple(_version(text) for text in (found[3], found[4] or found[3], allowed[3], allowed[4] or allowed[3]))


def _within(source: str, right: str) -> bool:
    """Tell whether ``source`` names a release that logs the same."""
    ranges = _ranges(source, right)
    return ranges is not None and ranges[0] <= ranges[3] and ranges[1] >= ranges[2]


def _inside(source: str, right: str) -> bool:
    """Tell whether ``source`` names no release that cannot have written the log."""
    ranges = _ranges(source, right)
    return ranges is not None and ranges[2] <= ranges[0] and ranges[1] <= ranges[3]


def ask(path: Path) -> tuple[int, dict[str, Any], str, int]:
    """Ask ``rlmetrics check PATH --json``; return its exit code, what it says, its errors, how many runs there are."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = rlmetrics(["check", str(path), "--json"])
        except SystemExit as stop:
            code = int(stop.code or 0)
    said = json.loads(out.getvalue()) if out.getvalue().strip() else {}
    runs = said if isinstance(said, list) else [said] if said else []
    return code, runs[0] if runs else {}, errors.getvalue(), len(runs)


def answers(root: Path, entries: tuple[Entry, ...] = CORPUS, kinds: frozenset[str] | None = None) -> list[Answer]:
    """Write the logs of ``entries`` below ``root``, and ask about each."""
    found = []
    for entry in entries:
        rows = rows_of(entry.run)
        for kind in entry.kinds.split():
            if kinds is not None and kind.rstrip("+") not in kinds:
                continue
            path = write(kind.rstrip("+"), entry.run, rows, root / entry.name / kind, kind.endswith("+"))
            found.append(Answer(entry, kind, path, *ask(path)))
    return found


@dataclass
class Figures:
    """How often each demand holds."""

    held: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    asked: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, demand: str, holds: bool) -> None:
        """Count ``demand``."""
        self.asked[demand] += 1
        self.held[demand] += holds

    def __str__(self) -> str:
        """Return a line for each demand."""
        return "\n".join(
            f"  {demand:26} {self.held[demand]:4} of {count:4}  {100 * self.held[demand] / count:5.1f} %"
            for demand, count in self.asked.items()
        )


def same_verdicts(found: list[Answer]) -> list[tuple[str, list[Answer]]]:
    """Return the entries of which kinds with the same settings beside them are told different things."""
    different = []
    alike: dict[tuple[str, bool], list[Answer]] = defaultdict(list)
    for answer in found:
        if answer.said:
            alike[answer.entry.name, answer.kind.endswith("+")].append(answer)
    for (name, _), group in alike.items():
        told = {(one.verdict, one.first.get("cause")) for one in group}
        steps = {one.first.get("onset_step") for one in group if one.kind.rstrip("+") not in COARSE}
        if len(told) > 1 or len(steps) > 1:
            different.append((name, group))
    return different


def report(found: list[Answer], reveal: bool) -> str:
    """Return the figures of each half, and what is missed where it may be seen."""
    lines = []
    for half in ("dev", "held"):
        part = [answer for answer in found if answer.entry.half == half]
        figures = Figures()
        missed: dict[str, list[str]] = defaultdict(list)
        for answer in part:
            for demand, holds in answer.judged().items():
                figures.add(demand, holds)
                if not holds:
                    missed[demand].append(_line(answer))
        different = {name for name, _ in same_verdicts(part)}
        for name in dict.fromkeys(answer.entry.name for answer in part):
            figures.add("same for every kind", name not in different)
        without = sum(not answer.kind.endswith("+") for answer in part)
        lines += [f"{half}: {len(part)} logs, {without} without recorded settings", str(figures)]
        if half == "dev" or reveal:
            for name, group in same_verdicts(part):
                missed["same for every kind"] += [f"{name}: " + "; ".join(_told(one) for one in group)]
            lines += [f"\n## {demand}\n" + "\n".join(f"- {text}" for text in texts) for demand, texts in missed.items()]
    return "\n".join(lines)


def _told(answer: Answer) -> str:
    return f"{answer.kind} {answer.verdict} {answer.first.get('cause', '–')} {answer.first.get('onset_step', '–')}"


def _line(answer: Answer) -> str:
    said = answer.first.get("title") or answer.errors.strip().splitlines()[-1:] or ""
    sick = answer.entry.sick
    right = f"{'/'.join(sick.causes)} {sick.first}-{sick.last}" if sick else "healthy"
    place = "/".join(answer.path.parts[-4:])
    told = f"{answer.source or 'no source'}; {_told(answer)}; {str(said)[:150]}"
    return f"{answer.entry.name} ({place}): {told} | right: {', '.join(answer.entry.right(answer.kind))}; {right}"


def main(arguments: list[str] | None = None) -> int:
    """Run the judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="where the corpus is written (default: a new folder)")
    parser.add_argument("--only", help="names of entries that hold this text")
    parser.add_argument("--kinds", help="only these kinds, separated by commas")
    parser.add_argument("--reveal", action="store_true", help="show what is missed in the held-out half, too")
    options = parser.parse_args(arguments)
    root = options.output or Path(tempfile.mkdtemp(prefix="corpus-"))
    entries = tuple(entry for entry in CORPUS if options.only is None or options.only in entry.name)
    kinds = frozenset(options.kinds.split(",")) if options.kinds else None
    print(f"the corpus: {root}")
    print(report(answers(root, entries, kinds), options.reveal))
    return 0


if __name__ == "__main__":
    sys.exit(main())
