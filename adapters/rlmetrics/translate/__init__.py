"""Rewrites the names in whatever holds them: logged dicts, files, folders.

Names are imported when they are first used: translating dicts in a trainer needs none of the file formats.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import InputError
    from .plan import Translation
    from .report import Report
    from .translation import translate_file
    from .translator import Translator

__all__ = ["InputError", "Report", "Translation", "Translator", "translate_file"]

_HOME = {
    "InputError": "errors",
    "Report": "report",
    "Translation": "plan",
    "Translator": "translator",
    "translate_file": "translation",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
