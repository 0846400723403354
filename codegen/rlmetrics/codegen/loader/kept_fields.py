"""What a record keeps of the inherited one that it replaces, where it says nothing else: what the key is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..meaning.resolution import chain
from ..meaning.spelled import fitting, spelled
from ..model import ComponentFile, Profile, Record

if TYPE_CHECKING:
    from .document import YamlPath

__all__ = ["KeptFields"]

_KEPT = ("metric", "profile", "modes", "span")


class _Before(NamedTuple):
    """A record that another one replaces.

    Attributes:
        said: What it says of the fields that can be kept.
        stem: Its file.
        path: Its place there.
    """

    said: Mapping[str, Any]
    stem: str
    path: YamlPath


class KeptFields:
    """The files of a framework in which every record says for itself what it is about.

    Args:
        files: The files as written, by stem.

    Attributes:
        files: The files, by stem.
        moved: For each file, the fields that a record keeps: in which file, at which place they stand.
    """

    def __init__(self, files: Mapping[str, ComponentFile]) -> None:
        self._stated = files
        self.files: dict[str, ComponentFile] = {}
        self.moved: dict[str, dict[YamlPath, tuple[str, YamlPath]]] = {stem: {} for stem in files}
        self._keys: dict[str, dict[str, list[_Before]]] = {}
        for stem in files:
            self._fill(stem)

    def _fill(self, stem: str) -> None:
        if stem in self.files:
            return
        file = self.files[stem] = self._stated[stem]  # a file that extends itself is found elsewhere
        nearer = chain(self._stated, stem)[1:]
        for part in nearer:
            self._fill(part)
        if nearer:
            keys: dict[str, Record | list[Record]] = {}
            for name, records in file.keys.items():
                if isinstance(records, Record):
                    keys[name] = self._kept(stem, nearer, name, records, ("keys", name))
                else:
                    each = enumerate(records)
                    keys[name] = [self._kept(stem, nearer, name, item, ("keys", name, at)) for at, item in each]
            self.files[stem] = file.model_copy(update={"keys": keys})
        self._keys[stem] = {}
        for name, index, record in self.files[stem].records():
            path: YamlPath = ("keys", name) if isinstance(file.keys[name], Record) else ("keys", name, index)
            if record.logged is None:
                for item in spelled(name, record):
                    said = {**{field: getattr(record, field) for field in _KEPT}, **item.says}
                    self._keys[stem].setdefault(item.key, []).append(_Before(said, stem, path))

    def _kept(self, stem: str, nearer: list[str], name: str, record: Record, path: YamlPath) -> Record:
        """Return a record with what it keeps: what all records that it replaces say alike."""
        if record.logged is not None:
            return self._omitted(nearer, record)
        kept: dict[str, Any] = {} if record.family else self._family(stem, nearer, name, path)
        family = kept.get("family", record.family)
        before = [list(self._before(nearer, key)) for key in family or [name]]
        for field in _KEPT if all(before) else ():
            if getattr(record, field) is not None or (field == "metric" and family):
                continue
            found = [item for items in before for item in items]
            value = found[0].said.get(field)
            if value is None or any(item.said.get(field) != value for item in found):
                continue
            if field != "profile" or self._profile(stem, value) is self._profile(found[0].stem, value):
                kept[field] = value
                self.moved[stem][(*path, field)] = found[0].stem, (*found[0].path, field)
        return record.model_copy(update=kept) if kept else record

    def _omitted(self, nearer: list[str], record: Record) -> Record:
        """Return a record of what is never logged with the inherited keys that each ``*`` stands for."""
        if not any("*" in key for key in record.family):
            return record
        known = [*dict.fromkeys(key for part in nearer for key in self._keys.get(part, ()))]
        # What fits nothing stays, so that lint shows it.
        keys = [key for text in record.family for key in fitting(text, known) or [text]]
        return record.model_copy(update={"family": dict.fromkeys(keys)})

    def _family(self, stem: str, nearer: list[str], name: str, path: YamlPath) -> dict[str, Any]:
        """Return the family of the record of the same name that is replaced, if its name is no key itself."""
        found = next(((part, self.files[part].keys[name]) for part in nearer if name in self.files[part].keys), None)
        if found is None or not isinstance(found[1], Record) or not found[1].family or name in found[1].family:
            return {}
        self.moved[stem][(*path, "family")] = found[0], ("keys", name, "family")
        return {"family": found[1].family}

    def _profile(self, stem: str, name: str) -> Profile | None:
        """Return what a file means by the name of a profile; None for one of the framework."""
        files = (self._stated[part] for part in chain(self._stated, stem))
        return next((file.profiles[name] for file in files if name in file.profiles), None)

    def _before(self, nearer: list[str], key: str) -> Iterator[_Before]:
        """Yield the records of a key in the nearest file that has any."""
        for part in nearer:
            if key in self._keys.get(part, ()):
                yield from self._keys[part][key]
                return
