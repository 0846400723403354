"""What the spec says about a metric, in the lines that answers share: its formula, its healthy range, what it reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.differences.entry_signature import TIMES
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.sentence_case import lowered

from .signature_words import quantity_words
from .terminal import extent
from .voice import language, later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Signature
    from rlmetrics.names.tables.tables import Tables

__all__ = [
    "OF_METRIC",
    "SHARES",
    "as_shown",
    "converted",
    "first_clause",
    "formula_texts",
    "health_texts",
    "is_timer",
    "is_told_by_key",
    "measured_text",
    "metric_brief",
    "of_metric",
    "own_formula",
    "quantity",
    "range_of",
    "range_words",
    "reads_texts",
    "sentence",
    "shown_form",
    "shown_range_words",
    "time_measured",
    "variant_brief",
]

PLAIN = Transform()
"""The axis of a key that shows its metric as it is."""
_NON_FINITE = "finite"
_OF_ONE_TRAINER = "a number of one trainer"
"""What a metric is of that means something else for each of its keys."""
_NUMBER = re.compile(r"\d")
_EXPLAINS = (r"(?<!\bby)(?<![*/+-])\s+\([^()]*\)(?!\s*[*/+-])", r", (?:since|because)\b.*", r"; .*", r", so that\b.*")
"""What a long statement can do without, the least needed first; brackets of an expression are no explanation."""
_READS = 340
"""So many characters are told of how a curve behaves."""
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])|(?<=。)(?=.)")
_RULES = 2
"""So many signs of trouble are told."""


def sentence(text: str) -> str:
    """Return a text as a sentence of its own."""
    text = " ".join(text.split())
    end = "。" if "\u4e00" <= text[-1:] <= "\u9fff" or text.endswith("）") else "."
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", ":", "…", "。")) else end)


def quantity(metric: str, tables: Tables) -> str:
    """Return a metric in a few words that may stand within a sentence."""
    return lowered(quantity_words(metric, tables))


def is_timer(metric: str | None, tables: Tables) -> bool:
    """Tell whether a metric measures time, which people look at last."""
    return tables.metrics.get(metric or "", {}).get("unit") in TIMES


def time_measured(metric: str | None, tables: Tables) -> str | None:
    """Return whether a metric is the ``time`` that work takes or a ``rate`` of it, which work never has at 0."""
    row: Mapping[str, Any] = tables.metrics.get(metric or "", {})
    quantity_ = row.get("identity", {}).get("quantity") if row.get("unit") in TIMES else None
    return _OF_TIME.get(str(quantity_))


_OF_TIME = {"wall_time": "time", "wall_time_per_token": "time", "rate": "rate", "throughput": "rate"}
"""Quantities of work over time."""


def first_clause(text: str) -> str:
    """Return a sentence up to the reason that it gives."""
    return re.split(r", (?:since|because)\b", text)[0].rstrip(".")


def shortened(text: str, most: int = 140) -> str:
    """Return a long statement without what it explains: brackets, reasons, consequences; an ellipsis tells so.

    Args:
        text: The statement.
        most: So many characters are not too many.
    """
    short = " ".join(text.split()).rstrip(".")
    whole = short
    for pattern in _EXPLAINS:
        if len(short) > most:
            short = re.sub(pattern, "", short)
    return text if short == whole else f"{short} …"


def formula_texts(metric: str, variant: str | None, tables: Tables, *, ranged: bool = True) -> list[str]:
    """Return the formula of a metric or of a variant of it, with its unit and its range; then the words in it."""
    text: Mapping[str, Any] = tables.texts.get(metric, {})
    own: Mapping[str, Any] = text.get("variants", {}).get(variant, {}) if variant is not None else text
    formula = own.get("formula")
    if formula is None:
        return []
    unit = spoken(range_words(metric, tables, variant)) if ranged else ""
    lines = [f"{_plain(formula)}{f', {unit}' if unit else ''}"]
    lines += [f"{name} = {_plain(expression)}" for name, expression in own.get("let", {}).items()]
    return lines


def own_formula(metric: str, signature: Signature | None, tables: Tables, *, ranged: bool = True) -> list[str]:
    """Return the formula that holds of a code: where it averages what the metric takes the last of, it is a mean.

    Args:
        metric: The metric.
        signature: How the code computes it.
        tables: The spec.
        ranged: Whether unit and range are told.
    """
    variant = None if signature is None else signature.reproduced_by
    texts = formula_texts(metric, variant, tables, ranged=ranged)
    last = tables.metrics.get(metric, {}).get("identity", {}).get("statistic") == "last"
    if texts and last and signature is not None and "mean" in signature.reduction.values():
        return [texts[0].replace("last(", "mean(", 1), *texts[1:]]
    return texts


def metric_brief(metric: str, variant: str | None, tables: Tables) -> str:
    """Return what a metric is in a sentence; of one that only its variants compute, what the variant is."""
    row: Mapping[str, Any] = tables.metrics[metric]
    own = None if variant is None or "function" in row else row.get("variants", {}).get(variant)
    return str(row["brief"] if own is None else own)


def variant_brief(metric: str, variant: str | None, tables: Tables) -> str | None:
    """Return in what a variant differs from its metric, as a sentence; None where the metric itself is computed."""
    own: str | None = None if variant is None else tables.metrics[metric].get("variants", {}).get(variant)
    return own


def is_told_by_key(metric: str | None, tables: Tables) -> bool:
    """Tell whether a metric leaves it to the notes of each key what is measured, as no two trainers share it."""
    identity = tables.metrics.get(metric or "", {}).get("identity", {})
    return bool(identity.get("of") == _OF_ONE_TRAINER)


def measured_text(metric: str, tables: Tables, span: str | None = None) -> str | None:
    """Return what is measured where no formula says it.

    Args:
        metric: Its name.
        tables: The spec.
        span: What one code measures; it is told in place of what codes usually do.
    """
    text: Mapping[str, Any] = tables.texts.get(metric, {})
    if span is not None:
        return span
    return None if "formula" in text or is_told_by_key(metric, tables) else text.get("measured")


def range_of(metric: str, variant: str | None, tables: Tables) -> tuple[float | None, float | None] | None:
    """Return between which numbers a metric lies, or a variant of its formula; None where nothing says it."""
    row: Mapping[str, Any] = tables.metrics.get(metric, {})
    found: tuple[float | None, float | None] | None = row.get("ranges", {}).get(variant, row.get("range"))
    return found


def range_words(metric: str, tables: Tables, variant: str | None = None) -> str:
    """Return the unit and the range of a metric as they stand behind its formula: ``in nat, never negative``."""
    row: Mapping[str, Any] = tables.metrics.get(metric, {})
    unit = str(row.get("unit", ""))
    return ", ".join(
        [*([f"in {unit}"] if unit not in ("", "1", "None") else []), *_between(metric, PLAIN, tables, variant)]
    )


def shown_range_words(metric: str, axis: Transform, tables: Tables, variant: str | None = None) -> str:
    """Return the range of a key that shows another than its metric, ``never positive``; empty if it is the same."""
    shown = _between(metric, axis, tables, variant)
    return "" if shown == _between(metric, PLAIN, tables, variant) else spoken(", ".join(shown))


def _between(metric: str, axis: Transform, tables: Tables, variant: str | None = None) -> list[str]:
    low, high = axis.span(*(range_of(metric, variant, tables) or (None, None)))
    parts = []
    if low is not None and high is not None:
        parts.append(f"{low:g} to {high:g}")
    elif low is not None:
        parts.append("never negative" if low == 0 else f"at least {low:g}")
    elif high is not None:
        parts.append("never positive" if high == 0 else f"at most {high:g}")
    return parts


def _plain(formula: object) -> str:
    return " ".join(str(formula).split()).replace(" ** ", "**")


def reads_texts(metric: str, tables: Tables, *, full: bool = False) -> list[str]:
    """Return how a curve of a metric behaves, as many sentences as fit."""
    if is_told_by_key(metric, tables):
        return []
    description = spoken(" ".join(str(tables.texts.get(metric, {}).get("description", "")).split()))
    if full or extent(description) <= _READS:
        return [description] if description else []
    told = ""
    for text in _SENTENCE.split(description):
        if told and extent(told) + extent(text) > _READS:
            break
        told = f"{told} {text}".strip()
    return [told]


SHARES = {0.5: " (half of it)", 0.25: " (a quarter of it)", 0.125: " (an eighth of it)"}
"""Factors in words."""


_SHOWN = {
    Transform(-1.0, 1.0): later("{what}, logged as 1 minus that"),
    Transform(-1.0): later("{what}, logged with the opposite sign"),
    Transform(100.0): later("{what}, logged in percent"),
}
_MULTIPLIED = later("{what}, logged times {value}")
_SHIFTED = later("{what}, logged as {value}")
OF_METRIC = later("Of the metric itself: {what}")
"""How what is said of a metric begins beside a key that shows something else."""


def shown_form(axis: Transform) -> tuple[str, str]:
    """Return in which words a metric is told that a key shows otherwise, for ``what``, and the ``value`` in them."""
    if axis in _SHOWN:
        return _SHOWN[axis], ""
    if not axis.offset:
        return _MULTIPLIED, f"{axis.scale:g}{SHARES.get(axis.scale, '')}"
    return _SHIFTED, converted("that", axis)


def converted(value: str, axis: Transform) -> str:
    """Return what is made of a value, as it is written with signs: ``1 - value``, ``100 x value``."""
    scale, offset = axis.scale, axis.offset
    if scale == -1:
        return f"{offset:g} - {value}" if offset else f"-{value}"
    shift = f" {'+' if offset > 0 else '-'} {abs(offset):g}" if offset else ""
    return f"{'' if scale == 1 else f'{scale:g} x '}{value}{shift}"


def as_shown(what: str, axis: Transform | None) -> str:
    """Return a metric's words with what a key makes of it; the words alone if it stays as it is."""
    if axis is None or axis.is_plain:
        return what
    form, value = shown_form(axis)
    return form.format(what=what, value=value)


