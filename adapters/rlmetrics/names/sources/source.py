"""Which release of which components is meant: ``trl[GRPOTrainer]==1.16.0``, ``verl==0.9.1``, ``canonical``."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rlmetrics.lazy_typing import NamedTuple

from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Fallback
from ..tables.tables import Tables
from ..tables.user_errors import FallbackWarning, NamesError
from ..tables.versions import is_development, version_key
from .source_spelling import components_called, implied_release, is_called, newest_base, release_of_series

__all__ = [
    "CANONICAL",
    "Component",
    "Source",
    "bases_left_open",
    "component_named",
    "describe_releases",
    "last_release",
    "nearest",
    "older_first",
    "owner_of",
    "parse_source",
    "source_parts",
]

CANONICAL = "canonical"


class Component(NamedTuple):
    """A class or part that logs, in one release.

    Attributes:
        name: As the release spells it.
        stem: The file of the spec that describes it.
        module: The Python module that it stands in.
    """

    name: str
    stem: str
    module: str


class Source(NamedTuple):
    """Where names come from.

    Attributes:
        framework: Name of the framework, or ``canonical`` for the spec's own names.
        release: The described release whose answers are given; the spec's version for ``canonical``.
        components: The components that are meant, all of the release if none was named.
        component: The component that was named.
        requested: The release that was asked for, which need not be a described one.
        ended: The last release that has the named component, if this one no longer has it; the components are then
            all of the release.
        chosen: How the release was chosen, if it was not named in full: ``installed here``, ``the newest known`` …
    """

    framework: str
    release: str
    components: tuple[Component, ...] = ()
    component: str | None = None
    requested: str = ""
    ended: str | None = None
    chosen: str = ""

    def __str__(self) -> str:
        component = f"[{self.component}]" if self.component else ""
        return f"{self.framework}{component}=={self.release}"

    @property
    def choice(self) -> str | None:
        """Which release was picked and how, such as ``trl[GRPOTrainer]: 1.16.0, the newest known``; None if named."""
        name, _, release = str(self).partition("==")
        return f"{name}: {release}, {self.chosen}" if self.chosen else None

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """The release that was asked for and the one that answers, unless these are the same."""
        asked, used = self.requested or self.release, self.release
        if asked == used or ("+" not in asked and version_key(asked) == version_key(used)):
            return ()
        return (Fallback(f"{self.framework}=={asked}", f"{self.framework}=={used}"),)

    @property
    def is_canonical(self) -> bool:
        """Whether the names are the spec's own."""
        return self.framework == CANONICAL

    @property
    def is_release(self) -> bool:
        """Whether the names are those that a framework's release logs."""
        return bool(self.components)


def _refuse_file(text: str) -> None:
    """Refuse a log that is given as if it were its source.

    Raises:
        NamesError: There is such a file.
    """
    if os.path.isfile(text):
        msg = f"{text!r} is a file, no source; `rlmetrics check {text}` says what logged it"
        raise NamesError(msg)


