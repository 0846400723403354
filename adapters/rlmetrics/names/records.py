"""What questions about names are answered with: frozen records whose fields are those of the JSON output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

__all__ = [
    "BETWEEN",
    "Alternative",
    "Defect",
    "Difference",
    "Documented",
    "Entry",
    "Evidence",
    "KeyInfo",
    "LookAlike",
    "MapRow",
    "ReleaseInfo",
    "Resolution",
    "Signature",
    "Transform",
    "pieces",
    "read_evidence",
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of a release that shows a fact; ``path`` is relative to the wheel."""

    release: str
    path: str
    line: int
    symbol: str
    shows: str = "key"
    note: str | None = None


BETWEEN: Final = "^"
"""What stands between the pieces of evidence in a table."""


def pieces(cited: str) -> list[str]:
    """Return the pieces of a table's evidence."""
    return cited.split(BETWEEN) if cited else []


@lru_cache(maxsize=16384)
def read_evidence(text: str) -> Evidence:
    """Return a piece of evidence, ``release|path|line|symbol[|shows[|note]]``, as a record."""
    release, path, line, symbol, *rest = text.split("|", 5)
    return Evidence(release, path, int(line), symbol, *rest)


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


@dataclass(frozen=True, slots=True)
class Alternative:
    """What another configuration would give: ``variant`` is None for the plain emission."""

    variant: str | None
    when: str | None
    metric: str | None


@dataclass(frozen=True, slots=True)
class Entry:
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
        variant: The variant that the configuration picks.
        alternatives: What other configurations would give.
        bind: Values of placeholders when this is the target of a translation.
        cited: Where it stands in a release, as the tables write it.
        note: What else there is to know.
        route: How the key reaches the trackers, where that is not the component's usual way.
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
    cited: str
    note: str | None
    route: str | None = None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Where it stands in a release; read only when it is asked for, since whole tables have thousands of lines."""
        return tuple(map(read_evidence, pieces(self.cited)))


@dataclass(frozen=True, slots=True)
class Defect:
    """A known fault in how a code computes its number."""

    trait: str
    what: str
    grade: str
    vanishes_when: str | None
    correction: str | None


@dataclass(frozen=True, slots=True)
class Documented:
    """What the framework's own guide says about a key.

    Attributes:
        says: What it says, in our words.
        code: What the code does instead, where they differ.
        title: The guide.
        path: Where it stands in the release's repository.
        line: The line there.
    """

    says: str
    code: str | None
    title: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What one key means in one component.

    Attributes:
        key: As given.
        metric: Canonical name, or None if the key is unknown.
        rev: Revision of the metric's meaning.
        brief: The metric in one sentence.
        unit: Unit of the metric.
        source: Framework, component and release.
        component: The component that logs it.
        template: The key as the spec writes it.
        placeholders: Values of the template's placeholders.
        mode: ``train`` or ``eval``.
        surface: ``logged``, or the tracker that shows the name like this.
        condition: When it is logged.
        logged_by_default: Whether the release's defaults log it.
        logged: The same under the given configuration.
        constant_when: When the value does not change.
        variant: The variant that the configuration picks.
        alternatives: What other configurations would give.
        signature: How this code computes it.
        defects: Known faults in that.
        function: The function that computes the metric.
        evidence: Where it stands in a release.
        documented: What the framework's guide adds, or says although the code does otherwise.
        note: What else there is to know.
        reason: Why the key has no metric.
        nearest: Known keys that look like it.
    """

    key: str
    metric: str | None
    rev: int | None = None
    brief: str | None = None
    unit: str | None = None
    source: str | None = None
    component: str | None = None
    template: str | None = None
    placeholders: Mapping[str, str] = field(default_factory=dict)
    mode: str | None = None
    surface: str | None = None
    condition: str | None = None
    logged_by_default: bool | None = None
    logged: bool | None = None
    constant_when: tuple[str, ...] = ()
    variant: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    signature: Signature | None = None
    defects: tuple[Defect, ...] = ()
    function: str | None = None
    evidence: tuple[Evidence, ...] = ()
    documented: tuple[Documented, ...] = ()
    note: str | None = None
    reason: str | None = None
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key or template that a source emits."""

    component: str
    key: str
    metric: str | None
    kind: str
    mode: str
    condition: str | None
    logged_by_default: bool | None
    logged: bool | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ReleaseInfo:
    """A release; ``components`` are those that the spec describes."""

    framework: str
    release: str
    date: str
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which two numbers of the same metric differ.

    Attributes:
        what: A statement that stands alone.
        grade: ``minor``, ``biased`` or ``incomparable``.
        vanishes_when: When the difference cannot show.
        correction: How to undo it.
    """

    what: str
    grade: str
    vanishes_when: str | None = None
    correction: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """target = scale * source + offset."""

    scale: float
    offset: float

    def __call__(self, value: float) -> float:
        """Return the value in the target's terms."""
        return self.scale * value + self.offset


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A key of the target that must not be taken for the translation, and why."""

    to: str
    to_component: str
    why: str


@dataclass(frozen=True, slots=True)
class MapRow:
    """A line of a translation table.

    Attributes:
        from_: Key or template of the source; ``from`` in JSON.
        from_component: The component that logs it.
        to: Its best target, or None where there is none.
        to_component: The component that logs that.
        relation: ``exact``, ``affine``, ``approximate``, ``related`` or ``none``.
        differs_by: How the two numbers differ.
        transform: How values are converted; None if they stay as they are.
        note: What else there is to know.
        related: Keys that look like a translation and are none.
        metric: Canonical name of the source.
        mode: ``train`` or ``eval``.
        unbound: Placeholders of the target that need a value.
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
