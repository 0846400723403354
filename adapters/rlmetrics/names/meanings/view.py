"""A source with its configuration, ready to answer: what it logs, and what a key of it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from ..sources.source import Source, parse_source
from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from ..tables.user_errors import NamesError
from .protocol import KeyPlace, Match, View

if TYPE_CHECKING:
    from ..differences.severity import Circumstances
    from ..settings.configuration import Config
    from ..tables.key_records import Entry, Evidence
    from ..tables.templates import Template
    from .canonical import CanonicalView
    from .component import ComponentView

__all__ = ["FrameworkView", "Match", "View", "open_view", "open_views"]


class FrameworkView:
    """Some or all components of one release of a framework.

    Args:
        tables: The spec.
        source: What is looked at; not ``canonical``.
        config: Values of configuration keys that differ from the defaults.
    """

    def __init__(self, tables: Tables, source: Source, config: Config = None) -> None:
        self.tables = tables
        self.source = source
        self._config = config
        self._candidates: dict[tuple[str, str], list[Entry]] = {}

    @cached_property
    def components(self) -> dict[str, ComponentView]:
        """The components by their labels; opened when they are first asked for."""
        from .component import ComponentView

        tables, source = self.tables, self.source
        table = tables.framework(source.framework)
        names = [component.name for component in source.components]
        components: dict[str, ComponentView] = {}
        for component in source.components:
            unique = names.count(component.name) == 1
            label = component.name if unique else f"{component.module}.{component.name}"
            components[label] = ComponentView(tables, table, component, source.release, self._config, label)
        return components

    def only(self, labels: Collection[str]) -> FrameworkView:
        """Return the same with some of its components, which are not read again."""
        pairs = [
            (label, component)
            for label, component in zip(self.components, self.source.components, strict=True)
            if label in labels
        ]
        kept = tuple(component for _, component in pairs)
        named = kept[0].name if len(kept) == 1 else self.source.component
        view = FrameworkView(self.tables, self.source._replace(components=kept, component=named), self._config)
        if list(view.components) == [label for label, _ in pairs]:
            view.components = {label: self.components[label] for label, _ in pairs}
            if "_entries" in self.__dict__:
                view._entries = [entry for entry in self.entries() if entry.component in view.components]
        return view

    @cached_property
    def _entries(self) -> list[Entry]:
        return [entry for component in self.components.values() for entry in component.entries()]

    def entries(self) -> list[Entry]:
        """Return everything that is logged, component by component."""
        return self._entries

    def places(self) -> list[KeyPlace]:
        """Return where each of these entries stands, none of which is made for that."""
        return [place for component in self.components.values() for place in component.places()]

    def at(self, place: KeyPlace) -> Entry:
        """Return the entry of a place."""
        return self.components[place.component].entry(place.key, place.mode)

    def metric(self, place: KeyPlace) -> str | None:
        """Return what the entry of a place measures, which is mostly known without making it."""
        return self.components[place.component].metric(place.key, place.mode)

    def candidates(self, metric: str, mode: str) -> list[Entry]:
        """Return the entries of a metric in a mode."""
        found = self._candidates.get((metric, mode))
        if found is None:
            parts = self.components.values()
            found = self._candidates[metric, mode] = [each for part in parts for each in part.measuring(metric, mode)]
        return found

    def find(self, key: str) -> list[Match]:
        """Return what a key is, in the components in which its reading is most specific."""
        from .exact_names import canonical_of

        if canonical_of(key, self.tables) is not None:
            return []
        hits = [hit for component in self.components.values() if (hit := component.find(key)) is not None]
        best = min((hit.rank for hit in hits), default=None)
        return [Match(hit.entry, hit.surface, hit.values) for hit in hits if hit.rank == best]

    def template(self, entry: Entry) -> Template:
        """Return the template of an entry's key."""
        return self.components[entry.component].template(entry.key)

    def program(self, component: str) -> str:
        """Return what a component runs in: keys of one program are logged together."""
        return self.components[component].program

    def circumstances(self, component: str) -> Circumstances | None:
        """Return what decides whether the numbers of a component differ from others."""
        return self.components[component].circumstances

    def readings(self, entry: Entry) -> list[Entry]:
        """Return the entry alone: a release settles what each of its keys is."""
        return [entry]

    def evidence(self, entry: Entry) -> tuple[Evidence, ...]:
        """Return where the source of the release shows an entry."""
        return self.components[entry.component].evidence(entry)

    def show(self, entry: Entry, name: str, surface: str) -> str:
        """Return how a surface shows a key; a key that it does not show stays as it is."""
        from ..sources.surfaces import LOGGED, rules_of, show_template

        if surface == LOGGED:
            return name
        routes = self.components[entry.component].routes if entry.route is None else (entry.route,)
        for route in routes:
            rules = rules_of(self.tables, surface, route)
            if rules:
                return show_template(name, rules) or name
        return name


