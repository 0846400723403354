"""``rlmetrics resolve``: what logged keys mean."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text, table

if TYPE_CHECKING:
    from rlmetrics.names import Resolution

MAX_ALTERNATIVES = 3


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "resolve",
        help="what logged keys mean",
        description="Say what each key means: its metric, how this release computes it, and where that stands.",
    )
    parser.add_argument(
        "keys", nargs="+", metavar="KEY", help="a logged key, or - to read keys from the standard input"
    )
    add_source(parser, "--at", "the release that logs them")
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.answers.asking import ask, ask_two
    from rlmetrics.answers.pasted import parse_row
    from rlmetrics.answers.terminal import printed
    from rlmetrics.names import NamesError, load_tables, resolve

    keys: list[str] = []
    for key in args.keys:
        keys += [line.strip() for line in sys.stdin if line.strip()] if key == "-" else [key]
    if not keys:
        msg = "there are no keys on the standard input; write one a line"
        raise NamesError(msg)
    row = {name: given for key in keys for name, given in parse_row(key).items()}
    if row:
        asked = ask(row, args.at, config_of(args), load_tables(spec_of(args)))
        print(json_text(asked.json()) if args.json else printed(asked.lines(), keys=[*row]))
        return 0
    if len(keys) == 2 and not args.json:
        lines = ask_two(keys, args.at, config_of(args), load_tables(spec_of(args)))
        if lines:
            print(printed(lines, keys=keys))
            return 0
    found = resolve(keys, args.at, config=config_of(args), spec=spec_of(args))
    print(json_text(found) if args.json else "\n\n".join(_block(item) for item in found))
    return 0


def _block(item: Resolution) -> str:
    if item.metric is None:
        near = f"; nearest: {', '.join(item.nearest)}" if item.nearest else ""
        rows = [("unknown", f"{item.reason}{near}")] if item.component is None else [("unknown", str(item.reason))]
        rows += [("if", f"{other.when}: {other.metric}") for other in item.alternatives]
    else:
        rows = _rows(item)
    return f"{item.key}\n" + "\n".join(f"  {line}" for line in table(rows).splitlines())


def _rows(item: Resolution) -> list[tuple[str, str]]:
    brief = f": {item.brief}" if item.brief else ""
    rows = [("metric", f"{item.metric} (revision {item.rev}, in {item.unit}){brief}")]
    rows.append(("logged by", f"{item.component} of {item.source} as {item.template}{_surface(item)}"))
    if item.condition is not None:
        default = {True: "yes", False: "no", None: "depends"}[item.logged_by_default]
        rows.append(("logged when", f"{item.condition} (by default: {default})"))
    rows += [("constant", text) for text in item.constant_when]
    if item.variant is not None:
        rows.append(("variant", item.variant))
    shown = (
        item.alternatives if len(item.alternatives) <= MAX_ALTERNATIVES + 1 else item.alternatives[:MAX_ALTERNATIVES]
    )
    rows += [("otherwise", _alternative(other.variant, other.when, other.metric)) for other in shown]
    if len(shown) < len(item.alternatives):
        rows.append(("", f"… and {len(item.alternatives) - len(shown)} more; --json lists them"))
    if item.signature is not None:
        signature = item.signature
        reduction = ", ".join(f"{level} {operation}" for level, operation in signature.reduction.items())
        rows += [
            (name, str(value))
            for name, value in (
                ("population", signature.population),
                ("snapshot", signature.snapshot),
                ("reduction", reduction),
                ("measures", signature.span),
                ("lag", signature.lag or None),
                ("scale", None if signature.scale == 1 else signature.scale),
                ("offset", None if signature.offset == 0 else signature.offset),
                ("traits", ", ".join(signature.traits)),
            )
            if value not in (None, "")
        ]
    rows += [("defect", f"{fault.what} ({fault.grade})") for fault in item.defects]
    if item.function is not None:
        rows.append(("function", item.function))
    rows += [("guide", f"{said.says} In fact: {said.code}" if said.code else said.says) for said in item.documented]
    if item.note is not None:
        rows.append(("note", " ".join(item.note.split())))
    rows += [("evidence", f"{line.release} {line.path}:{line.line} {line.symbol}") for line in item.evidence[:3]]
    return rows


def _surface(item: Resolution) -> str:
    values = ", ".join(f"{name}={value}" for name, value in item.placeholders.items())
    shown = "" if item.surface == "logged" else f", shown like this by {item.surface}"
    return f"{shown} ({values})" if values else shown


def _alternative(variant: str | None, when: str | None, metric: str | None) -> str:
    name = "plain" if variant is None else variant
    condition = "" if when is None else f", when {when}"
    return f"{name}{condition}: {metric}"
