"""All generated pages and their data, from the spec to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from . import key, metric_page
from .migration import migration_pages
from .page import Asset, Page
from .release_pages import release_pages
from .search import search_index
from .sick import sick
from .site import Site
from .trainer import trainer_pages
from .translator_page import translator_page
from .value_page import values

__all__ = ["MAKERS", "build"]

Maker = Callable[[Site], Iterator[Page | Asset]]

MAKERS: Sequence[Maker] = (
    metric_page.make,
    key.make,
    release_pages,
    migration_pages,
    trainer_pages,
    sick,
    values,
    translator_page,
)
"""What makes the pages, one for each kind."""


def build(site: Site) -> Iterator[Page | Asset]:
    """Yield the pages and assets of one language.

    Raises:
        ValueError: Two pages have one address; case counts for no file system.
    """
    seen: dict[str, str] = {}
    titles: dict[str, str] = {}
    for make in MAKERS:
        for made in make(site):
            path = made.file if isinstance(made, Page) else made.path
            other = seen.setdefault(path.lower(), path)
            if other is not path:
                msg = f"two pages are written to {path}"
                raise ValueError(msg)
            if isinstance(made, Page):
                titles[made.path] = made.title
            yield made
    yield search_index(site, titles)
