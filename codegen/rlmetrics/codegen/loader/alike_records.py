"""Writes out records and settings that are like others: what these say, and besides what own records say."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..model import ComponentFile, ConfigKey, Record

if TYPE_CHECKING:
    from .document import YamlPath

__all__ = ["AlikeRecords"]

_ADDED = ("notes", "traits", "without", "facts", "groups", "documented", "reads", "constant_when")
"""What the own record says comes after what the other one says; anything else takes its place."""


class AlikeRecords:
    """The files of a framework without ``like``.

    Args:
        files: The files as written, by stem.

    Attributes:
        files: The files, by stem.
        moved: For each file, what is taken from another one: from which file, and where it stands there.
        faults: Records and settings of which there is none: file, place, what is wrong, what to do.
    """

    def __init__(self, files: Mapping[str, ComponentFile]) -> None:
        self._stated = files
        self.moved: dict[str, dict[YamlPath, tuple[str, YamlPath]]] = {stem: {} for stem in files}
        self.faults: list[tuple[str, YamlPath, str, str]] = []
        self.files = {stem: self._file(stem, file) for stem, file in files.items()}

    def _file(self, stem: str, file: ComponentFile) -> ComponentFile:
        keys = {
            name: self._written(stem, name, records, ("keys", name))
            if isinstance(records, Record)
            else [self._written(stem, name, item, ("keys", name, index)) for index, item in enumerate(records)]
            for name, records in file.keys.items()
        }
        same = all(keys[name] is records for name, records in file.keys.items() if isinstance(records, Record))
        same = same and all(keys[name] == records for name, records in file.keys.items() if isinstance(records, list))
        config = {name: self._setting(stem, name, key) for name, key in file.config.items()}
        same = same and all(config[name] is key for name, key in file.config.items())
        return file if same else file.model_copy(update={"keys": keys, "config": config})

    def _setting(self, stem: str, name: str, key: ConfigKey) -> ConfigKey:
        """Return what the file says of a setting that it is like."""
        if key.like is None:
            return key
        stated = self._stated.get(key.like)
        other = None if stated is None else stated.config.get(name)
        if other is None or other.like is not None:
            fix = "name a file that says it" if stated is not None else self._unknown(key.like)
            message = f"`{key.like}` says nothing of the setting `{name}`"
            self.faults.append((stem, ("config", name, "like"), message, fix))
            return key
        self.moved[stem]["config", name] = key.like, ("config", name)
        return other

    def _written(
        self, stem: str, name: str, record: Record, path: YamlPath, users: frozenset[tuple[str, str]] = frozenset()
    ) -> Record:
        if record.like is None:
            return record
        users = users | {(stem, name)}
        own = record.like in self._stated[stem].keys and record.like != name
        owner, called = (stem, record.like) if own else (record.like, name)
        other = self._stated[owner].keys.get(called) if owner in self._stated else None
        if not isinstance(other, Record) or (owner, called) in users:
            self.faults.append((stem, (*path, "like"), *self._wrong(owner, called, other)))
            return record.model_copy(update={"like": None})
        there: YamlPath = ("keys", called)
        other = self._written(owner, called, other, there, users)
        taken: dict[str, Any] = {"like": None, "instead": {}}
        for field in other.model_fields_set:
            theirs, own = getattr(other, field), getattr(record, field)
            if field in _ADDED and field in record.model_fields_set:
                taken[field] = [*theirs, *own]
            elif field not in record.model_fields_set:
                taken[field] = theirs
            else:
                continue
            self.moved[stem][(*path, field)] = self._origin(owner, (*there, field))
            if field in _ADDED:
                self._place(stem, owner, path, there, field, len(theirs), len(own))
        if "family" in taken:
            taken["family"] = {_renamed(key, record.instead): metric for key, metric in taken["family"].items()}
        said = record.model_fields_set | other.model_fields_set
        return Record.model_construct(said - {"like", "instead"}, **{**dict(record), **taken})

    def _place(self, stem: str, other: str, path: YamlPath, there: YamlPath, field: str, theirs: int, own: int) -> None:
        """Note where the entries of a list stand."""
        places = self.moved[stem]
        places.update({(*path, field, index): self._origin(other, (*there, field, index)) for index in range(theirs)})
        places.update({(*path, field, theirs + index): (stem, (*path, field, index)) for index in range(own)})

    def _origin(self, stem: str, path: YamlPath) -> tuple[str, YamlPath]:
        """Return where an entry of a record that is written out already was written."""
        return self.moved[stem].get(path, (stem, path))

    def _wrong(self, owner: str, name: str, other: object) -> tuple[str, str]:
        if owner not in self._stated:
            return f"there is no file or record `{owner}`", self._unknown(owner)
        if isinstance(other, Record):
            return f"the record `{name}` of `{owner}` is in the end like itself", "write one of them out"
        if isinstance(other, Iterable):
            return f"`{owner}` has several records of `{name}`", "write the record out"
        return f"`{owner}` has no record `{name}`", "name a file that has one"

    def _unknown(self, owner: str) -> str:
        near = difflib.get_close_matches(owner, self._stated, n=1)
        return f"did you mean `{near[0]}`?" if near else "name a file of the framework, or a record of this file"


def _renamed(key: str, instead: Mapping[str, str]) -> str:
    """Return a key with another beginning, if it has one of those that are told."""
    return next((own + key.removeprefix(theirs) for theirs, own in instead.items() if key.startswith(theirs)), key)
