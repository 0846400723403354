"""In which configurations a key is logged, and in which of them facts hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import GuardError

from .guardsets import parsed, witness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..meaning import Resolved
    from .context import Context, FileScope

__all__ = ["as_yaml", "logged_guards", "logged_with", "under"]


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


def under(config: Mapping[str, Any]) -> str:
    """Return a configuration in words, to follow what holds in it."""
    shown = ", ".join(f"{name}={as_yaml(value)}" for name, value in config.items())
    return f" with {shown}" if shown else ""


def as_yaml(value: Any) -> str:
    """Return a value of a configuration key as the spec writes it."""
    return (
        {True: "true", False: "false", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)
    )
