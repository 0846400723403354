"""Which releases are described, and what they log."""

from __future__ import annotations

from ..meanings.view import open_views
from ..settings.configuration import Config
from ..sources.source import component_named, nearest, owner_of
from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from ..tables.user_errors import NamesError
from .lookup_records import KeyInfo, ReleaseInfo

__all__ = ["keys", "releases"]


def keys(
    at: str, *, config: Config = None, surface: str | None = None, spec: Overlays | Tables = None
) -> list[KeyInfo]:
    """Return every key and template that a source logs.

    Args:
        at: Such as ``trl[GRPOTrainer]==1.16.0``, ``verl==0.9.1`` or ``canonical``.
        config: Values of configuration keys that differ from the release's defaults.
        surface: How names are shown: ``logged`` (the default), or a tracker.
        spec: Folders with further YAML.

    Returns:
        One record for each component, key and mode, component by component in the order of the spec.

    Raises:
        NamesError: The source, the surface or a configuration key is unknown.
    """
    (view,) = open_views([at], config=config, surface=surface, spec=spec)
    return [
        KeyInfo(
            component=entry.component,
            key=view.show(entry, entry.key, surface or "logged"),
            metric=entry.metric,
            kind=entry.kind,
            mode=entry.mode,
            condition=entry.logged_when,
            logged_by_default=entry.logged_by_default,
            logged=entry.logged,
            evidence=view.evidence(entry),
            fallbacks=view.source.fallbacks,
            unstated=entry.signature.unstated,
        )
        for entry in view.entries()
    ]


def releases(framework: str | None = None, *, spec: Overlays | Tables = None) -> list[ReleaseInfo]:
    """Return the known releases with the components that the spec describes for them.

    Args:
        framework: One framework, or a trainer that one has, such as ``grpo``, whose releases alone are meant; all
            frameworks if left out.
        spec: Folders with further YAML.

    Returns:
        Framework by framework, oldest release first.

    Raises:
        NamesError: The framework is unknown.
    """
    tables = load_tables(spec)
    named = None
    if framework is not None and not tables.head(framework.lower()) and (owner := owner_of(framework, tables)):
        framework, named = owner, component_named(tables.framework(owner), framework)
    if framework is not None and not tables.head(framework.lower()):
        msg = f"unknown framework {framework!r}; {nearest(framework.lower(), tables.named, 'frameworks')}"
        raise NamesError(msg)
    infos: list[ReleaseInfo] = []
    for name in [framework.lower()] if framework else tables.named:
        table = tables.framework(name)
        described: dict[str, dict[str, None]] = {release: {} for release in table.releases.names}
        for component, _, ranges, _ in table.components:
            for release in table.releases.expand(ranges) if named in (None, component) else ():
                described[release].setdefault(component)
        infos += [
            ReleaseInfo(name, release, table.releases.dates[release], tuple(components))
            for release, components in described.items()
            if components or named is None
        ]
    return infos
