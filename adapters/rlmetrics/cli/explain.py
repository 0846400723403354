"""``rlmetrics explain``: every field of an answer, the line of the spec that sets it, and what proves it."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from shutil import get_terminal_size

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.user_errors import NamesError

from .options import add_config, add_json, add_spec, config_of, spec_of
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.codegen.explained import Explained, Field
    from rlmetrics.names.tables.tables import Tables

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "explain",
        help="which line of the spec sets each field of an answer, and what proves it",
        description="Print every field of what a key means in a release: its value, the line of the spec that sets it, "
        "and the lines of the framework's source code that show it. Works in a checkout.",
    )
    parser.add_argument("key", metavar="KEY")
    parser.add_argument("--at", required=True, metavar="SOURCE", help="such as trl[GRPOTrainer]==1.16.0")
    parser.add_argument("--full", action="store_true", help="also notes, guides, and facts that do not hold here")
    add_config(parser)
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0.

    Raises:
        NamesError: The source does not log the key.
    """
    from rlmetrics.codegen.explained import explain
    from rlmetrics.names.meanings.view import FrameworkView, open_view

    from .checkout import load_spec

    view = open_view(args.at, config=config_of(args), spec=spec_of(args))
    if not isinstance(view, FrameworkView):
        msg = f"{args.at} is no release; explain needs one, such as trl[GRPOTrainer]==1.16.0"
        raise NamesError(msg)
    matches = view.find(args.key)
    if not matches:
        msg = f"{view.source} does not log {args.key!r}; rlmetrics resolve {args.key} says who does"
        raise NamesError(msg)
    _, spec = load_spec(args)
    explained = []
    for match in matches:
        component = view.components[match.entry.component]
        explained.append(
            explain(spec, view.source.framework, component.stem, component, match.entry.key, match.entry.mode)
        )
    if args.json:
        fields = [
            {"field": one.field, "value": one.value, "from": one.from_, "proof": list(one.proof), "when": one.when}
            for item in explained
            for one in item.fields
        ]
        print(json_text(fields))
    else:
        print("\n\n".join(_block(item, args.full, view.tables) for item in explained))
    return 0


def _block(item: Explained, full: bool, tables: Tables) -> str:
    from rlmetrics.wording.metric_facts import as_shown, sentence

    entry = item.entry
    width = min(get_terminal_size((80, 24)).columns, 120)
    brief = tables.metrics.get(entry.metric or "", {}).get("brief", "what it measures depends on the settings")
    brief = sentence(as_shown(str(brief).rstrip("."), entry.signature.axis))
    by_default = {True: "Logged by default.", False: "Not logged by default.", None: "Not always logged."}
    head = textwrap.fill(f"{entry.component} {entry.key}: {brief} {by_default[entry.logged]}", width)
    shown = [one for one in item.fields if full or one.field not in ("notes", "documented")]
    files = _common([one.from_ for one in shown])
    paths = _common([proof for one in shown for proof in one.proof])
    lines = [head, "", f"Spec lines: {files}" if files else "", f"Proof: {paths}" if paths else "", ""]
    lines = [line for index, line in enumerate(lines) if line or index in (1, 4)]
    lines += _table(shown, files, paths, width)
    hidden = len(item.fields) - len(shown)
    if full:
        lines += ["", f"Not active: {len(item.inactive)} facts", *_table(list(item.inactive), files, paths, width)]
    elif item.inactive or hidden:
        left = [f"{len(item.inactive)} facts of other settings"] if item.inactive else []
        left += [f"{hidden} notes"] if hidden else []
        lines += ["", f"Not shown: {' and '.join(left)}: --full"]
    return "\n".join(lines)


def _common(places: list[str]) -> str:
    """Return the file in which most places stand."""
    files = [place.rpartition(":")[0] for place in places]
    return max(dict.fromkeys(files), key=files.count) if files else ""


def _table(fields: list[Field], spec: str, source: str, width: int) -> list[str]:
    rows = []
    for one in fields:
        value = str(one.value) if one.when is None else f"{one.value} (if {one.when})"
        proof = " ".join(_short(place, source) for place in one.proof[:2])
        rows.append((one.field.replace("reduction.", "over "), value, _short(one.from_, spec), proof))
    names = max((len(row[0]) for row in rows), default=5)
    lines = max((len(row[2]) for row in rows), default=4)
    proofs = max((len(row[3]) for row in rows), default=5)
    room = max(24, width - names - lines - min(proofs, 24) - 6)
    table = [_row(("field", "value", "spec", "proof"), names, room, lines)]
    for name, value, place, proof in rows:
        first, *rest = textwrap.wrap(value, room) or [""]
        table.append(_row((name, first, place, proof), names, room, lines))
        table += [_row(("", part, "", ""), names, room, lines) for part in rest]
    return table


def _row(cells: tuple[str, str, str, str], names: int, room: int, lines: int) -> str:
    return f"{cells[0]:<{names}}  {cells[1]:<{room}}  {cells[2]:<{lines}}  {cells[3]}".rstrip()


def _short(place: str, common: str) -> str:
    """Return a place without the file that the head names; of another file only its name."""
    file, _, line = place.rpartition(":")
    return f":{line}" if file == common else f"{Path(file).name}:{line}"
