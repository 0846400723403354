"""How frameworks spell and compute each metric, for the reference pages: what is the same is said once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..releases import Releases
from ..spec import Spec
from .conditions import Conditions, either
from .logged_keys import LoggedKey, Said
from .markdown import markdown

__all__ = ["Logged", "Remark", "Spellings", "share", "spellings"]

LONG = 50
"""Characters from which on a remark that several metrics share is written once for its page."""

Place = tuple[str, str, str]
"""A component, a key of it, and a mode."""
Cells = Mapping[Place, int]
"""Places, each with the releases in which something holds there: one bit for each."""

_MODES = {"train": "in training", "eval": "in evaluation"}


@dataclass(frozen=True)
class Logged:
    """A row of the table of keys.

    Attributes:
        keys: The keys or templates of which the rest of the row holds.
        when: When they are logged, as Markdown.
        by: The components with their releases.
        source: Where they stand in the newest of these releases.
    """

    keys: tuple[str, ...]
    when: str
    by: str
    source: str


@dataclass(frozen=True)
class Remark:
    """Statements that hold in the same places.

    Attributes:
        said: The statements, as Markdown.
        where: In which keys, components, releases and configurations they hold, as Markdown; empty for everywhere.
    """

    said: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class Spellings:
    """One metric in one framework.

    Attributes:
        framework: The framework's title.
        logged: The keys.
        remarks: What is said about the metric.
        shared: Numbers of further remarks, which the page says once for several metrics.
    """

    framework: str
    logged: tuple[Logged, ...]
    remarks: tuple[Remark, ...]
    shared: tuple[int, ...] = ()

    @property
    def sources(self) -> frozenset[str]:
        """The files in which the keys stand."""
        return frozenset(one.source for one in self.logged)


def spellings(
    spec: Spec, logged_keys: Iterable[LoggedKey], link: Callable[[str], str], conditions: Conditions
) -> dict[str, list[Spellings]]:
    """Return by metric how each framework spells it.

    Args:
        spec: The spec, for titles and the order of releases.
        logged_keys: What components log of the metrics of one page.
        link: Makes a Markdown link to a metric.
        conditions: Takes the long conditions of the page.
    """
    grouped: dict[tuple[str, str], list[LoggedKey]] = {}
    for one in logged_keys:
        grouped.setdefault((one.metric, one.framework), []).append(one)
    orders = {
        name: _Order(Releases(tuple(release.release for release in framework.framework.releases)))
        for name, framework in spec.frameworks.items()
    }
    found: dict[str, list[Spellings]] = {}
    for (metric, name), own in grouped.items():
        framework = spec.frameworks[name].framework
        places = _Places(own, orders[name])
        rows = Spellings(
            framework.title,
            _by_row(_logged(own, places, conditions)),
            tuple(_remarks(own, places, link, conditions)),
        )
        found.setdefault(metric, []).append(rows)
    return found


def share(spelled: dict[str, list[Spellings]]) -> tuple[dict[str, list[Spellings]], dict[Remark, int]]:
    """Take out of the metrics of a page the long remarks that several of them have.

    Returns:
        The metrics with what is left of their remarks, and the shared remarks with their numbers, which start at 1.
    """
    counted = Counter(remark for own in spelled.values() for one in own for remark in one.remarks)
    shared = [
        remark
        for remark, count in counted.items()
        if count > 1 and len(remark.where) + sum(map(len, remark.said)) > LONG
    ]
    numbers = {remark: number for number, remark in enumerate(shared, 1)}

    def without(one: Spellings) -> Spellings:
        left = tuple(remark for remark in one.remarks if remark not in numbers)
        return replace(
            one, remarks=left, shared=tuple(sorted(numbers[remark] for remark in one.remarks if remark in numbers))
        )

    return {metric: [without(one) for one in own] for metric, own in spelled.items()}, numbers


def _logged(logged_keys: list[LoggedKey], places: _Places, conditions: Conditions) -> Iterator[Logged]:
    rows: dict[tuple[str, tuple[str, ...]], list[LoggedKey]] = {}
    for one in logged_keys:
        rows.setdefault((one.key, one.logged), []).append(one)
    for (key, logged), own in rows.items():
        guards: dict[str, dict[Place, int]] = {}
        for one in own:
            for guard in one.guards or ("",):
                _add(guards.setdefault(guard, {}), one, places)
        for guard, cells in _by_condition(guards).items():
            means = [f"if {conditions(f'`{guard}`')}"] if guard else []
            when = "; ".join([*map(conditions, logged), *means])
            told = [one for one in own if cells.get((one.component, one.key, one.mode), 0) & places.mask(one.releases)]
            newest = max(told, key=lambda one: (places.mask(one.releases), -len(one.source)))
            yield Logged((key,), when or "always", markdown(places.components(cells)), newest.source)


def _remarks(
    logged_keys: list[LoggedKey], places: _Places, link: Callable[[str], str], conditions: Conditions
) -> Iterator[Remark]:
    """Yield every statement once, those that hold in the same places together; first those that hold everywhere."""
    holds: dict[str, dict[str, dict[Place, int]]] = {}
    instead: dict[str, None] = {}
    for one in logged_keys:
        for said in one.said:
            if said.metric is not None:
                instead[link(said.metric)] = None
                continue
            _add(holds.setdefault(_text(said), {}).setdefault(said.guard, {}), one, places)
    rows: dict[str, list[str]] = {}
    for text, guards in holds.items():
        parts = []
        for guard, cells in _by_condition(guards).items():
            where = places.describe(cells)
            parts.append(": ".join(part for part in (guard and f"if {conditions(f'`{guard}`')}", where) if part))
        rows.setdefault("" if "" in parts else "; ".join(parts), []).append(text)
    for where in sorted(rows, key=bool):
        yield Remark(tuple(rows[where]), where)
    if instead:
        yield Remark((f"elsewhere these keys mean {', '.join(instead)}, whose tables say when",), "")


def _add(cells: dict[Place, int], one: LoggedKey, places: _Places) -> None:
    place = (one.component, one.key, one.mode)
    cells[place] = cells.get(place, 0) | places.mask(one.releases)


def _by_row(logged: Iterable[Logged]) -> tuple[Logged, ...]:
    """Join the rows that differ in their keys only; those of the same keys follow one another."""
    rows: dict[Logged, tuple[str, ...]] = {}
    for one in logged:
        row = replace(one, keys=())
        rows[row] = (*rows.get(row, ()), *one.keys)
    told: dict[tuple[str, ...], list[Logged]] = {}
    for row, keys in rows.items():
        told.setdefault(tuple(dict.fromkeys(keys)), []).append(row)
    return tuple(replace(row, keys=keys) for keys, own in told.items() for row in own)


def _by_condition(guards: Mapping[str, Cells]) -> dict[str, dict[Place, int]]:
    """Return by condition, empty for none, where something holds that each guard brings about in places of its own."""
    found: dict[tuple[str, ...], dict[Place, int]] = {}
    for place in dict.fromkeys(place for cells in guards.values() for place in cells):
        own = {guard: cells[place] for guard, cells in guards.items() if place in cells}
        left = _union(own.values())
        while left:
            # All releases in which the same guards apply as in the lowest that is left.
            lowest = left & -left
            together = left
            for mask in own.values():
                together &= mask if mask & lowest else ~mask
            applying = tuple(guard for guard, mask in own.items() if mask & lowest)
            found.setdefault(applying, {})[place] = together
            left &= ~together
    merged: dict[str, dict[Place, int]] = {}
    for applying, cells in found.items():
        into = merged.setdefault("" if "" in applying else either(applying), {})
        for place, mask in cells.items():
            into[place] = into.get(place, 0) | mask
    return merged


def _text(said: Said) -> str:
    if said.documented is not None:
        code = f" The code: {markdown(said.documented.code)}" if said.documented.code else ""
        return f"documented: {markdown(said.documented.says)}{code} ({markdown(said.documented.guide)})"
    return markdown(said.text)


class _Order:
    """The releases of a framework as bits."""

    def __init__(self, releases: Releases) -> None:
        self._releases = releases
        self._masks: dict[frozenset[str], int] = {}
        self._texts: dict[int, str] = {}

    def mask(self, releases: frozenset[str]) -> int:
        """Return releases as bits."""
        if releases not in self._masks:
            self._masks[releases] = sum(1 << self._releases.index(release) for release in releases)
        return self._masks[releases]

    def text(self, mask: int) -> str:
        """Return releases in words."""
        if mask not in self._texts:
            names = self._releases.names
            self._texts[mask] = self._releases.text({name for place, name in enumerate(names) if mask >> place & 1})
        return self._texts[mask]


class _Places:
    """Everything that logs one metric in one framework, and how to name a part of it."""

    def __init__(self, logged_keys: Iterable[LoggedKey], order: _Order) -> None:
        self.mask = order.mask
        self.text = order.text
        self._all: dict[str, dict[tuple[str, str], int]] = {}
        for one in logged_keys:
            own = self._all.setdefault(one.component, {})
            own[one.key, one.mode] = own.get((one.key, one.mode), 0) | self.mask(one.releases)

    def components(self, cells: Cells) -> str:
        """Return the components of these cells with their releases; those with equal releases together."""
        masks: dict[str, int] = {}
        for (component, _, _), mask in cells.items():
            masks[component] = masks.get(component, 0) | mask
        together: dict[int, list[str]] = {}
        for component, mask in masks.items():
            together.setdefault(mask, []).append(component)
        return "; ".join(f"{', '.join(names)} {self.text(mask)}" for mask, names in together.items())

    def describe(self, cells: Cells) -> str:
        """Return as Markdown where these cells are; empty if they are everything."""
        parts: dict[str, dict[tuple[str, str], int]] = {}
        for (component, key, mode), mask in cells.items():
            parts.setdefault(component, {})[key, mode] = mask
        releases = _union(mask for part in parts.values() for mask in part.values())
        if all(self._are_all_in(component, part, releases) for component, part in parts.items()):
            names = "" if parts.keys() == self._all.keys() else ", ".join(parts)
            return markdown(" ".join(text for text in (names, self._unless_all(parts, releases)) if text))
        together: dict[tuple[str, str], list[str]] = {}
        for component, part in parts.items():
            for keys, text in self._of_component(component, part):
                together.setdefault((keys, text), []).append(component)
        told: dict[str, list[str]] = {}
        for (keys, releases_), alike in together.items():
            where = " ".join(text for text in (markdown(", ".join(alike)), releases_) if text)
            told.setdefault(keys, []).append(where)
        return "; ".join(f"{keys} of {' and '.join(own)}" if keys else "; ".join(own) for keys, own in told.items())

    def _are_all_in(self, component: str, part: Mapping[tuple[str, str], int], releases: int) -> bool:
        """Whether everything that the component logs in these releases is in the part."""
        return all(part.get(place, 0) == mask & releases for place, mask in self._all[component].items())

    def _unless_all(self, components: Iterable[str], releases: int) -> str:
        every = _union(mask for component in components for mask in self._all[component].values())
        return "" if every == releases else self.text(releases)

    def _of_component(self, component: str, part: Mapping[tuple[str, str], int]) -> Iterator[tuple[str, str]]:
        """Yield keys, as far as they have to be named, with releases, as far as these have to be."""
        releases = _union(part.values())
        if self._are_all_in(component, part, releases):
            yield "", self._unless_all([component], releases)
            return
        own = self._all[component]
        named: dict[str, list[str]] = {}
        for (key, mode), mask in part.items():
            modes = {other for name, other in own if name == key}
            both = modes == {"train", "eval"} and all(part.get((key, other)) == mask for other in modes)
            if both and mode == "eval":
                continue
            shown = f"`{key}`" if both or len(modes) == 1 else f"`{key}` {_MODES[mode]}"
            releases_ = "" if mask == own[key, mode] else self.text(mask)
            named.setdefault(releases_, []).append(shown)
        for releases_, keys in named.items():
            yield ", ".join(keys), releases_


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
