"""Rows of as many keys that rules look at as a source has."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator

from rlmetrics.health.judged_keys import SourceNames
from rlmetrics.health.rules import Rules
from rlmetrics.names import load_tables, open_view

SOURCES = ("trl[GRPOTrainer]==1.16.0", "trl[PPOTrainer]==0.11.4", "verl==0.9.1", "canonical")
"""A spelling of each family, and the names of the spec, which arm most rules in a row."""


def judged_keys(source: str, most: int = 40) -> list[str]:
    """Return keys that a source logs, those with most rules first; placeholders have two values each."""
    names, rules = SourceNames(source), Rules(load_tables())
    count: dict[str, int] = {}
    for entry in open_view(source).entries():
        if entry.mode != "train" or entry.metric is None:
            continue
        for value in ("one", "two") if "{" in entry.key else ("",):
            key = re.sub(r"\{[^}]*\}", value, entry.key)
            meaning = names.meaning(key)
            count.setdefault(key, len(rules.of(meaning.metric, meaning.mode, held_out=meaning.held_out)))
    return sorted(count, key=lambda key: (-count[key], key))[:most]


def rough_rows(source: str, period: int = 1400) -> list[dict[str, float | None]]:
    """Return rows in which findings come and go: half of them quiet, half wild, with lost and missing numbers."""
    draw = random.Random(source)
    keys = judged_keys(source)
    rows: list[dict[str, float | None]] = []
    for step in range(period):
        wild = 1 + 8 * (step > period // 2) * (step - period // 2) / period
        row: dict[str, float | None] = {key: 0.4 * wild * (1 + 0.1 * draw.gauss(0, 1)) for key in keys}
        if step % 97 == 50:
            row[keys[step % len(keys)]] = math.nan
        if step % 131 == 60:
            row[keys[step % len(keys)]] = None
        if step % 151 == 70:
            del row[keys[step % len(keys)]]
        if step % 40 == 7:
            row[keys[0]] = -0.5 * wild
        rows.append(row)
    return rows


def endless(
    rows: list[dict[str, float | None]], steps: int, *, renamed: bool = False
) -> Iterator[dict[str, float | None]]:
    """Yield rows again and again; with names among them that never come back, if that is wanted."""
    for step in range(steps):
        row = rows[step % len(rows)]
        yield {**row, f"rewards/function_{step}/mean": 0.5, f"mine/{step}": 1.0} if renamed else row