def of_metric(text: str, axis: Transform | None) -> str:
    """Return a text about a metric where a key shows something else."""
    plain = axis is None or axis.is_plain
    return text if plain else phrase(OF_METRIC, what=text)


def health_texts(
    metric: str,
    tables: Tables,
    *,
    axis: Transform | None = PLAIN,
    full: bool = False,
    silent: Collection[str] = (),
    advice: bool = True,
) -> list[str]:
    """Return the healthy range of a metric with its basis, then what its rules warn of.

    Args:
        metric: Its name.
        tables: The spec.
        axis: What the key makes of it, on which bounds are told; None if nobody knows, and no bound is told.
        full: Whether every rule is told.
        advice: Whether it is told with what it says and advises.
        silent: Rules that are left out, by their names.
    """
    plain = axis is not None and axis.is_plain
    rules: Sequence[Mapping[str, Any]] = [
        rule for rule in tables.health["RULES"].get(metric, ()) if rule["id"] not in silent
    ]
    if full:
        of = "" if plain else "of the metric itself: "
        return [
            f"{rule['level']}: {of}{_sign(rule, tables)} ({rule['basis']})"
            + (f". {rule['message']} {rule['advice']}" if advice else "")
            for rule in rules
        ]
    bounds = [text for rule in rules if rule["level"] != "error" for text in _bounds(rule, axis)]
    # Nothing logs a number that is not finite by design: that goes without saying where anything else is known.
    telling = [rule for rule in rules if _NON_FINITE not in str(rule["words"])] or [*rules]
    telling.sort(key=lambda rule: (_LEVELS.index(rule["level"]), rule["basis"] == "folklore"))
    # What a rule says in words is said of the metric, as the formula has it.
    signs = [
        f"{_sign(rule, tables)} ({rule['basis']})"
        for rule in telling
        if (plain or not _NUMBER.search(str(rule["words"]))) and (not bounds or not [*_bounds(rule, axis)])
    ]
    if bounds:
        return ["; ".join([*dict.fromkeys(bounds), *(f"warns if {sign}" for sign in signs[:1])])]
    return [f"no fixed range; warns if {'; '.join(signs[:_RULES])}"] if signs else []


def _sign(rule: Mapping[str, Any], tables: Tables) -> str:
    """Return when a rule speaks; in other languages by its title, since its condition has English words only."""
    if language() == "en":
        return str(rule["words"])
    return next((str(row["title"]) for row in tables.health["JUDGED"] if row["id"] == rule["id"]), str(rule["words"]))


_LEVELS = ("error", "warning", "info")


def _bounds(rule: Mapping[str, Any], axis: Transform | None) -> Iterator[str]:
    if axis is None:
        return
    turned = axis.scale < 0
    for name, side in (("above", "below"), ("below", "above")):
        if name in rule:
            yield f"{name if turned else side} {_rounded(axis(rule[name]))} ({rule['basis']})"
    for name, side in (("below_start", "above"), ("above_start", "below")):
        # A multiple of the start is the same on an axis that has the same 0 and direction.
        if name in rule and not turned and not axis.offset:
            yield f"{side} {rule[name]:g} x its start ({rule['basis']})"


def _rounded(number: float) -> str:
    return f"{round(number, 12):g}"
