"""All tables of a spec, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .data import Module, Row, TableData, row, source, tuples
from .framework import framework_modules, package_name
from .metrics import health_module, metrics_modules

if TYPE_CHECKING:
    from ..model import Convention, Tracker
    from ..spec import Spec

__all__ = ["build"]


def build(spec: Spec) -> TableData:
    """Return the tables of a spec.

    Args:
        spec: A spec without errors.

    Returns:
        The modules ``__init__``, ``signatures``, ``trackers``, ``conventions`` and ``health``; the packages ``metrics``
        and ``texts``, with a module for each family; and ``frameworks``, with a package for each framework.
    """
    modules = {
        "__init__": _index(spec),
        "frameworks.__init__": Module("Tables of each framework.", "spec/frameworks", {}),
        **metrics_modules(spec),
        "signatures": _signatures(spec),
        "trackers": Module(
            "What each tracker allows in a name and how it shows names.",
            "spec/trackers",
            {"TRACKERS": {name: _tracker(tracker) for name, tracker in spec.trackers.items()}},
        ),
        "conventions": Module(
            "Names that conventions outside the frameworks give to metrics.",
            "spec/conventions",
            {"CONVENTIONS": {name: _convention(item) for name, item in spec.conventions.items()}},
        ),
        "health": health_module(spec),
    }
    for name, framework in spec.frameworks.items():
        modules.update(framework_modules(name, framework))
    return TableData(modules)


def _index(spec: Spec) -> Module:
    frameworks = {
        name: row(
            title=item.framework.title,
            package=item.framework.package,
            brief=item.framework.brief,
            module=package_name(name),
        )
        for name, item in spec.frameworks.items()
    }
    renamed = tuple((item.from_, item.to, item.since, item.why) for item in spec.info.renamed)
    constants = {"SPEC_VERSION": spec.info.version, "RENAMED": renamed, "FRAMEWORKS": frameworks}
    return Module("Tables of the spec, as plain values.", "spec", constants)


def _signatures(spec: Spec) -> Module:
    signatures = spec.signatures
    constants = {
        "LEVELS": {name: (level.brief, level.vanishes_when) for name, level in signatures.levels.items()},
        "OPERATIONS": dict(signatures.operations),
        "GRADES": dict(signatures.grades),
        "SNAPSHOT": (signatures.snapshot_grade, signatures.snapshot_vanishes_when),
        "GENERIC": tuple(signatures.generic_quantities),
        "POPULATIONS": {
            name: (item.domain, item.brief, tuple(item.traits)) for name, item in signatures.populations.items()
        },
        "TRAITS": {name: tuples(trait) for name, trait in signatures.traits.items()},
    }
    return Module("The vocabulary of signatures.", "spec/signatures.yaml", constants)


def _convention(convention: Convention) -> Row:
    return row(
        title=convention.title,
        version=convention.version,
        traits=tuple(convention.traits),
        names=tuple(row(name=item.name, metric=item.metric, note=item.note) for item in convention.names),
    )


def _tracker(tracker: Tracker) -> tuple[tuple[str, object], ...]:
    return row(
        title=tracker.title,
        allowed=tracker.allowed,
        max_length=tracker.max_length,
        path_prefix_conflict=tracker.path_prefix_conflict or None,
        kinds=tuple(tracker.kinds),
        routes=tuple(
            (route, tuple((rule.pattern, rule.replacement, rule.stop) for rule in rules))
            for route, rules in tracker.routes.items()
        ),
        notes=tuple(tracker.notes),
        sources=tuple(source(item) for item in tracker.sources),
    )
