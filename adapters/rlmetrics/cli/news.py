"""The news of a release in the terminal: what to edit, what to read, and how to close it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.codegen.locks.pending import OpenItem
    from rlmetrics.codegen.locks.release_news import Item
    from rlmetrics.codegen.releasing import Added

__all__ = ["news_text"]

_ITEMS, _LINES = 6, 8
"""Items of a tier, and lines of a diff, that are shown at most without ``--full``."""

_WIDTH = 80


def news_text(framework: str, added: Added, *, full: bool) -> str:
    """Return the answer of ``rlmetrics release add``.

    Args:
        framework: The framework.
        added: What adding found.
        full: Every item with its whole diff.
    """
    return "\n".join(_parts(framework, added, full))


def _parts(framework: str, added: Added, full: bool) -> Iterator[str]:
    news, still = added.news, len(added.pending.open)
    if still:
        are = "is" if still == 1 else "are"
        yield f"{still} item{_s(still)} {are} open. Everything else is proven in {added.release}."
    else:
        yield f"{framework} {added.release} is added; nothing is open."
    yield ""
    total = news.found + news.lost
    yield f"Anchors   {news.found:,} of {total:,} found, {news.moved:,} of them moved; locks are extended"
    if news.lost:
        yield f"          {news.lost:,} lost"
    answers = {entry.token: entry for entry in added.pending.entries}
    for tier, title in (
        ("edit", "the spec is wrong until you change it"),
        ("read", "the code changed, the meaning may not have"),
    ):
        items = [item for item in news.items if item.tier == tier and answers[item.token].why is None]
        if not items:
            continue
        yield ""
        yield f"{tier.capitalize()} ({len(items)}): {title}"
        for item in items if full else items[:_ITEMS]:
            yield from _item(item, answers[item.token], full)
        if not full and len(items) > _ITEMS:
            yield f"  and {len(items) - _ITEMS} more: --full"
    if news.names:
        yield ""
        if full:
            yield f"Names only ({len(news.names)}): changed code that no fact depends on"
            yield from (f"  {name}" for name in news.names)
        else:
            yield f"Names only ({len(news.names)}): changed code that no fact depends on. List: --full"
    if still:
        yield ""
        yield "The next release can be added when no item is open."


def _item(item: Item, entry: OpenItem, full: bool) -> Iterator[str]:
    from rlmetrics.codegen.locks.pending import CONFIRMABLE

    head = f"  {entry.id:3} {item.kind}  " if item.tier == "edit" else f"  {entry.id:3} "
    text = item.what if full or len(item.what) <= 3 * _WIDTH else item.what[: 3 * _WIDTH] + " …"
    yield from textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent=" " * 8, break_on_hyphens=False)
    shown = item.diff if full else item.diff[:_LINES]
    for line in shown:
        yield f"        {line}" if full else f"        {line[: _WIDTH - 8]}"
    if len(shown) < len(item.diff):
        yield f"        … {len(item.diff) - len(shown)} more lines: --full"
    for hint in item.hints:
        yield f"      {hint}"
    if item.kind in CONFIRMABLE:
        yield f'      no change of meaning? rlmetrics release confirm {entry.id} --why "..."'


def _s(number: int) -> str:
    return "" if number == 1 else "s"
