"""Keys whose slashes a store replaced: ``actor_pg_loss`` or ``actor.pg_loss`` for ``actor/pg_loss``.

SQL, BigQuery, Parquet of some writers and frames take no slash in the name of a column. Which key such a name stands
for follows from the spec, where that is one alone; a name that is a key as it stands is left as it is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ..tables.tables import Tables
from .index import SourceIndex, index_of
from .run_clues import Clues

__all__ = ["FlatNames", "clues_spelled", "flat_names"]

_SIGN = re.compile(r"[^0-9A-Za-z]+")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_TRAIN = "train/"
_EVAL, _SHOWN_EVAL = "eval_", "eval/"
_EVALUATIONS = frozenset({"eval_", "eval."})
_FEWEST = 3
"""Names that stand for a key with slashes, in a run whose names are taken for such."""


class FlatNames:
    """What names without slashes stand for.

    Args:
        index: Who logs which keys.
        in_train: Whether keys of training stand below ``train/``, so that ``train_loss`` is ``train/loss``.
        framework: Whose keys count where others have keys that become the same name; empty if that is not known.
    """

    def __init__(self, index: SourceIndex, *, in_train: bool = False, framework: str = "") -> None:
        self._index = index
        self._in_train = in_train
        self._framework = framework
        self._known: dict[str, str] = {}
        literal, self._templates = _by_flat_name(index)
        self._literal = literal

    def __call__(self, name: str) -> str:
        """Return the key that a name stands for; the name itself where nothing, or more than one key, is one."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._key(name)
        return found

    def _key(self, name: str) -> str:
        if "/" in name:
            return name
        flat = _flat(name)
        keys = self._literal.get(flat.lower(), ())
        if self._index.rows_of(name):
            below = [key for key in keys if key.startswith(_TRAIN)]
            return below[0] if self._in_train and len(below) == 1 else name
        if evaluated := self._evaluated(name):
            return evaluated
        keys = keys if len(keys) < 2 else [key for key in keys if self._framework in self.frameworks(key)]
        if len(keys) == 1:
            return keys[0]
        return name if keys else self._filled(name, flat) or name

    def frameworks(self, key: str) -> set[str]:
        """Return who logs a key."""
        return {self._index.subjects[number].framework for number in self._index.logging(key)}

    def _evaluated(self, name: str) -> str:
        """Return what a name of an evaluation stands for, by the key of training; nothing where it is none."""
        rest = name[len(_EVAL) :]
        if name[: len(_EVAL)] not in _EVALUATIONS or rest[: len(_EVAL)] in _EVALUATIONS:
            return ""
        meant = self(rest)
        key = (_SHOWN_EVAL if self._in_train else _EVAL) + meant
        return key if meant != rest and self._index.rows_of(key) else ""

    def _filled(self, name: str, flat: str) -> str:
        """Return the only template that a name can be of, of those that say most of it, with its values."""
        found: dict[str, int] = {}
        for pattern, parts in self._templates:
            match = pattern.fullmatch(flat)
            if match is not None:
                values = zip(match.groups(), parts[1:], strict=True)
                key = "".join([parts[0], *(f"{value}{part}" for value, part in values)])
                found[key] = sum(map(len, parts))
        most = max(found.values(), default=0)
        best = [key for key, length in found.items() if length == most]
        if len(best) > 1:
            best = [key for key in best if self._framework in self.frameworks(key)]
        return best[0] if len(best) == 1 else ""

    def __reduce__(self) -> tuple[object, ...]:
        """Have another process make its own."""
        return flat_names, (self._index.tables, self._in_train, self._framework)


@lru_cache(maxsize=8)
def flat_names(tables: Tables, in_train: bool = False, framework: str = "") -> FlatNames:
    """Return what names without slashes stand for, by a spec; the arguments are those of ``FlatNames``."""
    return FlatNames(index_of(tables), in_train=in_train, framework=framework)


def clues_spelled(clues: Clues, tables: Tables, framework: str = "") -> tuple[FlatNames, Clues] | None:
    """Return what a run's names stand for, and its clues with these; None where its names are keys as they stand.

    Args:
        clues: What is known of the run.
        tables: The spec.
        framework: What logged it, if somebody said; by default what logs most of the keys that its names may stand for.
    """
    names = clues.logged
    if len(names) < _FEWEST or any("/" in name for name in names) or not any("_" in one or "." in one for one in names):
        return None
    index = index_of(tables)
    unknown = [name for name in names if not index.rows_of(name)]
    if not unknown:
        return None  # to make the names of a whole spec takes its time
    meant = _meant(names, flat_names(tables))
    if not meant:
        return None
    in_train = 2 * sum(key.startswith(_TRAIN) for key in meant.values()) > len(meant)
    spelling = flat_names(tables)
    votes = Counter(framework for key in meant.values() for framework in spelling.frameworks(key))
    chosen = framework if votes[framework] else max(votes, key=votes.__getitem__, default="")
    spelling = flat_names(tables, in_train, chosen)
    if len(meant) < _FEWEST or 2 * len(meant) < len(unknown):
        return None
    return spelling, clues.renamed(spelling)


def _meant(names: Iterable[str], spelling: FlatNames) -> dict[str, str]:
    return {name: key for name in names if (key := spelling(name)) != name}


def _flat(name: str) -> str:
    return _SIGN.sub("_", name).strip("_")


def _by_flat_name(index: SourceIndex) -> tuple[Mapping[str, list[str]], list[tuple[re.Pattern[str], list[str]]]]:
    """Return the keys of several parts by their names without slashes, and templates as patterns of such names."""
    literal: dict[str, list[str]] = defaultdict(list)
    templates: list[tuple[re.Pattern[str], list[str]]] = []
    for key in index.spellings():
        if "/" not in key:
            continue
        if "{" not in key:
            literal[_flat(key).lower()].append(key)
            continue
        parts = _PLACEHOLDER.split(key)
        if "/" in parts[0]:  # what begins with a placeholder could be any name
            pattern = "(.+)".join(_SIGN.sub("_", part) for part in parts)
            templates.append((re.compile(pattern, re.IGNORECASE), parts))
    return literal, templates
