"""Keys and trainers in lists and tables of a page, each told once, with links to their pages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from markupsafe import Markup, escape

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.keylists import braced

from .page_links import key_page, link, trainer_page
from .site import Site
from .texts import code

__all__ = ["KeyGroup", "Lists", "grouped", "spelled"]

_Mark = TypeVar("_Mark", bound=Hashable)
_MANY = 7
"""More trainers than these are counted, and listed on demand."""


class KeyGroup(NamedTuple):
    """Things that are true of some keys in each of some components.

    Attributes:
        keys: The keys.
        components: The components that log every one of them.
        mark: What is true.
    """

    keys: tuple[str, ...]
    components: tuple[str, ...]
    mark: Hashable


def grouped(items: Iterable[tuple[str, str, Hashable]]) -> list[KeyGroup]:
    """Return keys by what is true of them, in as few words as possible.

    Args:
        items: Component, key and what is true of both, in the order in which they are told.
    """
    by_mark: dict[Hashable, list[tuple[str, str]]] = {}
    for component, key, mark in items:
        by_mark.setdefault(mark, []).append((component, key))
    return [group for mark, pairs in by_mark.items() for group in _shortest(pairs, mark)]


def _shortest(pairs: Sequence[tuple[str, str]], mark: Hashable) -> list[KeyGroup]:
    """Return the shorter of two ways: keys with the same components together, or components with the same keys."""
    by_key = _together((key, component) for component, key in pairs)
    by_component = _together(pairs)
    first = [KeyGroup(keys, components, mark) for components, keys in by_key.items()]
    second = [KeyGroup(keys, components, mark) for keys, components in by_component.items()]
    return min(first, second, key=_length)


def _together(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return what goes with the same things: those things, then what goes with them."""
    others: dict[str, dict[str, None]] = {}
    for one, other in pairs:
        others.setdefault(one, {})[other] = None
    found: dict[frozenset[str], tuple[tuple[str, ...], list[str]]] = {}
    for one, several in others.items():
        found.setdefault(frozenset(several), (tuple(several), []))[1].append(one)
    return {several: tuple(ones) for several, ones in found.values()}


def _length(groups: Sequence[KeyGroup]) -> int:
    return sum(8 + sum(map(len, group.keys)) + sum(map(len, group.components)) for group in groups)


@lru_cache(maxsize=4)
def spelled(tables: Tables, framework: str) -> frozenset[str]:
    """Return every key and template of a framework, which are those that have pages."""
    table = tables.framework(framework)
    return frozenset(key for _, stem, _, _ in table.components for key in table.component(stem).spelled)


class Lists:
    """Lists on one page.

    Args:
        page: Its address.
        framework: The framework whose keys and trainers are told.
        site: What pages are made from.
        linked: Whether keys lead to their pages; a page with very many tells them only.
    """

    def __init__(self, page: str, framework: str, site: Site, *, linked: bool = True) -> None:
        self._page = page
        self._framework = framework
        self._texts = site.texts
        # Keys of a framework that derives from another one have no pages of their own.
        linked = linked and framework in site.tables.frameworks
        self._linked = spelled(site.tables, framework) if linked else frozenset[str]()
        self._of_trainers = not site.tables.framework(framework).programs

    def key(self, key: str, mode: str = "train") -> Markup:
        """Return a key; one of training leads to its page."""
        if key not in self._linked or mode != "train":
            return code(key)
        return Markup('<a href="{}">{}</a>').format(link(self._page, key_page(self._framework, key)), code(key))

    def plain(self, key: str, mode: str = "train") -> Markup:
        """Return a key as `key` does, for a table whose style says that it is code."""
        if key not in self._linked or mode != "train":
            return escape(key)
        return Markup('<a href="{}">{}</a>').format(link(self._page, key_page(self._framework, key)), key)

    def keys(self, keys: Collection[str], mode: str = "train") -> Markup:
        """Return keys one after the other."""
        return Markup(" ").join(self.key(key, mode) for key in keys)

    def few(self, keys: Sequence[str], most: int) -> Markup:
        """Return some keys for a sentence, and how many more there are."""
        names = braced(keys)
        listed = Markup(", ").join(map(code, names[:most]))
        if len(names) <= most:
            return listed
        return self._texts.t("{keys} and {count} more", keys=listed, count=len(names) - most)

    def trainer(self, component: str) -> Markup:
        """Return a trainer, which leads to its page."""
        return Markup('<a href="{}">{}</a>').format(
            link(self._page, trainer_page(self._framework, component)), component
        )

    def components(self, components: Sequence[str]) -> Markup:
        """Return components in plain words; many of them are counted, and listed on demand."""
        listed = Markup(", ").join(components)
        if len(components) <= _MANY:
            return listed
        return Markup("<details><summary>{}</summary>{}</details>").format(self.units(len(components)), listed)

    def units(self, count: int) -> Markup:
        """Return how many components are meant, by the word that fits the framework."""
        words = ("{count} trainer", "{count} trainers") if self._of_trainers else ("{count} part", "{count} parts")
        return self._texts.t(words[count != 1], count=count)

    def touched(self, count: int) -> Markup:
        """Return how many components a release touched."""
        words = (
            ("{count} trainer is touched", "{count} trainers are touched")
            if self._of_trainers
            else ("{count} part is touched", "{count} parts are touched")
        )
        return self._texts.t(words[count != 1], count=count)
