"""What ``rlmetrics translate`` does with code: it lists the keys that it names, and rewrites them with ``--code``."""

from __future__ import annotations

from pathlib import Path

from .exits import OK, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rlmetrics.translate.code_translation import CodeKey, CodeReport

__all__ = ["run_code"]

_MOST = 40
"""Keys that are listed without ``--full``."""


def run_code(args: argparse.Namespace, options: Mapping[str, Any]) -> int:
    """List the keys in a piece of code, and write a copy with others if that is asked for.

    Raises:
        UsageError: The input is no code.
    """
    from rlmetrics.logs.files import default_output, require_free
    from rlmetrics.translate.code_translation import holds_code, translate_code
    from rlmetrics.translate.translation_options import Options

    path = Path(args.input)
    if not path.is_file() or not holds_code(path):
        msg = f"rlmetrics translate: {path}: --code takes a file of Python source or a notebook"
        raise UsageError(msg)
    output = None
    if args.code and not args.dry_run:
        output = default_output(path) if args.output is None else Path(args.output)
        require_free(output, path, force=args.force)
    report = translate_code(path, Options(**options), output=output)
    if args.json:
        from .output import json_text

        print(json_text(report.as_json()))
        return OK
    from rlmetrics.wording.terminal import printed

    keys = [key.key for key in report.keys]
    print(printed([*_lines(report, is_full=args.full, rewrites=args.code)], keys=keys))
    return OK


def _lines(report: CodeReport, *, is_full: bool, rewrites: bool) -> Iterator[str]:
    from rlmetrics.wording.terminal import columns, wrapped
    from rlmetrics.wording.voice import language, later, phrase

    moved = sum(key.to not in (None, key.key) for key in report.keys)
    one, several = later("{path} names 1 key"), later("{path} names {count} keys")
    parts = [phrase(one if len(report.keys) == 1 else several, path=report.path, count=len(report.keys))]
    one, several = later("1 has another name in {target}"), later("{count} have another name in {target}")
    parts.append(phrase(one if moved == 1 else several, count=moved, target=report.target))
    if report.output is not None:
        parts.append(phrase("wrote {path}", path=report.output))
    elif rewrites:
        parts.append(phrase("nothing is rewritten, and nothing written"))
    elif moved:
        parts.append(phrase("--code writes a copy with them"))
    between, stop = ("; ", ".") if language() == "en" else ("；", "。")
    yield from wrapped(between.join(parts) + stop)
    shown = report.keys if is_full else report.keys[:_MOST]
    if shown:
        yield ""
        yield from columns([_row(key) for key in shown])
        if len(shown) < len(report.keys):
            yield phrase("and {count} more: --full", count=len(report.keys) - len(shown))
    yield from _remarks(report.joined, phrase("Put together when the program runs, and left as they are:"))
    yield from _remarks(report.mentioned, phrase("Within longer texts, and left as they are:"))
    if report.shown and report.output is not None:
        yield ""
        said = later("What cells have shown keeps its names: run the notebook again, or translate {path} as a log.")
        yield from wrapped(phrase(said, path=report.output))


def _row(key: CodeKey) -> tuple[str, str, str, str]:
    from rlmetrics.wording.terminal import symbol
    from rlmetrics.wording.voice import phrase, spoken

    mark, why = symbol(key.severity) if key.severity else "?", spoken(key.why)
    to = why if key.to is None else phrase("stays") if key.to == key.key else f"-> {key.to}"
    return mark, key.place, key.key, f"{to} ({why})" if why and key.to is not None else to


def _remarks(keys: Sequence[CodeKey], title: str) -> Iterator[str]:
    from rlmetrics.wording.terminal import wrapped
    from rlmetrics.wording.voice import spoken

    if keys:
        yield ""
        yield title
    for key in keys[:_MOST]:
        yield from wrapped(f"{key.place}  {key.key} {spoken(key.why)}", indent=2, hanging=4)
