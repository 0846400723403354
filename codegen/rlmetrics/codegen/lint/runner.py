"""Runs the checks and lets ``allow:`` silence them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..findings import Related, SpecFinding, sort
from .context import Context
from .kept_hits import hits_of
from .lint_check import Check, Hit
from .root_causes import order

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Allow
    from ..spec import Spec

__all__ = ["UNKNOWN_CHECK", "UNUSED_ALLOW", "run"]

UNKNOWN_CHECK = Check(
    "unknown-check",
    "error",
    "An `allow:` names a check that does not exist or that nothing can silence.",
    "correct the name",
)
UNUSED_ALLOW = Check(
    "unused-allow",
    "warning",
    "An `allow:` silences nothing at its place or below.",
    "remove it: what it silenced is fixed",
)

_Place = tuple[str, "YamlPath"]


def run(
    spec: Spec,
    checks: Sequence[Check],
    context: Context | None = None,
    *,
    errors_only: bool = False,
) -> list[SpecFinding]:
    """Return everything that the checks find.

    Args:
        spec: The spec, as far as it could be read.
        checks: The checks to run; those without a function are skipped.
        context: What is derived from this spec, if the caller has use for it too.
        errors_only: Leave out the checks that only warn, or that do not stop what is generated.

    Returns:
        Findings in the order of their places, without those that an ``allow:`` silences.
    """
    context = context or Context(spec)
    findings: list[tuple[SpecFinding, object]] = []
    allowed = _Allowed(spec)
    for check in checks:
        if check.run is None or (errors_only and (check.level != "error" or not check.stops)):
            continue
        if check.whole and spec.unread:
            continue
        for hit in hits_of(check, context):
            if not allowed.silences(check.id, hit):
                findings.append(_finding(spec, check, hit))
    silenceable = [check.id for check in checks if check.run is not None]
    findings += [_finding(spec, UNKNOWN_CHECK, hit) for hit in allowed.unknown(silenceable)]
    if not spec.unread and not errors_only:
        findings += [_finding(spec, UNUSED_ALLOW, hit) for hit in allowed.unused(silenceable)]
    return sort(order(findings))


def _finding(spec: Spec, check: Check, hit: Hit) -> tuple[SpecFinding, object]:
    """Make a finding of a hit; with it the entry of the file in which it is."""
    location = hit.location or spec.locate(hit.ref, hit.path, value=hit.value)
    related = tuple(Related(spec.locate(ref, path), label) for ref, path, label in hit.related)
    fix, notes = hit.fix or check.fix, hit.notes
    for rename in spec.info.renamed:
        if check.id == "broken-reference" and f"`{rename.from_}`" in hit.message:
            fix, notes = f"did you mean `{rename.to}`?", (*notes, f"renamed in {rename.since}: {rename.why}")
    finding = SpecFinding(check.id, check.level, location, hit.message, fix, related, notes)
    return finding, _entry(check, hit)


def _entry(check: Check, hit: Hit) -> object:
    """Return the entry whose other faults this one can explain, or be explained by; None if there is none."""
    is_beside_formula = hit.ref.startswith("metrics/") and check.id == "broken-reference" and "inputs" not in hit.path
    return None if is_beside_formula or len(hit.path) < 2 else (hit.ref, hit.path[:2])


class _Allowed:
    """The ``allow:`` entries of a spec and which of them were needed."""

    def __init__(self, spec: Spec) -> None:
        self._entries: dict[_Place, list[tuple[YamlPath, Allow]]] = {}
        for ref, path, allow in spec.allows():
            self._entries.setdefault((ref, path[:-2]), []).append((path, allow))
        self._used: set[tuple[str, YamlPath]] = set()

    def silences(self, check: str, hit: Hit) -> bool:
        for length in range(len(hit.path), -1, -1):
            for path, allow in self._entries.get((hit.ref, hit.path[:length]), ()):
                if allow.check == check:
                    self._used.add((hit.ref, path))
                    return True
        return False

    def unknown(self, known: Sequence[str]) -> Iterator[Hit]:
        for ref, path, allow in self._all():
            if allow.check not in known:
                near = difflib.get_close_matches(allow.check, known, n=1)
                fix = f"did you mean `{near[0]}`?" if near else None
                message = f"`{allow.check}` is not a check that can be allowed"
                yield Hit(ref, (*path, "check"), message, fix, value=True)

    def unused(self, known: Sequence[str]) -> Iterator[Hit]:
        for ref, path, allow in self._all():
            if allow.check in known and (ref, path) not in self._used:
                yield Hit(ref, (*path, "check"), f"nothing here or below fails `{allow.check}`", value=True)

    def _all(self) -> Iterator[tuple[str, YamlPath, Allow]]:
        for (ref, _), entries in self._entries.items():
            for path, allow in entries:
                yield ref, path, allow
