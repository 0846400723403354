"""``rlmetrics diff``: what changed between two releases."""

from __future__ import annotations

from .options import add_config, add_json, add_program, add_source, add_spec, config_of, spec_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rlmetrics.names import DiffResult, Tables


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "diff",
        help="what changed between two releases",
        description="Tell what keys changed their meaning and why, which came, went or got another name, and which "
        "defaults changed. With KEY, SOURCE may also name source code that is no release, as "
        "FRAMEWORK[COMPONENT]@PLACE, with a folder, a wheel, or CLONE@REF: then it says whether what proves the key "
        "changed, and in which commits.",
    )
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only these keys")
    add_source(parser, "--from", "the old release", required=True)
    add_source(parser, "--to", "the new release", required=True)
    parser.add_argument("--since", metavar="RELEASE", help="only what changed in this release or later")
    parser.add_argument("--all-configs", action="store_true", help="also what shows only with other settings")
    parser.add_argument("--full", action="store_true", help="everything: each cause, timers, keys of evaluation")
    add_config(parser)
    add_program(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names.tables.loading import load_tables

    from .source_diff import is_place, run_places

    tables = load_tables(spec_of(args))
    if is_place(args.from_) or is_place(args.to):
        return run_places(args, tables)
    if args.json:
        from .output import json_text

        print(json_text(_found(args, tables, args.keys)))
        return 0
    from rlmetrics.answers.diff_answer import diff_lines, key_lines, turned_lines
    from rlmetrics.wording.terminal import printed

    asked: Sequence[Sequence[str]] = [[key] for key in args.keys] or [()]
    found, turned = _forward(args, tables, asked)
    answers = [
        [*turned_lines(result, tables)] * turned
        + (key_lines(result, tables, *keys) if keys else diff_lines(result, tables, full=args.full))
        for keys, result in zip(asked, found, strict=True)
    ]
    print("\n\n".join(printed(lines, keys=args.keys) for lines in answers))
    return 0


def _forward(args: argparse.Namespace, tables: Tables, asked: Sequence[Sequence[str]]) -> tuple[list[DiffResult], bool]:
    """Return what changed from the older release to the newer one, and whether ``--from`` is the newer.

    What came, what went and since when follow the direction of time, whichever release stands first.
    """
    from rlmetrics.names.sources.source import older_first

    found = [_found(args, tables, keys) for keys in asked]
    turned = older_first(found[0].from_, found[0].to, tables)[2]
    if turned:
        args.from_, args.to = args.to, args.from_
        found = [_found(args, tables, keys) for keys in asked]
    return found, turned


def _found(args: argparse.Namespace, tables: Tables, keys: Sequence[str]) -> DiffResult:
    from rlmetrics.names.mapping.programs import EVERY
    from rlmetrics.names.upgrades.release_differences import diff

    return diff(
        args.from_,
        args.to,
        config=config_of(args),
        spec=tables,
        keys=keys or None,
        since=args.since,
        all_configs=args.all_configs,
        evidence=args.json,
        program=EVERY if args.json and args.program is None else args.program,
    )
