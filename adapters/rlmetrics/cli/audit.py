"""``rlmetrics audit``: what a release logs, read off its source, against the spec."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.sources.source import nearest, owner_of, parse_source, source_parts
from rlmetrics.names.sources.source_spelling import components_called
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.user_errors import NamesError, UserError

from .options import add_json, add_spec, spec_of

if TYPE_CHECKING:
    from rlmetrics.codegen.audit.release_audit import Audit
    from rlmetrics.names.tables.tables import Tables

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "audit",
        help="compare the spec with the source code of a release",
        description="Extract by static analysis every key that a release logs, and compare it with the spec; look "
        "every anchor up again. Without --wheel and --source the installed package is read if its version "
        "fits, else the wheel is fetched with pip.",
        epilog="Exit codes: 0 nothing to do; 1 the spec and the release differ in a described component; 2 bad usage "
        "or input.",
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="such as trl==1.16.0, trl[GRPOTrainer]==1.16.0 or grpo==1.16.0"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--wheel", type=Path, metavar="FILE", help="read this wheel")
    where.add_argument(
        "--source", dest="folder", type=Path, metavar="DIR", help="read this unpacked tree of source code"
    )
    parser.add_argument(
        "--draft", type=Path, metavar="FILE", help="write YAML stubs for the keys that the spec lacks (- for stdout)"
    )
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 where the spec and the release differ in a described component.
    """
    from rlmetrics.codegen.audit.release_audit import audit, base_of, release_of

    tables = load_tables(spec_of(args))
    framework, component, release = _asked(args.source, tables)
    under = base_of(tables, framework, release)
    base = None if under is None else (under[0], release_of(tables, *under, None))
    package = release_of(tables, framework, release.partition("+")[0], args.wheel or args.folder)
    result = audit(tables, framework, package, component, base)
    if args.draft is not None:
        _write_draft(args.draft, args.source, release, result)
    if args.json:
        print(json.dumps(_as_json(result), indent=2))
    elif str(args.draft) != "-":
        print(_as_text(args.source, result))
    return int(result.comparison.has_gaps)


def _asked(text: str, tables: Tables) -> tuple[str, str | None, str]:
    """Return framework, component and release that are meant; without one, the release that sources without one mean.

    Unlike those of a source, component and release need not be ones that the spec describes.

    Raises:
        UserError: The text is no source.
        NamesError: There is no such framework.
    """
    parts = source_parts(text)
    if parts is None:
        msg = f"{text!r} is no release; write FRAMEWORK==RELEASE or FRAMEWORK[COMPONENT]==RELEASE"
        raise UserError(msg)
    framework, component, release = parts
    if not tables.head(framework) and component is None and (owner := owner_of(framework, tables)):
        framework, component = owner, framework
    if not tables.head(framework):
        msg = f"there is no framework {framework!r}; {nearest(framework, tables.named, 'frameworks')}"
        raise NamesError(msg)
    if component is not None:
        called = {item[0] for item in components_called(tables.framework(framework), component)}
        component = called.pop() if len(called) == 1 else component
    return framework, component, release or parse_source(text, tables).release


def _write_draft(path: Path, source: str, release: str, result: Audit) -> None:
    from rlmetrics.codegen.audit.draft import draft

    missing = {(key.component, key.key) for key in result.comparison.missing}
    unknown = set(result.comparison.undescribed)
    keys = [key for key in result.extraction.keys if (key.component, key.key) in missing or key.component in unknown]
    text = draft(source, release, keys)
    if str(path) == "-":
        print(text, end="")
    else:
        path.write_text(text, encoding="utf-8")


def _as_json(result: Audit) -> dict[str, Any]:
    comparison = result.comparison
    return {
        "extracted": comparison.extracted,
        "matched": comparison.matched,
        "missing": [
            {"component": key.component, "key": key.key, "path": key.path, "line": key.line, "symbol": key.symbol}
            for key in comparison.missing
        ],
        "stale": [{"component": key.component, "key": key.key, "file": key.file} for key in comparison.stale],
        "evidence_broken": [
            {"where": item.where, "path": item.path, "line": item.line, "problem": item.problem}
            for item in comparison.broken
        ],
        "not_understood": [
            {"path": item.path, "line": item.line, "symbol": item.symbol, "text": item.text, "reason": item.reason}
            for item in result.extraction.unclear
        ],
        "not_seen": list(result.unseen),
        "evidence_checked": comparison.proofs,
        "described": sorted(result.description.components),
        "undescribed": comparison.undescribed,
    }


def _as_text(source: str, result: Audit) -> str:
    comparison = result.comparison
    lines = [
        f"{source}: {comparison.matched} of {comparison.extracted} keys of the described components are in the spec; "
        f"{comparison.proofs - len(comparison.broken)} of {comparison.proofs} places of anchors hold"
    ]
    lines += [f"missing: {key.component} {key.key} ({key.path}:{key.line})" for key in comparison.missing]
    lines += [f"stale: {key.component} {key.key} ({key.file})" for key in comparison.stale]
    lines += [f"evidence broken: {item.where} {item.path}:{item.line}: {item.problem}" for item in comparison.broken]
    lines += [f"not understood: {item.path}:{item.line}: {item.reason}" for item in result.extraction.unclear]
    lines += [f"not seen: {text}" for text in result.unseen]
    lines += [f"not described: {name} ({count} keys)" for name, count in comparison.undescribed.items()]
    return "\n".join(lines)
