"""In which configurations a key is logged, and in which of them facts hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import GuardError

from .guardsets import parsed, witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..meaning import Resolved, SpecPiece
    from .context import Context, FileScope

__all__ = ["as_yaml", "logged_guards", "logged_with", "metrics_with", "under"]


def logged_guards(item: Resolved) -> list[str]:
    """Return the guards that all hold where a key is logged, or would be if nothing failed on the way."""
    pieces = (item.record, *item.facts)
    return list(dict.fromkeys(guard for piece in pieces for guard in piece.says.get("logged_when", ())))


def logged_with(context: Context, scope: FileScope, item: Resolved, *guards: str | None) -> dict[str, Any] | None:
    """Return a configuration in which guards hold and a key is logged, None if there is none.

    Args:
        context: The spec.
        scope: The component.
        item: The key.
        guards: Guards written out; None always holds.
    """
    config = witness(context, scope.framework, scope.stem, *guards)
    asked = logged_guards(item)
    if config is None or not asked or all(_holds(guard, config) for guard in asked):
        return config
    return witness(context, scope.framework, scope.stem, *guards, *asked)


def _holds(guard: str, config: Mapping[str, Any]) -> bool:
    expression = parsed(guard)
    try:
        return expression is None or expression.holds(config)
    except GuardError:
        return False


def metrics_with(
    context: Context, scope: FileScope, item: Resolved, piece: SpecPiece, asked: Callable[[str], bool]
) -> Iterator[str]:
    """Yield the metrics that a key can mean where a piece holds and of which something is so.

    Args:
        context: The spec.
        scope: The component of the key.
        item: The key.
        piece: A record or fact of it.
        asked: What is asked of a metric.
    """
    if "metric" in piece.says:
        if asked(piece.says["metric"]):
            yield piece.says["metric"]
        return
    naming = [other for other in item.facts if "metric" in other.says]
    for other in naming:
        if asked(other.says["metric"]) and logged_with(context, scope, item, piece.when, other.when) is not None:
            yield other.says["metric"]
    own: str = item.record.says.get("metric", "")
    if asked(own) and not any(other.when is None for other in naming):
        others = (f"not ({other.when})" for other in naming)
        if logged_with(context, scope, item, piece.when, *others) is not None:
            yield own


def under(config: Mapping[str, Any]) -> str:
    """Return a configuration in words, to follow what holds in it."""
    shown = ", ".join(f"{name}={as_yaml(value)}" for name, value in config.items())
    return f" with {shown}" if shown else ""


def as_yaml(value: Any) -> str:
    """Return a value of a configuration key as the spec writes it."""
    return (
        {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)
    )
