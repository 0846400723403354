"""What a plain YAML scalar means: the core schema of YAML 1.2, minus what YAML 1.1 readers take differently.

YAML 1.1 reads ``no`` as false, ``012`` as ten and ``1:30`` as ninety; YAML 1.2 does not. Where the two disagree the
spec has to quote, so that every tool reads the same.
"""

from __future__ import annotations

import re

__all__ = ["AmbiguousScalarError", "Scalar", "resolve"]

Scalar = str | int | float | bool | None

_CONSTANTS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_OLD_BOOLEAN = re.compile(r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_OTHER_NUMBER = re.compile(
    r"[-+]?0[0-9]+"  # octal in 1.1, decimal in 1.2
    r"|[-+]?0[xob][0-9a-fA-F_]+"
    r"|[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"  # digit separators, 1.1 only
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # base 60, 1.1 only
)
_MAX_DIGITS = 400
_MAYBE_SPECIAL = frozenset("~+-.0123456789nNtTfFyYoO")


class AmbiguousScalarError(ValueError):
    """A plain scalar that YAML 1.1 and YAML 1.2 read differently."""


def resolve(text: str) -> Scalar:
    """Return the value of an unquoted scalar.

    Args:
        text: The scalar as it stands in the file.

    Returns:
        None, a bool, an int, a float, or the text itself.

    Raises:
        AmbiguousScalarError: If readers of YAML 1.1 and 1.2 disagree about it.
    """
    if text and text[0] not in _MAYBE_SPECIAL:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) > _MAX_DIGITS:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) or _SPECIAL_FLOAT.fullmatch(text):
        return float(text.replace(".inf", "inf").replace(".nan", "nan") if text[-1].isalpha() else text)
    if _OLD_BOOLEAN.fullmatch(text):
        msg = f"`{text}` is a boolean to some readers of YAML and text to others"
        raise AmbiguousScalarError(msg)
    if _OTHER_NUMBER.fullmatch(text):
        msg = f"`{text}` is a different number, or no number, depending on who reads it"
        raise AmbiguousScalarError(msg)
    return text
