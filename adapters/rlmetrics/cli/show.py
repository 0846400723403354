"""``rlmetrics show``: everything about one metric."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlmetrics.names.errors import UserError

from .options import add_config, add_json, add_spec, config_of, spec_of
from .output import json_text, table

if TYPE_CHECKING:
    from rlmetrics.names import Coverage, Shown, Spelling

_WIDTH = 100
_HEADER = ("metric", "component", "releases", "keys")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "show",
        help="everything about one metric",
        description="Print all about a metric: what it is, its formula, its health, and how releases spell it.",
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a canonical name, an alias such as approx_kl, or a logged key; without one --all lists every metric",
    )
    parser.add_argument("--at", metavar="SOURCE", help="the release that logs the key")
    parser.add_argument(
        "--all",
        action="store_true",
        help="list every release of every spelling; without a name: every metric, and which releases log it",
    )
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import coverage, show

    if args.name is None:
        if not args.all:
            msg = "name a metric, an alias or a key, or give --all for every metric"
            raise UserError(msg)
        covered = coverage(spec=spec_of(args))
        print(json_text(covered) if args.json else table([_HEADER, *map(_covered, covered)]))
        return 0
    found = show(args.name, args.at, config=config_of(args), spec=spec_of(args))
    print(json_text(found) if args.json else "\n\n".join(_text(item, every=args.all) for item in found))
    return 0


def _covered(item: Coverage) -> tuple[str, str, str, str]:
    where = "" if item.framework is None else f"{item.framework}[{item.component}]"
    return item.metric, where or "(no release logs it)", item.spans, " ".join(item.keys)


def _text(item: Shown, *, every: bool) -> str:
    entry = item.entry
    lines = [item.metric, "=" * len(item.metric), *_wrapped(entry["brief"]), ""]
    lines += [*_wrapped(entry.get("description", "")), ""] if "description" in entry else []
    lines += table([*_facts(entry)]).splitlines()
    lines += [*_formula(entry), *_inputs(entry), *_health(entry), *_friends(entry), *_references(entry)]
    lines += ["", "Spellings", *_spellings(item.spellings, every=every)]
    return "\n".join(lines)


def _facts(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "aliases", ", ".join(entry.get("aliases", ())) or "-"
    yield "unit", str(entry.get("unit"))
    yield "kind", str(entry.get("kind"))
    low, high = entry.get("range", (None, None))
    if (low, high) != (None, None):
        yield "range", f"{'-inf' if low is None else low} … {'inf' if high is None else high}"
    if "direction" in entry:
        yield "direction", entry["direction"]
    yield "identity", ", ".join(f"{name} {_shown(value)}" for name, value in entry.get("identity", {}).items())
    if "population" in entry:
        yield "population", f"{entry['population']}: {entry.get('population_brief', '')}".rstrip(": ")
    if "aggregation" in entry:
        yield "aggregation", ", ".join(f"{level} {operation}" for level, operation in entry["aggregation"].items())
    for name in ("atom", "empty", "measured", "function"):
        if name in entry:
            yield name, str(entry[name])


def _formula(entry: Mapping[str, Any]) -> Iterator[str]:
    if "formula" in entry or "impl" in entry:
        yield ""
        yield "Formula"
        for name, expression in entry.get("let", {}).items():
            yield f"  {name} = {expression}"
        yield f"  {entry.get('formula') or 'computed by ' + entry['impl']}"
    for name, variant in entry.get("variants", {}).items():
        yield f"  variant {name}: {variant.get('formula') or variant.get('impl') or ''} ({variant['brief']})"


def _inputs(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry.get("inputs"):
        yield ""
        yield "Inputs"
        rows = [(f"  {name}", f"{row['domain']} {row['dtype']}", row["brief"]) for name, row in entry["inputs"].items()]
        yield from table(rows).splitlines()
    for name, row in entry.get("parameters", {}).items():
        yield f"  {name} = {row.get('default', 'required')}: {row['brief']}"


def _health(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry.get("health"):
        yield ""
        yield "Health"
        for rule in entry["health"]:
            yield from _wrapped(f"{rule['level']}, {rule['words']}: {rule['message']} {rule['advice']}", "  ")


def _friends(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry.get("false_friends"):
        yield ""
        yield "Not to be confused with"
        for metric, why in entry["false_friends"].items():
            yield from _wrapped(f"{metric}: {why}", "  ")


def _references(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry.get("references"):
        yield ""
        yield "References"
        for reference in entry["references"]:
            yield f"  {reference['title']} {reference.get('url', '')}".rstrip()


def _spellings(spellings: Sequence[Spelling], *, every: bool) -> Iterator[str]:
    rows = []
    for item in spellings:
        first, last = item.releases[0], item.releases[-1]
        span = ", ".join(item.releases) if every or first == last else f"{first} … {last}"
        condition = "" if item.condition is None else f"when {item.condition}"
        rows.append((f"  {item.framework}[{item.component}]", span, item.key, condition))
    yield from table(rows).splitlines() if rows else ["  no described release logs it"]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent)
    )


def _shown(value: Any) -> str:
    return " ‖ ".join(value) if isinstance(value, list) else str(value)
