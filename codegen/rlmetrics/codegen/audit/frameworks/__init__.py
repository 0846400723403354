"""How each framework is read."""

from __future__ import annotations

from ..settings import Settings
from . import trl, verl

SETTINGS: dict[str, Settings] = {"trl": trl.SETTINGS, "verl": verl.SETTINGS}

__all__ = ["SETTINGS"]
