"""``rlmetrics show --web``: the page of a name in the browser."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.user_errors import UserError

if TYPE_CHECKING:
    from rlmetrics.names import Tables

__all__ = ["open_page"]

_NOWHERE = (
    "no address of the site is known: set RLMETRICS_SITE to where it is read, or build it here with "
    "mkdocs build, in a checkout of rlmetrics"
)


def open_page(name: str, at: str | None, metrics: Iterable[str], tables: Tables) -> str:
    """Open the page of a name in the browser, if there is one.

    Returns:
        Its address.

    Raises:
        UserError: Nothing says where the site is, or a built one lacks the page.
    """
    import webbrowser

    from rlmetrics.answers.addresses import configured, page_of, web_address

    with warnings.catch_warnings():
        # What answers in place of an unknown release has been said.
        warnings.simplefilter("ignore")
        page, release = page_of(name, at, metrics, tables)
    site = configured() or _built()
    if site is None:
        raise UserError(_NOWHERE)
    address = web_address(site, page, release)
    webbrowser.open(address)
    return address


def _built() -> str | None:
    """Return the site that was built in the checkout around the working directory."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "spec" / "spec.yaml").is_file():
            site = folder / "site"
            return site.resolve().as_uri() if (site / "index.html").is_file() else None
    return None
