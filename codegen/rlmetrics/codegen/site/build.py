"""All generated pages and their data, from the spec to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .page import Asset, Page
from .site import Site

__all__ = ["MAKERS", "build"]

Maker = Callable[[Site], Iterator[Page | Asset]]

MAKERS: Sequence[Maker] = ()
"""What makes the pages, one for each kind."""


def build(site: Site) -> Iterator[Page | Asset]:
    """Yield the pages and assets of one language.

    Raises:
        ValueError: Two pages have one address; case counts for no file system.
    """
    seen: dict[str, str] = {}
    for make in MAKERS:
        for made in make(site):
            path = made.file if isinstance(made, Page) else made.path
            other = seen.setdefault(path.lower(), path)
            if other is not path:
                msg = f"two pages are written to {path}"
                raise ValueError(msg)
            yield made
