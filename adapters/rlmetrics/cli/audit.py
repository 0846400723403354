"""``rlmetrics audit``: what a release logs, read off its source, against the spec."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.sources.source import nearest
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.user_errors import NamesError, UserError

from .options import add_json, add_spec, spec_of

if TYPE_CHECKING:
    from rlmetrics.codegen.audit.release_audit import Audit

__all__ = ["add", "run"]

_SOURCE = re.compile(r"\s*([^\s\[=]+)\s*(?:\[([^\]]+)\])?\s*==\s*(\S+)\s*")


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
    parser.add_argument("source", metavar="SOURCE", help="such as trl==1.16.0 or trl[GRPOTrainer]==1.16.0")
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
    from rlmetrics.codegen.audit.release_audit import audit, release_of

    match = _SOURCE.fullmatch(args.source)
    if match is None:
        msg = f"{args.source!r} is no release; write FRAMEWORK==RELEASE or FRAMEWORK[COMPONENT]==RELEASE"
        raise UserError(msg)
    framework, component, release = match.groups()
    tables = load_tables(spec_of(args))
    if framework not in tables.frameworks:
        msg = f"there is no framework {framework!r}; {nearest(framework, tables.frameworks, 'frameworks')}"
        raise NamesError(msg)
    result = audit(tables, framework, release_of(tables, framework, release, args.wheel or args.folder), component)
    if args.draft is not None:
        _write_draft(args.draft, args.source, release, result)
    if args.json:
        print(json.dumps(_as_json(result), indent=2))
    elif str(args.draft) != "-":
        print(_as_text(args.source, result))
    return int(result.comparison.has_gaps)


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
    lines += [f"not described: {name} ({count} keys)" for name, count in comparison.undescribed.items()]
    return "\n".join(lines)
