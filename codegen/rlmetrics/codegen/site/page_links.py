"""Addresses of pages, and links between them."""

from __future__ import annotations

import re
from os.path import relpath

from rlmetrics.answers.addresses import key_page, metric_page

__all__ = ["key_page", "link", "metric_page", "migration_page", "release_page", "trainer_page"]


def release_page(framework: str, release: str) -> str:
    """Return the page of a release."""
    return f"{framework}/{release}"


def trainer_page(framework: str, component: str) -> str:
    """Return the page of a trainer, or of another component."""
    return f"trainer/{framework}/{component}"


def migration_page(framework: str, component: str, before: str, after: str) -> str:
    """Return the page of a step from one release of a component to another."""
    return f"migrate/{framework}/{component}/{before}-{after}"


def link(start: str, to: str, fragment: str = "") -> str:
    """Return a relative link from one page to another, or to an asset.

    Args:
        start: The page with the link.
        to: Where it leads; an asset has an ending such as ``.svg``.
        fragment: A place on that page.
    """
    found = relpath(f"/{to}", f"/{start}")
    is_file = re.search(r"\.(js|css|svg|json|png)$", to) is not None
    return f"{found}{'' if is_file else '/'}{f'#{fragment}' if fragment else ''}"
