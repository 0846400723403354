"""``rlmetrics map``: the translation table between two sources."""

from __future__ import annotations

from .map_code import DIALECTS
from .options import add_config, add_json, add_program, add_source, add_spec, add_surface, config_of, spec_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rlmetrics.names import MapRow, Transform
    from rlmetrics.names.mapping.mapping import NameMap

_HEADER = (
    "from",
    "from_component",
    "severity",
    "relation",
    "to",
    "to_component",
    "differs_by",
    "transform",
    "note",
    "related",
)
_NEAR = 0.9
"""How alike a name must be to one that is known to be taken for a typing error."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "map",
        help="the translation table between two releases or frameworks",
        description="For each key of one source: its best name in another, how both numbers relate, what differs.",
    )
    parser.add_argument("keys", nargs="*", metavar="KEY", help="keys of the source; all of them if left out")
    add_source(parser, "--from", "the source whose names are at hand", required=True)
    add_source(parser, "--to", "the source whose names are wanted", required=True)
    add_config(parser)
    parser.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value of a placeholder of the target (repeatable)",
    )
    add_program(parser)
    add_surface(parser, "as logged")
    add_spec(parser)
    parser.add_argument("--full", action="store_true", help="list every row with everything that differs")
    forms = parser.add_mutually_exclusive_group()
    add_json(forms)
    forms.add_argument("--csv", action="store_true", help="print CSV")
    forms.add_argument("--yaml", action="store_true", help="print YAML")
    forms.add_argument("--md", action="store_true", help="print a Markdown table")
    code = parser.add_mutually_exclusive_group()
    code.add_argument(
        "--sql",
        choices=DIALECTS,
        metavar="DIALECT",
        help=f"print a view that renames and rescales: {', '.join(DIALECTS)}",
    )
    code.add_argument("--polars", action="store_true", help="print a dictionary of expressions for Polars")
    code.add_argument("--pandas", action="store_true", help="print dictionaries for pandas")
    parser.add_argument("--table", default="runs", metavar="TABLE", help="with --sql: the table; by default runs")
    parser.add_argument("--view", metavar="VIEW", help="with --sql: the view; by default TABLE_translated")
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="COLUMN",
        help="with --sql: a further column of the table, such as run_id or step (repeatable)",
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="with --sql: the table has a row for each number, with columns key and value; by default a column a key",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.names.mapping.mapping import map_names
    from rlmetrics.names.settings.configuration import parse_pairs

    if (args.sql or args.polars or args.pandas) and (args.json or args.csv or args.yaml or args.md):
        from rlmetrics.names.tables.user_errors import UserError

        msg = "code is one form and a table another: --json, --csv, --yaml, --md, or one of --sql, --polars, --pandas"
        raise UserError(msg)
    names = map_names(
        args.from_,
        args.to,
        config=config_of(args),
        bind=parse_pairs(args.bind, "--bind"),
        surface=args.surface,
        spec=spec_of(args),
        program=args.program,
    )
    rows = _asked(names, args.keys) if args.keys else names.rows
    if args.json or args.yaml or args.csv or args.md:
        print(_for_programs(args, rows))
    elif args.sql or args.polars or args.pandas:
        print(_as_code(args, names))
    else:
        from rlmetrics.answers.map_answer import key_lines, map_lines
        from rlmetrics.wording.terminal import printed

        if args.keys:
            blocks = [[*([""] if index else []), *key_lines(names, row)] for index, row in enumerate(rows)]
            lines = [line for block in blocks for line in block]
        else:
            lines = map_lines(names, full=args.full)
        print(printed(lines, keys=args.keys))
    return 0


def _for_programs(args: argparse.Namespace, rows: Sequence[MapRow]) -> str:
    """Return rows in the form that was asked for."""
    from .output import csv_text, json_text, markdown, yaml_text

    if args.json:
        return json_text(rows)
    if args.yaml:
        return yaml_text(rows)
    cells = [_cells(row) for row in rows]
    return csv_text(_HEADER, cells) if args.csv else markdown([name.replace("_", " ") for name in _HEADER], cells)


def _as_code(args: argparse.Namespace, names: NameMap) -> str:
    """Return the table as code for databases or frames."""
    from rlmetrics.answers.column_map import column_map

    from .map_code import pandas_text, polars_text, sql_text

    columns = column_map(names, args.keys or [row.from_ for row in names.rows])
    if args.sql:
        view = args.view or f"{args.table}_translated"
        return sql_text(columns, args.sql, table=args.table, view=view, keep=args.keep, is_long=args.long)
    return polars_text(columns) if args.polars else pandas_text(columns)


def _asked(names: NameMap, keys: list[str]) -> list[MapRow]:
    """Return the rows of some keys.

    Raises:
        NamesError: The source does not log one of them; it names the nearest.
    """
    rows: list[MapRow] = []
    for key in keys:
        row = names.translate(key).row
        if row is None or (row.from_ != key and row.from_.startswith("{")):
            from difflib import get_close_matches

            from rlmetrics.names import NamesError
            from rlmetrics.names.sources.source import nearest

            known = [entry.key for entry in names.from_view.entries()]
            # A name that users choose may be anything, but hardly one that is nearly that of the trainer.
            if row is None or get_close_matches(key, known, 1, _NEAR):
                msg = f"{names.from_view.source} does not log {key!r}; {nearest(key, known, 'keys')}"
                raise NamesError(msg)
        rows.append(row)
    return rows


def _cells(row: MapRow) -> tuple[str | None, ...]:
    return (
        row.from_,
        row.from_component,
        row.severity,
        row.relation,
        row.to,
        row.to_component,
        _differences(row),
        _transform(row.transform),
        row.note,
        "; ".join(f"{item.to}: {item.why}" for item in row.related) or None,
    )


def _differences(row: MapRow) -> str | None:
    parts = []
    for item in row.differs_by:
        vanishes = f" (not if {item.vanishes_when})" if item.vanishes_when else ""
        parts.append(f"{item.grade}: {item.what}{vanishes}")
    return "; ".join(parts) or None


def _transform(transform: Transform | None) -> str | None:
    if transform is None:
        return None
    offset = f" {'+' if transform.offset > 0 else '-'} {abs(transform.offset):g}" if transform.offset else ""
    return f"{transform.scale:g} * x{offset}"
