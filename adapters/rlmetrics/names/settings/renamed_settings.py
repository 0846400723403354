"""Settings that got another name: what a release calls one that is given by the name of another release."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import Any

__all__ = ["later_name", "named_in"]


def named_in(
    name: str,
    keys: Mapping[str, Any],
    has: Collection[str],
    takes: Callable[[str], bool],
    covers: Callable[[Sequence[str]], bool],
) -> str | None:
    """Return under which other name a release has a setting that is given, or which one it sets with it.

    Args:
        name: A setting, by the name of some release.
        keys: What the spec says of each setting.
        has: The settings of which the release is known to have a default.
        takes: Tells whether the release has a setting of that name, whatever it does.
        covers: Tells whether ranges hold the release.

    Returns:
        The other name; None if the release has the setting as it is given, or has none like it.
    """
    later = later_name(name, keys)
    if later is not None and covers(keys[later]["formerly"][0]):
        return later
    if name in has:
        return None
    while later is not None and later not in has:
        later = later_name(later, keys)
    if later is not None or takes(name):
        return later
    # A setting of that name that does something else is meant where the release has one.
    return next((former for former in _former(name, keys) if former in has), None)


def later_name(name: str, keys: Mapping[str, Any]) -> str | None:
    """Return what a setting was renamed to; None if it was not."""
    return next((later for later, row in keys.items() if row.get("formerly", ((), None))[1] == name), None)


def _former(name: str, keys: Mapping[str, Any]) -> Iterator[str]:
    while "formerly" in keys.get(name, {}):
        name = keys[name]["formerly"][1]
        yield name
