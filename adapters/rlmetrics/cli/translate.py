"""``rlmetrics translate``: rewrites the names in a file or folder."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rlmetrics.names.config import parse_pairs

from .options import add_config, add_json, add_source, add_spec, add_surface, config_of, spec_of
from .progress import bar

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    from rlmetrics.translate.kinds import KINDS

    parser = subparsers.add_parser(
        "translate",
        help="rewrite the names in a log",
        description="Write a copy of a file or folder with its metric names translated. The input is never changed.",
        epilog="Exit codes: 0 done; 1 done, but names with different values collided and were set aside, or files of a "
        "folder were refused and left out; 2 bad usage or input, and nothing written.",
    )
    parser.add_argument(
        "input",
        metavar="IN",
        help="the file or folder to translate, or, on W&B's server, wandb:ENTITY/PROJECT/RUN or "
        "wandb-workspace:ENTITY/PROJECT/VIEW",
    )
    add_source(parser, "--from", "where the names come from")
    add_source(parser, "--to", "where they go", required=True)
    parser.add_argument("-o", "--output", metavar="OUT", help="where the copy goes; by default IN.translated")
    parser.add_argument("--force", action="store_true", help="overwrite OUT, and the FILE of --html, if they exist")
    parser.add_argument("--kind", choices=list(KINDS), help="what IN is; by default recognised")
    parser.add_argument("--strict", action="store_true", help="carry over only exact and affine counterparts")
    parser.add_argument("--both", action="store_true", help="write old and new names")
    parser.add_argument(
        "--unknown",
        choices=["keep", "drop", "error"],
        default="keep",
        help="what to do with keys that the source doesn't define; by default keep",
    )
    add_config(parser)
    parser.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value of a placeholder of the target (repeatable)",
    )
    parser.add_argument(
        "--new-run-id", action="store_true", help="W&B: give the copy an id of its own, to sync it beside the original"
    )
    parser.add_argument("--keep-alerts", action="store_true", help="W&B: keep alerts, which syncing would send again")
    parser.add_argument(
        "--overwrite", action="store_true", help="W&B view: save over it; by default the translation is a new view"
    )
    parser.add_argument(
        "--no-copy",
        action="store_true",
        help="leave out files of a folder that hold no names, such as weights; by default they are copied",
    )
    add_surface(parser, "as the input shows them")
    add_spec(parser)
    add_json(parser)
    parser.add_argument("--html", metavar="FILE", help="also write the report as one page of HTML")


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 where names collided.
    """
    from rlmetrics.translate import translate_file, views, wandb_runs
    from rlmetrics.translate.files import replacing
    from rlmetrics.translate.page import page

    options: dict[str, Any] = {
        "source": args.from_,
        "target": args.to,
        "config": config_of(args),
        "bind": parse_pairs(args.bind, "--bind"),
        "spec": spec_of(args),
        "strict": args.strict,
        "both": args.both,
        "unknown": args.unknown,
        "surface": args.surface,
    }
    if args.html:
        _require_page(Path(args.html), args)
    place = {"output": args.output, "force": args.force}
    if args.input.startswith(wandb_runs.SCHEME):
        with bar() as progress:
            report = wandb_runs.translate_server_run(args.input, progress=progress, **options)
    elif args.input.startswith(views.SCHEME):
        report = views.translate_view(args.input, overwrite=args.overwrite, **place, **options)
    else:
        with bar() as progress:
            report = translate_file(
                args.input,
                kind=args.kind,
                new_run_id=args.new_run_id,
                keep_alerts=args.keep_alerts,
                copy_others=not args.no_copy,
                progress=progress,
                **place,
                **options,
            )
    if args.html:
        with replacing(Path(args.html)) as part:
            part.write_text(page(report), encoding="utf-8")
    print(json.dumps(report.as_json(), indent=2) if args.json else report.as_text())
    if report.collisions:
        print(f"rlmetrics translate: {len(report.collisions)} names collided and were set aside", file=sys.stderr)
    for message in report.failed.values():
        print(f"rlmetrics translate: {message}; left out", file=sys.stderr)
    return report.exit_code


def _require_page(page: Path, args: argparse.Namespace) -> None:
    """Make sure that the report destroys nothing: no folder, no file that is read, and not the copy itself."""
    from rlmetrics.translate import InputError
    from rlmetrics.translate.files import default_output

    if not page.absolute().parent.is_dir():
        msg = "its folder does not exist; create it first"
        raise InputError(msg, page)
    if page.exists() and not page.is_file():
        msg = "is a folder or a device; name a file for the report"
        raise InputError(msg, page)
    source, real = Path(args.input), page.resolve()
    output = Path(args.output) if args.output else default_output(source)
    if real in {source.resolve(), output.resolve()} or (page.exists() and source.resolve() in real.parents):
        msg = "the report may not replace what is translated or its translation; choose another file with --html"
        raise InputError(msg, page)
    if page.exists() and not args.force:
        msg = "exists already; choose another file with --html, or overwrite it with --force"
        raise InputError(msg, page)
