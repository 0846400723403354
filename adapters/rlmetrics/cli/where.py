"""``rlmetrics where``: from a generated symbol to the line of the spec that it comes from."""

from __future__ import annotations

import argparse
import sys

from .checkout import overlays_of, spec_root
from .options import add_spec


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "where",
        help="find the line of the spec that a generated symbol comes from",
        description=(
            "Print file:line:column of everything in the spec that SYMBOL can mean: a metric, a function, a registry "
            "key, a logged key, an input, a trait, a health rule, or the path of a generated file."
        ),
    )
    parser.add_argument("symbol", metavar="SYMBOL")
    add_spec(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if the symbol is known, 2 if it is not or the spec cannot be read.
    """
    overlays = overlays_of(args)
    root = spec_root(overlays)[0].parent
    from rlmetrics.codegen.findings import render_text
    from rlmetrics.codegen.generate import symbol_origin
    from rlmetrics.codegen.loader import read
    from rlmetrics.names.tables.metric_renames import warn_renamed

    spec, findings = read(root / "spec", overlays)
    if spec is None:
        sys.stderr.write(render_text(findings))
        return 2
    places = symbol_origin.find(spec, root, args.symbol)
    for rename in spec.info.renamed:
        if args.symbol == rename.from_:
            warn_renamed(rename.from_, rename.to)
    for place in places:
        print(f"{place.location}: {place.what}")
    if not places:
        near = symbol_origin.nearest(spec, args.symbol)
        hint = f"did you mean {', '.join(near)}?" if near else "rlmetrics show METRIC lists what a metric is called"
        print(f"rlmetrics where: nothing in the spec is called {args.symbol!r}; {hint}", file=sys.stderr)
        return 2
    return 0
