"""The peers' own code: single functions out of a release's source, compiled as they stand there.

Importing TRL or verl needs a dozen packages that have nothing to do with metrics. A function of theirs needs torch and
a few neighbours, so only those are compiled, from the unpacked wheel, whose folder ``RLMETRICS_SOURCES`` or an option
names; without it the wheel is fetched with pip. Nothing of it is kept.
"""

from __future__ import annotations
import __future__

import ast
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch


@contextmanager
def unpacked(package: str, release: str, folder: str | None = None) -> Iterator[Path]:
    """Give the root of a release's source.

    Args:
        package: Its name on the package index.
        release: Its version.
        folder: Where unpacked wheels lie, as ``<package>-<release>``; ``RLMETRICS_SOURCES`` if left out.
    """
    home = folder or os.environ.get("RLMETRICS_SOURCES")
    if home and (Path(home) / f"{package}-{release}").is_dir():
        yield Path(home) / f"{package}-{release}"
        return
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", target, f"{package}=={release}"]
        subprocess.run(command, check=True)
        (wheel,) = Path(target).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
        yield Path(target)


Edit = Callable[[ast.FunctionDef], None]


def functions(
    path: Path, names: Sequence[str], given: Mapping[str, object] | None = None, edit: Edit | None = None
) -> dict[str, Any]:
    """Return functions of a file, compiled from its text with its line numbers.

    Args:
        path: The file.
        names: Functions, or methods as ``Class.method``.
        given: What they find in their module besides torch and each other.
        edit: Changes each function's syntax tree first.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    chosen: list[ast.stmt] = []
    for name in names:
        body: list[ast.stmt] = tree.body
        *classes, function = name.split(".")
        for wanted in classes:
            body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == wanted).body
        node = next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == function)
        node.decorator_list = []
        if edit is not None:
            edit(node)
        chosen.append(node)
    module = {"torch": torch, "F": torch.nn.functional, **(given or {})}
    flag = __future__.annotations.compiler_flag
    exec(compile(ast.Module(chosen, []), str(path), "exec", flags=flag, dont_inherit=True), module)
    return {name: module[name.rpartition(".")[2]] for name in names}
