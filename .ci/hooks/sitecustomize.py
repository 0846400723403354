"""Notes which files of the repository Python opens, in a lane that is run by ``gate.py``, and in all that it starts.

Python imports this by itself wherever its folder is on ``PYTHONPATH``.
"""

import contextlib
import os
import sys


def _note_what_is_opened(folder: str, root: str) -> None:
    below = root + os.sep
    seen = {__file__}  # what asks for the source of a frame opens this too

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event not in ("open", "sqlite3.connect") or not isinstance(args[0], (str, bytes, os.PathLike)):
            return
        path = os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(args[0])))
        if path.startswith(below) and path not in seen:
            seen.add(path)
            # A link, since a test may leave its process no room to write to a file.
            name = path[len(below) :].replace(os.sep, "\\")[-200:]
            with contextlib.suppress(FileExistsError):
                os.symlink(path[len(below) :], os.path.join(folder, name))

    sys.addaudithook(hook)


if "RLMETRICS_OPENED" in os.environ:
    _note_what_is_opened(os.environ["RLMETRICS_OPENED"], os.environ["RLMETRICS_ROOT"])
