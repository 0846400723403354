"""What holds for every command, before or after its name: the language of its answer, and ``--debug``."""

from __future__ import annotations

import os
import sys

from rlmetrics.wording.voice import LANGUAGES

from .exits import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["taken_out"]

_OPTION = "--lang"
_DEBUG = "--debug"
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""What says which language a user reads, the first that is set."""
_ANSWERING = frozenset(
    {"check", "compare", "diff", "keys", "map", "open", "plot", "releases", "resolve", "show", "translate", "why"}
)
"""Commands that answer people; what others write goes into files or to those who keep the spec."""


def taken_out(arguments: Sequence[str]) -> tuple[list[str], str, bool]:
    """Return a command line without ``--lang`` and ``--debug``, the language of its answer, and whether to tell all.

    The language is that of the environment where none is named. What programs read stays English: documents of
    ``--json``, and what commands print that give no answers. So do pages of the manual.

    Raises:
        UsageError: The option has no value, or one that is no language of answers.
    """
    kept: list[str] = []
    language = None
    debug = False
    words = iter(arguments)
    for word in words:
        if word == "--":
            kept += [word, *words]
        elif word == _OPTION or word.startswith(f"{_OPTION}="):
            language = next(words, "") if word == _OPTION else word.partition("=")[2]
            if language not in LANGUAGES:
                known = ", ".join(LANGUAGES)
                msg = f"rlmetrics: {_OPTION}: answers are given in {known}, not in {language or 'nothing'}"
                raise UsageError(msg)
        elif word == _DEBUG:
            debug = True
        else:
            kept.append(word)
    is_answer = (not kept or kept[0] in _ANSWERING) and not {"--json", "--help", "-h"} & {*kept}
    return kept, (language or _of_environment()) if is_answer else "en", debug


def _of_environment() -> str:
    """Return the language that the environment asks for, if answers are given in it and the output can show it."""
    asked = next((value for name in _VARIABLES if (value := os.environ.get(name))), "")
    language = asked.partition("_")[0].partition(".")[0].lower()
    if language not in LANGUAGES or language == "en":
        return "en"
    try:
        "中".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "en"
    return language
