"""Packages whose public names are imported from their modules when they are first used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["lazily"]


def lazily(package: dict[str, Any], **modules: tuple[str, ...]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: The package's ``globals()``.
        modules: For each of its modules the public names that are there.
    """
    home = {name: module for module, names in modules.items() for name in names}

    def attribute(name: str) -> Any:
        """Import a public name from its module."""
        if name not in home:
            msg = f"module {package['__name__']!r} has no attribute {name!r}"
            raise AttributeError(msg)
        # As importlib does, which takes longer to import than most modules.
        value = getattr(__import__(f"{package['__name__']}.{home[name]}", fromlist=[name]), name)
        package[name] = value
        return value

    return attribute, lambda: sorted(home)
