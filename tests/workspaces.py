"""Specs of W&B workspaces with chosen panels."""

import json
from typing import Any

__all__ = ["panels_of", "spec_with"]


def spec_with(*panels: tuple[str, dict[str, Any]], **section: Any) -> dict[str, Any]:
    """A workspace with the given panels: pairs of a type and a configuration."""
    made = [{"viewType": kind, "config": config} for kind, config in panels]
    return {"section": {"panelBankConfig": {"sections": [{"panels": made}]}, **section}}


def panels_of(text: str) -> list[dict[str, Any]]:
    """Return the configurations of the panels of such a workspace."""
    return [panel["config"] for panel in json.loads(text)["section"]["panelBankConfig"]["sections"][0]["panels"]]
