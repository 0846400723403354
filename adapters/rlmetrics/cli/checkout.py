"""What commands for editors of the spec share: the checkout, its spec, and archives of releases."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.codegen.spec import Spec

__all__ = ["SOURCE", "archives", "load_spec"]

SOURCE = re.compile(r"\s*([^\s\[=]+)\s*(?:\[([^\]]+)\])?\s*==\s*(\S+)\s*")
"""A release of a package: its name, what stands in brackets, its version."""


def archives(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where a release's source code is."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--wheel", type=Path, metavar="FILE", help="read this wheel or source archive")
    where.add_argument(
        "--source", dest="folder", type=Path, metavar="DIR", help="read this unpacked tree of source code"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(".cache") / "wheels",
        metavar="DIR",
        help="where fetched archives of releases lie (default: %(default)s)",
    )


def load_spec(overlays: Sequence[str] = ()) -> tuple[Path, Spec]:
    """Return the folder ``spec`` of the checkout around the working directory, and what it says.

    Args:
        overlays: Folders that extend it.

    Raises:
        UserError: If there is no checkout, or the spec can't be read.
    """
    from rlmetrics.codegen.loader import SpecError, load
    from rlmetrics.codegen.output.input_digest import find_root
    from rlmetrics.names.tables.user_errors import UserError

    root = find_root(Path.cwd())
    if root is None:
        msg = "no checkout of rlmetrics around the working directory; run it where spec/ lies"
        raise UserError(msg)
    try:
        return root / "spec", load(root / "spec", [Path(overlay).resolve() for overlay in overlays])
    except SpecError as error:
        first = error.findings[0]
        more = f" (and {len(error.findings) - 1} more; see rlmetrics lint)" if len(error.findings) > 1 else ""
        msg = f"{first.location}: {first.message}; {first.fix}{more}"
        raise UserError(msg) from None
