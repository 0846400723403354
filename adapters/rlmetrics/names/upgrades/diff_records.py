"""What changed between two sources: the records in which `rlmetrics.names.diff` tells it."""

from __future__ import annotations

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import TYPE_CHECKING

from ..tables.key_records import Difference, Evidence, Fallback, LookAlike, Transform

if TYPE_CHECKING:
    from .causes import SharedCause, TakenBack
    from .changed_defaults import ChangedDefault

__all__ = ["ChangedKey", "DiffResult", "ListedKey", "RenamedClass", "RenamedKey", "UnreviewedKey"]


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A key that came or went; for one that went, ``instead`` names what measures the same in the new source.

    Where nothing does, ``related`` holds what is taken for it there.

    ``evidence`` is where it stands in its release, or in the nearest one that is cited; ``since`` the first release
    with it, or, for one that went, without it; ``bookkeeping`` whether it is a timer or the like.
    """

    key: str
    component: str
    metric: str | None
    condition: str | None
    logged_by_default: bool | None
    evidence: tuple[Evidence, ...]
    instead: str | None = None
    mode: str = "train"
    since: str | None = None
    bookkeeping: bool = False
    related: tuple[LookAlike, ...] = ()


@dataclass(frozen=True, slots=True)
class RenamedKey:
    """A key that has a new name, and how the numbers under both relate."""

    from_: str
    to: str
    relation: str
    component: str
    to_component: str
    differs_by: tuple[Difference, ...]
    transform: Transform | None
    metric: str | None
    evidence: tuple[Evidence, ...]
    mode: str = "train"
    since: str | None = None
    severity: str = "none"
    bookkeeping: bool = False


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A key that kept its name and changed its meaning.

    Attributes:
        key: The key.
        component: The component that logs it.
        what: What changed, in words.
        since: The first release from which on the meaning is another one than before; None for different frameworks.
        evidence: Where the new meaning stands, in the new release or the nearest one that is cited.
        relation: From the old number to the new one.
        differs_by: How the two numbers differ.
        severity: How much weighs what differs: ``same``, ``close``, ``biased``, ``look-alike``, or ``none`` for a key
            that is not logged by default any more.
        applies: Whether any of it shows with the given or default settings; None where nothing can tell.
        causes: What changed, each in words after its release.
        mode: ``train`` or ``eval``.
        bookkeeping: Whether it is a timer or the like.
        metric: What it measures in the new release.
    """

    key: str
    component: str
    what: str
    since: str | None
    evidence: tuple[Evidence, ...]
    relation: str
    differs_by: tuple[Difference, ...]
    severity: str = "none"
    applies: bool | None = None
    causes: tuple[str, ...] = ()
    mode: str = "train"
    bookkeeping: bool = False
    metric: str | None = None


@dataclass(frozen=True, slots=True)
class RenamedClass:
    """A component that goes on under another name.

    Attributes:
        former: Its name in the old release.
        component: Its name in the new one.
        since: The first release that has it under the new name.
    """

    former: str
    component: str
    since: str | None


@dataclass(frozen=True, slots=True)
class UnreviewedKey:
    """A key that both sources have, and of which either leaves open how it is computed: that may have changed, too.

    Attributes:
        key: The key, as the new source spells it.
        component: The component that logs it there.
        unstated: What is left open: ``population``, ``reduction``, ``span``.
        mode: ``train`` or ``eval``.
    """

    key: str
    component: str
    unstated: tuple[str, ...]
    mode: str = "train"


@dataclass(frozen=True, slots=True)
class DiffResult:
    """What changed between two sources.

    Attributes:
        added: Keys that only the new one has.
        removed: Keys that only the old one has.
        renamed: Keys that have another name in the new one.
        changed: Keys that mean something else in the new one.
        fallbacks: Releases that the spec lacks, and what answers in their place.
        causes: Why keys changed, each cause once: what holds by default first, then the weightiest.
        taken_back: What changed in between and was taken back.
        defaults: Settings with another default.
        kept: How many training keys both sources have under one name.
        others: What other settings than the given or default ones would show besides; only if that was asked for.
        classes: Components of the new source that had another name.
        programs: Further programs of the new source, which were left aside.
        ended: Components that only the old source has, such as trainers that were removed.
        begun: Components that only the new one has.
        several: Whether the new source has several programs, which may have keys of the same name.
        from_: The old source as it was understood; ``from`` in JSON.
        to: The new source.
        chosen: Which releases were picked for a source that names none.
        unreviewed: Keys that both have and of which not all is stated that may have changed.
        given: The names of the settings that were given: with them the defaults of all others hold.
    """

    added: tuple[ListedKey, ...]
    removed: tuple[ListedKey, ...]
    renamed: tuple[RenamedKey, ...]
    changed: tuple[ChangedKey, ...]
    fallbacks: tuple[Fallback, ...] = ()
    causes: tuple[SharedCause, ...] = ()
    taken_back: tuple[TakenBack, ...] = ()
    defaults: tuple[ChangedDefault, ...] = ()
    kept: int = 0
    others: tuple[SharedCause, ...] = ()
    classes: tuple[RenamedClass, ...] = ()
    programs: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    several: bool = False
    from_: str = ""
    to: str = ""
    chosen: tuple[str, ...] = ()
    unreviewed: tuple[UnreviewedKey, ...] = ()
    given: tuple[str, ...] = ()
