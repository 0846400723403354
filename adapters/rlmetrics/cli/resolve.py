"""``rlmetrics resolve``: what logged keys mean."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from .main import FOUND, OK
from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text, table

if TYPE_CHECKING:
    from rlmetrics.names import Resolution, View

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
    add_source(parser, "--at", "the release that logs them", without="without it, every meaning is listed")
    parser.add_argument("--full", action="store_true", help="show everything that is known")
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import NamesError, load_tables, open_view, resolve

    keys: list[str] = []
    for key in args.keys:
        keys += [line.strip() for line in sys.stdin if line.strip()] if key == "-" else [key]
    if not keys:
        msg = "there are no keys on the standard input; write one a line"
        raise NamesError(msg)
    config, tables = config_of(args), load_tables(spec_of(args))
    if args.json:
        from rlmetrics.answers.asked import is_typo

        found = resolve(keys, args.at, config=config, spec=tables)
        print(json_text(found))
        return FOUND if any(is_typo(item, tables) for item in found) else OK
    from rlmetrics.answers.asked import Answer, answer_anywhere, answer_at
    from rlmetrics.answers.terminal import printed
    from rlmetrics.names.anywhere import looked_up
    from rlmetrics.names.resolving import AUTO

    def resolved(_view: View, found: Resolution) -> list[str]:
        return _block(found).splitlines()

    source, lookups = looked_up(keys, config=config, tables=tables) if args.at == AUTO else (args.at, [])
    answers: list[Answer]
    if source is None:
        asked = zip(keys, lookups, strict=True)
        answers = [answer_anywhere(*each, tables, resolved, config=config, full=args.full) for each in asked]
    else:
        view = open_view(source, config=config, spec=tables)
        answers = [answer_at(view, key, resolved, config=config, full=args.full) for key in keys]
    print("\n\n".join(printed(answer.lines, keys=[key]) for key, answer in zip(keys, answers, strict=True)))
    return FOUND if any(answer.is_typo for answer in answers) else OK


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
