"""Grafana dashboards over metrics in Prometheus, of the classic schema and of version 2.

Exporters mangle names: ``critic/score/mean`` is ``rl_insight_monitor_critic_score_mean`` there. What a name in a
dashboard stands for is looked up among the images of all keys.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from rlmetrics.names import coverage, load_tables
from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.tables import Tables

from ...files import text_in
from ...input_errors import InputError
from ...jsontree import Document, Object, TreeError
from ...log import Kind, Log
from .dashboard_places import PromqlNames, walk
from .promql import Selector

__all__ = ["KIND", "PREFIX", "GrafanaDashboard", "classic", "dashboard_in", "keys_behind"]

PREFIX = "rl_insight_monitor_"
"""What RL-Insight, verl's exporter for Prometheus, puts before every name."""
_MAX_BYTES = 1 << 26
_MARK = re.compile(rb'"(?:panels|rows|elements)"\s*:\s*[\[{]')
"""What stands in every dashboard; other JSON, such as vocabularies, need not be read."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is JSON with the panels or elements of a dashboard."""
    if path.suffix != ".json" or path.stat().st_size > _MAX_BYTES:
        return False
    try:
        content = path.read_bytes()
        if not _MARK.search(content):
            return False
        tree = Document(content.decode("utf-8")).parse()
    except (TreeError, UnicodeDecodeError):
        return False
    return isinstance(tree, Object) and _is_dashboard(tree)


class GrafanaDashboard(Log):
    """A dashboard of the classic schema or of version 2."""

    def names(self) -> set[str]:
        """Return the keys that the metrics of a dashboard may be the images of, whatever the framework."""
        document = Document(text_in(self.path, "a dashboard is JSON"))
        collector = _PromqlCollector()
        walk(document, dashboard_in(self.path, document), collector)
        return keys_behind(set(collector.names))


def keys_behind(names: set[str]) -> set[str]:
    """Return the keys that names in Prometheus may be the images of, whatever the framework."""
    images = {classic(name) for name in names}
    known = {key for key, image in _images_of_keys(load_tables()).items() if image in images}
    return {name for name in images if name.startswith(PREFIX)} | known


@lru_cache(maxsize=2)
def _images_of_keys(tables: Tables) -> dict[str, str]:
    """Return how Prometheus shows each key that a release logs: thousands, found once for all dashboards."""
    logged = {key for row in coverage(spec=tables) for key in row.keys if "{" not in key}
    rules = rules_of(tables, "wandb", "hf_trainer")
    return {key: classic(key) for key in logged | {show_name(key, rules) for key in logged}}


def classic(name: str) -> str:
    """Return a name as the classic format of Prometheus shows it: letters, digits, underscores and colons."""
    image = re.sub(r"[^a-zA-Z0-9_:]", "_", name)
    return f"_{image}" if image[:1].isdigit() else image


def _is_dashboard(tree: Object) -> bool:
    inner = tree.get("dashboard")
    if isinstance(inner, Object):
        return _is_dashboard(inner)
    spec = tree.get("spec")
    if isinstance(spec, Object) and (spec.get("elements") is not None or spec.get("panels") is not None):
        return True
    marks = ("schemaVersion", "templating", "__inputs", "timepicker", "elements", "variables")
    return any(tree.get(mark) is not None for mark in marks) and any(
        tree.get(mark) is not None for mark in ("panels", "rows", "elements")
    )


def dashboard_in(path: Path, document: Document) -> Object:
    """Return the dashboard that a document holds.

    Raises:
        InputError: If it is no JSON, or none with panels or elements.
    """
    try:
        tree = document.parse()
    except TreeError as error:
        msg = f"not JSON: {error}; export the dashboard again, or mend it here"
        raise InputError(msg, path, *document.position(error.offset)) from None
    if not isinstance(tree, Object):
        msg = "is no dashboard: an object with panels or elements is expected"
        raise InputError(msg, path, 1, 1)
    return tree


class _PromqlCollector(PromqlNames):
    """Leaves every name as it is and remembers those of expressions."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def metric(self, document: Document, selector: Selector) -> list[str]:
        self.names[selector.name] = None
        return super().metric(document, selector)


KIND = Kind("grafana", recognises, GrafanaDashboard, is_layout=True)
