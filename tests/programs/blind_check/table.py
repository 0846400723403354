"""Renders ``docs/results/blind_check.md`` from the rounds.

``PYTHONPATH=tests python -m programs.blind_check.table`` writes it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "rounds"
REVIEW = Path(__file__).parent / "review.json"
SAMPLES = Path(__file__).parent / "samples.json"
RELATIONS = Path(__file__).parent / "relations.json"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "results" / "blind_check.md"

HEAD = """<!-- Written by `python -m programs.blind_check.table` from the rounds beside it. Edit those, not this. -->
# Blind check

How often is the spec wrong? A script draws keys at random, uniformly over every component, release and mode that the
spec describes, and prints the spec's claim beside the source lines of that release. Two readers judge each claim
against the source without seeing each other's verdict: the key is logged there, under that condition, and its meaning
(metric, population, parameters in place, reductions, traits) is what the code computes. What they find wrong, or
judge differently, is looked into and fixed, and another draw follows, until one is clean. Draw 17 was the first where
neither reader found anything wrong; draw 16, of the same spec and read at the same time, was not clean, nor were draws
18 and 19, read after the last points of the review had been gone through. Draws 20 and 21, one after the other, were
clean again. So the share of wrong claims is small, not zero: samples that single readers drew at the same time, below,
still held some.

Read the counts with care. Two readers of draws 1 and 2 judged every misdescription; from draw 3 on they were asked to
call wrong only what would mislead someone who uses or compares the number, and from draw 4 on they were told that the
guard of the record that applies by default is not the only condition of a key. From draw 6 on they judged as in draws 1
and 2 again, and followed keys that transformers logs, a large part of each draw, as closely as the frameworks' own. The
draws are therefore not one series, and a lower count in a later draw is no proof of improvement. In draw 3 one verdict
of wrong was overruled by the editor. From draw 10 on two draws were read at a time; whatever one of the readers called
wrong counts as wrong.
"""

REVIEWED = """
## Review of all claims

Between draws 9 and 10 the claims were read one after the other, by part: first the code of a trainer, then what changed
from each release to the next, then every claim that the spec prints for it. A claim that stands for many releases is
one claim and many places. Parts overlap, since evaluation was read for all trainers by itself; omissions that show only
under settings far from the defaults count as wrong here; and some counts of wrong places are estimates from ranges of
releases. Everything listed was corrected. The last four rows are points that this review had left open or read in part;
they were gone through after draw 17, where errors were known or expected, so their shares are no estimate.

| Part | Claims | Places | Wrong claims | Wrong places | What was found |
|---|---:|---:|---:|---:|---|"""

SAMPLED = """
## Samples of one reader

Beside draws 20 and 21 single readers drew more places, each at most once for a component and key, and corrected what
they found as they went. They opened the drawn release's own source for about a third of TRL's places and judged the
rest by code of neighbouring releases, so these counts are lower bounds; what a reader had passed over and found later
by its class is counted by itself. Some samples were made hard on purpose: keys that no draw had, few components, many
releases of one key.

| Drawn from | Seeds | Judged | Wrong | Found later | What was found |
|---|---|---:|---:|---:|---|"""

COMPARED = """
## Relations

Rows of translation tables were drawn twice, after draws 17 and 20: a third from one release of TRL to another, a third
between TRL and verl, a third from one release of verl to another, exact, affine, approximate, related and none in each.
One reader judged by the sources whether the relation, the conversion and the differences are right and whether a better
counterpart was missed. The first sample was not blind; in the second the reader saw only keys and releases, wrote down
what the relation has to be, and then compared. Wrong means that the relation, a reason or a difference that never
vanishes was wrong; a nuance misleads nobody about the relation.

| Sample | Relation | Rows | Lines of both releases opened | Wrong | Nuances |
|---|---|---:|---:|---:|---:|"""

FOUND = """
| Key | From | To | Outcome | What | Correction |
|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Drawn:
    """One drawn key with the verdicts of both readers, and what became of it."""

    source: str
    mode: str
    key: str
    verdicts: tuple[str, str]
    outcome: str
    fix: str | None


