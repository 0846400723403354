"""``rlmetrics plot``: curves of a run in the terminal or as SVG."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .exits import UsageError
from .options import add_source, add_spec, spec_of

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "plot", help="draw curves of a run", description="Draw curves in the terminal, or write one as SVG."
    )
    parser.add_argument("run_path", metavar="RUN", help="a log")
    parser.add_argument("keys", metavar="KEY", nargs="+", help="keys as logged, or canonical names")
    add_source(parser, "--at", "what logged it")
    parser.add_argument("--svg", metavar="FILE", help="write the first curve as SVG instead")
    parser.add_argument("--force", action="store_true", help="overwrite FILE, if it exists")
    add_spec(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.health.braille import plotted
    from rlmetrics.health.curve_drawing import svg
    from rlmetrics.health.curves import read_curves
    from rlmetrics.health.report_records import Curve

    from .pages import require_free_page, write_page

    if args.svg:
        require_free_page(Path(args.svg), [Path(args.run_path)], "what is drawn", "--svg", force=args.force)
    curves = next(iter(read_curves(args.run_path, at=args.at, spec=spec_of(args))))
    for note in curves.notes:
        print(f"rlmetrics plot: {curves.run}: {note}", file=sys.stderr)
    keys = [key for wanted in args.keys for key in curves.curves if wanted in (key, curves.meanings[key].metric)]
    if not keys:
        from difflib import get_close_matches

        near = get_close_matches(args.keys[0], list(curves.curves), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"it logs {', '.join(list(curves.curves)[:5])} …"
        msg = f"rlmetrics plot: {args.run_path} has no {args.keys[0]}; {hint}"
        raise UsageError(msg)
    for key in dict.fromkeys(keys):
        drawn, meaning = curves.curves[key], curves.meanings[key]
        if args.svg:
            curve = Curve(key, meaning.metric, meaning.unit, tuple(drawn.steps), tuple(drawn.values))
            write_page(Path(args.svg), svg(curve, height=240, standalone=True) + "\n")
            return 0
        unit = f", {meaning.unit}" if meaning.unit not in (None, "1") else ""
        print(f"{key}  ({meaning.metric or 'no metric of the spec'}{unit})")
        print("\n".join(plotted(drawn.steps, drawn.values)))
    return 0
