"""One run: compare what the spec asks for with what is on disk, and bring the disk up to date."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..output import store
from ..output.input_digest import digest, digest_of
from ..output.store import MARKER, Journal, Manifest, ManifestEntry, Output, Rendered

if TYPE_CHECKING:
    from ..findings import SpecFinding

OWNED = (
    "generated/rlmetrics",
    "generated/meanings",
    "tests/generated",
    "docs/reference",
    "codegen/rlmetrics/codegen/schema",
)
"""Folders in which a file that names the generator in its head, and that no spec asks for any more, is removed."""

LOCAL = "docs/reference/"
"""What is below is written but not committed: reference pages, which a fresh clone does not have."""

What = Literal["new", "missing", "changed", "removed", "hand-edited"]


@dataclass(frozen=True)
class FileChange:
    """A file that differs from what the spec asks for.

    Attributes:
        path: Relative to the checkout.
        what: How it differs.
        source: The file to change in place of this one.
        copy: Where a hand-edited file was kept before it was replaced.
    """

    path: str
    what: What
    source: str
    copy: str | None = None


@dataclass(frozen=True)
class GenerateReport:
    """What a run found and did.

    Attributes:
        changes: Files that were written or removed; under ``check`` those that would be.
        findings: What is wrong with the spec; if any of it is an error, nothing was written.
        failed: Whether there is an error among the findings.
        interrupted: Whether an earlier run had been interrupted.
        total: Number of generated files.
    """

    changes: tuple[FileChange, ...] = ()
    findings: tuple[SpecFinding, ...] = ()
    failed: bool = False
    interrupted: bool = False
    total: int = 0


class _Wanted:
    """A file as it should be."""

    def __init__(self, output: Output) -> None:
        self.data = output.text.encode()
        self.entry = ManifestEntry(digest_of(self.data), output.source)


Render = Callable[[Path, Sequence[Path]], Rendered]


def render_spec(root: Path, overlays: Sequence[Path], *, cached: bool = True) -> Rendered:
    """Render the spec of a checkout. What this needs is imported only here, where something has to be rendered."""
    # The spec becomes millions of small objects that all live until the end and hold no cycles. Looking for some again
    # and again would take half of the whole run, and once more afterwards a tenth.
    collecting = gc.isenabled()
    gc.disable()
    try:
        from ..cache import FOLDER
        from .rendering import render

        return render(root, overlays, root / FOLDER if cached else None)
    finally:
        if collecting:
            gc.freeze()
            gc.enable()


def run(
    root: Path,
    overlays: Sequence[Path] = (),
    *,
    check: bool = False,
    docs: bool = False,
    anew: bool = False,
    render: Render | None = None,
) -> GenerateReport:
    """Generate everything, or with ``check`` only say what would change.

    Args:
        root: The checkout.
        overlays: Folders with further YAML.
        check: Write nothing.
        docs: Reference pages that are not there count as a difference. Without it they are written only where
            something has to be rendered anyway.
        anew: Render although nothing seems to have changed since the last run.
        render: What turns the spec into files, if not this project's emitters.

    Returns:
        What was found and done.
    """
    sources = digest(root, overlays)
    committed, pages = store.read_manifest(root), store.read_manifest(root, store.PAGES)
    known = {**committed.files, **pages.files}
    journal = store.read_journal(root)
    up_to_date = committed.sources == sources and (pages.sources == sources or not (pages.files or docs))
    if up_to_date and journal is None and not anew:
        altered = _altered(root, known, absent=docs)
        if check or not altered:
            return GenerateReport(tuple(altered), total=len(known))
    rendered = render(root, overlays) if render else render_spec(root, overlays, cached=not anew)
    failed = any(finding.level == "error" for finding in rendered.findings)
    if failed:
        return GenerateReport(findings=rendered.findings, failed=True, interrupted=journal is not None)
    wanted = {output.path: _Wanted(output) for output in rendered.outputs}
    changes = tuple(_compare(root, wanted, known, journal or Journal({}, ())))
    if check and not docs:
        changes = tuple(change for change in changes if not _is_absent_page(change))
    if check and not changes and committed.sources != sources:
        # Without it every fresh clone would render everything to find out that nothing changes.
        changes = (FileChange(store.MANIFEST, "changed", "spec"),)
    if not check:
        changes = _apply(root, wanted, changes, journal, sources)
    return GenerateReport(changes, rendered.findings, interrupted=journal is not None, total=len(wanted))


def _altered(root: Path, manifest: Mapping[str, ManifestEntry], *, absent: bool) -> list[FileChange]:
    """List the files that changed although nothing that they are generated from did; ``absent`` pages if asked to."""
    changes = []
    for path, entry in manifest.items():
        on_disk = store.digest_on_disk(root, path)
        if on_disk != entry.digest:
            changes.append(FileChange(path, "missing" if on_disk is None else "hand-edited", entry.source))
    return [change for change in changes if absent or not _is_absent_page(change)]


def _is_absent_page(change: FileChange) -> bool:
    return change.path.startswith(LOCAL) and change.what in ("new", "missing")


def _compare(
    root: Path, wanted: dict[str, _Wanted], manifest: Mapping[str, ManifestEntry], journal: Journal
) -> Iterator[FileChange]:
    for path, output in sorted(wanted.items()):
        on_disk = store.digest_on_disk(root, path)
        if on_disk is None:
            yield FileChange(path, "missing" if path in manifest else "new", output.entry.source)
        elif on_disk != output.entry.digest:
            edited = _edited(root, path, on_disk, manifest, journal)
            yield FileChange(path, "hand-edited" if edited else "changed", output.entry.source)
    known = {*manifest, *journal.write, *journal.remove, *_marked(root)}
    for path in sorted(known - wanted.keys()):
        on_disk = store.digest_on_disk(root, path)
        if on_disk is not None:
            source = manifest[path].source if path in manifest else "spec"
            edited = _edited(root, path, on_disk, manifest, journal)
            yield FileChange(path, "hand-edited" if edited else "removed", source)


def _edited(root: Path, path: str, on_disk: str, manifest: Mapping[str, ManifestEntry], journal: Journal) -> bool:
    """Tell whether a file holds something that neither the last run nor an interrupted one wrote."""
    if path in manifest:
        return on_disk not in (manifest[path].digest, *journal.write.get(path, ()))
    return on_disk not in journal.write.get(path, ()) and not _has_marker(root / path)


def _marked(root: Path) -> Iterator[str]:
    """Find generated files by what they say in their heads."""
    for owned in OWNED:
        for place, folders, files in os.walk(root / owned):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in files:
                path = Path(place) / name
                if not name.startswith(".") and _has_marker(path):
                    yield path.relative_to(root).as_posix()


def _has_marker(path: Path) -> bool:
    with open(path, "rb") as stream:
        return MARKER.encode() in stream.read(400)


def _apply(
    root: Path, wanted: dict[str, _Wanted], changes: tuple[FileChange, ...], journal: Journal | None, sources: str
) -> tuple[FileChange, ...]:
    manifests = {
        store.PAGES: _manifest_of(wanted, sources, local=True),
        store.MANIFEST: _manifest_of(wanted, sources, local=False),
    }
    known = all(store.digest_on_disk(root, path) == digest_of(data) for path, data in manifests.items())
    if not changes and journal is None and known:
        return changes
    plan = _plan(wanted, changes, journal or Journal({}, ()))
    store.write_journal(root, plan)
    store.sweep(root, [*manifests, store.JOURNAL, *plan.write, *plan.remove])
    for folder in sorted({path.rpartition("/")[0] for path in plan.write}):
        (root / folder).mkdir(parents=True, exist_ok=True)
    done = []
    for change in changes:
        copy = store.keep_copy(root, change.path) if change.what == "hand-edited" else None
        if change.path in wanted:
            store.write(root / change.path, wanted[change.path].data, durable=False)
        else:
            (root / change.path).unlink()
        done.append(FileChange(change.path, change.what, change.source, copy))
    for path, data in manifests.items():
        store.replace(root / path, data)
    store.drop_journal(root)
    return tuple(done)


def _manifest_of(wanted: dict[str, _Wanted], sources: str, *, local: bool) -> bytes:
    entries = {path: output.entry for path, output in wanted.items() if path.startswith(LOCAL) == local}
    return store.manifest_text(Manifest(entries, sources)).encode()


def _plan(wanted: dict[str, _Wanted], changes: tuple[FileChange, ...], earlier: Journal) -> Journal:
    """Return the journal of this run, which keeps in mind what an interrupted one may have written."""
    planned = dict(earlier.write)
    for change in changes:
        if change.path in wanted:
            planned[change.path] = (*planned.get(change.path, ()), wanted[change.path].entry.digest)
    removed = [change.path for change in changes if change.path not in wanted]
    return Journal(planned, tuple(dict.fromkeys((*earlier.remove, *removed))))
