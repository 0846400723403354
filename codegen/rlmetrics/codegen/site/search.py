"""The index of the search: every name under which something is known, with where it leads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rlmetrics.names.lookup.search_question import ASKED, LITTLE
from rlmetrics.names.lookup.searchable import IndexedKey, index_prefixes, indexed_keys, metric_weight

from .healthy import SICK
from .page import Asset
from .page_links import key_page, metric_page
from .sick import sections
from .site import Site

__all__ = ["FILE", "IndexedKey", "logged_keys", "search_index"]

FILE = "assets/generated/search.js"

_KINDS: Mapping[str, str] = {"migrate": "migration", "trainer": "trainer"}
"""What a page is, by the first part of its address; all others are pages."""

_STEP = re.compile(r"migrate/([^/]+/[^/]+)/([^/]+-[^/]+)")


def search_index(site: Site, titles: Mapping[str, str]) -> Asset:
    """Return the index of one language: data that a script tag loads, from a disk as well.

    Args:
        site: The spec.
        titles: The generated pages, title by address; nothing else is found, so that no result leads nowhere.
    """
    keys = [item for item in logged_keys(site) if key_page(item.framework, item.key) in titles]
    metrics = [metric for metric in site.tables.metrics if metric_page(metric) in titles]
    components = list(dict.fromkeys(f"{item.framework}/{name}" for item in keys for name in item.components))
    number = {metric: index for index, metric in enumerate(metrics)}
    place = {component: index for index, component in enumerate(components)}
    data = {
        "language": site.texts.language,
        "words": _words(site),
        "frameworks": {
            name: [row["title"], site.tables.framework(name).releases.names]
            for name, row in site.tables.frameworks.items()
        },
        "components": components,
        "little": sorted(LITTLE),
        "asked": sorted(ASKED),
        "prefixes": index_prefixes(site.tables),
        "terms": _terms(site),
        "metrics": [_metric(site, metric, keys) for metric in metrics],
        "keys": [_key(item, number, place) for item in keys],
        "releases": [path for path in titles if "/" in path and path.partition("/")[0] in site.tables.frameworks],
        "steps": _steps(titles),
        "pages": [
            *_pages(site, titles, keys),
            *_derived(site, titles),
            *(_symptoms(site) if SICK in titles else ()),
            *_guides(site),
        ],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Asset(FILE, f"window.RLMETRICS_INDEX={text};\n")


def logged_keys(site: Site) -> list[IndexedKey]:
    """Return every key and template of every framework, those of the first components first."""
    return indexed_keys(site.tables)


def _metric(site: Site, metric: str, keys: Sequence[IndexedKey]) -> list[object]:
    """Return name, aliases, brief, who logs it under how many names and, in another language, the brief in it."""
    row = site.tables.metrics[metric]
    weight = metric_weight(metric, keys)
    frameworks = dict.fromkeys(item.framework for item in keys if metric in item.metrics)
    brief = str(row["brief"])
    entry: list[object] = [metric, " ".join(row.get("aliases", ())), brief, weight, " ".join(frameworks)]
    translated = site.texts.plain(brief)
    return entry if translated == brief else [*entry, translated]


def _key(item: IndexedKey, number: Mapping[str, int], place: Mapping[str, int]) -> list[object]:
    metrics = [number[metric] for metric in item.metrics if metric in number]
    components = [place[f"{item.framework}/{name}"] for name in item.components]
    return [item.framework, item.key, metrics, components, item.first, item.last, item.weight, _path(item)]


def _path(item: IndexedKey) -> str:
    """Return the end of the address where it is not the key itself."""
    path = key_page(item.framework, item.key).removeprefix(f"k/{item.framework}/")
    return "" if path == item.key else path


def _steps(titles: Mapping[str, str]) -> dict[str, str]:
    """Return the steps between releases by component: ``0.11.4-0.12.0 …``."""
    found: dict[str, list[str]] = {}
    for step in filter(None, map(_STEP.fullmatch, titles)):
        found.setdefault(step[1], []).append(step[2])
    return {component: " ".join(steps) for component, steps in found.items()}


def _pages(site: Site, titles: Mapping[str, str], keys: Iterable[IndexedKey]) -> Iterator[list[str]]:
    """Yield kind, address and title of the pages that the rest of the index does not tell."""
    told = {*map(metric_page, site.tables.metrics), *(key_page(item.framework, item.key) for item in keys)}
    for path, title in titles.items():
        first, _, rest = path.partition("/")
        if path in told or (first in site.tables.frameworks and rest) or _STEP.fullmatch(path):
            continue
        yield [_KINDS.get(first, "page") if rest else "page", path, title]


def _derived(site: Site, titles: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield kind, address and name of what derived frameworks log and the frameworks under them do not.

    They have no page for each key; that of the framework tells them.
    """
    for name, row in site.tables.derived.items():
        if name not in titles:
            continue
        inherited = {item.key for item in indexed_keys(site.tables, [str(row["base"])])}
        for item in indexed_keys(site.tables, [name]):
            if item.key not in inherited:
                yield ["page", name, f"{item.key} ({row['title']})"]


def _symptoms(site: Site) -> Iterator[list[str]]:
    """Yield kind, address, name, diagnoses and, unseen, what the rules are called that look for it."""
    plain = site.texts.plain
    for section in sections(site.tables):
        symptom = section.symptom
        rules = [rule for seen in section.seen.values() for rule in seen]
        ids = [name.replace("-", " ").replace("_", " ") for rule in rules for name in (rule.id, rule.cause)]
        titles = [text for rule in rules for text in (plain(rule.title), rule.title)]
        seen = plain("{curve}: {what}", curve=plain(symptom.group), what=plain(symptom.words))
        behind = " · ".join(plain(one.title) for one in section.own)
        yield ["symptom", f"{SICK}#{symptom.id}", seen, behind, " ".join(dict.fromkeys(" ".join(titles + ids).split()))]


def _guides(site: Site) -> Iterator[list[str]]:
    for guide in site.guides:
        yield ["guide", guide.path, guide.title]
        for heading, anchor in guide.headings:
            yield ["guide", f"{guide.path}#{anchor}" if anchor else guide.path, heading, guide.title]


def _terms(site: Site) -> list[tuple[str, str]]:
    """Return the terms of the field in the site's language, longest first, with their English ones."""
    texts = site.spec.texts.get(site.texts.language)
    found: dict[str, str] = {}
    if texts is not None:
        for term in texts.glossary.terms:
            for word in texts.glossary.synonyms(term):
                if word != term:
                    found.setdefault(word, term)
    return sorted(found.items(), key=lambda item: (-len(item[0]), item[0]))


def _words(site: Site) -> dict[str, str]:
    """Return what the box says about results."""
    plain = site.texts.plain
    return {
        "metric": plain("metric"),
        "key": plain("{framework} key"),
        "release": plain("release"),
        "migration": plain("what changed"),
        "trainer": plain("trainer"),
        "page": plain("page"),
        "guide": plain("guide"),
        "symptom": plain("symptom"),
        "moving": _both(site, "upgrade upgrading migrate migration migrating move moving update"),
        "changing": _both(site, "what changed changes change new added removed renamed"),
        "several": plain("{count} meanings, by trainer and release"),
        "others": plain("{name} and {count} more"),
        "none": plain("Nothing is called that, and nothing is near it."),
        "found": plain("{count} results; the arrow keys move between them"),
    }


def _both(site: Site, english: str) -> str:
    """Return words that are understood but not shown: in English, and in the site's language."""
    return " ".join(dict.fromkeys([*english.split(), *site.texts.plain(english).split()]))
