"""Bring the generated pages on disk up to date; nothing of them is committed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError

from ..generate.functions import resolve
from ..lint import Context
from ..loader import read
from ..output import input_digest, store
from ..output.prose import header
from ..spec import Spec
from ..tables.json_tables import FOLDER as TABLES
from . import key, metric_page
from .derived_page import derived_pages
from .fallback import fallbacks
from .guides import GuidePage, guides_in
from .migration import migration_pages
from .navigation import ignored
from .page import Asset, Page
from .release_pages import release_pages
from .search import search_index
from .sick import sick
from .site import Site
from .ten_numbers import ten_numbers
from .texts import ENGLISH, Texts
from .trainer import trainer_pages
from .translator_page import translator_page
from .value_page import values

__all__ = ["MAKERS", "WRITTEN", "build", "write_pages"]

Maker = Callable[[Site], Iterator[Page | Asset]]

MAKERS: Sequence[Maker] = (
    metric_page.make,
    key.make,
    release_pages,
    derived_pages,
    migration_pages,
    trainer_pages,
    sick,
    values,
    ten_numbers,
    translator_page,
)
"""What makes the pages, one for each kind."""


def build(site: Site) -> Iterator[Page | Asset]:
    """Yield the pages and assets of one language.

    Raises:
        ValueError: Two pages have one address; case counts for no file system.
    """
    seen: dict[str, str] = {}
    titles: dict[str, str] = {}
    for make in MAKERS:
        for made in make(site):
            path = made.file if isinstance(made, Page) else made.path
            other = seen.setdefault(path.lower(), path)
            if other is not path:
                msg = f"two pages are written to {path}"
                raise ValueError(msg)
            if isinstance(made, Page):
                titles[made.path] = made.title
            yield made
    yield search_index(site, titles)


WRITTEN = ".rlmetrics/site.json"
"""Remembers what was written from what."""

_SHARED = ("assets/**/*.*", "pictures/*.svg", "benchmarks/*.json", "results/*.json")
"""What guides of every language show or link beside pages."""

_ALSO = (
    ("adapters/rlmetrics/answers", (".py",)),
    ("adapters/rlmetrics/wording", (".py",)),
    ("generated/rlmetrics/tables", (".json",)),
)
"""What decides about pages beside what decides about everything generated."""


def write_pages(root: Path, *, anew: bool = False) -> int:
    """Write the pages of a checkout whose other files are up to date, and remove those that are no longer made.

    Args:
        root: The checkout.
        anew: Make them although nothing seems to have changed since the last time.

    Returns:
        How many files were written or removed.
    """
    digest = _digest(root)
    known = _known(root)
    if not anew and known.get("sources") == digest and all((root / path).is_file() for path in known["files"]):
        return 0
    made = dict(_made(root))
    changed = sum(store.replace(root / path, text.encode()) for path, text in made.items())
    for path in known.get("files", ()):
        if path not in made and (root / path).is_file() and not _is_by_hand(root / path):
            (root / path).unlink()
            changed += 1
    store.replace(root / WRITTEN, json.dumps({"sources": digest, "files": sorted(made)}, indent=0).encode())
    return changed


def _is_by_hand(path: Path) -> bool:
    """Tell whether a page does not say that it was generated, as a translation that took the place of one."""
    return path.suffix == ".md" and store.MARKER.encode() not in path.read_bytes()[:400]


def _made(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files, relative to the checkout, with their contents."""
    spec, _ = read(root / "spec")
    assert spec is not None, "the spec has errors, which generating must have told"
    functions, _ = resolve(spec, Context(spec).programs)
    site = Site(spec, functions, Tables(lambda name: _table(root, name)))
    # Which names these are only the spec says; git is told in the folder itself.
    yield "docs/.gitignore", ignored(site.tables.named, spec.texts)
    for texts in _languages(spec):
        folder = "docs" if texts is ENGLISH else f"docs/{texts.language}"
        if texts is not ENGLISH:
            yield from _shared(root, folder)
            yield from ((f"{folder}/{file}", text) for file, text in fallbacks(root / "docs", _not_guides(root), texts))
        for one in build(replace(site, texts=texts, guides=_guides(root, texts))):
            if isinstance(one, Page):
                yield f"{folder}/{one.file}", one.markdown(header("spec"))
            else:
                yield f"{folder}/{one.path}", one.text


def _table(root: Path, name: str) -> Any:
    """Read a generated table; some files of the spec have none of some kinds."""
    try:
        return json.loads((root / TABLES / f"{name}.json").read_bytes())
    except FileNotFoundError:
        msg = f"there is no table {name}"
        raise NamesError(msg) from None


def _languages(spec: Spec) -> Iterator[Texts]:
    yield ENGLISH
    for language, texts in spec.texts.items():
        yield Texts(language, texts.catalog())


def _guides(root: Path, texts: Texts) -> tuple[GuidePage, ...]:
    """Return the hand-written pages of a language; a folder of one with two letters is that of another language."""
    if texts is not ENGLISH:
        return guides_in(root / "docs" / texts.language)
    return guides_in(root / "docs", _not_guides(root))


def _not_guides(root: Path) -> tuple[str, ...]:
    """Return the folders of the English documentation that hold something else."""
    return (*_codes(root), "reference", "theme")


def _codes(root: Path) -> list[str]:
    """Return the languages besides English; each has a folder of pages named like its texts."""
    return sorted(path.name for path in (root / "spec" / "texts").glob("*") if path.is_dir())


def _shared(root: Path, folder: str) -> Iterator[tuple[str, str]]:
    """Yield styles, scripts, pictures and data that each language has for itself, as a site that stands alone."""
    docs = root / "docs"
    for kind in _SHARED:
        for file in sorted(docs.glob(kind)):
            place = file.relative_to(docs)
            if place.parts[1] != "generated":
                yield f"{folder}/{place.as_posix()}", file.read_text(encoding="utf-8")


def _digest(root: Path) -> str:
    also = [label for folder, endings in _ALSO for label in sorted(input_digest.walk(root, folder, endings))]
    read_all = "".join(f"{label}\0{store.digest_on_disk(root, label)}\n" for label in also)
    guides = [_guides(root, texts) for texts in (ENGLISH, *map(Texts, _codes(root)))]
    shared = [*_shared(root, "docs")]
    return input_digest.digest_of(f"{input_digest.digest(root)}\n{read_all}{guides}{shared}".encode())


def _known(root: Path) -> dict[str, Any]:
    try:
        found = json.loads((root / WRITTEN).read_bytes())
        return {"sources": str(found["sources"]), "files": [str(path) for path in found["files"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
