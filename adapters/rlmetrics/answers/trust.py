"""How far a key of a release can be trusted: how it is averaged, what biases it, when it is logged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.differences.entry_signature import population_traits
from rlmetrics.names.differences.relations import unstated_words
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.part_counts import said_plainly
from rlmetrics.wording.cadence_words import axis_text, cadence_text
from rlmetrics.wording.difference_words import GRADES, brief_of, shows
from rlmetrics.wording.key_words import says_over
from rlmetrics.wording.metric_facts import SHARES, formula_texts, quantity, sentence, shortened, shown_range_words
from rlmetrics.wording.report_words import reported_text
from rlmetrics.wording.signature_words import averaged_words, enumerated
from rlmetrics.wording.terminal import labelled, symbol
from rlmetrics.wording.voice import later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import Resolution
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.key_records import Entry, Signature
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.wording.condition_words import ConditionWords

__all__ = [
    "averaged_lines",
    "bias_words",
    "cadence_lines",
    "is_biased",
    "is_unreviewed",
    "logged_lines",
    "needs_words",
    "trust_texts",
]

_TRAITS = 2
"""So many biases are told."""
_PLAIN, _BUT_FOR = later("plain: as the formula says"), later("plain: as the formula says, but for what the notes say")
_MISSING_ROWS = ("Absent from a log whose", "Absent from a log in whose")
_DEPARTS = re.compile(
    r"(?:^|[.;] )Only (?!the main)|\b(?:are|is) left out\b|\bnot count\b|\btoo (?:small|large|long|short)\b"
)
"""What a note says that leaves some of what a formula names out, or counts it otherwise."""
_LONG = 100
"""Beside a bias that takes more characters no second one is told."""
_STEPS = {1: later("the value of the next step"), -1: later("the value of the step before")}
_OTHERS = (later("the value of {count} steps before"), later("the value of {count} steps later"))
"""Whose value is logged, before and after the step of the row."""
_FORMULA = later("it may not be as the formula says")
_DESCRIBED = later("it may not be as described")
_HIDDEN = (later("{count} difference only with other settings"), later("{count} differences only with other settings"))
_AS = later("as {what}: {condition}")
"""When a key is logged with another meaning."""
_SAME = 160
"""When a difference is gone is told beside it up to so many characters."""


def averaged_lines(view: View, item: Resolution) -> list[str]:
    """Return how the parts of a number are put together, and what else is done to it before it is logged."""
    if item.signature is None or not isinstance(view, FrameworkView):
        return []
    signature = item.signature
    words = averaged_words(signature, item.metric, view.tables, item.mode)
    if words is not None and item.metric is not None and _says_over(view.tables, item.metric, signature):
        # The first sentence said over what.
        words = words.rpartition("; ")[2] if "; " in words else None
    texts = [] if words is None else [words]
    if "reduction" in signature.unstated:
        texts.append(phrase("how this code puts it together is not stated"))
    if signature.scale != 1 or signature.offset != 0:
        shown = (
            ""
            if (axis := signature.axis) is None
            else shown_range_words(str(item.metric), axis, view.tables, signature.reproduced_by)
        )
        made = f"{_made_of(signature)}{f', {shown}' if shown else ''}"
        texts.append(phrase("logged = {what}", what=made))
    if signature.lag:
        texts.append(phrase(_STEPS.get(signature.lag) or _OTHERS[signature.lag > 0], count=abs(signature.lag)))
    return labelled("averaged", texts)


def _says_over(tables: Tables, metric: str, signature: Signature) -> bool:
    """Tell whether the first sentence on a key says over what it is, as its metric does not."""
    return says_over(signature, metric, str(tables.metrics[metric]["brief"]), tables)


def _made_of(signature: Signature) -> str:
    """Return what a key makes of the formula."""
    scale, offset = signature.scale, signature.offset
    if scale == -1:
        return phrase(later("{value} - the formula"), value=_number(offset)) if offset else phrase("minus the formula")
    if scale == 1:
        shifted = (
            later("the formula + {value}") if isinstance(offset, str) or offset > 0 else later("the formula - {value}")
        )
        return phrase(shifted, value=_number(offset).removeprefix("-"))
    share = "" if isinstance(scale, str) else SHARES.get(scale, "")
    times = f"{phrase('{value} x the formula', value=_number(scale))}{spoken(share)}"
    return f"{times} + {_number(offset)}" if offset else times


def _number(value: float | str) -> str:
    return f"({said_plainly(value)})" if isinstance(value, str) else f"{value:g}"


def trust_texts(view: View, item: Resolution, *, full: bool = False) -> list[str]:
    """Return whether the number is the plain one, what biases it, and where that was reported upstream."""
    texts = _trust(view, item, full=full)
    return [*texts, *(reported_text(report) for report in item.reports if report.holds)] if texts else []


def _trust(view: View, item: Resolution, *, full: bool) -> list[str]:
    if item.signature is None or not isinstance(view, FrameworkView):
        return []
    traits = view.tables.traits
    side = view.circumstances(str(item.component))
    every = sorted(_departing(item, view.tables), key=lambda name: GRADES.index(traits[name]["grade"]))
    names = [name for name in every if shows(name, side, item.mode or "train", view.tables) is not False]
    hidden = len(every) - len(names)
    asked = [name for name in names if _is_asked(traits[name].get("vanishes_if"), view, item)]
    names.sort(key=lambda name: name not in asked)
    if is_unreviewed(item):
        said = phrase("unreviewed: {what}", what=spoken(unstated_words(item.signature.unstated)))
        formula = formula_texts(str(item.metric), item.signature.reproduced_by, view.tables)
        warning = phrase(_FORMULA if formula else _DESCRIBED)
        texts = [f"{symbol('unreviewed')} {said}; {warning}"]
        briefs = [shortened(brief_of(traits[name])) for name in names]
        return [*texts, *(spoken(sentence(brief)) for brief in (briefs if full else briefs[:_TRAITS]))]
    if not names:
        rest = f" ({phrase(_HIDDEN[hidden > 1], count=hidden)})" if hidden else ""
        signature = item.signature
        if signature.scale != 1 or signature.offset != 0:
            exact = phrase("exact, but not the formula itself: {value}", value=_made_of(signature))
            return [f"{symbol('same')} {exact}{rest}"]
        if not formula_texts(str(item.metric), signature.reproduced_by, view.tables) and not rest:
            return []
        said = _BUT_FOR if any(map(_DEPARTS.search, item.notes)) else _PLAIN
        return [f"{symbol('same')} {phrase(said)}{rest}"]
    worst = min((traits[name]["grade"] for name in names), key=GRADES.index)
    shown = [*names, *(name for name in every if name not in names)] if full else names[:1]
    if not full and worst != "minor":
        shown = [name for name in names if name in asked or traits[name]["grade"] == worst][:_TRAITS]
        shown = shown[: 1 if len(shortened(brief_of(traits[shown[0]]))) > _LONG else _TRAITS]
    mode = item.mode or "train"
    sure = any(shows(name, side, mode, view.tables) for name in names if traits[name]["grade"] != "minor")
    start = f"{symbol('biased')} {phrase('biased.') if sure else phrase('may be biased.')}"
    start = f"{symbol('close')} {phrase('close: minor differences only.')}" if worst == "minor" else start
    texts = []
    for name in shown:
        what, same = str(traits[name]["what"]), traits[name].get("vanishes_when")
        what = what if name in names else f"not under these settings: {what}"
        if not full:
            what = shortened(brief_of(traits[name]))
            told = worst != "minor" and same is not None and len(what) + len(same) <= _SAME
            same = same if told else None
        texts.append(f"{what}{f' (same if {same})' if same else ''}" + (f" [{name}]" if full else ""))
    texts = [spoken(sentence(text)) for text in texts]
    texts[0] = f"{start} {texts[0]}"
    if len(names) > len(shown):
        others = [traits[name]["grade"] for name in names[len(shown) :]]
        biased = sum(grade != "minor" for grade in others)
        counts = [phrase("{count} more like this", count=biased)] if biased else []
        counts += [phrase("{count} minor", count=len(others) - biased)] if len(others) > biased else []
        texts[-1] += f" {phrase('And {counts}.', counts=enumerated(counts))}"
    return texts


def _is_asked(guard: object, view: FrameworkView, item: Resolution) -> bool:
    """Tell whether a difference depends on a setting that was given."""
    config = view.components[str(item.component)].config
    given = [name for name, value in config.values.items() if config.defaults.get(name, value) != value]
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", str(guard)) for name in given)


def is_biased(trust: Sequence[str]) -> bool:
    """Tell whether texts on trust say that the number is biased."""
    return bool(trust) and trust[0].startswith(symbol("biased"))


def is_unreviewed(item: Resolution) -> bool:
    """Tell whether nobody has stated all of how a number is computed."""
    return item.signature is not None and bool(item.signature.unstated)


def bias_words(view: View, item: Resolution) -> str | None:
    """Return what biases a number most, in words that may stand behind a colon; None if nothing weighs."""
    if item.signature is None or not isinstance(view, FrameworkView):
        return None
    traits = view.tables.traits
    side = view.circumstances(str(item.component))
    names = [name for name in _departing(item, view.tables) if traits[name]["grade"] != "minor"]
    names = [name for name in names if shows(name, side, item.mode or "train", view.tables)]
    names.sort(key=lambda name: GRADES.index(traits[name]["grade"]))
    if not names:
        return None
    what, same = shortened(brief_of(traits[names[0]])).rstrip("."), traits[names[0]].get("vanishes_when")
    return f"{what} (same if {same})." if same else f"{what}."


def _departing(item: Resolution, tables: Tables) -> list[str]:
    """Return in which ways a number departs from the metric's plain definition."""
    row = tables.metrics.get(item.metric or "", {})
    plain = population_traits(row.get("population"), tables)
    traits = () if item.signature is None else item.signature.traits
    return [name for name in traits if name not in plain]


