"""Whether the numbers of reference steps bear a sentence out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_ranges import applies, shown_range
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.tables.key_records import Reading
from rlmetrics.names.tables.readings import covers

from ..judged_lock import HOLDS, REFUSED, UNSEEN
from ..model import Situation
from .carriers import Carrier, Carriers
from .plain_numbers import Kept, NotComputableError, logged_number
from .reference_steps import ReferenceStep, hangs_together, steps

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.tables.tables import Tables

    from ..lint.sentences import Sentence
    from ..model import SpecReading

__all__ = ["SentenceJudge", "StepVerdict"]

_BAD = ("warning", "error")
_DIGITS = 6
_SITUATIONS = [frozenset[Situation]()] + [frozenset([one]) for one in get_args(Situation) if one != "usual"]
_EXTREME: tuple[Situation, ...] = (
    "all_truncated",
    "nothing_counted",
    "far_beyond_clip",
    "policy_certain",
    "pairs_separated",
    "engines_agree",
    "engines_far_apart",
    "not_reported",
)
"""Situations in which numbers go as far as they can."""
_ROUNDING = 1e-6


class StepVerdict(NamedTuple):
    """What steps say of a sentence.

    Attributes:
        answer: ``holds``, ``refused``, or ``unseen`` where no step can show it.
        why: The step and the number that refute it, or why none can tell.
    """

    answer: str
    why: str = ""


class _Shown(NamedTuple):
    """The number that a step has.

    Attributes:
        value: As it is logged, rounded to six decimals.
        step: The step.
        carrier: How it is computed.
    """

    value: float
    step: ReferenceStep
    carrier: Carrier

    def __str__(self) -> str:
        return f"{self.carrier.at} is {self.value:.6g} in the step ({self.step.name})"


class SentenceJudge:
    """Judges sentences of a spec.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._carriers = Carriers(tables)
        self._numbers: dict[tuple[str, frozenset[Situation]], tuple[tuple[ReferenceStep, float], ...] | None] = {}
        self._kept: Kept = {}

    def verdict(self, sentence: Sentence) -> StepVerdict:
        """Return what steps say of a sentence."""
        if sentence.kind == "reading":
            return self._reading(sentence, sentence.says)
        if sentence.kind == "range":
            return self._range(self._carriers.by_metric.get(sentence.subject, ()))
        if sentence.kind == "varies":
            return self._varies(self._carriers.by_metric.get(sentence.subject, ()))
        return self._constant(sentence.says)

    def _reading(self, sentence: Sentence, said: SpecReading) -> StepVerdict:
        carriers, reads = self._told(sentence, said)
        usable = [carrier for carrier in carriers if self._is_usable(carrier)]
        if not usable or said.beside or said.value == "null":
            return StepVerdict(UNSEEN, "nothing computes a number of which it is said, or it asks for a row")
        if said.shown_by:
            situations = frozenset(cast("Sequence[Situation]", said.shown_by)) - {"usual"}
            for shown in self._all(usable, situations):
                if not reads(shown):
                    return StepVerdict(REFUSED, f"{shown}")
        elif said.level == "error" and said.value != "nan":
            for situations in _SITUATIONS:
                for shown in self._all(usable, situations):
                    if reads(shown):
                        return StepVerdict(REFUSED, f"{shown}, which it says cannot be, or is a fault")
        elif not self._some(usable, reads):
            answer = REFUSED if said.level == "expected" else UNSEEN
            return StepVerdict(answer, "no step of any situation has such a value")
        if said.level in _BAD and sentence.ref != "signatures":
            for shown in self._all(usable, frozenset()):
                if reads(shown):
                    return StepVerdict(REFUSED, f"{shown}, where nothing is wrong")
        return StepVerdict(HOLDS)

    def _is_usable(self, carrier: Carrier) -> bool:
        """Tell whether steps show the number of a carrier: all of its inputs hang together with the rest of a step."""
        if not carrier.is_judged or carrier.recipe.function is None:
            return False
        inputs = self._tables.reproduction["FUNCTIONS"][carrier.recipe.function]["inputs"]
        return hangs_together().issuperset(inputs)

    def _told(self, sentence: Sentence, said: SpecReading) -> tuple[Sequence[Carrier], Callable[[_Shown], bool]]:
        """Return the carriers of which a reading is told, and what tells whether it is told of a value."""
        reading = Reading(said.value, said.level, said.says)
        if sentence.ref == "signatures":
            return self._carriers.by_trait.get(sentence.subject, ()), lambda shown: covers(said.value, shown.value)
        if not sentence.subject:
            return self._carriers.by_reading.get(said.says, ()), lambda shown: covers(said.value, shown.value)
        # What a release's own records say of a value, and that it is constant there, comes first.
        carriers = [item for item in self._carriers.by_metric.get(sentence.subject, ()) if item.constant is None]

        def is_told(shown: _Shown) -> bool:
            entry = shown.carrier.entry
            return applies(reading, cast("Resolution", entry), Given(f"{shown.value:g}", shown.value))

        return [item for item in carriers if said.value not in self._before(item)], is_told

    def _before(self, carrier: Carrier) -> set[float | str]:
        """Return the values of which something else is told before what the metric says of them."""
        bad = [item for name in carrier.entry.signature.traits for item in self._tables.traits[name].get("reads", ())]
        return {own.value for own in carrier.entry.reads} | {item["value"] for item in bad if item["level"] in _BAD}

    def _range(self, carriers: Sequence[Carrier]) -> StepVerdict:
        # Of carriers that are computed alike and shown on one axis, one stands for all.
        carriers = list({item.identity: item for item in carriers}.values())
        usable = [carrier for carrier in carriers if self._is_usable(carrier)]
        seen = False
        every: list[frozenset[Situation]] = [frozenset(), *(frozenset([one]) for one in _EXTREME)]
        for situations in every:
            for shown in self._all(usable, situations):
                span = shown_range(cast("Resolution", shown.carrier.entry), self._tables)
                if span is None or not math.isfinite(shown.value):
                    continue
                seen = True
                low, high = span
                if self._explained(shown):
                    continue
                if low is not None and shown.value < low - _ROUNDING * max(1.0, abs(low)):
                    return StepVerdict(REFUSED, f"{shown}, below {low:g}")
                if high is not None and shown.value > high + _ROUNDING * max(1.0, abs(high)):
                    return StepVerdict(REFUSED, f"{shown}, above {high:g}")
        return StepVerdict(HOLDS) if seen else StepVerdict(UNSEEN, "nothing computes a number of it")

    def _explained(self, shown: _Shown) -> bool:
        """Tell whether a trait, a record or the metric says of a value what it is, in place of its range."""
        entry, tables = shown.carrier.entry, self._tables
        told = [item["value"] for name in entry.signature.traits for item in tables.traits[name].get("reads", ())]
        told += [reading.value for reading in entry.reads]
        # A metric that says of itself what is expected outside of its range contradicts itself.
        of_metric = tables.texts.get(entry.metric or "", {}).get("reads", ())
        told += [item["value"] for item in of_metric if item["level"] != "expected"]
        return any(covers(value, shown.value) for value in told)

    def _constant(self, text: str) -> StepVerdict:
        constant = stated(text)
        told = self._carriers.by_constant.get(text, ())
        if constant is None or constant.number is None or constant.always:
            return StepVerdict(UNSEEN, "the code decides it, which no step shows")
        usable = [item for item in told if self._is_usable(item) and item.constant is not None and item.one_update]
        seen = False
        for shown in self._all(usable, frozenset({"policy_unchanged"})):
            seen = True
            if abs(shown.value - constant.number) > _ROUNDING:
                return StepVerdict(REFUSED, f"{shown}, not {constant.value}")
        return StepVerdict(HOLDS) if seen else StepVerdict(UNSEEN, "no step shows its settings")

    def _varies(self, carriers: Sequence[Carrier]) -> StepVerdict:
        """Return whether each number that no sentence calls constant varies over steps of all situations."""
        usable = {item.identity: item for item in carriers if self._is_usable(item) and not item.entry.constant_when}
        seen = False
        for carrier in usable.values():
            of_metric = self._tables.texts.get(carrier.entry.metric or "", {}).get("reads", ())
            told = {item.value for item in carrier.entry.reads} | {item["value"] for item in of_metric}
            first: _Shown | None = None
            for shown in (one for situations in _SITUATIONS for one in self._all([carrier], situations)):
                first = first or shown
                if shown.value != first.value:
                    break
            else:
                if first is not None and first.value not in told:
                    return StepVerdict(REFUSED, f"{first}, and the same in every other: say `constant_when`")
            seen = seen or first is not None
        return StepVerdict(HOLDS) if seen else StepVerdict(UNSEEN, "nothing computes a number of it")

    def _some(self, carriers: Sequence[Carrier], holds: Callable[[_Shown], bool]) -> bool:
        """Tell whether any step has what is asked for; two passes of one policy may differ a little, too."""
        moved = [carrier._replace(one_update=False) for carrier in carriers if carrier.one_update]
        every = [*carriers, *moved]
        return any(holds(shown) for situations in _SITUATIONS for shown in self._all(every, situations))

    def _all(self, carriers: Sequence[Carrier], situations: frozenset[Situation]) -> Iterator[_Shown]:
        """Yield the numbers of all carriers in all steps of a situation."""
        for carrier in carriers:
            more: frozenset[Situation] = frozenset({"policy_unchanged"}) if carrier.one_update else frozenset()
            for step, value in self._numbers_of(carrier, situations | more) or ():
                yield _Shown(value, step, carrier)

    def _numbers_of(
        self, carrier: Carrier, situations: frozenset[Situation]
    ) -> tuple[tuple[ReferenceStep, float], ...] | None:
        asked = carrier.identity, situations
        metric = (carrier.recipe.function or "").partition("@")[0]
        needs_groups = self._tables.texts.get(metric, {}).get("atom") == "group"
        if asked not in self._numbers:
            try:
                self._numbers[asked] = tuple(
                    (step, round(logged_number(carrier.recipe, step, self._tables, self._kept), _DIGITS) + 0.0)
                    for step in steps(situations, self._inputs)
                    if step.cut.has_whole_groups or not needs_groups
                )
            except (NotComputableError, ZeroDivisionError, OverflowError, IndexError):
                self._numbers[asked] = None
        return self._numbers[asked]

    @cached_property
    def _inputs(self) -> tuple[tuple[str, str, str], ...]:
        rows: Mapping[str, Mapping[str, Any]] = self._tables.inputs
        return tuple((name, str(row["domain"]), str(row["dtype"])) for name, row in rows.items())
