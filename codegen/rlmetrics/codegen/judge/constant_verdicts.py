"""What is said to be constant, and what no sentence calls so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rlmetrics.names.meanings.constancy import stated

from .shown_numbers import ROUNDING, SITUATIONS, USUAL, StepNumber
from .verdicts import HELD, Sight, StepVerdict, refused, unseen

if TYPE_CHECKING:
    from ..lint.sentences import Sentence
    from .carriers import Carrier

__all__ = ["constant_verdict", "varies_verdict"]

_EXTREMES = ("max", "min")
_MACHINE = {"newest_version", "oldest_version"}
"""Inputs that a trainer's settings decide, and not the data: steps have them as they are where they vary."""


def constant_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge that a number does not change: under the settings that are named it is the same in every step."""
    constant = stated(sentence.says)
    if constant is None or constant.number is None:
        return unseen("it names no number")
    if constant.always:
        return unseen("the code decides it, which no step shows")
    told = [
        item
        for item in sight.carriers.of(sentence.told)
        if sentence.says in item.entry.constant_when and item.constant is not None
    ]
    seen = False
    for carrier in told:
        if not sight.numbers.is_usable(carrier) or _MACHINE & {*sight.inputs(carrier)}:
            continue
        for shown in sight.numbers.all([carrier], USUAL):
            seen = True
            if abs(shown.value - constant.number) > ROUNDING:
                return refused(f"{shown}, not {constant.value}")
    if seen:
        return HELD
    return sight.nothing(sentence.told) if told else unseen("more than settings decides it")


def varies_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge that each number varies over steps of all situations that no sentence calls constant."""
    # A setting such as a threshold of 0 makes many a number constant, and nobody takes it.
    usual = [item for item in sight.usable(sentence.told) if not any(map(_is_number, item.settings.values()))]
    usable = {item.identity: item for item in usual if not _is_told(item)}
    for carrier in usable.values():
        first: StepNumber | None = None
        for shown in (one for situations in SITUATIONS for one in sight.numbers.all([carrier], situations)):
            if math.isnan(shown.value):  # nothing was counted
                continue
            first = first or shown
            # What only rounding tells apart is no constant of the code.
            if shown.exact != first.exact:
                break
        else:
            # The smallest of several shares is mostly 0, and has other values in rare steps.
            is_extreme = sight.tables.metrics[sentence.subject]["identity"].get("statistic") in _EXTREMES
            if first is not None and (carrier.one_update or not is_extreme):
                return refused(f"{first}, and the same in every other: say `constant_when`")
    return HELD if usable else sight.nothing(sentence.told)


def _is_told(carrier: Carrier) -> bool:
    """Tell whether anything is said of when a number is constant in its mode."""
    stated_ones = filter(None, map(stated, carrier.entry.constant_when))
    return any(constant.mode in (None, carrier.entry.mode) for constant in stated_ones)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
