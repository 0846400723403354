"""The tag in the name of a downloaded file, in which browsers write ``_`` for ``/`` and for other signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

__all__ = ["file_name", "tag_of"]

_MOST_GAPS, _MOST_SLASHES = 14, 4
"""Places at which a slash may stand, and slashes that a tag has: so many combinations are looked up."""
_UNSAFE = re.compile(r"[/\\:*?\"<>|]")
_TRAIN = "train_"
"""What transformers writes before the keys of training, with a slash that browsers replace."""
_PLACEHOLDER = re.compile(r"\{\w+\}")


def tag_of(name: str) -> list[str]:
    """Return the tags that a name may stand for: those of the spec with slashes, if there are any, else the name."""
    from rlmetrics.names.tables.loading import load_tables

    tables = load_tables(None)
    catalogue = tables.catalogue
    known = (catalogue["KEYS"], catalogue["SHOWN"], tables.metrics)
    tags = [*_with_slashes(name)]
    found = [tag for tag in tags if any(tag in keys for keys in known) or tag.removeprefix("eval/") in tables.metrics]
    return [*dict.fromkeys(found or _of_templates(name, catalogue["KEYS"]))] or [name]


def _of_templates(name: str, keys: Iterable[str]) -> list[str]:
    """Return what a name may be of templates, those that say the most of it."""
    bare = name.removeprefix(_TRAIN)
    before = "train/" if bare != name else ""
    filled = [(len(_PLACEHOLDER.sub("", key)), tag) for key in keys if "{" in key and (tag := _filled(key, bare))]
    most = max((length for length, _ in filled), default=0)
    return [before + tag for length, tag in filled if length == most]


def _with_slashes(name: str) -> Iterator[str]:
    if "/" in name:
        yield name
    gaps = [place for place, sign in enumerate(name) if sign == "_"]
    for count in range(1, _MOST_SLASHES + 1) if len(gaps) <= _MOST_GAPS else ():
        for places in combinations(gaps, count):
            signs = list(name)
            for place in places:
                signs[place] = "/"
            yield "".join(signs)


def _filled(template: str, name: str) -> str | None:
    """Return a template with what a name has in the places of its placeholders; None if it is none of its names."""
    literal = _PLACEHOLDER.split(template)
    if sum(map(len, literal)) <= len(literal[0]) or "/" not in literal[0]:
        return None
    pattern = "(.+)".join(re.escape(_UNSAFE.sub("_", part)) for part in literal)
    match = re.fullmatch(pattern, name)
    if match is None:
        return None
    return "".join([literal[0], *(f"{value}{part}" for value, part in zip(match.groups(), literal[1:], strict=True))])


def file_name(run: str, tag: str, suffix: str) -> str:
    """Return how the page, and browsers, name the download of a tag."""
    return f"run-{run or '.'}-tag-{_UNSAFE.sub('_', tag)}{suffix}"
