"""Files of a framework whose lock is missing, which would have the anchors that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .said import said_in

if TYPE_CHECKING:
    from pathlib import Path

    from .context import Context, FileScope

__all__ = ["is_unlocked", "lock_folder"]


def lock_folder(context: Context, framework: str) -> Path:
    """Return the folder that has the locks of a framework, if there is one."""
    return context.spec.home(framework) / "locks" / framework


def is_unlocked(context: Context, scope: FileScope) -> bool:
    """Tell whether a file names anchors, declares none of them, and has no lock."""
    (found,) = scope.keep("unlocked", lambda each: [_is_unlocked(context, each)])
    return bool(found)


def _is_unlocked(context: Context, scope: FileScope) -> bool:
    if scope.file.anchors or (lock_folder(context, scope.framework) / f"{scope.stem}.lock").is_file():
        return False
    file = scope.file
    named = [*(item.at for item in file.tracking), *(item.at for item in file.pinned), *(item.at for item in file.kept)]
    return any(named) or any(said.fields.at for said in said_in(scope))
