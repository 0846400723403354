"""Verdicts on sentences, kept in ``spec/judged.lock`` under the digest of the sentence and of what it rests on."""

from __future__ import annotations

import hashlib
import tokenize
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

__all__ = ["FILE", "HOLDS", "REFUSED", "UNSEEN", "Judged", "code_digest", "code_files", "read", "text_of", "verdicts"]

FILE = "judged.lock"
"""Where they stand in the folder ``spec``."""

_HEAD = "# Kept by `rlmetrics judge`. Do not edit."
_FIELDS = 4
_BESIDE = (
    "rlmetrics.answers.judged",
    "rlmetrics.answers.value_ranges",
    "rlmetrics.names.meanings.constancy",
    "rlmetrics.names.tables.readings",
    "rlmetrics.oracle",
    "rlmetrics.reproduction.recipes",
    "rlmetrics.reproduction.words",
)
"""What decides verdicts beside the judge: of which values a sentence is told, and how numbers are computed."""


_BETWEEN = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
"""What stands before a statement."""
_LAYOUT = (tokenize.NL, tokenize.COMMENT)


HOLDS, REFUSED, UNSEEN = "holds", "refused", "unseen"
"""What a verdict can be; the last where no step can tell."""


class Judged(NamedTuple):
    """A verdict that is kept.

    Attributes:
        answer: ``holds``, ``refused`` or ``unseen``.
        place: Where the sentence stood when it was judged.
        why: The step and the number, or why no step can tell.
    """

    answer: str
    place: str
    why: str


def code_digest() -> str:
    """Return the digest of the code that judges, and of what it computes numbers with.

    Comments, docstrings and layout are no part of it.
    """
    total = hashlib.blake2b(digest_size=8)
    for path in code_files():
        total.update(_code_of(path).encode())
    return total.hexdigest()


def code_files() -> list[Path]:
    """Return the modules that decide verdicts."""
    found = sorted((Path(__file__).parent / "judge").glob("*.py"))
    for name in _BESIDE:
        spec = find_spec(name)
        path = Path(str(spec.origin if spec is not None else name))
        found += sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else [path]
    return found


def _code_of(path: Path) -> str:
    """Return the words of a module, without comments, docstrings and layout, the same in every version of Python."""
    words: list[str] = []
    begins = True
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in _BETWEEN:
                begins = True
            elif token.type not in _LAYOUT and not (begins and token.type == tokenize.STRING):
                begins = False
                words.append(token.string)
    # Versions differ in how they cut a string with values in it.
    return "".join("".join(words).split()).replace("{{", "{").replace("}}", "}")


def read(spec: Path) -> tuple[str, dict[str, Judged]] | None:
    """Return the digest of the code that judged, and the verdicts by digest; None if there are none."""
    path = spec / FILE
    if not path.is_file():
        return None
    code = ""
    found: dict[str, Judged] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("code "):
            code = line.removeprefix("code ")
        fields = line.split("\t")
        # Of two branches that judged, each line holds by itself; what a merge left between them is none.
        if len(fields) == _FIELDS:
            place, digest, answer, why = fields
            found[digest] = Judged(answer, place, why)
    return code, found


def verdicts(folders: Sequence[Path]) -> dict[str, Judged]:
    """Return the verdicts of a spec and its overlays by digest."""
    found: dict[str, Judged] = {}
    for folder in folders:
        kept = read(folder)
        found.update(kept[1] if kept is not None else {})
    return found


def text_of(code: str, judged: Mapping[str, Judged]) -> str:
    """Return the file: a line for each verdict, in the order of the places."""
    rows = sorted((item.place, digest, item.answer, item.why) for digest, item in judged.items())
    return "\n".join([_HEAD, f"code {code}", *("\t".join(row) for row in rows), ""])
