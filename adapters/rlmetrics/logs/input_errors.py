"""What can be wrong with an input, said in one line."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.user_errors import UserError

from .printable import printable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["InputError"]


class InputError(UserError):
    """Bad input: ``file:line:column: what, why, how to fix``. Nothing has been written.

    Attributes:
        path: The file, or an address on a server, if it was known where the error arose.
    """

    def __init__(
        self, message: str, path: Path | str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        from .shown_paths import given_path  # an error alone asks for it

        self.path = path = None if path is None else given_path(path)
        place = [str(part) for part in (path, line, column) if part is not None]
        super().__init__(printable(f"{':'.join(place)}: {message}" if place else message))
