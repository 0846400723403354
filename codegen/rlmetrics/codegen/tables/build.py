"""All tables of a spec, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .data import Module, TableData, row, source, tuples
from .framework import framework_module, module_name
from .metrics import health_module, metrics_module, texts_module

if TYPE_CHECKING:
    from ..model import Tracker
    from ..spec import Spec

__all__ = ["build"]


def build(spec: Spec) -> TableData:
    """Return the tables of a spec.

    Args:
        spec: A spec without errors.

    Returns:
        The modules ``__init__``, ``metrics``, ``texts``, ``signatures``, ``trackers``, ``health`` and one for each
        framework. Equal specs give equal tables.
    """
    modules = {
        "__init__": _index(spec),
        "metrics": metrics_module(spec),
        "texts": texts_module(spec),
        "signatures": _signatures(spec),
        "trackers": Module(
            "What each tracker allows in a name and how it shows names.",
            "spec/trackers",
            {"TRACKERS": {name: _tracker(tracker) for name, tracker in spec.trackers.items()}},
        ),
        "health": health_module(spec),
    }
    for name, framework in spec.frameworks.items():
        modules[module_name(name)] = framework_module(name, framework)
    return TableData(modules)


def _index(spec: Spec) -> Module:
    frameworks = {
        name: row(
            title=item.framework.title,
            package=item.framework.package,
            brief=item.framework.brief,
            module=module_name(name),
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
        "POPULATIONS": {
            name: (item.domain, item.brief, tuple(item.traits)) for name, item in signatures.populations.items()
        },
        "TRAITS": {name: tuples(trait) for name, trait in signatures.traits.items()},
    }
    return Module("The vocabulary of signatures.", "spec/signatures.yaml", constants)


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
