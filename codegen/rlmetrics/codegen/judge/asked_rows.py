"""Under which settings the keys are looked at of which a sentence is told: the defaults, and those that guards name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.meanings.constancy import stated

from ..lint.guardsets import witness

if TYPE_CHECKING:
    from ..lint.carried import CarriedRow
    from ..lint.context import Context
    from ..loader import YamlPath
    from ..meaning import SpecPiece

__all__ = ["AskedRow", "asked_rows"]

_UNKNOWN = " or unknown"
"""What a guard says of settings that nobody knows; here all of them are chosen."""


class AskedRow(NamedTuple):
    """A key of a component in one release, under settings.

    Attributes:
        framework: The framework.
        stem: The component's file.
        release: The release.
        config: Names and values of the settings that differ from the defaults.
        key: The key, as it is logged.
        mode: ``train`` or ``eval``.
    """

    framework: str
    stem: str
    release: str
    config: tuple[tuple[str, Any], ...]
    key: str
    mode: str


def asked_rows(context: Context, rows: Iterable[CarriedRow]) -> Iterator[AskedRow]:
    """Yield keys under their default settings, then under some in which each guard on them holds, and does not.

    What records and facts ask is tried in one of the components that they hold for, the newest releases first.

    Args:
        context: The spec.
        rows: The keys.
    """
    tried: set[tuple[str, YamlPath, str]] = set()
    for row in sorted(rows, key=lambda row: -row.item.releases):
        scope, item = row.component.scope, row.item
        release = context.releases(scope.framework).names[item.releases.bit_length() - 1]
        seen: set[tuple[tuple[str, Any], ...]] = {()}
        yield AskedRow(scope.framework, scope.stem, release, (), item.key, item.mode)
        for piece in (item.record, *item.facts):
            for guard in _guards(context, scope.framework, piece):
                if (piece.stem, piece.path, guard) in tried:
                    continue
                tried.add((piece.stem, piece.path, guard))
                for text in (guard, f"not ({guard})"):
                    found = witness(context, scope.framework, scope.stem, text)
                    config = tuple(sorted((found or {}).items()))
                    if config not in seen:
                        seen.add(config)
                        yield AskedRow(scope.framework, scope.stem, release, config, item.key, item.mode)


def _guards(context: Context, framework: str, piece: SpecPiece) -> Iterator[str]:
    traits = context.spec.signatures.traits
    says = piece.says
    logged, constants = (_listed(says.get(field)) for field in ("logged_when", "constant_when"))
    yield from filter(None, [piece.when, *logged])
    for constant in map(stated, constants):
        if constant is not None and constant.guard is not None:
            yield constant.guard
    for name in says.get("traits", ()):
        vanishes = traits[name].vanishes_if if name in traits else None
        guard = vanishes.get(framework) if isinstance(vanishes, dict) else vanishes
        if guard is not None and "single." not in guard:
            yield guard.removesuffix(_UNKNOWN)


def _listed(texts: Any) -> list[str]:
    return [texts] if isinstance(texts, str) else [*(texts or ())]
