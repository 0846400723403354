"""``rlmetrics resolve``: what logged keys mean."""

from __future__ import annotations

import os
import sys

from .exits import OK
from .options import add_config, add_json, add_source, add_spec, config_of, spec_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rlmetrics.answers.pasted import Given
    from rlmetrics.names import Tables

AUTO = "auto"
_VALUED = frozenset("=:|\t{")
"""Signs without one of which a text holds no values."""
_MOST_ROWS = 5
"""So many rows with the same keys are answered one after the other."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "resolve",
        help="what logged keys mean",
        description="Say what each key means: its metric, how this release computes it, and where that stands.",
        epilog="Exit codes: 0 done, also where a key is unknown or misspelt, which is an answer; 2 bad usage or input.",
    )
    parser.add_argument(
        "keys", nargs="+", metavar="KEY", help="a logged key, or - to read keys from the standard input"
    )
    add_source(parser, "--at", "the release that logs them", without="without it, every meaning is listed")
    parser.add_argument("--full", action="store_true", help="show everything that is known")
    parser.add_argument(
        "--bugs",
        action="store_true",
        help="only what was reported upstream about it, and known faults without a report",
    )
    add_config(parser)
    add_spec(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.names.tables.user_errors import NamesError

    keys: list[str] = []
    for key in args.keys:
        keys += [line.strip() for line in sys.stdin if line.strip()] if key == "-" else [key]
    if not keys:
        msg = "there are no keys on the standard input; write one a line"
        raise NamesError(msg)
    config, tables = config_of(args), load_tables(spec_of(args))
    _require_no_logs(args.keys, tables)
    keys = _one_question(keys, tables)
    if any(not _VALUED.isdisjoint(key) for key in keys):
        from rlmetrics.answers.pasted import apart, parse_rows

        rows = [row for texts in apart(keys) if (row := parse_rows(texts))]
        if len(rows) > _MOST_ROWS:
            msg = f"{len(rows)} rows that have the same keys; give one of them, or judge all with rlmetrics check FILE"
            raise NamesError(msg)
        if rows:
            return _of_values(args, rows, config, tables)
        _require_numbers(keys, tables)
    if "-" in args.keys and args.at == AUTO and len(keys) > 1:
        _infer(args, keys, config, tables)
        if args.at == AUTO and not args.json and _of_undescribed(args, keys, tables):
            return OK
    if args.json:
        return _as_json(args, keys, config, tables)
    if args.bugs:
        return _bugs(args, keys, config, tables)
    if len(keys) == 2 and _of_two(args, keys, config, tables):
        return OK
    return _of_keys(args, keys, config, tables)


def _require_no_logs(keys: Sequence[str], tables: Tables) -> None:
    """Refuse a log that is given as if it were a key.

    Raises:
        NamesError: A name is that of a file, and no key has it.
    """
    from rlmetrics.names.meanings.key_index import catalogue_of
    from rlmetrics.names.tables.user_errors import NamesError

    for key in keys:
        if os.path.isfile(key) and not catalogue_of(tables).find(key).found:
            msg = f"{key}: is a file, no key; `rlmetrics check {key}` says what logged it, which --at takes"
            raise NamesError(msg)


def _one_question(keys: list[str], tables: Tables) -> list[str]:
    """Return several plain words of which none is a key as the one name that they are, as in ``explained variance``."""
    if len(keys) < 2 or not all(key.isalpha() for key in keys):
        return keys
    from rlmetrics.names.meanings.key_index import catalogue_of

    catalogue = catalogue_of(tables)
    return keys if any(catalogue.find(key).found for key in keys) else [" ".join(keys)]


def _require_numbers(keys: Sequence[str], tables: Tables) -> None:
    """Refuse a value of a key that is no number, and a row without any number.

    Raises:
        NamesError: There is one.
    """
    from rlmetrics.answers.pasted import no_number, parse_row
    from rlmetrics.names.meanings.key_index import catalogue_of
    from rlmetrics.names.tables.user_errors import NamesError

    catalogue = catalogue_of(tables)
    for key in keys:
        if key.startswith(('{"', "{'")) and not parse_row(key):
            msg = f"{key}: no value is a number; give a row as it was logged, such as {{'kl': 0.3}}"
            raise NamesError(msg)
        pair = no_number(key)
        if pair is not None and catalogue.find(pair[0]).found and not catalogue.find(key).found:
            msg = f"{key}: {pair[1]!r} is no number; give the value as it was logged, such as {pair[0]}=0.3"
            raise NamesError(msg)


def _infer(args: argparse.Namespace, keys: Sequence[str], config: dict[str, Any], tables: Tables) -> None:
    """Take the keys of a log to be of the likeliest source, and say so; where none is known, each stands by itself."""
    from rlmetrics.names.inference import Clues, find_source
    from rlmetrics.names.inference.wording import source_line
    from rlmetrics.wording.voice import spoken

    answer = find_source(Clues(tuple(keys), settings=frozenset(config)), tables)
    args.at = answer.source or AUTO
    print(f"rlmetrics resolve: {spoken(source_line(answer))}", file=sys.stderr)


def _of_undescribed(args: argparse.Namespace, keys: Sequence[str], tables: Tables) -> bool:
    """Answer about the keys of a framework that is not described; return whether they are of one."""
    from rlmetrics.answers.meaning_list import undescribed_lines
    from rlmetrics.names.lookup.anywhere import undescribed_source
    from rlmetrics.names.meanings.key_index import catalogue_of
    from rlmetrics.wording.terminal import printed

    found = undescribed_source(keys, tables)
    if found is not None:
        print(printed(undescribed_lines(found, keys, tables, catalogue_of(tables), full=args.full), keys=keys))
    return found is not None


def _of_values(
    args: argparse.Namespace, rows: Sequence[Mapping[str, Given]], config: dict[str, Any], tables: Tables
) -> int:
    """Answer what values tell, row after row."""
    from rlmetrics.answers.asked_source import ask
    from rlmetrics.wording.terminal import printed

    answers = [ask(row, args.at, config, tables) for row in rows]
    if args.json:
        from .output import json_text

        print(json_text([item for asked in answers for item in asked.json()]))
        return OK
    told = [printed(asked.lines(full=args.full), keys=[*row]) for asked, row in zip(answers, rows, strict=True)]
    print("\n\n".join(told))
    return OK


def _as_json(args: argparse.Namespace, keys: Sequence[str], config: dict[str, Any], tables: Tables) -> int:
    """Answer about keys for programs."""
    from rlmetrics.names import resolve

    from .output import json_text

    resolutions = resolve(keys, args.at, config=config, spec=tables)
    print(json_text(resolutions))
    return OK


def _bugs(args: argparse.Namespace, keys: Sequence[str], config: dict[str, Any], tables: Tables) -> int:
    """Tell what was reported upstream about keys."""
    from rlmetrics.answers.bug_answer import bug_lines, bug_links
    from rlmetrics.names import resolve
    from rlmetrics.wording.terminal import printed

    blocks = []
    for key in keys:
        found = resolve([key], args.at, config=config, spec=tables)
        blocks.append(printed(bug_lines(key, found, tables, full=args.full), keys=[key], links=bug_links(found)))
    print("\n\n".join(blocks))
    return OK


def _of_two(args: argparse.Namespace, keys: Sequence[str], config: dict[str, Any], tables: Tables) -> bool:
    """Answer in what two keys differ; return whether that could be told."""
    from rlmetrics.answers.asked_source import ask_two
    from rlmetrics.wording.terminal import printed

    lines = ask_two(keys, args.at, config, tables, full=args.full)
    if lines:
        print(printed(lines, keys=keys))
    return bool(lines)


def _of_keys(args: argparse.Namespace, keys: Sequence[str], config: dict[str, Any], tables: Tables) -> int:
    """Answer about keys one after the other, each under its name if there are several."""
    from rlmetrics.answers.addresses import links_of
    from rlmetrics.answers.asked import answer_anywhere, answer_at
    from rlmetrics.names import open_view
    from rlmetrics.names.lookup.anywhere import looked_up
    from rlmetrics.wording.terminal import printed

    source, lookups = looked_up(keys, config=config, tables=tables) if args.at == AUTO else (args.at, [])
    if source is None:
        asked = zip(keys, lookups, strict=True)
        answers = [answer_anywhere(*each, tables, config=config, full=args.full) for each in asked]
    else:
        view = open_view(source, config=config, spec=tables)
        answers = [answer_at(view, key, config=config, full=args.full) for key in keys]
    blocks = [
        printed(
            [*([key] if len(keys) > 1 else []), *answer.lines],
            keys=[key],
            links={**links_of(answer.lines, tables), **answer.links},
        )
        for key, answer in zip(keys, answers, strict=True)
    ]
    print("\n\n".join(blocks))
    return OK
