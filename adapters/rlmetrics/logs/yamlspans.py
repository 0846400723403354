"""Where the scalars of a YAML or JSON file stand and under which keys, so that single names can be replaced.

YAML needs PyYAML, JSON no library. Types are not resolved.
"""

from __future__ import annotations

import json
import re

from rlmetrics.names.tables.user_errors import UserError

from .decimals import quoted
from .scalar import Scalar, YamlError

__all__ = ["Scalar", "YamlError", "json_scalars", "respelled", "scalars"]

_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')
_SAFE = re.compile(r"[A-Za-z_](?:[\w/.@()=+*-]*[\w/)])?")


def respelled(spelled: str, new: str) -> str:
    """Return ``new`` in the quotes of ``spelled``; a plain scalar gets quotes only if it needs them."""
    if spelled.startswith("'"):
        return "'" + new.replace("'", "''") + "'"
    if spelled.startswith('"') or not _SAFE.fullmatch(new):
        return quoted(new, is_ascii=False)
    return new


def json_scalars(text: str) -> list[Scalar]:
    """Return every scalar below the top of a JSON text, in order; the text must be JSON."""
    found: list[Scalar] = []
    path: list[str | int] = []
    is_key = False
    for match in _JSON.finditer(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text):
        token = match[0]
        if token in "{[":
            path.append("" if token == "{" else 0)
            is_key = token == "{"
        elif token in "}]":
            path.pop()
        elif token == ":":
            is_key = False
        elif token == ",":
            last = path[-1]
            is_key = isinstance(last, str)
            path[-1] = last if isinstance(last, str) else last + 1
        elif path:
            said = str(json.loads(token)) if token.startswith('"') else token
            path[-1] = said if is_key else path[-1]
            found.append(Scalar(said, tuple(path), match.start(), match.end(), is_key))
    return found


def scalars(text: str) -> list[Scalar]:
    """Return every scalar below the top of a YAML text, in order.

    Empty ones, block scalars of more lines than one, and what is part of a complex key are left out.

    Raises:
        YamlError: If it is not YAML.
        UserError: If PyYAML is not installed.
    """
    try:
        from .yamlevents import read
    except ModuleNotFoundError:
        msg = 'YAML is read with PyYAML, which is missing; pip install "rlmetrics[yaml]"'
        raise UserError(msg) from None
    return read(text)
