"""``rlmetrics translate``: rewrites the names in a file or folder."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.settings.configuration import parse_pairs
from rlmetrics.names.tables.user_errors import UserError

from .exits import FOUND
from .main import abandon
from .options import add_config, add_jobs, add_json, add_key, add_source, add_spec, add_surface, config_of, spec_of
from .progress import bar

if TYPE_CHECKING:
    from rlmetrics.translate import Report

__all__ = ["add", "run"]

_BY_HTTP = tuple(f"{kind}:{scheme}" for kind in ("mlflow", "grafana") for scheme in ("http://", "https://"))


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    from rlmetrics.logs.kinds import KINDS

    parser = subparsers.add_parser(
        "translate",
        help="rewrite the names in a log",
        description="Write a copy of a file or folder with its metric names translated. The input is never changed.",
        epilog="Exit codes: 0 done; 1 done, but names with different values collided and were set aside, files of a "
        "folder were refused and left out, the end of a torn file was lost, or the report could not be printed; 2 bad "
        "usage or input, and nothing written.",
    )
    parser.add_argument(
        "input",
        metavar="IN",
        nargs="?",
        help="the file or folder to translate, or, on W&B's server, wandb:ENTITY/PROJECT/RUN or "
        "wandb-workspace:ENTITY/PROJECT/VIEW, or mlflow: or grafana: and the address of a server or a page",
    )
    add_source(parser, "--from", "where the names come from")
    add_source(parser, "--to", "where they go", required=True)
    parser.add_argument(
        "--plan",
        metavar="PLAN.csv",
        help="translate the runs of a plan that fleet scan wrote, in place of IN; repeated, it goes on where it ended",
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="where the copy goes; by default IN.translated")
    parser.add_argument("--force", action="store_true", help="overwrite OUT, and the FILE of --html, if they exist")
    parser.add_argument(
        "--kind", choices=list(KINDS), metavar="KIND", help=f"what IN is, by default recognised: {', '.join(KINDS)}"
    )
    parser.add_argument(
        "--code",
        action="store_true",
        help="Python source and cells of notebooks: write a copy in which string literals that are keys say the new "
        "ones; by default they are listed",
    )
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
        "--copy-tag",
        metavar="PATTERN",
        default="",
        help="W&B run: a tag for the copy, of {from}, {to}, {group}, {run}, {name} and other letters",
    )
    parser.add_argument(
        "--copy-group", metavar="PATTERN", default="", help="W&B run: the copy's group, likewise; by default as it was"
    )
    parser.add_argument(
        "--link-originals",
        action="store_true",
        help="on a server: let the original name its copy, too; by default originals are not changed",
    )
    parser.add_argument(
        "--no-copy",
        action="store_true",
        help="leave out files of a folder that hold no names, such as weights; by default they are copied",
    )
    parser.add_argument(
        "--program",
        metavar="NAME",
        help="which trainer or program of a release is meant, of the source or the target, such as GRPOTrainer; by "
        "default the target's that is the source's",
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing and print the report")
    add_jobs(parser, "translate the files of a folder, or the runs of a plan")
    parser.add_argument(
        "--shard",
        metavar="K/N",
        help="translate only share K of N of a folder, such as 1/8; the copy appears when all are done",
    )
    add_surface(parser, "as the input shows them")
    add_key(parser)
    add_spec(parser)
    add_json(parser)
    parser.add_argument("--full", action="store_true", help="print all of the report")
    parser.add_argument("--html", metavar="FILE", help="also write the report as one page of HTML")


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 where names collided, something was lost or left out, or the report could not be given.
    """
    from rlmetrics.translate import translate_file
    from rlmetrics.translate.translation_options import Options

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
        "program": args.program,
        "dry_run": args.dry_run,
    }
    marks = {"copy_tag": args.copy_tag, "copy_group": args.copy_group, "link_originals": args.link_originals}
    if (args.plan is None) == (args.input is None):
        msg = "one of IN and --plan PLAN.csv says what is translated"
        raise UserError(msg)
    if args.plan is not None:
        from .planned import run_plan

        return run_plan(args, Options(**options, **marks))
    if args.html is not None:
        _require_page(Path(args.html), args)
    if args.code or (args.kind is None and args.input.endswith((".py", ".ipynb")) and _is_code(Path(args.input))):
        from .code_keys import run_code

        return run_code(args, options)
    place = {"output": args.output, "force": args.force}
    if args.input.startswith(_BY_HTTP):
        from rlmetrics.fleet.servers.single import translate_at

        with bar() as progress:
            report = translate_at(args.input, Options(**options, **marks), progress=progress)
    elif args.input.startswith("wandb:"):
        from rlmetrics.translate.wandb_runs import translate_server_run

        with bar() as progress:
            report = translate_server_run(args.input, Options(**options, **marks), progress=progress)
    elif args.input.startswith("wandb-workspace:"):
        from rlmetrics.translate.views import translate_view

        report = translate_view(args.input, Options(**options, **marks), overwrite=args.overwrite, **place)
    else:
        with bar() as progress:
            report = translate_file(
                args.input,
                kind=args.kind,
                new_run_id=args.new_run_id,
                keep_alerts=args.keep_alerts,
                copy_others=not args.no_copy,
                jobs=args.jobs,
                shard=args.shard,
                progress=progress,
                **place,
                **options,
            )
    if loss := report.loss():
        _tell(f"LOST: {loss}")
    if report.collisions:
        _tell(f"{len(report.collisions)} names collided and were set aside")
    for path, message in report.failed.items():
        if path not in report.needing:
            _tell(f"{message}; left out")
    if report.missing:
        _tell(f"left out: {report.missing}")
    for path, why in report.left_alone.items():
        _tell(f"{path}: {why}")
    return report.exit_code if _reported(report, args) else FOUND


