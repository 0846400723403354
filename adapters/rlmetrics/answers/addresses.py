"""Addresses of the site's pages, and the one that a name leads to.

The site has no address of its own: the environment variable ``RLMETRICS_SITE`` says where it is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from rlmetrics.names.sources.source import Source, parse_source
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import UserError

__all__ = ["VARIABLE", "configured", "key_page", "links_of", "metric_page", "page_of", "web_address"]

VARIABLE = "RLMETRICS_SITE"

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_ODD = re.compile(r"[^A-Za-z0-9_./-]+")
_RESERVED = re.compile(r"(?i)(index|readme)")
"""Names of files that MkDocs shows as the page of their folder."""
_NAME = re.compile(r"\w+(?:/\w+)+")


def metric_page(metric: str) -> str:
    """Return the page of a metric: ``kl/old/k2`` is told in ``m/kl/old/k2``."""
    return f"m/{metric}"


def key_page(framework: str, key: str) -> str:
    """Return the page of a logged key or template: ``val-core/{source}/acc`` is told in ``…/val-core/_source_/acc``."""
    plain = _PLACEHOLDER.sub(r"_\1_", key)
    parts = [_ODD.sub("-", part).strip(".") or "-" for part in plain.strip("/").split("/")]
    return f"k/{framework}/" + "/".join(f"{part}-" if _RESERVED.fullmatch(part) else part for part in parts)


def configured(environment: Mapping[str, str] | None = None) -> str | None:
    """Return where the site is read, without a slash at the end; None if nothing says so.

    Raises:
        UserError: What is said is neither an address nor a folder with a built site.
    """
    given = (os.environ if environment is None else environment).get(VARIABLE, "").strip()
    if not given:
        return None
    if re.match(r"(https?|file)://", given):
        return given.rstrip("/")
    from pathlib import Path

    if (Path(given) / "index.html").is_file():
        return Path(given).resolve().as_uri()
    msg = f"{VARIABLE}={given} is no address and no built site; give https://… or the folder that holds index.html"
    raise UserError(msg)


def web_address(site: str, page: str, release: str | None = None) -> str:
    """Return the address of a page; from a disk it names the file, since a folder would show its list of files.

    Args:
        site: Where the site is read, without a slash at the end.
        page: The page's address below the root of the site.
        release: The release that the page is to show first, such as ``trl-0.12.2``.
    """
    from urllib.parse import quote

    file = "index.html" if site.startswith("file:") else ""
    return f"{site}/{quote(page)}/{file}{'' if release is None else f'#at={release}'}"


def page_of(name: str, at: str | None, metrics: Iterable[str], tables: Tables) -> tuple[str, str | None]:
    """Return the page that says what a name means, and the release that it is to show.

    Args:
        name: A metric, an alias or a logged key.
        at: The source that logs the key, if one was named.
        metrics: What the name can mean.
        tables: The spec.
    """
    first = next(iter(metrics))
    source = None if at is None else parse_source(at, tables)
    release = f"{source.framework}-{source.release}" if source is not None and source.is_release else None
    if source is not None and source.framework in tables.derived:
        return _page_of_derived(name, source, tables)
    if name == first or name in tables.metrics[first].get("aliases", ()):
        return metric_page(first), release
    among = tables.frameworks if source is None else [source.framework]
    for framework in among:
        table = tables.framework(framework)
        if any(name in table.component(stem).spelled for _, stem, _, _ in table.components):
            return key_page(framework, name), release
    return metric_page(first), release


def _page_of_derived(name: str, source: Source, tables: Tables) -> tuple[str, str | None]:
    """Return the page of the base's key, at the release under a source; that of the framework where it has no such."""
    found = tables.framework(source.framework).base
    assert found is not None
    base, under = found
    if any(name in base.component(stem).spelled for _, stem, _, _ in base.components):
        return key_page(base.name, name), f"{base.name}-{under[source.release]}"
    return source.framework, None


def links_of(lines: Iterable[str], tables: Tables) -> dict[str, str]:
    """Return the addresses of metrics that an answer names; none while nothing says where the site is read."""
    site = configured()
    if site is None:
        return {}
    named = dict.fromkeys(linked for line in lines for linked in _NAME.findall(line) if linked in tables.metrics)
    return {metric: web_address(site, metric_page(metric)) for metric in named}
