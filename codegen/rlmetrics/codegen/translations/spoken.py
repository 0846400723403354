"""Whether answers still say a sentence that they put together of parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["is_spoken"]

_FOLDERS = tuple(
    f"adapters/rlmetrics/{folder}"
    for folder in ("answers", "charts", "cli", "comparison", "health", "names", "wording")
)
_PLACEHOLDER = re.compile(r"\{\w+\}")


def is_spoken(root: Path) -> Callable[[str], bool]:
    """Return what tells whether the code of answers says a sentence: three words in a row of its longest piece.

    Args:
        root: A checkout; where it holds no answers, everything may be said.
    """
    paths = sorted(path for folder in _FOLDERS for path in (root / folder).rglob("*.py"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in paths).lower()

    def told(english: str) -> bool:
        pieces = [piece.strip(" .,;:()") for piece in _PLACEHOLDER.split(english)]
        words = max(pieces, key=len).lower().split()
        # Parts of a sentence may be told in turn: three words in a row that are said are enough.
        runs = [" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))]
        return not code or any(run in code for run in runs)

    return told