def _is_code(path: Path) -> bool:
    from rlmetrics.translate.code_translation import holds_only_code

    return path.is_file() and holds_only_code(path)


def _tell(message: str) -> None:
    """Say something on standard error, in one line; it is in the report, too, so that it may fail."""
    from rlmetrics.logs.printable import printable

    with suppress(OSError):
        print(f"rlmetrics translate: {printable(message)}", file=sys.stderr, flush=True)


def _reported(report: Report, args: argparse.Namespace) -> bool:
    """Give the report, and tell whether that was possible: the copy stands by then, whatever becomes of the report."""
    from rlmetrics.logs.input_errors import InputError
    from rlmetrics.wording.terminal import printed

    try:
        if args.html is not None:
            from rlmetrics.translate.translation_page import page

            from .pages import write_page

            write_page(Path(args.html), page(report), force=args.force)
        text = _text(report, args)
        print(text if args.json else printed(text.split("\n")), flush=True)
    except BrokenPipeError:
        raise
    except (OSError, InputError) as error:
        done = "nothing was to be written" if report.dry_run else f"done: {', '.join(report.outputs[:1])} is written"
        why = str(error)
        if isinstance(error, OSError):
            why = f"{error.filename or 'standard output'}: {error.strerror or error}"
        _tell(f"{done}, but its report can't be: {why}")
        abandon(sys.stdout)
        return False
    return True


def _text(report: Report, args: argparse.Namespace) -> str:
    if args.json:
        return json.dumps(report.as_json(), indent=2)
    if args.full:
        return report.as_text()
    from rlmetrics.answers.translation_summary import translation_lines
    from rlmetrics.wording.terminal import printed

    return printed(translation_lines(report.escaped(), dropped=args.unknown == "drop", spec=spec_of(args)))


def _require_page(page: Path, args: argparse.Namespace) -> None:
    """Make sure that the report destroys nothing: no folder, no file that is read, and not the copy itself."""
    from rlmetrics.logs.files import default_output, resolved

    from .pages import require_free_page

    source = Path(args.input)
    taken = [source, default_output(source) if args.output is None else Path(args.output)]
    # What lies in the folder that is translated may not be replaced either.
    if page.exists() and resolved(source) in resolved(page).parents:
        taken.append(page)
    require_free_page(page, taken, "what is translated or its translation", force=args.force)
