"""Rewrites the names in whatever holds them: logged dicts, files, folders."""

from .errors import InputError
from .plan import Translation
from .report import Report
from .translation import translate_file
from .translator import Translator

__all__ = ["InputError", "Report", "Translation", "Translator", "translate_file"]
