"""From a generated symbol back to the line of the spec that it comes from."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rlmetrics.answers.addresses import key_page, metric_page

from ..findings import Location
from ..loader.document import YamlPath
from ..meaning import Spelled, spelled
from ..model import ComponentFile, Placeholder
from ..output import store
from ..output.prose import anchor, function_name, registry_key
from ..spec import Spec

_PREFIX = re.compile(r"^(?:rlmetrics\.)?(?:functional|F)\.(?:\w+\.)?|^_(?=\w+_result$)")
_SUFFIX = re.compile(r"(?<=\w)_result$|\(\)$")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Place:
    """A line of the spec, and what stands there."""

    location: Location
    what: str


def find(spec: Spec, root: Path, symbol: str) -> list[Place]:
    """Find what a symbol comes from.

    Args:
        spec: The spec.
        root: The checkout.
        symbol: A metric's id or alias, a function, a registry key, a logged key, an input, a population, a trait, a
            health rule, a component, or the path of a generated file.

    Returns:
        Every place that the symbol can mean, in the order of the spec; empty if there is none.
    """
    file = _of_file(spec, root, symbol)
    if file is not None:
        return [file]
    name = _SUFFIX.sub("", _PREFIX.sub("", symbol))
    wanted = {symbol, name}
    places = [place for names, place in _symbols(spec) if not wanted.isdisjoint(names)]
    return list(dict.fromkeys([*places, *_keys(spec, symbol)]))


def nearest(spec: Spec, symbol: str) -> list[str]:
    """Return up to three known symbols that look like ``symbol``."""
    known = {name for names, _ in _symbols(spec) for name in names}
    known.update(item.key for _, _, file in spec.component_files() for item, _ in _spelled(file))
    return difflib.get_close_matches(symbol, sorted(known), n=3)


def _symbols(spec: Spec) -> Iterator[tuple[tuple[str, ...], Place]]:
    """Yield everything that has a name of its own, with all its names."""
    before: dict[str, list[str]] = {}
    for rename in spec.info.renamed:
        before.setdefault(rename.to, []).extend([rename.from_, function_name(rename.from_)])
    for metric_id, metric in spec.metrics.items():
        names = (metric_id, function_name(metric_id), anchor(metric_id), *metric.aliases, *before.get(metric_id, ()))
        yield names, Place(spec.locate_metric(metric_id), f"metric {metric_id}")
        for variant in metric.variants:
            key = registry_key(metric_id, variant)
            names = (key, function_name(metric_id, variant), anchor(key))
            yield names, Place(spec.locate_metric(metric_id, ("variants", variant)), f"variant {key}")
    for name in spec.inputs:
        yield (name,), Place(spec.locate("inputs", ("inputs", name)), f"input {name}")
    for name in spec.signatures.populations:
        yield (name,), Place(spec.locate("signatures", ("populations", name)), f"population {name}")
    for name in spec.signatures.traits:
        yield (name,), Place(spec.locate("signatures", ("traits", name)), f"trait {name}")
    for stem, health in spec.health.items():
        for index, rule in enumerate(health.rules):
            yield (rule.id,), Place(spec.locate(f"health/{stem}", ("rules", index)), f"health rule {rule.id}")
        for index, diagnosis in enumerate(health.diagnoses):
            place = spec.locate(f"health/{stem}", ("diagnoses", index))
            yield (diagnosis.id,), Place(place, f"diagnosis {diagnosis.id}")
    for name, suite in spec.suites.items():
        yield (name, suite.name), Place(spec.locate(f"suites/{name}", ("name",)), f"suite {suite.name}")
    for framework, stem, component in spec.component_files():
        for index, described in enumerate(component.components):
            place = spec.locate(f"frameworks/{framework}/{stem}", ("components", index))
            yield (described.name,), Place(place, f"component {described.name} of {framework}")


def _keys(spec: Spec, symbol: str) -> Iterator[Place]:
    """Yield every record of which a key is the symbol, or a template fits it."""
    for framework, stem, file in spec.component_files():
        placeholders = {**spec.frameworks[framework].framework.placeholders, **file.placeholders}
        for item, path in _spelled(file):
            if symbol == item.key or _fits(item.key, placeholders, symbol):
                place = spec.locate(f"frameworks/{framework}/{stem}", path)
                yield Place(place, f"key {item.key} of {framework} ({stem})")


def _spelled(file: ComponentFile) -> Iterator[tuple[Spelled, YamlPath]]:
    """Yield every key that a file describes, with the place of its record."""
    for name, index, record in file.records():
        path: YamlPath = ("keys", name, index) if isinstance(file.keys[name], list) else ("keys", name)
        if record.logged is None:
            yield from ((item, path) for item in spelled(name, record))


def _fits(key: str, placeholders: dict[str, Placeholder], symbol: str) -> bool:
    if "{" not in key:
        return False
    pattern, end = "", 0
    for match in _PLACEHOLDER.finditer(key):
        if match[1] not in placeholders or placeholders[match[1]].open:
            return False
        pattern += re.escape(key[end : match.start()]) + f"(?:{placeholders[match[1]].pattern})"
        end = match.end()
    return re.fullmatch(pattern + re.escape(key[end:]), symbol) is not None


def _of_file(spec: Spec, root: Path, symbol: str) -> Place | None:
    """Return the source of a generated file; of the page of a metric or a key, what it tells of."""
    path = symbol.partition("#")[0]
    absolute = (Path.cwd() / path).resolve()
    relative = absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else path
    for one in (relative, path):
        page = re.fullmatch(r"(?:docs/)?(?:zh/)?([mk]/.+?)(?:\.md|/)?", one)
        if page is not None:
            return _of_page(spec, page[1])
    manifest = {**store.read_manifest(root).files, **store.read_manifest(root, store.PAGES).files}
    entry = manifest.get(relative) or manifest.get(path)
    return None if entry is None else Place(Location(entry.source), f"source of {relative}")


def _of_page(spec: Spec, page: str) -> Place | None:
    """Return what a page of the site tells of: a metric, or the first record of a key."""
    for metric_id in spec.metrics:
        if page == metric_page(metric_id):
            return Place(spec.locate_metric(metric_id), f"metric {metric_id}")
    for framework, stem, file in spec.component_files():
        for item, path in _spelled(file):
            if page == key_page(framework, item.key):
                return Place(
                    spec.locate(f"frameworks/{framework}/{stem}", path), f"key {item.key} of {framework} ({stem})"
                )
    return None
