"""Compares runs of different releases or frameworks on canonical names: what can share an axis, and where runs part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.names.tables.tables import Overlays, Tables

from .curves import Drawn, RunCurves
from .judged_keys import Counterparts, KeyMeaning
from .report_records import whole
from .trends import median, noise

__all__ = ["Comparison", "Pair", "compare", "comparison_text", "first_difference"]

_COMPARABLE = {"exact", "affine", "approximate", "unreviewed"}
_IN_ROW = 3
"""How many points in a row must differ before runs are said to part."""


@dataclass(frozen=True)
class Pair:
    """A metric that both runs log.

    Attributes:
        metric: Canonical name.
        a: Key in the first run.
        b: Key in the second.
        relation: ``exact``, ``affine``, ``approximate`` or ``related``.
        differs_by: How the two numbers differ.
        first_difference_step: Where they part; None if they do not, or may not be compared.
        convert: Converts a value of the first to the second's terms.
        severity: How much weighs what differs under the runs' configurations.
        steps_in_common: At how many steps both have a value.
        last: The values at the last of these; None without one.
    """

    metric: str
    a: str
    b: str
    relation: str
    differs_by: list[dict[str, Any]]
    first_difference_step: float | None
    convert: Any = None
    severity: str = "same"
    steps_in_common: int = 0
    last: tuple[float, float] | None = None

    @property
    def compared(self) -> bool:
        """Whether there are enough steps in common to tell whether they part."""
        return self.steps_in_common >= _IN_ROW

    @property
    def outcome(self) -> str:
        """Whether and where the two part."""
        if not self.compared:
            common = "1 step" if self.steps_in_common == 1 else f"{self.steps_in_common or 'no'} steps"
            return f"not compared: {common} in common"
        return "same" if self.first_difference_step is None else f"part at {self.first_difference_step:g}"

    @property
    def comparable(self) -> bool:
        """Whether the two may share an axis."""
        incomparable = any(item["grade"] == "incomparable" for item in self.differs_by)
        return self.relation in _COMPARABLE and not incomparable


@dataclass(frozen=True)
class Comparison:
    """Two runs.

    Attributes:
        a: The first.
        b: The second.
        pairs: What both log, comparable ones first, those that part earliest first.
        only_a: Keys of the first alone.
        only_b: Keys of the second alone.
    """

    a: RunCurves
    b: RunCurves
    pairs: tuple[Pair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    @property
    def parts_at(self) -> Pair | None:
        """The pair that parts first."""
        parted = [pair for pair in self.pairs if pair.first_difference_step is not None]
        return min(parted, key=lambda pair: pair.first_difference_step or 0.0, default=None)

    @property
    def lead(self) -> str:
        """Whether they part, and where."""
        first = self.parts_at
        if first is not None:
            return f"The runs part at step {first.first_difference_step:g}, first on {first.metric}"
        compared = sum(pair.comparable and pair.compared for pair in self.pairs)
        if not compared:
            return f"Nothing was compared: no metric that both log has {_IN_ROW} steps in common"
        return f"The runs do not part on any of {compared} metrics that can be compared"

    def as_json(self) -> dict[str, Any]:
        """Return the comparison in the shape that ``rlmetrics compare --json`` prints."""
        return {
            "a": {"run": self.a.run, "at": self.a.at},
            "b": {"run": self.b.run, "at": self.b.at},
            "pairs": [
                {
                    "metric": pair.metric,
                    "a": pair.a,
                    "b": pair.b,
                    "relation": pair.relation,
                    "severity": pair.severity,
                    "differs_by": pair.differs_by,
                    "steps_in_common": pair.steps_in_common,
                    "first_difference_step": None
                    if pair.first_difference_step is None
                    else whole(pair.first_difference_step),
                }
                for pair in self.pairs
            ],
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
        }


def compare(a: RunCurves, b: RunCurves, spec: Overlays | Tables = None) -> Comparison:
    """Return what two runs have in common, and where they part."""
    counterparts = Counterparts(a.at, b.at, spec, (a.settings, b.settings))
    by_identity: dict[tuple[Any, ...], list[str]] = {}
    for key, meaning in b.meanings.items():
        if meaning.metric is not None:
            by_identity.setdefault(_identity(meaning), []).append(key)
    pairs: list[Pair] = []
    taken: set[str] = set()
    only_a: list[str] = []
    for key, meaning in a.meanings.items():
        others = [other for other in by_identity.get(_identity(meaning), ()) if other not in taken]
        if meaning.metric is None or not others:
            only_a.append(key)
            continue
        other = key if key in others else others[0]
        taken.add(other)
        relation, differs, convert = counterparts.relation(key, other)
        severity = counterparts.severity(key, relation, differs)
        pair = Pair(meaning.metric, key, other, relation, differs, None, convert, severity)
        shared = _shared(a.curves[key], b.curves[other], convert)
        pair = replace(pair, steps_in_common=len(shared), last=shared[-1][1:] if shared else None)
        if pair.comparable:
            pair = replace(pair, first_difference_step=first_difference(a.curves[key], b.curves[other], convert))
        pairs.append(pair)
    pairs.sort(key=lambda pair: (not pair.comparable, _or_infinity(pair.first_difference_step), pair.metric))
    only_b = [key for key in b.meanings if key not in taken]
    return Comparison(a, b, tuple(pairs), tuple(only_a), tuple(only_b))


def _identity(meaning: KeyMeaning) -> tuple[Any, ...]:
    return meaning.metric, meaning.mode, tuple(sorted(dict(meaning.placeholders).items()))


def _or_infinity(step: float | None) -> float:
    return math.inf if step is None else step


def first_difference(a: Drawn, b: Drawn, convert: Any = None) -> float | None:
    """Return the step at which two curves part for good; None if they do not, or have too few steps in common.

    Runs that begin with equal numbers part where these first differ by more than a millionth. Others part where their
    medians of five points first lie further apart than four times the noise of both, for three points in a row.
    """
    shared = _shared(a, b, convert)
    if len(shared) < _IN_ROW:
        return None
    if all(_close(one, two) for _, one, two in shared[:_IN_ROW]):
        return next((step for step, one, two in shared if not _close(one, two)), None)
    spread = noise([one for _, one, _ in shared]) + noise([two for _, _, two in shared])
    run = 0
    for at in range(len(shared)):
        around = shared[max(0, at - 2) : at + 3]
        apart = abs(median([one for _, one, _ in around]) - median([two for _, _, two in around]))
        run = run + 1 if apart > 4 * spread and apart > 0 else 0
        if run == _IN_ROW:
            return shared[at - _IN_ROW + 1][0]
    return None


def _shared(a: Drawn, b: Drawn, convert: Any) -> list[tuple[float, float, float]]:
    """Return each step that both curves have, with both values in the second's terms."""
    values = dict(zip(b.steps, b.values, strict=True))
    return [
        (step, convert(value) if convert else value, values[step])
        for step, value in zip(a.steps, a.values, strict=True)
        if step in values
    ]


