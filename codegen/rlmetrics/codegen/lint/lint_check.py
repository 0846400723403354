"""What a lint check is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings import FindingLevel, Location
    from ..loader import YamlPath
    from .context import Context

__all__ = ["Check", "Hit", "check"]


@dataclass(frozen=True)
class Hit:
    """One place where a check fails.

    Attributes:
        ref: The file, such as ``metrics/policy``.
        path: The node in the file.
        message: What is wrong, in one line.
        fix: What to do, if the check's own advice is too general.
        value: Point to the value instead of the key.
        location: A more exact place than the node, such as a character of a formula.
        related: Other nodes that it is about, each with a few words on what is there.
        notes: Further lines that help to understand it.
    """

    ref: str
    path: YamlPath
    message: str
    fix: str | None = None
    value: bool = False
    location: Location | None = None
    related: tuple[tuple[str, YamlPath, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """A named check of the spec.

    Attributes:
        id: Its name, used by ``allow:``.
        level: How much a finding weighs.
        what: What it finds, as a sentence for the documentation.
        fix: What to do about it in general.
        run: Yields the places; None for checks that the loader or the runner performs.
        stops: Whether an error keeps everything from being generated; one that is about pages only does not.
        whole: Whether it finds what stands nowhere, belongs to nothing, or is made of pieces of several files. It does
            not run while a part of the spec cannot be read, since that may be the place.
        prose: Whether it looks at what is written for readers: briefs and descriptions of metrics, other languages,
            guides, pages. All other checks get a spec without these, and are not run again when only these change.
        metrics: Whether it looks at metrics. The others get a spec without any, and are not run again when only
            metrics change.
    """

    id: str
    level: FindingLevel
    what: str
    fix: str
    run: Callable[[Context], Iterator[Hit]] | None = None
    stops: bool = True
    whole: bool = False
    prose: bool = False
    metrics: bool = True


def check(
    name: str,
    level: FindingLevel,
    *,
    what: str,
    fix: str,
    stops: bool = True,
    whole: bool = False,
    prose: bool = False,
    metrics: bool = True,
) -> Callable[[Callable[[Context], Iterator[Hit]]], Check]:
    """Make a check of a function that yields hits."""

    def make(run: Callable[[Context], Iterator[Hit]]) -> Check:
        return Check(name, level, what, fix, run, stops, whole, prose, metrics)

    return make