def misses_rows(item: Resolution) -> bool:
    """Tell whether a key is absent from rows over whose steps there is nothing to count, as a note of it says."""
    return any(note.startswith(_MISSING_ROWS) for note in item.notes)


def logged_lines(view: View, item: Resolution, *, full: bool = False) -> list[str]:
    """Return when a key is logged; where several records log it, when it has which meaning."""
    if not isinstance(view, FrameworkView):
        return []
    if item.condition is None:
        always = "in every run, though not in every row" if misses_rows(item) else "always"
        return labelled("logged", {True: always, False: "not by default", None: "not said"}[item.logged])
    component = view.components[str(item.component)]
    place = str(item.template), str(item.mode)
    told = component.entry(*place)
    words = _words(component, told.condition or "", full=full)
    others = [each for each in component.records(*place) if each[:4] != told[:4] and each.condition is not None]
    also = [_also(component, each, full=full) for each in others]
    return labelled("logged", [words.logged(item.logged, item.logged_by_default), *also])


def _also(component: ComponentView, entry: Entry, *, full: bool) -> str:
    """Return when a key has another meaning."""
    only = phrase("; ").join(_words(component, str(entry.condition), full=full).only)
    return phrase(_AS, what=spoken(quantity(str(entry.metric), component.tables)), condition=only)


def cadence_lines(item: Resolution, *, full: bool = False) -> list[str]:
    """Return how often a key gets a new value, and on which axis, as far as that is known."""
    if item.cadence is None:
        return []
    rhythm, axis = cadence_text(item.cadence), axis_text(item.cadence, full=full)
    return [*labelled("cadence", rhythm or []), *labelled("axis", axis or [])]


def needs_words(view: View, item: Resolution) -> str | None:
    """Return that a key is not logged and which settings would log it; None where it is logged or nothing is known."""
    if item.logged is not False:
        return None
    if item.condition is None or not isinstance(view, FrameworkView):
        return phrase("not logged by default")
    words = _words(view.components[str(item.component)], item.condition, full=False)
    return words.missing(item.logged_by_default)


def _words(component: ComponentView, condition: str, *, full: bool) -> ConditionWords:
    from rlmetrics.wording.condition_words import condition_words

    return condition_words(condition, component.config, full=full)
