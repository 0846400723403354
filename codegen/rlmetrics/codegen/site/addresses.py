"""Addresses of pages, and links between them."""

from __future__ import annotations

import re
from os.path import relpath

__all__ = ["key_page", "link", "metric_page", "migration_page", "release_page", "trainer_page"]

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_ODD = re.compile(r"[^A-Za-z0-9_./-]+")
_RESERVED = re.compile(r"(?i)(index|readme)")
"""Names of files that MkDocs shows as the page of their folder."""


def metric_page(metric: str) -> str:
    """Return the page of a metric: ``kl/old/k2`` is told in ``m/kl/old/k2``."""
    return f"m/{metric}"


def key_page(framework: str, key: str) -> str:
    """Return the page of a logged key or template: ``val-core/{source}/acc`` is told in ``…/val-core/_source_/acc``."""
    plain = _PLACEHOLDER.sub(r"_\1_", key)
    parts = [_ODD.sub("-", part).strip(".") or "-" for part in plain.strip("/").split("/")]
    return f"k/{framework}/" + "/".join(f"{part}-" if _RESERVED.fullmatch(part) else part for part in parts)


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
