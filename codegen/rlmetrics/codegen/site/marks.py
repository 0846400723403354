"""Signs of severities, with names for those who cannot see them."""

from __future__ import annotations

from markupsafe import Markup

from .texts import Texts

__all__ = ["severity_mark"]

_SYMBOLS = {"same": "=", "close": "≈", "biased": "!", "look-alike": "≠", "none": "·"}


def severity_mark(severity: str, texts: Texts) -> Markup:
    """Return the sign of a severity in its colour."""
    names = {
        "same": texts.plain("same"),
        "close": texts.plain("near"),
        "biased": texts.plain("differs"),
        "look-alike": texts.plain("not comparable"),
        "none": texts.plain("no counterpart"),
    }
    mark = Markup('<span class="rlm-severity rlm-{}" role="img" aria-label="{}" title="{}">{}</span>')
    return mark.format(severity, names[severity], names[severity], _SYMBOLS[severity])
