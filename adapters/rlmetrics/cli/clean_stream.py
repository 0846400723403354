"""What commands print, with nothing in it that steers a terminal, and no key: names and texts come from others."""

from __future__ import annotations

import os
import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

__all__ = ["CleanStream", "clean"]

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but for tabs and ends of lines
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # what turns text, or is not seen
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_STEERING = re.compile(f"[{_UNSEEN}]")
_OR_OWN = re.compile(rf"(?P<own>\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\)|[{_UNSEEN}]")
"""Colours and links are this package's own where it paints."""


_HOLDS_SECRET = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST = 8
"""A shorter value of such a variable may be any word."""


def clean(text: str) -> str:
    """Return a text with escapes, as JSON writes them, in the place of all that can't be seen or steers, and no key."""
    return _STEERING.sub(_escape, _without(_secrets(), text))


class CleanStream:
    """A text stream that escapes what can't be seen, and leaves out keys that the environment holds.

    Args:
        stream: Where the text goes.
        name: What it is called where it takes nothing.
        paints: Whether colours and links may go there.
    """

    def __init__(self, stream: TextIO, name: str, *, paints: bool) -> None:
        self._stream = stream
        self._name = name
        self._pattern = _OR_OWN if paints else _STEERING
        self._secrets = _secrets()

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            self._stream.write(self._pattern.sub(_escape, _without(self._secrets, text)))
        except OSError as error:
            error.filename = self._name
            raise
        return len(text)

    def flush(self) -> None:
        """Have all that was written arrive."""
        try:
            self._stream.flush()
        except OSError as error:
            error.filename = self._name
            raise

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """Return what else the stream has."""
        return getattr(self._stream, name)


@cache
def _secrets() -> list[str]:
    """Return the keys that the environment holds, which the texts of servers may repeat; read once a process."""
    return [
        os.environ[name] for name in os.environ if _HOLDS_SECRET.search(name) and len(os.environ[name]) >= _SHORTEST
    ]


def _without(secrets: list[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    if len(sign) > 1:
        return sign
    return "".join(f"\\u{unit:04x}" for unit in _units(ord(sign)))


def _units(point: int) -> tuple[int, ...]:
    """Return the one or two parts of a character as JSON numbers them."""
    return (point,) if point < 0x10000 else (0xD800 + (point - 0x10000 >> 10), 0xDC00 + (point & 0x3FF))
