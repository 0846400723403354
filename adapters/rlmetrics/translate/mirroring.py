"""Where the parts of a copy of a folder go: translated files, files without names, folders and links."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from rlmetrics.logs.folder_tree import Tree

from .report import Report
from .translation_options import Options

__all__ = ["bring_over", "settled", "shape"]


def settled(scratch: Path, goal: Path, *, dry_run: bool) -> list[Path]:
    """Move what was written for a unit to its place, or only discard it, and return the files that are there then."""
    if not scratch.exists():
        return []
    if not scratch.is_dir():
        if dry_run:
            scratch.unlink()
        elif scratch != goal:
            goal.parent.mkdir(parents=True, exist_ok=True)
            scratch.replace(goal)
        return [goal]
    settled = []
    for file in sorted(path for path in scratch.rglob("*") if path.is_file()):
        copy = goal / file.relative_to(scratch)
        if not dry_run:
            copy.parent.mkdir(parents=True, exist_ok=True)
            file.replace(copy)
        settled.append(copy)
    shutil.rmtree(scratch)
    return settled


def bring_over(
    path: Path, part: Path, tree: Tree, total: Report, options: Options, wanted: Callable[[Path], bool]
) -> None:
    """Copy the files that hold no names, and code, which is only reported, and take down what is left out.

    Args:
        path: The folder.
        part: The copy.
        tree: What is in the folder.
        total: The account.
        options: Tells whether files without names are copied, as code always is, and whether anything is written.
        wanted: Tells which files this process takes care of.
    """
    total.failed.update({str(file): message for file, message in tree.unreadable.items() if wanted(file)})
    code = [unit.path for unit in tree.units if unit.path.suffix == ".py" and str(unit.path) not in total.failed]
    packed = [file for file in tree.packed if wanted(file)]
    total.notes += [f"{file}: is compressed: names in it stay as they are; unpack it first" for file in packed]
    for file in filter(wanted, [*tree.others, *code] if options.copy_others else code):
        if not options.dry_run:
            goal = part / file.relative_to(path)
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, goal)
        total.copied.append(str(file))
    skipped = (*tree.skipped, *(() if options.copy_others else tree.others))
    total.skipped += [str(file) for file in skipped if wanted(file)]


def shape(path: Path, part: Path, tree: Tree) -> None:
    """Make the folders of a copy, and its links, which lead to what they lead to within the copy."""
    for folder in tree.folders:
        (part / folder.relative_to(path)).mkdir(parents=True, exist_ok=True)
    root = path.resolve()
    for link in tree.links:
        goal = part / link.relative_to(path)
        if goal.exists():
            continue  # what it leads to belongs to a run here, too, and has been translated
        aim = root / link.resolve().relative_to(root)
        goal.symlink_to(os.path.relpath(aim, root / link.parent.relative_to(path)))
