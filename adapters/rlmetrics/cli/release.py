"""``rlmetrics release``: keeps the spec true when a framework releases."""

from __future__ import annotations

import argparse
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from .checkout import SOURCE, archives, load_spec
from .options import add_json, add_spec
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.codegen.releasing import Added

__all__ = ["add", "run"]

_SHOWN = 12
"""Lines of a diff, and items of a tier, that are shown without ``--full``."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "release",
        help="add a release of a framework to the spec",
        description="Keep the locks of the spec: find every anchor in a new release, and list what a person has to "
        "edit or read.",
        epilog="Exit codes: 0 nothing is open; 1 items are open; 2 bad usage or input, nothing written.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    adding = actions.add_parser("add", help="extend the locks by a release and list what is new")
    adding.add_argument("source", metavar="SOURCE", help="such as trl==1.17.0")
    archives(adding)
    adding.add_argument(
        "--base", type=Path, metavar="DIR", help="compare with this tree of source code, not with the release before"
    )
    adding.add_argument("--dry-run", action="store_true", help="write nothing")
    adding.add_argument("--full", action="store_true", help="show every item with its whole diff")
    adding.add_argument(
        "--format", choices=("text", "github"), default="text", help="github: annotations on the changed lines"
    )
    add_spec(adding)
    add_json(adding)
    confirming = actions.add_parser("confirm", help="say that a change of code changes no meaning")
    confirming.add_argument("id", metavar="ID", help="such as r1")
    confirming.add_argument("--why", required=True, metavar="TEXT", help="what was read and why no meaning changes")
    confirming.add_argument("--framework", metavar="NAME", help="where releases of several frameworks have open items")
    add_spec(confirming)
    add_json(confirming)
    replaying = actions.add_parser("replay", help="add past releases without a human and compare with the present spec")
    replaying.add_argument(
        "--from", dest="first", required=True, metavar="SOURCE", help="the first release to add, such as trl==0.18.0"
    )
    replaying.add_argument("--to", dest="last", metavar="RELEASE", help="the last release to add (default: the newest)")
    replaying.add_argument(
        "--cache", type=Path, default=Path(".cache") / "wheels", metavar="DIR", help="where archives lie"
    )
    replaying.add_argument("--md", action="store_true", help="print the table of the docs")
    add_spec(replaying)
    add_json(replaying)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 while items are open or a replayed row is silently wrong.
    """
    return {"add": _add, "confirm": _confirm, "replay": _replay}[args.action](args)


def _add(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.releasing import add as add_release

    _, spec = load_spec(args)
    framework, release = _source(args.source, spec.frameworks)
    added = add_release(
        spec, framework, release, args.wheel or args.folder, cache=args.cache, base=args.base, dry=args.dry_run
    )
    if args.json:
        print(json_text(_as_json(added)))
    elif args.format == "github":
        print(_annotations(added), end="")
    else:
        from .news import news_text

        print(news_text(framework, added, full=args.full))
    return int(bool(added.pending.open))


def _source(text: str, frameworks: Any) -> tuple[str, str]:
    from rlmetrics.names.sources.source import nearest
    from rlmetrics.names.tables.user_errors import UserError

    match = SOURCE.fullmatch(text)
    if match is None:
        msg = f"{text!r} is no release; write FRAMEWORK==RELEASE, such as trl==1.17.0"
        raise UserError(msg)
    if match[1] not in frameworks:
        msg = f"no framework {match[1]!r}; {nearest(match[1], frameworks, 'frameworks')}"
        raise UserError(msg)
    return match[1], match[3]


def _as_json(added: Added) -> dict[str, Any]:
    answers = {entry.token: entry for entry in added.pending.entries}
    return {
        "release": added.release,
        "anchors": {"found": added.news.found, "moved": added.news.moved, "lost": added.news.lost},
        "news": [
            {
                "id": answers[item.token].id,
                "kind": item.kind,
                "tier": item.tier,
                "what": item.what,
                "components": item.components,
                "keys": item.keys,
                "symbols": [f"{path} {name}" for path, name in item.symbols],
                "diff": item.diff,
                "hints": item.hints,
                "why": answers[item.token].why,
            }
            for item in added.news.items
        ],
        "names": added.news.names,
        "open": len(added.pending.open),
    }


def _annotations(added: Added) -> str:
    """Return GitHub's workflow commands, one for each changed symbol."""
    from rlmetrics.codegen.findings import Location, SpecFinding, render_github
    from rlmetrics.codegen.releasing import first_changed

    findings = []
    for item in added.news.items:
        said = ", ".join(key.partition(": ")[2] for key in item.keys[:5]) or "metrics"
        more = f" and {len(item.keys) - 5} more" if len(item.keys) > 5 else ""
        for path, line in first_changed(added.package, item.symbols) or [("", 1)]:
            message = f"{item.kind}: {item.what}. This may change what {said}{more} mean"
            findings.append(
                SpecFinding(item.kind.replace(" ", "-"), "warning", Location(path, line), message, "see rlmetrics")
            )
    return render_github(findings)


def _confirm(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.releasing import confirm, pending_path
    from rlmetrics.names.tables.user_errors import UserError

    _, spec = load_spec(args)
    having = [name for name in spec.frameworks if pending_path(spec.home(name), name).is_file()]
    wanted = [args.framework] if args.framework else having
    if len(wanted) != 1:
        what = (
            f"releases of {', '.join(having)} have open items; name one with --framework"
            if having
            else "no release has open items"
        )
        raise UserError(what)
    pending = confirm(spec.home(wanted[0]), wanted[0], args.id, args.why)
    if args.json:
        print(json_text({"release": pending.release, "id": args.id, "why": args.why, "open": len(pending.open)}))
    else:
        print(f"{args.id} is closed; {len(pending.open)} items of {wanted[0]} {pending.release} are open")
    return int(bool(pending.open))


def _replay(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.locks.replayed import replay, table

    _, spec = load_spec(args)
    framework, release = _source(args.first, spec.frameworks)
    replayed = replay(spec, framework, release, args.last, args.cache)
    silent = [row for step in replayed for row in step.silent]
    if args.json:
        print(
            json_text(
                {
                    "carried": sum(step.carried for step in replayed),
                    "news": sum(len(step.news.items) for step in replayed),
                    "silently_wrong": [list(row) for row in silent],
                    "releases": [
                        {
                            "release": step.release,
                            "rows": step.rows,
                            "unchanged": step.unchanged,
                            "carried": step.carried,
                            "changed": len(step.changed),
                            "symbols": step.symbols,
                            "lines": step.lines,
                            "silently_wrong": len(step.silent),
                        }
                        for step in replayed
                    ],
                }
            )
        )
    else:
        print(table(replayed, markdown=args.md))
    return int(bool(silent))
