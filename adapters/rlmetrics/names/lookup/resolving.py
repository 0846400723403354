"""What logged keys mean in a source that is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING

from ..meanings.exact_names import canonical_of
from ..meanings.key_cadence import cadence_of
from ..meanings.key_index import KEY, SHOWN, TEMPLATE, misspelt
from ..meanings.named_variables import notes_of, signature_of
from ..meanings.protocol import Match, View
from ..meanings.view import FrameworkView
from ..sources.surfaces import LOGGED
from ..tables.key_records import Signature
from ..tables.tables import Tables
from ..tables.templates import LITERAL, OPEN, Template, placeholders_in
from .lookup_records import Defect, Documented, Resolution, UpstreamReport

if TYPE_CHECKING:
    from ..meanings.component import ComponentView
    from ..tables.key_records import Entry

__all__ = [
    "defects_of",
    "function_of",
    "is_users_own",
    "left_open",
    "logged_as",
    "measured",
    "measured_as",
    "reports_of",
    "resolution_of",
    "resolve_in",
    "unlogged",
]

_USERS_OWN = "user_defined"
"""How a trait says that it holds for one of the values that a placeholder stands for."""


def resolve_in(view: View, keys: Iterable[str]) -> list[Resolution]:
    """Return what keys mean in a source that is open, as they are spelled."""
    resolutions: list[Resolution] = []
    for key in keys:
        if found := left_open(view, key):
            resolutions.append(_left_open(view, key, found))
            continue
        resolutions += (
            [resolution_of(view, key, match) for match in logged_as(view, key)]
            or measured(key, view.tables)
            or [_unknown(view, key)]
        )
    return resolutions


def logged_as(view: View, key: str) -> list[Match]:
    """Return what a source logs by a key."""
    return [match for match in view.find(key) if not _never_logged(view, key, match)]


def left_open(view: View, key: str) -> list[str]:
    """Return the metrics that a name may mean whose convention leaves open which; nothing where it does not."""
    if isinstance(view, FrameworkView):
        return []
    readings = [reading for match in view.find(key)[:1] for reading in view.readings(match.entry)]
    return [str(reading.metric) for reading in readings] if len(readings) > 1 else []


def _left_open(view: View, key: str, metrics: Sequence[str]) -> Resolution:
    reason = f"{view.source.framework} leaves open which metric it is"
    return Resolution(
        key, None, source=str(view.source), reason=reason, nearest=tuple(metrics), fallbacks=view.source.fallbacks
    )


def measured(key: str, tables: Tables) -> list[Resolution]:
    """Return what a number is that rlmetrics measures and logs beside a trainer's own."""
    own = canonical_of(key, tables)
    return [] if own is None else [resolution_of(own[0], key, match) for match in own[0].find(own[1])]


def measured_as(key: str, tables: Tables) -> list[Match]:
    """Return the same as what was found."""
    own = canonical_of(key, tables)
    return [] if own is None else own[0].find(own[1])


def resolution_of(view: View, key: str, match: Match) -> Resolution:
    """Return everything that is known about a key that was found."""
    entry, tables = match.entry, view.tables
    metric = tables.metrics.get(entry.metric or "", {})
    reason = None
    if entry.metric is None:
        reason = "what it measures depends on the configuration; see the alternatives"
    notes = entry.notes
    if view.source.chosen and isinstance(view, FrameworkView) and view.source.framework in tables.derived:
        from .other_bases import base_notes

        notes = (*base_notes(view, match), *notes)
    notes = notes_of(notes, match.values)
    signature = signature_of(entry.signature, match.values, tables)
    return Resolution(
        key=key,
        metric=entry.metric,
        rev=metric.get("rev"),
        brief=metric.get("brief"),
        unit=metric.get("unit"),
        source=str(view.source),
        component=entry.component,
        template=entry.key,
        placeholders=match.values,
        mode=entry.mode,
        surface=match.surface,
        condition=entry.logged_when,
        logged_by_default=entry.logged_by_default,
        logged=entry.logged,
        constant_when=entry.constant_when,
        variant=entry.variant,
        alternatives=entry.alternatives,
        signature=signature,
        defects=defects_of(signature, tables),
        function=function_of(entry.metric, signature, tables),
        evidence=view.evidence(entry),
        documented=_documented(view, match),
        note=" ".join(notes) or None,
        notes=notes,
        reason=reason,
        fallbacks=view.source.fallbacks,
        matched=_way(view, match),
        near_miss=_near_miss(view, match),
        reads=entry.reads,
        cadence=cadence_of(view.components[entry.component], entry) if isinstance(view, FrameworkView) else None,
        reports=reports_of(view.components[entry.component], entry) if isinstance(view, FrameworkView) else (),
    )


