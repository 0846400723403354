"""How each framework is read: a file of data for each."""

from __future__ import annotations

from pathlib import Path

from ..audit_settings import AuditSettings, read_settings

__all__ = ["SETTINGS"]

_FILES = sorted(Path(__file__).parent.glob("*.yaml"))

SETTINGS: dict[str, AuditSettings] = {path.stem: read_settings(path) for path in _FILES}
