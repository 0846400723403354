"""What `resolve`, `keys` and `releases` answer with: frozen records whose fields are those of the JSON output."""

from __future__ import annotations

from collections.abc import Mapping

from rlmetrics.lazy_dataclasses import dataclass, field

from ..meanings.key_cadence import Cadence
from ..tables.key_records import Alternative, Evidence, Fallback, LookAlike, Reading, Signature

__all__ = ["Defect", "Documented", "KeyInfo", "ReleaseInfo", "Resolution", "UpstreamReport"]


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
        heading: The heading under which it stands.
    """

    says: str
    code: str | None
    title: str
    path: str | None = None
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class UpstreamReport:
    """An issue or pull request of the framework about a number.

    Attributes:
        number: Its number.
        url: Its address.
        says: What it is about, in our words.
        state: ``open``, ``closed`` or ``merged`` on the day on which it was read.
        holds: Whether the number is so in the release that is asked about.
        releases: In which releases it is so.
        fixed: The first release in which it is no longer so; None where none is known.
        by: The number of the pull request that mended it.
        read: The day up to which it was read.
    """

    number: int
    url: str
    says: str
    state: str
    holds: bool
    releases: tuple[str, ...]
    fixed: str | None
    by: int | None
    read: str


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
        notes: The same, note by note.
        reason: Why the key has no metric.
        nearest: Known keys that look like it.
        fallbacks: The release that was asked for, if the spec lacks it, and what answers in its place.
        matched: How the key was understood: ``key``, ``shown`` (as a tracker shows it), ``template``, ``alias`` (a
            name of the metric) or ``segment`` (the last part of a key); None if it was not.
        releases: Where no source was named, the releases in which the component gives the key this meaning; for a key
            that the source lacks, those in which its components do log it.
        near_miss: The key that was probably meant, at most two edits away, where the key is a name of the user's own
            choice or unknown.
        instead: For a key that the source lacks: the key that has its meaning there.
        reads: What certain values mean under this configuration.
        became: For a key that the source lacks: what became of it there; see `rlmetrics.names.mapping.fate.Fate`.
        related: Where nothing has its meaning there, what is taken for it, the likeliest first.
        undescribed: The framework that logs the key, where the spec does not describe it.
        reports: Issues and pull requests of the framework about it, those that hold in this release first.
        cadence: How often it gets a new value, and on which x-axis; None where nothing says either.
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
    notes: tuple[str, ...] = ()
    reason: str | None = None
    nearest: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    matched: str | None = None
    releases: tuple[str, ...] = ()
    near_miss: str | None = None
    instead: str | None = None
    reads: tuple[Reading, ...] = ()
    became: str | None = None
    related: tuple[LookAlike, ...] = ()
    undescribed: str | None = None
    cadence: Cadence | None = None
    reports: tuple[UpstreamReport, ...] = ()

    def __repr__(self) -> str:
        from rlmetrics.names.tables.record_display import one_line

        return one_line("Resolution", f"{self.key!r} at {self.source}: {self.metric or self.reason}")

    def _repr_html_(self) -> str:
        from rlmetrics.names.tables.record_display import facts_html

        facts: list[tuple[str, object]] = [
            ("measures", self.brief or self.reason),
            ("metric", self.metric),
            ("unit", self.unit),
            ("logged by", self.component),
            ("logged", self.condition),
            ("every", None if self.cadence is None else self.cadence.every),
            ("constant", self.constant_when),
            ("defects", [item.what for item in self.defects]),
            ("function", self.function),
            ("note", self.note),
            ("nearest", self.nearest),
            ("source", [f"{line.path}:{line.line}" for line in self.evidence]),
        ]
        return facts_html(f"{self.key} at {self.source}", facts)


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key or template that a source logs.

    ``fallbacks`` has the release that was asked for, if the spec lacks it, and what answers in its place; ``unstated``
    what nobody has looked up of how the number is computed, such as its ``reduction``.
    """

    component: str
    key: str
    metric: str | None
    kind: str
    mode: str
    condition: str | None
    logged_by_default: bool | None
    logged: bool | None
    evidence: tuple[Evidence, ...]
    fallbacks: tuple[Fallback, ...] = ()
    unstated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleaseInfo:
    """A release; ``components`` are those that the spec describes."""

    framework: str
    release: str
    date: str
    components: tuple[str, ...]
