"""``rlmetrics show``: everything about one metric."""

from __future__ import annotations

from rlmetrics.names.tables.user_errors import NamesError, UserError
from rlmetrics.wording.terminal import printed

from .options import add_config, add_json, add_spec, config_of, spec_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rlmetrics.names import Coverage, Shown, Spelling, Tables

_WIDTH = 100
_OTHERS = 4
"""Other results that are named."""
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
        nargs="*",
        help="a canonical name, an alias such as approx_kl, a logged key, or words, which are searched for as on the "
        "site; without one --all lists every metric",
    )
    parser.add_argument("--at", metavar="SOURCE", help="the release that logs the key")
    parser.add_argument(
        "--full", action="store_true", help="print all that is known: inputs, references, every spelling and change"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="as --full, with every release of every spelling; without a name: every metric, and which releases log it",
    )
    parser.add_argument(
        "--web",
        action="store_true",
        help="open the page in the browser: at the address in RLMETRICS_SITE, else of the site built in this checkout",
    )
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import coverage, show

    args.name = " ".join(args.name) or None
    if args.name is None:
        if args.web or not args.all:
            msg = "name a metric, an alias or a key, or give --all for every metric"
            raise UserError(msg)
        from .output import json_text, table

        covered = coverage(spec=spec_of(args))
        print(json_text(covered) if args.json else table([_HEADER, *map(_covered, covered)]))
        return 0
    searched: list[str] = []
    try:
        shown = show(args.name, args.at, config=config_of(args), spec=spec_of(args))
    except NamesError:
        found = _search(args.name, spec_of(args)) if args.at is None else None
        if found is None:
            raise
        searched, args.name = found
        shown = show(args.name, spec=spec_of(args))
    if args.web:
        from rlmetrics.names import load_tables

        from .web import open_page

        print(open_page(args.name, args.at, [item.metric for item in shown], load_tables(spec_of(args))))
        return 0
    if args.json:
        from .output import json_text

        print(json_text(shown))
        return 0
    from rlmetrics.answers.addresses import links_of
    from rlmetrics.names import load_tables

    lines = [*searched, *_answer(args, shown)]
    links = links_of(lines, load_tables(spec_of(args)))
    print(printed(lines, keys=[args.name, *(item.metric for item in shown)], links=links))
    return 0


def _search(text: str, spec: list[str] | None) -> tuple[list[str], str] | None:
    """Return what to say of what the site's search finds first, and that metric; None where it finds nothing sure."""
    from rlmetrics.names import load_tables
    from rlmetrics.names.lookup.ranked_search import search_of
    from rlmetrics.wording.terminal import wrapped
    from rlmetrics.wording.voice import later, phrase

    results = [found for found in search_of(load_tables(spec)).find(text) if found.metrics]
    if not results or not results[0].is_sure:
        return None
    first = results[0].metrics[0]
    metrics = dict.fromkeys(metric for found in results if found.is_sure for metric in found.metrics)
    others = [metric for metric in metrics if metric != first][:_OTHERS]
    also = later("Nothing is called just `{name}`: this is what the search finds first; also {names}.")
    said = also if others else later("Nothing is called just `{name}`: this is what the search finds first.")
    return [*wrapped(phrase(said, name=text, names=", ".join(others))), ""], first


def _answer(args: argparse.Namespace, shown: Sequence[Shown]) -> list[str]:
    from rlmetrics.answers.show_answer import choice_lines, shown_lines
    from rlmetrics.names import load_tables, parse_source

    tables = load_tables(spec_of(args))
    full = args.full or args.all
    if len(shown) > 1 and not full:
        return choice_lines(args.name, shown, tables)
    source = None
    if args.at is not None:
        import warnings

        with warnings.catch_warnings():
            # What answers in place of an unknown release has been said.
            warnings.simplefilter("ignore")
            source = parse_source(args.at, tables)
    source = source if source is not None and source.is_release else None
    lines: list[str] = []
    for item in shown:
        lines += [""] if lines else []
        variant = _variant(args.name, item)
        lines += shown_lines(item, tables, variant=variant, source=source, config=config_of(args), full=full)
        lines += _everything(item, tables, every=args.all) if full else []
    return lines


def _variant(name: str, item: Shown) -> str | None:
    """Return the variant of a metric that was asked for, as functions and suites name it."""
    variant = name.removeprefix(f"{item.metric}@")
    return variant if variant in item.entry.get("variants", {}) else None


def _covered(item: Coverage) -> tuple[str, str, str, str]:
    where = "" if item.framework is None else f"{item.framework}[{item.component}]"
    return item.metric, where or "(no release logs it)", item.spans, " ".join(item.keys)


def _everything(item: Shown, tables: Tables, *, every: bool) -> list[str]:
    """Return what the screen leaves out."""
    from .output import table

    entry = item.entry
    lines = ["", *table([*_facts(entry)]).splitlines()]
    lines += [*_formula(entry), *_inputs(entry), *_health(entry), *_references(entry)]
    return [*lines, "", "Spellings", *_spellings(item.spellings, tables, every=every)]


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
    from .output import table

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


def _references(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry.get("references"):
        yield ""
        yield "References"
        for reference in entry["references"]:
            yield f"  {reference['title']} {reference.get('url', '')}".rstrip()


def _spellings(spellings: Sequence[Spelling], tables: Tables, *, every: bool) -> Iterator[str]:
    from rlmetrics.wording.signature_words import ranges_words

    from .output import table

    merged: dict[tuple[str, str, str, str | None], dict[str, None]] = {}
    for item in spellings:
        identity = item.framework, item.component, item.logged, item.condition
        merged.setdefault(identity, {}).update(dict.fromkeys(item.releases))
    rows = []
    for (framework, component, key, condition), releases in merged.items():
        names = tables.framework(framework).releases.names if tables.head(framework) else tuple(releases)
        span = ", ".join(name for name in names if name in releases) if every else ranges_words(releases, names)
        rows.append((f"  {framework}[{component}]", span, key, "" if condition is None else f"when {condition}"))
    yield from table(rows).splitlines() if rows else ["  no described release logs it"]


def _wrapped(text: str, indent: str = "") -> list[str]:
    import textwrap

    return textwrap.wrap(
        " ".join(text.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent)
    )


def _shown(value: Any) -> str:
    return " ‖ ".join(value) if isinstance(value, list) else str(value)
