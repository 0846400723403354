"""Signs of severities, with names for those who cannot see them."""

from __future__ import annotations

from markupsafe import Markup

from rlmetrics.wording.terminal import symbol

from .texts import Texts

__all__ = ["severity_mark", "severity_name", "severity_sign"]


def severity_sign(severity: str) -> str:
    """Return the sign of a severity: the terminal's."""
    return symbol(severity)


def severity_name(severity: str, texts: Texts) -> str:
    """Return what a severity is called."""
    names = {
        "same": texts.plain("same"),
        "close": texts.plain("near"),
        "unreviewed": texts.plain("unreviewed"),
        "biased": texts.plain("differs"),
        "look-alike": texts.plain("not comparable"),
        "none": texts.plain("no counterpart"),
    }
    return names[severity]


def severity_mark(severity: str, texts: Texts) -> Markup:
    """Return the sign of a severity in its colour."""
    name = severity_name(severity, texts)
    mark = Markup('<span class="rlm-severity rlm-{}" role="img" aria-label="{}" title="{}">{}</span>')
    return mark.format(severity, name, name, severity_sign(severity))
