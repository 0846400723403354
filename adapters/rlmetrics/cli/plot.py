"""``rlmetrics plot``: curves of runs in the terminal or as SVG."""

from __future__ import annotations

import argparse
import sys
from os.path import exists
from pathlib import Path

from .options import add_config, add_key, add_source_of_each, add_spec, config_of, spec_of, with_sources

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "plot",
        help="draw curves of runs over each other",
        description="Draw curves of one run, or of several over each other, in the terminal or as SVG. "
        "Runs of whatever release or framework share a chart where they measure the same; look-alikes are drawn grey, "
        "with the reason.",
    )
    parser.add_argument("run_path", metavar="RUN", help="a log, or a folder with logs")
    parser.add_argument(
        "words",
        metavar="RUN|KEY",
        nargs="*",
        help="further logs; then keys as logged, or canonical names: by default what the guides call crucial",
    )
    add_source_of_each(parser)
    add_config(parser)
    parser.add_argument("--svg", metavar="FILE", help="write the charts as SVG instead")
    parser.add_argument("--force", action="store_true", help="overwrite FILE, if it exists")
    add_key(parser)
    add_spec(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.comparison.plotted_charts import chosen_panels, plotted_lines, run_titles
    from rlmetrics.comparison.reading_runs import read_runs
    from rlmetrics.comparison.run_charts import RunCharts
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.wording.terminal import has_colour, shows, width
    from rlmetrics.wording.voice import spoken

    from .pages import require_free_page, write_page

    paths = [args.run_path, *filter(exists, args.words)]
    keys = [word for word in args.words if not exists(word)]
    if args.svg:
        require_free_page(Path(args.svg), [Path(path) for path in paths], "what is drawn", "--svg", force=args.force)
    tables = load_tables(spec_of(args))
    each = with_sources("plot", paths, args.at, tables)
    runs, left_out = read_runs(each, config_of(args), tables)
    panels = chosen_panels(RunCharts(runs, tables), keys, tables)
    titles = run_titles(runs, tables)
    if args.svg:
        from rlmetrics.charts.svg_chart import standalone_svg

        write_page(Path(args.svg), standalone_svg([panel.chart for panel in panels], titles) + "\n", force=args.force)
    else:
        colour = has_colour(sys.stdout)
        lines = plotted_lines(panels, titles, columns=width(), colour=colour, dots=shows(sys.stdout, "⣿┤└─"))
        print("\n".join(lines))
    for item in runs:
        for note in item.notes:
            print(f"rlmetrics plot: {item.run}: {spoken(note)}", file=sys.stderr)
    for reason in left_out:
        print(f"rlmetrics plot: left out: {reason}", file=sys.stderr)
    return 0