def _close(one: float, two: float) -> bool:
    return one == two or abs(one - two) <= 1e-6 * max(abs(one), abs(two)) or (one != one and two != two)


def comparison_text(comparison: Comparison, *, full: bool = False) -> str:
    """Return a comparison as a person reads it."""
    comparable = [pair for pair in comparison.pairs if pair.comparable]
    beside = [pair for pair in comparison.pairs if not pair.comparable]
    lines = [
        f"{comparison.lead}.",
        "",
        f"a  {comparison.a.run} ({comparison.a.at})",
        f"b  {comparison.b.run} ({comparison.b.at})",
        "",
    ]
    shown = comparable if full else comparable[:14]
    width = max((len(pair.a) for pair in shown), default=0)
    for pair in shown:
        mark = {"exact": "=", "affine": "=", "approximate": "≈", "unreviewed": "≈"}[pair.relation]
        name = pair.a if pair.a == pair.b else f"{pair.a}  {pair.b}"
        last = "" if pair.last is None else "  last in common {:.4g}, {:.4g}".format(*pair.last)
        lines.append(f"{mark} {name:<{width}}  {pair.outcome}{last}")
    if len(comparable) > len(shown):
        lines.append(f"  and {len(comparable) - len(shown)} more · --full")
    if beside:
        lines += ["", "Side by side only"]
        for pair in beside if full else beside[:5]:
            why = pair.differs_by[0]["what"] if pair.differs_by else "another number of the same metric"
            lines.append(f"≠ {pair.a}  {pair.b}  {why}")
    lines += ["", f"Only in a: {_few(comparison.only_a, full)}", f"Only in b: {_few(comparison.only_b, full)}"]
    return "\n".join(lines)


def _few(keys: Sequence[str], full: bool) -> str:
    if not keys:
        return "nothing"
    shown = keys if full else keys[:6]
    return ", ".join(shown) + (f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else "")