def reports_of(component: ComponentView, entry: Entry) -> tuple[UpstreamReport, ...]:
    """Return what the framework's authors were told about a number, what holds in the release first.

    What nobody has compared with the component that it is taken from is not known to have the base's faults.
    """
    if entry.signature.unstated:
        return ()
    covers = component.table.releases.covers
    found = [
        UpstreamReport(
            number=row["number"],
            url=row["url"],
            says=row["says"],
            state=row["state"],
            holds=covers(row["releases"], component.release),
            releases=tuple(row["releases"]),
            fixed=row.get("fixed"),
            by=row.get("by"),
            read=row["read"],
        )
        for row in component.reports(entry)
    ]
    return tuple(sorted(found, key=lambda report: not report.holds))


def _way(view: View, match: Match) -> str:
    """Return how a key was understood."""
    if view.template(match.entry).rank != LITERAL:
        return TEMPLATE
    return KEY if match.surface == LOGGED else SHOWN


def _near_miss(view: View, match: Match) -> str | None:
    """Return the key that a name of the user's own choice is probably a typo of."""
    if not is_users_own(match.entry.metric, view.tables) or not isinstance(view, FrameworkView):
        return None
    return next((near for name in match.values.values() if (near := misspelt(name, _literals(view)))), None)


def is_users_own(metric: str | None, tables: Tables) -> bool:
    """Tell whether a metric is a number of which only its author knows what it is."""
    identity = tables.metrics.get(metric or "", {}).get("identity", {})
    return bool(identity.get("quantity") == _USERS_OWN)


def _literals(view: FrameworkView) -> list[str]:
    keys = dict.fromkeys(key for part in view.components.values() for key in part.keys)
    return [key for key in keys if "{" not in key]


def _documented(view: View, match: Match) -> tuple[Documented, ...]:
    if not isinstance(view, FrameworkView):
        return ()
    rows = view.components[match.entry.component].documented(match.entry.key, match.entry.mode)
    return tuple(Documented(says, code, title, path, heading) for says, code, title, path, heading in rows)


def _unknown(view: View, key: str) -> Resolution:
    known: list[str] = []
    reason = f"{view.source} does not log it"
    if isinstance(view, FrameworkView):
        for component in view.components.values():
            known += component.keys
            said = unlogged(component, key)
            if said is not None:
                reason = f"documented, but never logged in this release: {said['says']} Instead: {said['instead']}"
        elsewhere = _elsewhere(view, key)
        if elsewhere:
            reason += f"; {', '.join(elsewhere)} do" if len(elsewhere) > 1 else f"; {elsewhere[0]} does"
    else:
        known = [entry.key for entry in view.entries()]
    from difflib import get_close_matches

    near = get_close_matches(_bare(key), dict.fromkeys(known), n=3, cutoff=0.6)
    return Resolution(
        key,
        None,
        source=str(view.source),
        reason=reason,
        nearest=tuple(near),
        fallbacks=view.source.fallbacks,
        near_miss=misspelt(_bare(key), [name for name in known if "{" not in name]),
    )


def _never_logged(view: View, key: str, match: Match) -> bool:
    """Tell whether only a template for names of users' choice matches a key that a guide lists and no code logs."""
    if not isinstance(view, FrameworkView) or view.template(match.entry).rank != OPEN:
        return False
    return unlogged(view.components[match.entry.component], key) is not None


def unlogged(component: ComponentView, key: str) -> Mapping[str, str] | None:
    """Return what the spec says about a key that a guide lists and no code logs: ``says`` and ``instead``."""
    for row in component.unlogged:
        template = Template(row["key"], dict.fromkeys(placeholders_in(row["key"]), "[^/]+"))
        if template.parse(key) is not None or template.parse(_bare(key)) is not None:
            return row
    return None


def _elsewhere(view: FrameworkView, key: str) -> list[str]:
    """Return the releases of the same components that do log a key, as logged."""
    table = view.tables.framework(view.source.framework)
    elsewhere: dict[str, list[str]] = {}
    names = {component.name for component in view.source.components}
    for name, stem, ranges, _ in table.components:
        if name not in names:
            continue
        own, among = table.component(stem), table.releases.covered(ranges)
        for row in own.rows:
            if own.bare(row) == key:
                elsewhere.setdefault(name, []).extend(own.releases_of(row, among))
    order = table.releases.index
    return [
        f"{table.name}[{name}]=={release}"
        for name, releases in elsewhere.items()
        for release in sorted(set(releases), key=order)[-1:]
    ]


def _bare(key: str) -> str:
    return key.removeprefix("train/")


def defects_of(signature: Signature, tables: Tables) -> tuple[Defect, ...]:
    """Return the known faults in how a number is computed."""
    return tuple(
        Defect(name, trait["what"], trait["grade"], trait.get("vanishes_when"), trait.get("correction"))
        for name in signature.traits
        if (trait := tables.traits[name])["facet"] == "defect"
    )


def function_of(metric: str | None, signature: Signature, tables: Tables) -> str | None:
    """Return the function that computes a metric as a code does: the plain one, or the variant that reproduces it."""
    row = tables.metrics.get(metric or "", {})
    function: str | None = row.get("function")
    if signature.reproduced_by is None:
        return function
    # A metric that no tensor gives, such as a trainer's whole loss, may have functions for some trainers' versions.
    start = function or row.get("variant_functions")
    return None if start is None else f"{start}_{signature.reproduced_by}"
