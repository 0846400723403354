"""What is known about a key, and how two keys relate: frozen records whose fields are those of the JSON output."""

from __future__ import annotations

from collections.abc import Mapping

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.lazy_typing import Any, NamedTuple

__all__ = [
    "Alternative",
    "Difference",
    "Entry",
    "Evidence",
    "Fallback",
    "LookAlike",
    "MapRow",
    "Reading",
    "Signature",
    "Transform",
    "Typical",
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of a release that shows a fact.

    Attributes:
        release: The release: the one that was asked for, or, in another package, the newest that shows it.
        path: Relative to the wheel.
        line: Counted from 1.
        symbol: The enclosing class and function.
        shows: The spec's name for the place.
        note: Which other package it is.
        program: Which program alone runs it, if that is not the one that runs with these settings.
    """

    release: str
    path: str
    line: int
    symbol: str
    shows: str = "key"
    note: str | None = None
    program: str | None = None


@dataclass(frozen=True, slots=True)
class Fallback:
    """A release that the spec lacks, and the one that answers in its place.

    Attributes:
        asked: Such as ``verl==0.8.0.dev0``.
        used: Such as ``verl==0.8.0``.
    """

    asked: str
    used: str


@dataclass(frozen=True, slots=True)
class Signature:
    """How a code computes its number.

    Attributes:
        population: Over which tokens or sequences.
        snapshot: Whose parameters were in place.
        reduction: Operation by level, for the levels that are named.
        span: What a timer or counter includes.
        lag: Whose step the value belongs to: -1 is the step before.
        scale: logged = scale * metric + offset; the expression itself where a configuration key's value is unknown.
        offset: See ``scale``.
        traits: Ways in which the number departs from the plain definition, those of the population included.
        reproduced_by: The variant of the metric's function that gives this number.
        unstated: What nobody has looked up: ``population``, ``reduction`` or ``span``. It is not known to be as the
            metric is defined.
    """

    population: str | None = None
    snapshot: str | None = None
    reduction: Mapping[str, str] = field(default_factory=dict)
    span: str | None = None
    lag: int = 0
    scale: float | str = 1.0
    offset: float | str = 0.0
    traits: tuple[str, ...] = ()
    reproduced_by: str | None = None
    unstated: tuple[str, ...] = ()

    @property
    def axis(self) -> Transform | None:
        """What the code makes of the metric before it logs it; None where that depends on an unknown setting."""
        if isinstance(self.scale, str) or isinstance(self.offset, str) or not self.scale:
            return None
        return Transform(self.scale, self.offset)


@dataclass(frozen=True, slots=True)
class Alternative:
    """What another configuration would give.

    Attributes:
        variant: The name of the fact that holds then, if it has one.
        when: The guard.
        metric: What the key measures then.
        what: What else changes, in short.
    """

    variant: str | None
    when: str | None
    metric: str | None
    what: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a certain value of a number tells its reader; ``{value}`` in a text stands for the value.

    Attributes:
        value: A number, or as text a bound (``< 0``), a range (``0.69..0.70``), ``nan`` or ``null``.
        level: ``expected``, ``info``, ``warning`` or ``error``.
        says: What it means.
        why: How it comes about.
        worry: What would make it a bad sign.
        watch: What to look at instead or besides.
        follows: Metrics of which a bad value in the same row explains this one.
        beside: What the same row must show for this to be said: each a ``metric`` with a ``value``.
    """

    value: float | str
    level: str
    says: str
    why: str | None = None
    worry: str | None = None
    watch: str | None = None
    follows: tuple[str, ...] = ()
    beside: tuple[Mapping[str, Any], ...] = ()


class Entry(NamedTuple):
    """One key or template of one component, with its effective signature under a configuration.

    Attributes:
        component: The component that logs it.
        key: The name as logged, with ``{placeholders}``.
        mode: ``train`` or ``eval``.
        metric: The canonical name of what it measures; None where only another configuration says.
        kind: scalar, distribution, counter or text.
        signature: How this code computes it.
        condition: When it is logged, in words or as a guard.
        logged_by_default: Whether the release's defaults log it; None if that depends on something unknown.
        logged: The same under the given configuration.
        constant_when: When the value does not change, such as "always 0 with one iteration".
        variant: The facts that hold only under this configuration.
        alternatives: What other configurations would give.
        bind: Values of placeholders when this is the target of a translation.
        at: Anchors of the places in the source that show it.
        note: What else there is to know.
        route: How the key reaches the trackers, where that is not the component's usual way.
        notes: What ``note`` says, note by note.
        reads: What certain values mean here.
        never: Whether no setting has it logged: what would log it ends with an error.
        preferred: Whether a number goes to this key where several are equally good.
        every: What a new value comes with, where that is not what the component says.
        axis: The x-axis, where that is not the component's.
        either: Where several records log the key, each with a meaning of its own: when any of them does.
    """

    component: str
    key: str
    mode: str
    metric: str | None
    kind: str
    signature: Signature
    condition: str | None
    logged_by_default: bool | None
    logged: bool | None
    constant_when: tuple[str, ...]
    variant: str | None
    alternatives: tuple[Alternative, ...]
    bind: Mapping[str, str]
    at: tuple[str, ...]
    note: str | None
    route: str | None = None
    notes: tuple[str, ...] = ()
    reads: tuple[Reading, ...] = ()
    never: bool = False
    preferred: bool = False
    every: str | None = None
    axis: str | None = None
    either: str | None = None

    @property
    def logged_when(self) -> str | None:
        """When the key is logged, whatever it measures then; ``condition`` says when it measures this."""
        return self.condition if self.either is None else self.either


@dataclass(frozen=True, slots=True)
class Typical:
    """How large a difference is on the reference batches, as a range that leaves out the smallest and largest tenth.

    Attributes:
        low: Lower end.
        high: Upper end.
        unit: ``%`` of the number without the trait, or the unit in which the metric is measured.
        direction: ``higher`` or ``lower`` where the target's number lies on that side on nine of ten batches.
    """

    low: float
    high: float
    unit: str
    direction: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which two numbers of the same metric differ.

    Attributes:
        what: A statement that stands alone.
        grade: ``minor``, ``biased`` or ``incomparable``.
        vanishes_when: When the difference cannot show, in words.
        correction: How to undo it.
        applies: Whether it shows under the settings of both sides; None where nothing can tell.
        vanishes_if: The same as ``vanishes_when`` as guards, over the settings of the first and of the second side; one
            that says nothing about a side is None. None as a whole where no setting says it.
        about: Which part of the signature it is about: ``level:NAME``, ``trait:NAME``, ``population``, ``snapshot``,
            ``span``, ``lag``, ``formula``, ``scale``, ``kind``, ``placeholder`` or ``unreviewed``.
        typical: How large it is on the reference batches; None where nothing computes that.
    """

    what: str
    grade: str
    vanishes_when: str | None = None
    correction: str | None = None
    applies: bool | None = None
    vanishes_if: tuple[str | None, str | None] | None = None
    about: str = ""
    typical: Typical | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """target = scale * source + offset."""

    scale: float = 1.0
    offset: float = 0.0

    def __call__(self, value: float) -> float:
        """Return the value in the target's terms."""
        return self.scale * value + self.offset

    def undone(self, value: float) -> float:
        """Return a value of the target in the source's terms."""
        return (value - self.offset) / self.scale

    def span(self, low: float | None, high: float | None) -> tuple[float | None, float | None]:
        """Return a range in the target's terms, where low may be what was high; None is no bound."""
        ends = (None if low is None else self(low), None if high is None else self(high))
        return ends if self.scale > 0 else (ends[1], ends[0])

    @property
    def is_plain(self) -> bool:
        """Whether values stay as they are."""
        return self.scale == 1.0 and not self.offset


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A key of the target that must not be taken for the translation, and why; ``short`` says that in a few words."""

    to: str
    to_component: str
    why: str
    short: str | None = None


@dataclass(frozen=True, slots=True)
class MapRow:
    """A line of a translation table.

    Attributes:
        from_: Key or template of the source; ``from`` in JSON.
        from_component: The component that logs it.
        to: Its best target, or None where there is none.
        to_component: The component that logs that.
        relation: ``exact``, ``affine``, ``approximate``, ``unreviewed``, ``related`` or ``none``.
        differs_by: How the two numbers differ.
        transform: How values are converted; None if they stay as they are.
        note: What else there is to know.
        related: Keys that look like a translation and are none.
        metric: Canonical name of the source.
        mode: ``train`` or ``eval``.
        unbound: Placeholders of the target that need a value.
        fallbacks: Releases that the spec lacks, and what answers in their place.
        severity: How much weighs what sets the two apart: ``same``, ``close``, ``unreviewed``, ``biased``,
            ``look-alike`` or ``none``.
    """

    from_: str
    from_component: str
    to: str | None
    to_component: str | None
    relation: str
    differs_by: tuple[Difference, ...] = ()
    transform: Transform | None = None
    note: str | None = None
    related: tuple[LookAlike, ...] = ()
    metric: str | None = None
    mode: str = "train"
    unbound: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    severity: str = "none"
