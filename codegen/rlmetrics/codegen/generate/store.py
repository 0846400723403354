"""What is on disk: the manifests of generated files, and the journal of a run under way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .sources import digest_of

MANIFEST = "generated/manifest.json"
PAGES = ".rlmetrics/pages.json"
JOURNAL = ".rlmetrics/journal.json"
EDITED = ".rlmetrics/hand-edited"
_TEMPORARY = ".rlmetrics-tmp"


@dataclass(frozen=True)
class Output:
    """A generated file.

    Attributes:
        path: Where it goes, relative to the checkout, with forward slashes.
        text: Its whole content.
        source: The file to change in order to change it, relative to the checkout.
    """

    path: str
    text: str
    source: str


@dataclass(frozen=True)
class Entry:
    """A generated file as the manifest remembers it: the digest of its content, and its source."""

    digest: str
    source: str


@dataclass(frozen=True)
class Manifest:
    """What a finished run left.

    The manifest of committed files is committed too, so that edits by hand show on every machine and a fresh clone has
    nothing to do; that of reference pages stays on this machine.

    Attributes:
        files: The generated files by path.
        sources: Digest of everything that they were generated from.
    """

    files: Mapping[str, Entry]
    sources: str


def read_manifest(root: Path, path: str = MANIFEST) -> Manifest:
    """Return a manifest; an empty one where there is none or it is damaged, so that all is generated anew."""
    try:
        data = json.loads((root / path).read_bytes())
        return Manifest({path: Entry(*entry) for path, entry in data["files"].items()}, str(data["sources"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Manifest({}, "")


def manifest_text(manifest: Manifest) -> str:
    """Return the manifest's content, one line for each file."""
    rows = ",\n".join(
        f"    {json.dumps(path)}: {json.dumps([entry.digest, entry.source])}"
        for path, entry in sorted(manifest.files.items())
    )
    head = f'{{\n  "generated_by": "rlmetrics generate",\n  "sources": {json.dumps(manifest.sources)},\n'
    return f'{head}  "files": {{\n{rows}\n  }}\n}}\n'


@dataclass(frozen=True)
class Journal:
    """What a run is about to do.

    Attributes:
        write: For each path the digests that it may have afterwards: what this run writes, and what interrupted
            runs before it were about to write.
        remove: Paths that will be gone.
    """

    write: Mapping[str, tuple[str, ...]]
    remove: tuple[str, ...]


def read_journal(root: Path) -> Journal | None:
    """Return the journal of a run that did not finish, or None if the last run finished."""
    path = root / JOURNAL
    if not path.exists():
        return None
    try:
        data = json.loads(path.read_bytes())
        write = {path: tuple(digests) for path, digests in data["write"].items()}
        return Journal(write, tuple(data["remove"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Journal({}, ())


def write_journal(root: Path, journal: Journal) -> None:
    """Write the journal; from here on the run counts as interrupted until the journal is gone."""
    replace(root / JOURNAL, json.dumps({"write": dict(journal.write), "remove": list(journal.remove)}).encode())


def drop_journal(root: Path) -> None:
    """Remove the journal: the run is finished."""
    (root / JOURNAL).unlink(missing_ok=True)


def replace(path: Path, data: bytes) -> bool:
    """Replace a file in one step, and only if its content changes.

    Returns:
        Whether the file changed.
    """
    try:
        if path.read_bytes() == data:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    write(path, data)
    return True


def write(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file in one step: until it is whole, whoever reads it sees what was there before.

    Args:
        path: Where to.
        data: The content.
        durable: Wait until it is safe from a loss of power. Generated files need not be: the manifest knows their
            digests, so that the next run notices what was lost.
    """
    temporary = f"{path.parent}/.{path.name}.{os.getpid()}{_TEMPORARY}"
    with open(temporary, "wb", buffering=0) as stream:
        stream.write(data)
        if durable:
            os.fsync(stream.fileno())
    os.replace(temporary, path)


def sweep(root: Path, paths: Iterable[str]) -> None:
    """Remove temporary files that an interrupted run left next to ``paths``."""
    for folder in sorted({(root / path).parent for path in paths}):
        if folder.is_dir():
            for name in os.listdir(folder):
                if name.startswith(".") and name.endswith(_TEMPORARY):
                    (folder / name).unlink(missing_ok=True)


def digest_on_disk(root: Path, path: str) -> str | None:
    """Return the digest of a file's content, or None if there is no such file."""
    try:
        return digest_of((root / path).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None


def keep_copy(root: Path, path: str) -> str:
    """Copy a hand-edited file aside before it is replaced; return where the copy is."""
    copy = f"{EDITED}/{path}"
    replace(root / copy, (root / path).read_bytes())
    return copy