@dataclass(frozen=True)
class Round:
    """One draw."""

    number: int
    seed: int
    drawn: tuple[Drawn, ...]

    @property
    def wrong(self) -> int:
        """How many claims were wrong in the end."""
        return sum(item.outcome == "wrong" for item in self.drawn)

    @property
    def disagreed(self) -> int:
        """How many claims the readers judged differently."""
        return sum(len(set(item.verdicts)) > 1 for item in self.drawn)


def rounds() -> list[Round]:
    """Return every recorded round, in order."""
    found = []
    for path in sorted(FOLDER.glob("*.json"), key=lambda path: int(path.stem)):
        record = json.loads(path.read_text(encoding="utf-8"))
        drawn = (
            Drawn(row["source"], row["mode"], row["key"], tuple(row["verdicts"]), row["outcome"], row.get("fix"))
            for row in record["drawn"]
        )
        found.append(Round(int(path.stem), record["seed"], tuple(drawn)))
    return found


def bound(wrong: int, count: int) -> float:
    """Return the 95 % upper confidence bound of the share of wrong claims (Clopper-Pearson, one-sided)."""
    low, high = wrong / count, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        term = total = (1 - middle) ** count
        for hits in range(1, wrong + 1):
            term *= (count - hits + 1) / hits * middle / (1 - middle)
            total += term
        low, high = (middle, high) if total > 0.05 else (low, middle)
    return high


def render(recorded: Sequence[Round]) -> str:
    """Return the page."""
    lines = [HEAD]
    last = recorded[-2:]
    wrong, drawn = sum(item.wrong for item in last), sum(len(item.drawn) for item in last)
    lines.append(
        f"In the last two draws {wrong} of {drawn} claims were wrong: with 95 % confidence at most "
        f"{100 * bound(wrong, drawn):.1f} % of all claims were wrong before their corrections, by the criterion of "
        "these draws.\n"
    )
    lines += ["| Draw | Seed | Claims | Judged differently | Wrong |", "|---|---|---|---|---|"]
    lines += [f"| {r.number} | {r.seed} | {len(r.drawn)} | {r.disagreed} | {r.wrong} |" for r in recorded]
    lines += [REVIEWED, *map(_part, json.loads(REVIEW.read_text(encoding="utf-8")))]
    lines += [SAMPLED, *map(_sample, json.loads(SAMPLES.read_text(encoding="utf-8"))), *_relations()]
    for item in recorded:
        lines += ["", f"## Draw {item.number}", "", "| Key | Source | Readers | Outcome | Correction |"]
        lines += ["|---|---|---|---|---|", *map(_line, item.drawn)]
    return "\n".join(lines) + "\n"


def _part(row: Mapping[str, Any]) -> str:
    numbers = " | ".join(f"{row[name]:,}" for name in ("claims", "places", "wrong_claims", "wrong_places"))
    return f"| {row['part']} | {numbers} | {row['found']} |"


def _sample(row: Mapping[str, Any]) -> str:
    names = "drawn_from", "seeds", "judged", "wrong", "found_later", "found"
    return f"| {' | '.join(str(row[name]) for name in names)} |"


def _relations() -> Iterator[str]:
    samples = json.loads(RELATIONS.read_text(encoding="utf-8"))
    yield COMPARED
    for sample in samples:
        name = f"{sample['seed']}, {'blind' if sample['blind'] else 'not blind'}"
        for relation in dict.fromkeys(row["relation"] for row in sample["drawn"]):
            of = [row for row in sample["drawn"] if row["relation"] == relation]
            counts = (len(of), *(sum(test) for test in zip(*map(_tests, of), strict=True)))
            yield f"| {name} | {relation} | {' | '.join(map(str, counts))} |"
    yield FOUND
    for row in (row for sample in samples for row in sample["drawn"]):
        if row["outcome"] != "right":
            told = f"`{row['source']}`", f"`{row['target']}`", row["outcome"], _cell(row["why"]), _cell(row["fix"])
            yield f"| `{row['key']}` ({row['mode']}) | {' | '.join(told)} |"


def _tests(row: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    return row["lines_opened"], row["outcome"] == "wrong", row["outcome"] == "nuance"


def _line(row: Drawn) -> str:
    cells = f"`{row.key}` ({row.mode})", f"`{row.source}`", ", ".join(row.verdicts), row.outcome, _cell(row.fix)
    return f"| {' | '.join(cells)} |"


def _cell(text: str | None) -> str:
    return "" if text is None else " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(render(rounds()), encoding="utf-8")
