"""Rewrites the names in whatever holds them: logged dicts, files, folders.

Names are imported when they are first used: translating dicts in a trainer needs none of the file formats. Called, the
package does what ``translate_file`` does.
"""

from __future__ import annotations

import sys

from rlmetrics.lazy_imports import lazily
from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.logs.input_errors import InputError

from .callable_package import CallablePackage

if TYPE_CHECKING:
    from .report import Report
    from .translation import translate_file
    from .translation_plan import Translation
    from .translator import Translator

__all__ = ["InputError", "Report", "Translation", "Translator", "translate_file"]

__getattr__, __dir__ = lazily(
    globals(),
    translation_plan=("Translation",),
    report=("Report",),
    translation=("translate_file",),
    translator=("Translator",),
)

sys.modules[__name__].__class__ = CallablePackage
