"""A dashboard as the spec of a W&B workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from .board import Board, Panel, Section

__all__ = ["workspace_spec"]

_COLUMNS = 3
_FLOW = {
    "snapToColumns": True,
    "columnsPerPage": _COLUMNS,
    "rowsPerPage": 2,
    "gutterWidth": 16,
    "boxWidth": 460,
    "boxHeight": 300,
}
_OWN_STEP = "_step"


def workspace_spec(board: Board) -> dict[str, Any]:
    """Return the spec of a workspace that shows a dashboard: a section for each family, its description last."""
    axis = _common_axis(board)
    settings = _settings(axis)
    return {
        "section": {
            "panelBankConfig": {
                "state": 1,
                "settings": {"autoOrganizePrefix": 2, "showEmptySections": False, "sortAlphabetically": False},
                "sections": [_section(section, axis) for section in board.sections],
            },
            "panelBankSectionConfig": _bank("Report Panels", "grid", [], _OWN_STEP, is_open=False),
            "customRunColors": {},
            "name": board.at,
            "runSets": [_runs()],
            "settings": {**settings, "shouldAutoGeneratePanels": False},
            "openRunSet": 0,
            "openViz": True,
        },
        "vizExpanded": False,
        "libraryExpanded": True,
    }


def _common_axis(board: Board) -> str:
    """Return the axis that most panels have."""
    axes = [panel.x or _OWN_STEP for section in board.sections for panel in section.panels]
    return max(dict.fromkeys(axes), key=axes.count, default=_OWN_STEP)


def _section(section: Section, axis: str) -> dict[str, Any]:
    media = [name for panel in section.panels if panel.kind == "text" for name in panel.names]
    panels = [made for panel in section.panels if panel.kind != "text" for made in _panels(panel, axis)]
    if media:
        panels.append(_placed("Media Browser", {"mediaKeys": media}))
    notes = "\n\n".join(note for panel in section.panels for note in panel.notes)
    panels.append(_placed("Markdown Panel", {"value": notes}))
    made = [
        {**panel, "__id__": _id(section.name, index), "layout": _layout(index)} for index, panel in enumerate(panels)
    ]
    return _bank(section.name, "flow", made, axis, is_open=section.is_open)


def _panels(panel: Panel, axis: str) -> list[dict[str, Any]]:
    """Return the line plots of a panel: one for its names, and one for each regular expression."""
    shared: dict[str, Any] = {"chartTitle": panel.caption, "xAxis": panel.x or _OWN_STEP}
    if panel.unit is not None:
        shared["yAxisTitle"] = panel.unit
    made = [{**shared, "metrics": list(panel.names)}] if panel.names else []
    made += [{**shared, "metrics": [], "metricRegex": text, "useMetricRegex": True} for text in panel.patterns]
    return [_placed("Run History Line Plot", config) for config in made]


def _placed(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"__id__": "", "layout": {}, "viewType": kind, "config": config}


def _bank(name: str, kind: str, panels: Sequence[Any], axis: str, *, is_open: bool) -> dict[str, Any]:
    return {
        "name": name,
        "isOpen": is_open,
        "panels": list(panels),
        "type": kind,
        "flowConfig": dict(_FLOW),
        "sorted": 0,
        "localPanelSettings": _settings(axis),
        "pinned": False,
    }


def _settings(axis: str) -> dict[str, Any]:
    return {
        "smoothingWeight": 0,
        "smoothingType": "none",
        "xAxis": axis,
        "ignoreOutliers": False,
        "useRunsTableGroupingInPanels": True,
        "smoothingActive": False,
        "xAxisActive": axis != _OWN_STEP,
    }


def _runs() -> dict[str, Any]:
    return {
        "id": "",
        "runFeed": {
            "version": 2,
            "columnVisible": {},
            "columnPinned": {},
            "columnWidths": {},
            "columnOrder": [],
            "pageSize": 10,
            "onlyShowSelected": False,
        },
        "enabled": True,
        "name": "Run set",
        "search": {"query": ""},
        "filters": {"filterFormat": "filterV2", "filters": []},
        "grouping": [],
        "sort": {"keys": []},
        "selections": {"root": 1, "bounds": [], "tree": []},
        "expandedRowAddresses": [],
    }


def _layout(index: int) -> dict[str, int]:
    width, height = 8, 6
    return {"x": width * (index % _COLUMNS), "y": height * (index // _COLUMNS), "w": width, "h": height}


def _id(section: str, index: int) -> str:
    """Return a panel's id: the same whenever the same dashboard is made."""
    return hashlib.blake2b(f"{section}/{index}".encode(), digest_size=6).hexdigest()
