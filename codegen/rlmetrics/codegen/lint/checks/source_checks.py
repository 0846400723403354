"""Sources: each is written once and cited by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ...loader.cited_sources import HOLDERS
from ...model import CitedSource, ClaimSource
from ..lint_check import Check, Hit, check
from ..vocabulary_lookups import missing

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS"]

_Place = tuple[str, "YamlPath"]


@check(
    "unknown-source",
    "error",
    what="A source that is cited by a name that `sources.yaml` does not have.",
    fix="correct the name, or write the source there",
)
def unknown_source(context: Context) -> Iterator[Hit]:
    for (ref, path), source in _sources(context):
        if isinstance(source, CitedSource):
            yield from missing(context, "source", "sources", source.title, context.spec.sources, ref, path)


@check(
    "source-repeated",
    "warning",
    what="A source of metrics or rules that is written twice, or two names for one address.",
    fix="write it once in `sources.yaml`, and cite it by its name",
    whole=True,
)
def source_repeated(context: Context) -> Iterator[Hit]:
    table = context.spec.sources
    named = {id(source) for source in table.values()}
    first: dict[ClaimSource, _Place] = {}
    addresses: dict[str, str] = {}
    for name, source in table.items():
        first[source] = "sources", ("sources", name)
        document = None if source.line or source.path else source.url
        if document in addresses:
            other: tuple[str, YamlPath, str] = ("sources", ("sources", addresses[document]), "the other name")
            message = f"`{name}` has the address of `{addresses[document]}`"
            yield Hit("sources", ("sources", name), message, "cite one name for both", related=(other,))
        elif document:
            addresses[document] = name
    for (ref, path), source in _sources(context):
        if id(source) in named or isinstance(source, CitedSource):
            continue
        place = first.setdefault(source, (ref, path))
        # What an alias of YAML repeats is written once.
        if context.spec.locate(*place) != context.spec.locate(ref, path):
            fix = f"write `{place[1][-1]}` in its place" if place[0] == "sources" else None
            message = f"`{source.title}` is written here again"
            yield Hit(ref, path, message, fix, related=((*place, "written before"),))


@check(
    "unused-source",
    "warning",
    what="A source of `sources.yaml` that nothing cites.",
    fix="remove it, or cite it where it belongs",
    whole=True,
)
def unused_source(context: Context) -> Iterator[Hit]:
    cited = {id(source) for _, source in _sources(context)}
    for name, source in context.spec.sources.items():
        if id(source) not in cited:
            yield Hit("sources", ("sources", name), f"nothing cites the source `{name}`")


def _sources(context: Context) -> Iterator[tuple[_Place, ClaimSource]]:
    """Yield every source of metrics and of rules of health with its place."""
    for name, family in context.spec.families.items():
        yield from (((f"metrics/{name}", path), source) for path, source in _below(family, ()))
    for stem, file in context.spec.health.items():
        yield from (((f"health/{stem}", path), source) for path, source in _below(file, ()))


def _below(node: Any, path: YamlPath) -> Iterator[tuple[YamlPath, ClaimSource]]:
    if isinstance(node, ClaimSource):
        yield path, node
    elif isinstance(node, BaseModel):
        for name, value in node:
            if name in HOLDERS:
                yield from _below(value, (*path, name))
    elif isinstance(node, dict | list):
        for place, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _below(value, (*path, place))


CHECKS: tuple[Check, ...] = (unknown_source, source_repeated, unused_source)