def parse_source(text: str, tables: Tables, *, as_target: bool = False) -> Source:
    """Read a source.

    Args:
        text: ``FRAMEWORK[COMPONENT]==RELEASE``, ``FRAMEWORK==RELEASE`` or ``canonical``. Without a release the
            installed one is meant if the spec covers it, else the newest; ``0.12`` is 0.12.0 or else its newest patch,
            ``0.12.*`` the newest patch. A component may be called in short, ``grpo``, and without its framework where
            only one has it.
        tables: Where frameworks and their components are looked up.
        as_target: Whether a component that an older release has and this one no longer has is answered with all
            components of the release, and ``ended`` set.

    Returns:
        The source. For a release that is not known it is the one that answers in its place, with a `FallbackWarning`:
        for a development or pre-release the release that it led to, for any other version the nearest older one, for
        a state of the repository the newest.

    Raises:
        NamesError: The framework, the component or the release is unknown or not described.
    """
    parts = source_parts(text)
    if parts is None:
        _refuse_file(text)
        msg = f"{text!r} is no source; write FRAMEWORK[COMPONENT]==RELEASE, such as {_example(tables)}, or canonical"
        raise NamesError(msg)
    name, component, release = parts
    framework = name.lower()
    if framework == CANONICAL:
        return _named(CANONICAL, component, release, tables.version)
    if framework not in tables.frameworks and framework not in tables.derived:
        targets = [name for name, row in tables.conventions.items() if not {"search", "known_by"} & row.keys()]
        if framework in targets:
            return _named(framework, component, release, str(tables.conventions[framework]["version"]))
        _refuse_file(text)
        known = [*tables.named, *targets, CANONICAL]
        from ..tables.undescribed import undescribed_called

        owner = None if component else owner_of(name, tables)
        if owner is not None:
            full = f"{owner}[{name}]" + ("" if release is None else f"=={release}")
            return parse_source(full, tables, as_target=as_target)
        if (title := undescribed_called(framework, tables)) is not None:
            msg = f"{title} is not described; known are {', '.join(known)}"
            raise NamesError(msg)
        msg = f"unknown framework {name!r}; {nearest(framework, known, 'frameworks')}"
        if "/" in name:
            msg = f"{name!r} is no framework; diff KEY takes source code behind one, such as 'trl[grpo]@{name}'"
        raise NamesError(msg)
    table = tables.framework(framework)
    named = component.strip() if component else None
    candidates = _components(table, named)
    if named and "." not in named:
        named = candidates[0][0]
    chosen = ""
    if release is None:
        implied = implied_release(table, str(tables.head(framework)["package"]), candidates)
        if implied is None:
            msg = f"{text!r} names no release, and the spec describes none; add one, such as {framework}==RELEASE"
            raise NamesError(msg)
        release, chosen = implied
    elif release not in table.releases:
        release, chosen = release_of_series(table, release, candidates) or newest_base(table, release) or (release, "")
    effective = _effective_release(table, release)
    described = tuple(
        Component(name, stem, module)
        for name, stem, ranges, module in candidates
        if table.releases.covers(ranges, effective)
    )
    ended = None
    if not described:
        ended = last_release(table, candidates[0][0], effective) if named else None
        if ended is not None and as_target:
            described = tuple(
                Component(name, stem, module)
                for name, stem, ranges, module in table.components
                if table.releases.covers(ranges, effective)
            )
    if not described:
        asked = "" if effective == release else f", the nearest to {release},"
        if ended is not None:
            msg = f"{framework} {effective}{asked} has no {named} any more; the last release that has it is {ended}"
            raise NamesError(msg)
        releases = describe_releases(table, candidates)
        said = f"{framework}{_bracket(named)} is not described for release {effective}{asked.removesuffix(',')}"
        msg = f"{said}; described: {releases}"
        raise NamesError(msg)
    source = Source(framework, effective, described, named, release, ended, chosen)
    if source.fallbacks:
        import warnings

        message = f"{framework} {release} is not in the spec; the names of {effective} are used"
        warnings.warn(message, FallbackWarning, stacklevel=2)
    return source


def owner_of(component: str, tables: Tables) -> str | None:
    """Return the framework that a component alone stands for, ``trl`` for ``grpo``; None if not exactly one has it."""
    owners = [name for name in tables.frameworks if is_called(tables.framework(name), component)]
    return owners[0] if len(owners) == 1 else None


def source_parts(text: str) -> tuple[str, str | None, str | None] | None:
    """Return framework, component and release of ``FRAMEWORK[COMPONENT]==RELEASE``; None for a text of another form."""
    text = text.strip()
    end = next((place for place, sign in enumerate(text) if sign in "[=" or sign.isspace()), len(text))
    framework, rest = text[:end], text[end:].lstrip()
    component = release = None
    if rest.startswith("["):
        component, closed, rest = rest[1:].partition("]")
        if not closed:
            return None
        rest = rest.lstrip()
    if rest:
        sign = "===" if rest.startswith("===") and rest != "===" else "=="
        release = rest.removeprefix(sign).lstrip()
        if not rest.startswith(sign) or not release or any(map(str.isspace, release)):
            return None
    return (framework, component, release) if framework else None


def _named(name: str, component: str | None, release: str | None, version: str) -> Source:
    """Return a set of names that has no components: the spec's own, or those of a convention."""
    if component is not None:
        msg = f"{name} has no components; write {name}"
        raise NamesError(msg)
    if release is not None and release != version:
        import warnings

        message = f"{name} {release} is not the version of this spec; the names of {version} are used"
        warnings.warn(message, FallbackWarning, stacklevel=3)
    return Source(name, version, requested=release or version)


def component_named(table: FrameworkTable, named: str) -> str:
    """Return the full name of a component that may be called in short.

    Raises:
        NamesError: There is none, or several are called so.
    """
    return _components(table, named)[0][0]


