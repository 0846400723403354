"""The page of the mutation run."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .mutants import KINDS, why_equal


@dataclass(frozen=True)
class Result:
    """What became of a mutant.

    Attributes:
        metric: The metric's id, or ``id@variant``.
        kind: The kind of fault.
        line: The changed line as it was.
        change: What was put where.
        digest: Of the changed source, which tells a mutant from all others.
        killed: Whether a generated test failed.
        told_by: How many of a number of further draws of inputs tell a survivor from the function.
    """

    metric: str
    kind: str
    line: str
    change: str
    digest: str
    killed: bool
    told_by: int = 0


def page(results: list[Result], draws: int) -> str:
    """Return the page with the figures; survivors were compared on so many further draws."""
    killed = Counter(result.kind for result in results if result.killed)
    total = Counter(result.kind for result in results)
    same = Counter(result.kind for result in results if not result.killed and not result.told_by)
    rows = "\n".join(
        f"| {kind} | {total[kind]} | {same[kind]} | {killed[kind]} | {_share(killed[kind], total[kind] - same[kind])} |"
        for kind in KINDS
    )
    alive = [result for result in results if not result.killed]
    equal = [result for result in alive if not result.told_by]
    missed = [f"| {_row(result)} | {result.told_by} |" for result in alive if result.told_by]
    reasons = Counter((why_equal(result.kind, result.line, result.change), result.kind) for result in equal)
    grouped = "\n".join(f"| {why} | {kind} | {number} |" for (why, kind), number in sorted(reasons.items()))
    survivors = "\n".join(f"| {_row(result)} |" for result in equal)
    families = ", ".join(sorted({result.metric.partition("/")[0] for result in results}))
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    telling = len(results) - len(equal)
    return f"""---
title: Mutation run
---

# Can the generated tests fail?

Small faults are planted in every function of a metric, one at a time, and the tests that were generated for it are run.
Most functions are generated; the few that no formula can say are written by hand, and the faults are planted there.
A fault that no test notices is compared with the function on {draws:,} further draws of inputs, many of them exactly on
thresholds; where none of them tells the two apart, the fault changes nothing and is taken for equivalent.
Families: {families}.
Run on {today} with torch {torch.__version__.partition("+")[0]} by
`tests/programs/mutation/mutation.py --write`.

Of {len(results):,} faults {len(equal)} are equivalent; of the other {telling:,}, {sum(killed.values()):,} are noticed.

| Fault | Planted | Equivalent | Noticed | Share of those that can be |
|---|---:|---:|---:|---:|
{rows}

## Not noticed, though some draw tells

| Metric | Fault | Line | Change | Draws of {draws:,} that tell |
|---|---|---|---|---:|
{_lines(missed)}

## Equivalent

| Why it changes nothing | Fault | Number |
|---|---|---:|
{grouped}

| Metric | Fault | Line | Change |
|---|---|---|---|
{survivors}
"""


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines) if lines else "| none | | | | |"


def _row(result: Result) -> str:
    return f"`{result.metric}` | {result.kind} | `{_cell(result.line)}` | `{_cell(result.change)}`"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
