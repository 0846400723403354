"""Whether answers still say a sentence that they put together of parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["is_spoken"]

_FOLDERS = tuple(f"adapters/rlmetrics/{folder}" for folder in ("answers", "health", "names", "wording"))
_PLACEHOLDER = re.compile(r"\{\w+\}")


def is_spoken(root: Path) -> Callable[[str], bool]:
    """Return what tells whether the code of answers holds a sentence, or the longest piece between its placeholders.

    Args:
        root: A checkout; where it holds no answers, everything may be said.
    """
    paths = sorted(path for folder in _FOLDERS for path in (root / folder).rglob("*.py"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in paths).lower()

    def told(english: str) -> bool:
        pieces = [piece.strip(" .,;:()") for piece in _PLACEHOLDER.split(english)]
        return not code or max(pieces, key=len).lower() in code

    return told
