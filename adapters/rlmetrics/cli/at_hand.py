"""What is answered at once: versions, the overview and pages of the manual, before anything else is imported.

A start of Python costs ten milliseconds. What this module and those that it imports bring along is most of what an
answer costs beyond that, so they do without ``typing``, ``re`` and ``argparse``.
"""

from __future__ import annotations

import os

from rlmetrics.overlay_places import found_overlays
from rlmetrics.wording.voice import language

from .exits import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["answer_at_hand"]

_HELP = ("-h", "--help")
_READY = ("resolve", "show")
_PAIRS = ("map", "diff")


def answer_at_hand(arguments: Sequence[str]) -> str | None:
    """Return what answers a command line, as it is printed; None if it takes more to answer it.

    Raises:
        UsageError: The tables have not been generated.
    """
    if not arguments or [*arguments] == ["--version"]:
        try:
            return _version() if arguments else _overview()
        except ImportError:
            msg = "rlmetrics: the tables have not been generated; run rlmetrics generate in the checkout"
            raise UsageError(msg) from None
    if arguments[-1] in _HELP:
        return _manual(arguments)
    if len(arguments) == 2 and arguments[0] in _READY:
        return _ready(arguments[0], arguments[1], arguments[1])
    if len(arguments) == 4 and arguments[0] == "resolve" and "--at" in arguments[1:3]:
        key, source = (arguments[1], arguments[3]) if arguments[2] == "--at" else (arguments[3], arguments[2])
        from rlmetrics.wording.answer_book import AT, at_name

        return _ready(AT, at_name(key, source.partition("==")[0]), key, source)
    if arguments[0] in _PAIRS and len(arguments) in (5, 6):
        return _of_pair(arguments[0], arguments[1:])
    return None


def _of_pair(book: str, words: Sequence[str]) -> str | None:
    """Return the ready answer to what became of a key of one source, or of all, in another; None if there is none."""
    from rlmetrics.wording.answer_book import pair_name

    ends: dict[str, str] = {}
    keys: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in ("--from", "--to") and word not in ends:
            ends[word] = next(rest, "")
        else:
            keys.append(word)
    if len(ends) < 2 or len(keys) > 1 or any(word.startswith("-") for word in keys):
        return None
    key = keys[0] if keys else None
    source = ends["--from"]
    return _ready(book, pair_name(key, source.partition("==")[0], ends["--to"]), key or "", source)


def _version() -> str:
    from rlmetrics import __version__
    from rlmetrics.tables import SPEC_VERSION

    return f"rlmetrics {__version__}, spec {SPEC_VERSION}\n"


def _overview() -> str:
    from .overview import overview

    return overview()


def _ready(book: str, name: str, asked: str, source: str = "") -> str | None:
    """Return a ready answer; with links to a site, in another language or with overlays it has to be made anew."""
    if os.environ.get("RLMETRICS_SITE") or language() != "en" or found_overlays():
        return None
    from rlmetrics.wording.answer_book import printed_entry

    try:
        text = printed_entry(book, name, asked, source)
    except (ImportError, ValueError):
        return None  # without tables, which the command says; or from a damaged file, without which it answers
    return None if text is None else f"{text}\n"


def _manual(arguments: Sequence[str]) -> str | None:
    from .manual import page, page_text, screen

    lines = page(" ".join(["rlmetrics", *arguments[:-1]]))
    return None if lines is None else page_text(lines, screen())