def open_view(source: str, *, config: Config = None, spec: Overlays | Tables = None) -> View:
    """Open a source.

    Args:
        source: Such as ``trl[GRPOTrainer]==1.16.0`` or ``canonical``.
        config: Values of configuration keys that differ from the release's defaults.
        spec: Folders with further YAML.

    Raises:
        NamesError: The source or a configuration key is unknown.
    """
    return open_views([source], config=config, spec=spec)[0]


def open_views(
    sources: list[str],
    *,
    config: Config = None,
    surface: str | None = None,
    spec: Overlays | Tables = None,
    target: bool = False,
) -> list[View]:
    """Open several sources that share a configuration; each takes the keys that it knows.

    Args:
        sources: Such as ``trl[GRPOTrainer]==1.16.0`` or ``canonical``.
        config: Values of configuration keys that differ from the releases' defaults.
        surface: A tracker whose name is checked.
        spec: Folders with further YAML.
        target: Whether the last source may name a component that its release no longer has.

    Raises:
        NamesError: A source or the surface is unknown, or a configuration key is known to none of them.
    """
    tables = load_tables(spec)
    if surface is not None:
        from ..sources.surfaces import check_surface

        check_surface(surface, tables)
    views: list[View] = []
    for index, text in enumerate(sources):
        if text == "auto":
            msg = "auto infers the source from keys, and there are none here; name it, such as trl[GRPOTrainer]==1.16.0"
            raise NamesError(msg)
        source = parse_source(text, tables, as_target=target and index == len(sources) - 1)
        if source.is_canonical:
            views.append(_canonical(tables, source))
        elif not source.is_release:
            from .convention_names import ConventionView

            views.append(ConventionView(tables, source))
        else:
            views.append(FrameworkView(tables, source, config) if config else _usual(tables, source))
    if config:
        from ..settings.configuration import check_config

        components = [item for view in views if isinstance(view, FrameworkView) for item in view.components.values()]
        check_config(
            config,
            [_keys_of(component, config) for component in components],
            [(component.table, component.release) for component in components],
        )
    return views


@lru_cache(maxsize=64)
def _usual(tables: Tables, source: Source) -> FrameworkView:
    """Return a source under its defaults; many questions, and many runs, are about few sources."""
    return FrameworkView(tables, source)


@lru_cache(maxsize=4)
def _canonical(tables: Tables, source: Source) -> CanonicalView:
    """Return the one view of the spec's own names, which no configuration changes."""
    from .canonical import CanonicalView

    return CanonicalView(tables, source)


def _keys_of(component: ComponentView, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration keys of a component, but for given ones that its release lacks."""
    keys = component.config.keys
    named = {name for given in config if (name := component.config.find(given)) is not None}
    lacking = {name for name in named if not component.config.has(name)}
    return {name: row for name, row in keys.items() if name not in lacking} if lacking else keys
