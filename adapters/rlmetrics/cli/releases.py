"""``rlmetrics releases``: which releases are described."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rlmetrics.lazy_typing import TYPE_CHECKING

from .options import add_json, add_spec, spec_of
from .output import json_text, table

if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import ReleaseInfo
    from rlmetrics.names.tables.framework_table import FrameworkTable
    from rlmetrics.names.tables.tables import Tables

__all__ = ["add", "run"]

_MOST = 13
"""So many lines of a framework's history are shown, the newest first, where all releases are not asked for."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "releases",
        help="the releases that are described",
        description="List the frameworks, or the releases of one, with their dates and the components that the spec "
        "describes for them. Releases with the same components stand in one line.",
    )
    parser.add_argument(
        "framework", nargs="?", metavar="FRAMEWORK", help="only this framework, such as trl, or trainer, such as grpo"
    )
    parser.add_argument("--full", action="store_true", help="a line for each release, on each that it runs on")
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import load_tables, releases

    tables = load_tables(spec_of(args))
    infos = releases(args.framework, spec=tables)
    if args.json:
        print(json_text(infos))
        return 0
    if args.full:
        rows = [(item.framework, item.release, item.date, ", ".join(item.components) or "-") for item in infos]
        print(table([("framework", "release", "date", "described components"), *rows]))
        return 0
    from rlmetrics.wording.terminal import printed

    found = {name: list(items) for name, items in groupby(infos, key=lambda item: item.framework)}
    if args.framework is None:
        print(printed([*_frameworks(found, tables)]))
    else:
        ((name, items),) = found.items()
        print(printed([*_history(items, tables.framework(name))]))
    return 0


def _frameworks(found: Mapping[str, list[ReleaseInfo]], tables: Tables) -> Iterator[str]:
    """Yield a line for each framework."""
    from rlmetrics.wording.voice import later, phrase

    heads = (later("framework"), later("releases"), later("oldest"), later("newest"), "", later("runs on"))
    rows = [tuple(phrase(head) if head else "" for head in heads)]
    for name, items in found.items():
        own = _own(items)
        described = [item for item in items if item.components]
        newest = described[-1] if described else items[-1]
        rows.append(
            (name, str(len(own)), _plain(items[0]), _plain(newest), newest.date, _on(items, tables.framework(name)))
        )
    yield from table(rows).split("\n")
    yield ""
    yield phrase("The releases of one: rlmetrics releases FRAMEWORK. All: --full.")


def _history(items: Sequence[ReleaseInfo], framework: FrameworkTable) -> Iterator[str]:
    """Yield the newest components of a framework, then what came and went, the newest first."""
    from rlmetrics.wording.terminal import wrapped
    from rlmetrics.wording.voice import later, phrase

    own = _own(items)
    last, derives = own[-1][-1], framework.base is not None
    heads = phrase("releases"), phrase("from"), *([phrase("runs on")] if derives else []), phrase("components")
    rows: list[tuple[str, ...]] = [heads]
    names = ", ".join(last.components) or phrase("no described component")
    yield from wrapped(phrase("{source} has {names}.", source=f"{last.framework} {_plain(last)}", names=names))
    yield ""
    # On what a release runs is of interest for each of them.
    spans = [[each] for each in own] if derives else [list(span) for _, span in groupby(own, key=_described)]
    before: tuple[str, ...] = ()
    for span in spans:
        first_pairs, final, now = span[0], span[-1][-1], _described(span[0])
        first = first_pairs[0]
        came = [f"+{name}" for name in now if name not in before]
        went = [f"-{name}" for name in before if name not in now]
        name = _plain(first)
        if len(span) > 1:
            name = phrase("{first} to {last}", first=name, last=_plain(final))
        on = [_on(first_pairs, framework)] if derives else []
        rows.append((name, first.date, *on, " ".join([*came, *went]) or "="))
        before = now
    head, *told = table(_cut(rows)).split("\n")
    yield head
    yield from told[: -_MOST - 1 : -1]
    left = len(told) - _MOST
    yield ""
    more = later("{count} older lines, and each release: --full")
    yield phrase(more, count=left) if left > 0 else phrase("Each release: --full")


def _cut(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return rows whose last cell fits into the terminal, with a count of what does not."""
    from rlmetrics.wording.terminal import width

    used = sum(max(len(row[column]) for row in rows) + 2 for column in range(len(rows[0]) - 1))
    kept = []
    for *cells, last in rows:
        names = last.split(" ")
        shown = len(names)
        while shown > 1 and used + len(_some(names, shown)) > width():
            shown -= 1
        kept.append((*cells, _some(names, shown)))
    return kept


def _some(names: Sequence[str], shown: int) -> str:
    left = len(names) - shown
    return " ".join([*names[:shown], *([f"and {left} more"] if left else [])])


def _own(items: Sequence[ReleaseInfo]) -> list[list[ReleaseInfo]]:
    """Return the releases, each with its pairs with the releases that it runs on."""
    return [list(pairs) for _, pairs in groupby(items, key=_plain)]


def _described(pairs: Sequence[ReleaseInfo]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for item in pairs for name in item.components))


def _plain(item: ReleaseInfo) -> str:
    """Return a release without the one of another framework that it runs on."""
    return item.release.partition("+")[0]


def _on(items: Sequence[ReleaseInfo], framework: FrameworkTable) -> str:
    """Return the releases of another framework that some run on."""
    from rlmetrics.wording.voice import phrase

    if framework.base is None:
        return ""
    base, under = framework.base
    first, *rest = base.releases.sort(dict.fromkeys(under[item.release] for item in items))
    span = phrase("{first} to {last}", first=first, last=rest[-1]) if rest else first
    return f"{base.name} {span}"
