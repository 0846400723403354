"""What a loosely written source means: ``trl``, ``trl[grpo]``, ``trl==0.12``, ``trl==0.12.*``."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import NamedTuple

from ..tables.framework_table import FrameworkTable
from ..tables.versions import Releases, version_key

__all__ = [
    "INSTALLED",
    "NEWEST",
    "Choice",
    "Described",
    "components_called",
    "implied_release",
    "is_called",
    "newest_base",
    "release_of_series",
]

INSTALLED = "installed here"
NEWEST = "the newest known"

Described = tuple[str, str, list[str], str]
"""Name, file, ranges of releases and module of a component."""

_SERIES = r"\d+(?:\.\d+)?|(?P<star>\d+(?:\.\d+)*)\.\*"
_SUFFIX = "trainer"


class Choice(NamedTuple):
    """A release that was not named in full.

    Attributes:
        release: As it is installed or as the spec has it.
        why: How it was chosen, in words: ``the newest known``.
    """

    release: str
    why: str


def components_called(table: FrameworkTable, asked: str) -> list[Described]:
    """Return the components that a name means; those of several if it is short for all of them.

    A component is called by its name, by its name with any part of its module in front, and by either without regard
    to case, ``-`` and ``_``. A class is also called without ``Trainer``, and by the beginning of its name.
    """
    ways = (
        lambda item: item[0] == asked,
        lambda item: _has_module(item[0], item[3], asked),
        lambda item: _folded(item[0]) == _folded(asked),
        lambda item: _short(item[0]) == _folded(asked),
        lambda item: len(asked) > 1 and _short(item[0]).startswith(_folded(asked)),
    )
    for way in ways:
        components = [item for item in table.components if way(item)]
        if components:
            return components
    return []


def is_called(table: FrameworkTable, asked: str) -> bool:
    """Tell whether a framework has a component with exactly this name, in full or in short."""
    folded = _folded(asked)
    return any(folded in (_folded(item[0]), _short(item[0])) for item in table.components)


def implied_release(table: FrameworkTable, package: str, candidates: Sequence[Described]) -> Choice | None:
    """Return the release that is meant where none is named, or None if the spec describes no component.

    It is the installed one if the spec has an answer for it and it has one of the components; else the newest.
    """
    covered = _covered(table.releases, candidates)
    installed = _installed(package)
    if installed is not None and table.releases.answering(installed) in covered:
        return Choice(installed, INSTALLED)
    if not covered:
        return None
    newest = max(covered, key=table.releases.index)
    is_last = newest == max(_covered(table.releases, table.components), key=table.releases.index)
    return Choice(newest, NEWEST if is_last else f"the last with {candidates[0][0]}")


def release_of_series(table: FrameworkTable, asked: str, candidates: Sequence[Described]) -> Choice | None:
    """Return the release that ``0.12`` or ``0.12.*`` stands for; None if the text is no series that the spec has.

    ``0.12`` is 0.12.0, or else the newest patch; ``0.12.*`` is always the newest patch that has one of the components.
    """
    import re

    match = re.fullmatch(_SERIES, asked)
    if match is None:
        return None
    releases = table.releases
    if match["star"] is None and any(version_key(name) == version_key(asked) for name in releases.names):
        return None
    series = [int(part) for part in (match["star"] or asked).split(".")]
    patches = [name for name in releases.names if _numbers(name)[: len(series)] == series]
    if not patches:
        return None
    covered = _covered(releases, candidates)
    newest = [name for name in patches if name in covered] or patches
    lacks = f" with {candidates[0][0]}" if newest[-1] != patches[-1] else ""
    return Choice(newest[-1], f"the newest of {match['star'] or asked}{lacks}")


def newest_base(table: FrameworkTable, asked: str) -> Choice | None:
    """Return a release on the newest that it accepts of the framework under it, where nobody said on which it runs."""
    pairs = table.releases.paired(asked)
    if not pairs or table.base is None:
        return None
    base, under = table.base
    return Choice(pairs[-1], f"with {base.name} {under[pairs[-1]]}, the newest that it runs on")


def _covered(releases: Releases, components: Sequence[Described]) -> frozenset[str]:
    return frozenset[str]().union(*(releases.covered(ranges) for _, _, ranges, _ in components))


def _numbers(release: str) -> list[int]:
    import re

    match = re.match(r"\d+(?:\.\d+)*", release)
    return [int(part) for part in match[0].split(".")] if match else []


def _has_module(name: str, module: str, asked: str) -> bool:
    """Tell whether ``module.Class`` names a component, with any part of its module: ``gspo_token.GRPOTrainer``."""
    packages, _, cls = asked.rpartition(".")
    return bool(packages) and cls == name.rpartition(".")[2] and f".{packages}." in f".{module}."


def _folded(name: str) -> str:
    return "".join(name.replace("-", "").replace("_", "").split()).lower()


def _short(name: str) -> str:
    return _folded(name).removesuffix(_SUFFIX)


def _installed(package: str) -> str | None:
    """Return the installed release of a package."""
    from importlib.util import find_spec

    try:
        # Much quicker than to look for metadata that are not there.
        if find_spec(package) is None:
            return None
    except (ImportError, ValueError):
        return None
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
