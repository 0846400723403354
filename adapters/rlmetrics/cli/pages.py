"""Pages of HTML that commands write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlmetrics.translate import InputError
from rlmetrics.translate.files import require_ordinary
from rlmetrics.translate.placing import replacing

__all__ = ["require_free_page", "write_page"]


def require_free_page(page: Path, inputs: Sequence[Path], *, force: bool) -> None:
    """Make sure that a page destroys nothing.

    Raises:
        InputError: If its folder is missing, or it exists and ``force`` is off, is no file or is an input.
    """
    if not page.absolute().parent.is_dir():
        msg = "its folder does not exist; create it first"
        raise InputError(msg, page)
    if page.is_dir():
        msg = "is a folder; name a file for the report"
        raise InputError(msg, page)
    require_ordinary(page, "--html")
    for source in inputs:
        if page.exists() and page.resolve() == source.resolve():
            msg = "the report may not replace what is judged; choose another file with --html"
            raise InputError(msg, page)
    if page.exists() and not force:
        msg = "exists already; choose another file with --html, or overwrite it with --force"
        raise InputError(msg, page)


def write_page(page: Path, text: str) -> None:
    """Write a page, or leave what was there if that fails."""
    with replacing(page) as part:
        part.write_text(text, encoding="utf-8")
