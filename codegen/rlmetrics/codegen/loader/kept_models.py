"""Models of files that an earlier run has read, so that only edited files are parsed and validated."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..cache import Shelf
from ..findings import Location
from ..output.input_digest import digest_of
from .document import YamlDocument, YamlPath
from .yaml_parser import parse

__all__ = ["KeptModels", "UnparsedDocument"]


@dataclass(frozen=True)
class UnparsedDocument(YamlDocument):
    """A file that is parsed only when a place in it is asked for."""

    content: bytes = field(default=b"", repr=False)

    def _parsed(self) -> YamlDocument:
        document: YamlDocument | None = self.__dict__.get("_document")
        if document is None:
            document, _ = parse(self.content, self.file)
            object.__setattr__(self, "_document", document)
        return document

    def locate(self, path: YamlPath, *, value: bool = False) -> Location:
        """Return the place of a node, or of its nearest existing parent."""
        return self._parsed().locate(path, value=value)

    def source(self, path: YamlPath) -> str | None:
        """Return the text of a scalar as written."""
        return self._parsed().source(path)

    def locate_in_text(self, path: YamlPath, offset: int) -> Location:
        """Return the place of a character of a text value."""
        return self._parsed().locate_in_text(path, offset)


class KeptModels:
    """The models of the files of a spec, by file and content."""

    def __init__(self, folder: Path | None) -> None:
        """Take what is kept in a folder; without one nothing is kept."""
        self._shelf = Shelf(folder, "models")
        self._before: dict[str, tuple[str, bytes]] = self._shelf.load() or {}
        self._now: dict[str, tuple[str, bytes]] = {}

    def get(self, ref: str, content: bytes) -> Any:
        """Return the model of a file with this content, or None."""
        digest, data = self._before.get(ref, ("", b""))
        if digest != digest_of(content):
            return None
        self._now[ref] = (digest, data)
        return pickle.loads(data)

    def put(self, ref: str, content: bytes, model: BaseModel) -> None:
        """Note the model of a file in which nothing is wrong."""
        self._now[ref] = (digest_of(content), pickle.dumps(model, 5))

    def keep(self) -> None:
        """Keep the models of this run, if they are not those of the run before."""
        if self._now != self._before:
            self._shelf.keep(self._now)
