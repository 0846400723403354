"""Verdicts on sentences, kept in ``spec/judged.lock`` under the digest of the sentence and of what it rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

__all__ = ["FILE", "HOLDS", "REFUSED", "UNSEEN", "Judged", "code_digest", "read", "text_of"]

FILE = "judged.lock"
"""Where they stand in the folder ``spec``."""

_HEAD = "# Kept by `rlmetrics judge`. Do not edit."
_FIELDS = 4
_AXES = ("rlmetrics.answers.value_ranges", "rlmetrics.names.tables.readings")
"""The modules that say of which values a sentence is told, besides those here."""


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
    """Return the digest of the code that judges."""
    total = hashlib.blake2b(digest_size=8)
    others = (Path(str(item.origin)) for name in _AXES if (item := find_spec(name)) is not None)
    for path in (*sorted((Path(__file__).parent / "judge").glob("*.py")), *others):
        total.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return total.hexdigest()


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


def text_of(code: str, judged: Mapping[str, Judged]) -> str:
    """Return the file: a line for each verdict, in the order of the places."""
    rows = sorted((item.place, digest, item.answer, item.why) for digest, item in judged.items())
    return "\n".join([_HEAD, f"code {code}", *("\t".join(row) for row in rows), ""])
