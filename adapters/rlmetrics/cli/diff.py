"""``rlmetrics diff``: what changed between two releases."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text, table

if TYPE_CHECKING:
    from rlmetrics.names import DiffResult


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "diff",
        help="what changed between two releases",
        description="List the keys that came, went, got another name, or kept their name and changed their meaning.",
    )
    add_source(parser, "--from", "the old release", required=True)
    add_source(parser, "--to", "the new release", required=True)
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names import diff

    found = diff(args.from_, args.to, config=config_of(args), spec=spec_of(args))
    print(json_text(found) if args.json else _text(found))
    return 0


def _text(found: DiffResult) -> str:
    parts: list[tuple[str, list[tuple[str | None, ...]]]] = [
        ("changed meaning", [(item.key, item.component, f"since {item.since}", item.what) for item in found.changed]),
        ("renamed", [(item.from_, "->", item.to, f"{item.component}, {item.relation}") for item in found.renamed]),
        ("removed", [(i.key, i.component, i.metric, f"see {i.instead}" if i.instead else "") for i in found.removed]),
        ("added", [(i.key, i.component, i.metric, _condition(i.condition)) for i in found.added]),
    ]
    blocks = []
    for title, rows in parts:
        lines = [f"  {line}" for line in table(rows).splitlines()]
        blocks.append("\n".join([f"{title}: {len(rows)}", *lines]))
    return "\n\n".join(blocks)


def _condition(condition: str | None) -> str:
    return "" if condition is None else f"when {condition}"
