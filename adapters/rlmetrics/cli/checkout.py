"""What commands for editors of the spec share: the checkout, its spec, and archives of releases."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.codegen.spec import Spec

__all__ = ["SOURCE", "archives", "load_spec", "overlays_of", "spec_root"]

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


def overlays_of(args: argparse.Namespace) -> list[Path]:
    """Return the overlays that were found and, behind them, those of ``--spec``.

    Raises:
        UserError: One is no folder.
    """
    from rlmetrics.names.tables.user_errors import UserError
    from rlmetrics.overlay_places import with_found

    overlays = [Path(folder) for folder in with_found(getattr(args, "spec", []))]
    for overlay in overlays:
        if not overlay.is_dir():
            msg = f"{overlay}: no such folder; --spec takes a folder with YAML files"
            raise UserError(msg)
    return overlays


def spec_root(overlays: Sequence[Path]) -> tuple[Path, bool]:
    """Return the folder ``spec`` to read, and whether it is that of the checkout around the working directory.

    Overlays are laid over the spec that this package came with where there is no checkout.

    Raises:
        UserError: There is neither.
    """
    from rlmetrics.codegen.output.input_digest import find_root
    from rlmetrics.names.tables.user_errors import UserError

    root = find_root(Path.cwd())
    if root is not None:
        return root / "spec", True
    if overlays:
        from rlmetrics.names.tables.overlays import find_spec

        return find_spec(), False
    msg = (
        "no checkout here: neither this folder nor one above it holds spec/spec.yaml and pyproject.toml; change into a "
        "checkout of rlmetrics, or name an overlay with --spec"
    )
    raise UserError(msg)


def load_spec(args: argparse.Namespace) -> tuple[Path, Spec]:
    """Return the folder ``spec``, see `spec_root`, and what it says with overlays.

    Raises:
        UserError: There is none, or it can't be read.
    """
    from rlmetrics.codegen.loader import SpecError, load
    from rlmetrics.names.tables.user_errors import UserError

    overlays = overlays_of(args)
    root, _ = spec_root(overlays)
    try:
        return root, load(root, [overlay.resolve() for overlay in overlays])
    except SpecError as error:
        first = error.findings[0]
        more = f" (and {len(error.findings) - 1} more; see rlmetrics lint)" if len(error.findings) > 1 else ""
        msg = f"{first.location}: {first.message}; {first.fix}{more}"
        raise UserError(msg) from None
