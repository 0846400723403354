"""``rlmetrics generate``: bring every generated file up to date with the spec."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.wording.terminal import has_colour

if TYPE_CHECKING:
    from rlmetrics.codegen.generate.driver import FileChange, GenerateReport

NO_CHECKOUT = (
    "rlmetrics {command}: no checkout here: neither this folder nor one above it holds spec/spec.yaml and "
    "pyproject.toml; change into a checkout of rlmetrics"
)
SHOWN = 20
PAGES = "docs/reference/"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "generate",
        help="generate functions, tables, tests and reference pages from the spec",
        description="Bring every generated file up to date with the spec of the checkout that holds this folder.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    parser.add_argument("--watch", action="store_true", help="generate again whenever the spec or a template changes")
    parser.add_argument("--sizes", action="store_true", help="measure again how large differences are; needs torch")
    parser.add_argument("--docs", action="store_true", help="write the pages of the site, too")
    parser.add_argument("--no-cache", action="store_true", help="trust nothing that an earlier run left")
    parser.add_argument("--spec", action="append", default=[], metavar="DIR", help="add an overlay (repeatable)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if all is well, 1 if ``--check`` found a difference, 2 for an error in the spec or in the call.
    """
    from rlmetrics.overlay_places import left_out

    # What stands in a checkout is made from what stands there, whatever else is installed.
    with left_out():
        return _generated(args)


def _generated(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.generate import driver
    from rlmetrics.codegen.output import input_digest

    root = input_digest.find_root(Path.cwd())
    if root is None:
        return _fail(NO_CHECKOUT.format(command="generate"))
    overlays = [Path(folder) for folder in args.spec]
    for overlay in overlays:
        if not overlay.is_dir():
            return _fail(f"rlmetrics generate: {overlay}: no such folder; --spec takes a folder with YAML files")
    if args.sizes and (args.check or args.watch or overlays):
        return _fail("rlmetrics generate: --sizes stands alone; leave out --check, --watch and --spec")
    if args.watch:
        if args.check:
            return _fail("rlmetrics generate: --check and --watch exclude each other; choose one")
        from rlmetrics.codegen.generate.regeneration import watch

        return watch(root, overlays)
    report = driver.run(root, overlays, check=args.check, docs=args.docs, anew=args.no_cache)
    if args.sizes and not report.failed:
        if not _measure(root):
            return _fail("rlmetrics generate: --sizes needs torch; pip install torch")
        report = driver.run(root, docs=args.docs)
    code = _print(report, root, check=args.check)
    if args.docs and not args.check and not report.failed:
        from rlmetrics.codegen.site.write import write_pages

        print(f"docs: {write_pages(root, anew=args.no_cache)} pages of the site written or removed")
    return code


def _measure(root: Path) -> bool:
    """Measure the sizes of differences by the functions of this checkout; return whether that was possible."""
    try:
        import torch  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ModuleNotFoundError:
        return False
    from rlmetrics.codegen.sizes import measure, sizes_lock
    from rlmetrics.names import load_tables

    print("measuring differences on the reference batches; this takes some minutes", file=sys.stderr)
    text = sizes_lock.text_of(measure.measure(load_tables()))
    (root / "spec" / sizes_lock.FILE).write_text(text, encoding="utf-8", newline="\n")
    return True


def _print(report: GenerateReport, root: Path, *, check: bool) -> int:
    if report.findings:
        from rlmetrics.codegen import excerpts

        shown = [finding for finding in report.findings if not finding.follows]
        sys.stderr.write(excerpts.render(shown, root, colour=has_colour(sys.stderr)))
        print(excerpts.summary(report.findings), file=sys.stderr)
    if report.failed:
        return 2
    if check:
        return _print_check(report)
    if report.interrupted:
        print("finished what an interrupted run had begun")
    for change in report.changes:
        if change.copy is not None:
            print(f"{_edited(change)}; your version is kept in {change.copy}", file=sys.stderr)
    _print_changes(report.changes)
    written = sum(change.what != "removed" for change in report.changes)
    removed = len(report.changes) - written
    print(
        f"{written} written, {removed} removed, {report.total - written} unchanged"
        if report.changes
        else _unchanged(report)
    )
    return 0


def _print_check(report: GenerateReport) -> int:
    for change in report.changes:
        print(_edited(change) if change.what == "hand-edited" else f"{change.path}: {change.what}")
    if report.interrupted:
        print("an earlier run was interrupted; run rlmetrics generate to finish it")
    if report.changes or report.interrupted:
        print(f"{len(report.changes)} of {report.total} files differ from the spec; run rlmetrics generate")
        return 1
    print(_unchanged(report))
    return 0


def _print_changes(changes: Sequence[FileChange]) -> None:
    """Name the files that will be committed, and count the pages."""
    pages = [change for change in changes if change.path.startswith(PAGES)]
    files = [change for change in changes if not change.path.startswith(PAGES)]
    for change in files[:SHOWN]:
        print(f"{change.path}: {change.what}")
    if len(files) > SHOWN:
        print(f"… and {len(files) - SHOWN} more")
    if pages:
        print(f"{PAGES}: {len(pages)} {'page' if len(pages) == 1 else 'pages'}")


def _edited(change: FileChange) -> str:
    return f"{change.path}: hand-edited; move the change to {change.source}"


def _unchanged(report: GenerateReport) -> str:
    return f"nothing changed: {report.total} files are up to date"


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 2