def _components(table: FrameworkTable, named: str | None) -> list[tuple[str, str, list[str], str]]:
    if named is None:
        return list(table.components)
    components = components_called(table, named)
    names = list(dict.fromkeys(item[0] for item in components))
    if not components:
        known = dict.fromkeys(item[0] for item in table.components)
        msg = f"unknown component {named!r} of {table.name}; {nearest(named, known, 'components')}"
        raise NamesError(msg)
    if len(names) > 1:
        listed = ", ".join(names[:-1])
        msg = f"{table.name}[{named}] may be {listed} or {names[-1]}; write more of the name"
        raise NamesError(msg)
    return components


def last_release(table: FrameworkTable, component: str, release: str) -> str | None:
    """Return the last release that has a component, if it ended before a release."""
    of_component = (ranges for name, _, ranges, _ in table.components if name == component)
    covered = frozenset[str]().union(*map(table.releases.covered, of_component))
    if not covered or release in covered:
        return None
    last = max(covered, key=table.releases.index)
    return last if table.releases.index(last) < table.releases.index(release) else None


def bases_left_open(text: str, tables: Tables) -> frozenset[str]:
    """Return the sources that a text leaves open which names no release of the framework under its own.

    Args:
        text: Such as ``ms-swift[GRPOTrainer]==4.6.0``, which runs on several releases of TRL.
        tables: Where frameworks and their components are looked up.

    Returns:
        Each component on each release under it; nothing where the text names one, or there is but one.

    Raises:
        NamesError: It is no source.
    """
    source = parse_source(text, tables)
    if source.framework not in tables.derived or "+" in text:
        return frozenset()
    table = tables.framework(source.framework)
    pairs = table.releases.paired(source.release.partition("+")[0])
    if len(pairs) < 2:
        return frozenset()
    names = [one.name for one in source.components]
    found = {f"{source.framework}[{name}]=={pair}": (name, pair) for pair in pairs for name in names}
    return frozenset(full for full, (name, pair) in found.items() if name in dict(table.described(pair)))


def _effective_release(table: FrameworkTable, release: str) -> str:
    releases = table.releases
    if release in releases:
        return release
    if version_key(release) is None and not is_development(release):
        msg = f"{release!r} is no release of {table.name}; {nearest(release, releases.names, 'releases')}"
        raise NamesError(msg)
    answering = releases.answering(release)
    if answering is None:
        msg = f"{table.name} {release} is older than every release in the spec; the oldest is {releases.names[0]}"
        raise NamesError(msg)
    return answering


def describe_releases(table: FrameworkTable, components: Iterable[tuple[str, str, list[str], str]]) -> str:
    """Return the described releases of components, in words."""
    covered: dict[str, dict[str, None]] = {}
    for name, _, ranges, _ in components:
        for release in table.releases.expand(ranges):
            covered.setdefault(name, {}).setdefault(release)
    parts = []
    for name, releases in covered.items():
        ordered = sorted(releases, key=table.releases.index)
        shown = ", ".join(ordered) if len(ordered) <= 6 else f"{len(ordered)} from {ordered[0]} to {ordered[-1]}"
        parts.append(f"{table.name}[{name}] {shown}")
    return "; ".join(parts)


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Return a hint: the known names nearest to a wrong one, or some of them all."""
    from difflib import get_close_matches

    names = list(known)
    by_case = {item.lower(): item for item in reversed(names)}
    close = [by_case[item] for item in get_close_matches(name.lower(), by_case, n=3, cutoff=0.5)]
    if close:
        return f"did you mean {' or '.join(close)}?"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"known {what}: {shown or 'none'}"


def _newest(table: FrameworkTable) -> str:
    described = [release for _, _, ranges, _ in table.components for release in table.releases.expand(ranges)]
    return max(described, key=table.releases.index) if described else "RELEASE"


def _bracket(component: str | None) -> str:
    return f"[{component}]" if component else ""


def _example(tables: Tables) -> str:
    for name in tables.frameworks:
        table = tables.framework(name)
        if table.components:
            return f"{name}[{table.components[0][0]}]=={_newest(table)}"
    return "FRAMEWORK[COMPONENT]==RELEASE"


def older_first(first: str, second: str, tables: Tables) -> tuple[str, str, bool]:
    """Return two sources as answers name them, the older release first, and whether they were turned for that."""
    (name, _, one), (other_name, _, other) = first.partition("=="), second.partition("==")
    framework = name.partition("[")[0]
    if framework == other_name.partition("[")[0] and framework in tables.frameworks:
        releases = tables.framework(framework).releases
        if one in releases and other in releases and releases.index(one) > releases.index(other):
            return second, first, True
    return first, second, False
