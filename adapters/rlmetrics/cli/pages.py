"""Pages of HTML that commands write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlmetrics.logs.files import require_ordinary, resolved
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate.placing import replacing

from .clean_stream import clean

__all__ = ["require_free_page", "write_page"]


def require_free_page(page: Path, taken: Sequence[Path], what: str, option: str = "--html", *, force: bool) -> None:
    """Make sure that a page destroys nothing.

    Args:
        page: Where the page goes.
        taken: Files and folders that it may not replace.
        what: What these are, for the message.
        option: The option that names the page.
        force: Overwrite an existing page.

    Raises:
        InputError: If its folder is missing, or it exists and ``force`` is off, is no file or is taken.
    """
    require_ordinary(page, option)
    if not page.absolute().parent.is_dir():
        msg = "its folder does not exist; create it first"
        raise InputError(msg, page)
    if page.is_dir():
        msg = f"is a folder; name a file with {option}"
        raise InputError(msg, page)
    if resolved(page) in map(resolved, taken):
        msg = f"may not replace {what}; choose another file with {option}"
        raise InputError(msg, page)
    if page.exists() and not force:
        msg = f"exists already; choose another file with {option}, or overwrite it with --force"
        raise InputError(msg, page)


def write_page(page: Path, text: str, *, force: bool) -> None:
    """Write a page, or leave what was there if that fails.

    Args:
        page: Where the page goes.
        text: What it holds.
        force: Replace what another program has put there since it was found to be free.

    Raises:
        InputError: If there is something and ``force`` is off.
    """
    with replacing(page, force=force) as part:
        part.write_text(clean(text), encoding="utf-8")
