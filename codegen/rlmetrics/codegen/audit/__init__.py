"""Static extraction of a release's metric keys and their comparison with the spec."""

from __future__ import annotations

from .extract import Extraction, LoggedKey, extract

__all__ = ["Extraction", "LoggedKey", "extract"]
