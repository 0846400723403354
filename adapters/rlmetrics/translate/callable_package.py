"""``rlmetrics.translate`` is a package, and what is called to translate a file: `rlmetrics` has one name for both."""

from __future__ import annotations

from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from inspect import Signature
    from typing import Any

    from .translation import translate_file

__all__ = ["CallablePackage"]


class CallablePackage(ModuleType):
    """A package that does what ``translate_file`` does when it is called."""

    if TYPE_CHECKING:
        from rlmetrics.logs.input_errors import InputError

        from .report import Report
        from .translation_plan import Translation
        from .translator import Translator

        __call__ = translate_file = staticmethod(translate_file)
    else:

        def __call__(self, *args: Any, **kwargs: Any) -> Report:
            """Translate a file or folder."""
            from .translation import translate_file

            return translate_file(*args, **kwargs)

    @property
    def __signature__(self) -> Signature:
        from inspect import signature

        from .translation import translate_file

        return signature(translate_file)
