"""The table by which a name without a source is understood: which components have a key, and what trackers call it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rlmetrics.names.sources.surfaces import Rules, route_surfaces, show_template
from rlmetrics.names.tables.tables import Tables

from .data import Table

if TYPE_CHECKING:
    from rlmetrics.names.tables.component_rows import ComponentTable

    from ..spec import Spec

__all__ = ["catalogue_table"]


def catalogue_table(spec: Spec, tables: Mapping[str, Table]) -> Table:
    """Return the table of a spec.

    ``KEYS`` has every key and template, those of the first components first, with the numbers of the components that
    have it, counted through all frameworks. ``SHOWN`` has the names under which trackers show keys that they rename,
    with these keys. ``FORMS`` has how a template begins and ends, as logged or shown, and the template.

    Args:
        spec: The spec.
        tables: All other tables, as JSON has them.
    """
    known = Tables(lambda name: tables[name].data)
    keys: dict[str, list[int]] = {}
    shown: dict[str, dict[str, None]] = {}
    forms: dict[tuple[str, str, str], None] = {}
    for number, own in enumerate(_components(known)):
        routes = dict.fromkeys(str(row["route"]) for row in own.tracking())
        ways: list[Rules] = [rules for _, rules in route_surfaces(known, tuple(routes))]
        for key in own.spelled:
            keys.setdefault(key, []).append(number)
            names = dict.fromkeys([key, *(show_template(key, rules) for rules in ways)])
            for name in filter(None, names):
                if "{" in key:
                    forms[name.partition("{")[0], name.rpartition("}")[2], key] = None
                elif name != key:
                    shown.setdefault(name, {})[key] = None
    data = {"KEYS": keys, "SHOWN": {name: [*of] for name, of in sorted(shown.items())}, "FORMS": [*map(list, forms)]}
    return Table("spec/frameworks", data)


def _components(tables: Tables) -> Iterator[ComponentTable]:
    for name in tables.frameworks:
        table = tables.framework(name)
        yield from (table.component(stem) for _, stem, _, _ in table.components)
