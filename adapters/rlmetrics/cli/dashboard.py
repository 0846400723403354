"""``rlmetrics dashboard``: makes a W&B workspace or a TensorBoard layout for a trainer and release."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING

from .options import add_config, add_json, add_source, add_spec, config_of, spec_of
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.dashboards import Board

__all__ = ["add", "run"]

_KINDS = {"wandb-workspace": "wandb", "tensorboard": "tensorboard"}
"""What can be made, and the tracker whose names are shown."""
_EVENTS = "tfevents"


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "dashboard",
        help="make a dashboard",
        description="Make a dashboard of what a release logs: first what the frameworks' guides call crucial, then a "
        "section for each family of metrics, timers last; a chart for each quantity, with its healthy range.",
    )
    add_source(parser, "--at", "the release", required=True)
    parser.add_argument("--kind", choices=list(_KINDS), required=True, help="what is made")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="where it goes: a file, or wandb-workspace:ENTITY/PROJECT for a new view on a server; for TensorBoard an "
        "event file, named events.out.tfevents… in a folder below --logdir",
    )
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument("--all", action="store_true", help="show also what the configuration does not log")
    add_config(parser)
    add_spec(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Raises:
        InputError: If the output can't be written there.
        NamesError: If the source is unknown.
    """
    from rlmetrics.dashboards import make_board
    from rlmetrics.translate.views import SCHEME

    online = args.kind == "wandb-workspace" and args.output.startswith(SCHEME)
    if not online:
        _require_free(Path(args.output), args)
    board = make_board(
        args.at, surface=_KINDS[args.kind], config=config_of(args), everything=args.all, spec=spec_of(args)
    )
    place = _save(board, args.output) if online else _write(board, args.kind, Path(args.output), force=args.force)
    _tell(board, args.kind, place, as_json=args.json)
    return 0


def _require_free(output: Path, args: argparse.Namespace) -> None:
    from rlmetrics.logs.files import require_ordinary
    from rlmetrics.logs.input_errors import InputError

    require_ordinary(output)
    if output.exists() and not (args.force and output.is_file()):
        msg = "exists already; choose another place with -o, or overwrite a file with --force"
        raise InputError(msg, output)
    if args.kind == "tensorboard" and _EVENTS not in output.name:
        msg = f"TensorBoard reads only files that have {_EVENTS} in their name; call it events.out.tfevents.0.layout"
        raise InputError(msg, output)
    if not output.absolute().parent.is_dir():
        msg = "its folder does not exist; create it first"
        raise InputError(msg, output)


def _save(board: Board, address: str) -> str:
    from rlmetrics.dashboards import workspace_spec
    from rlmetrics.translate.views import save_view

    return save_view(address, board.at, json.dumps(workspace_spec(board), ensure_ascii=False))


def _write(board: Board, kind: str, output: Path, *, force: bool) -> str:
    from rlmetrics.dashboards import workspace_spec, write_layout
    from rlmetrics.translate.placing import replacing

    with replacing(output, force=force) as part:
        if kind == "tensorboard":
            write_layout(board, part)
        else:
            part.write_text(json.dumps(workspace_spec(board), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return str(output)


def _tell(board: Board, kind: str, output: str, *, as_json: bool) -> None:
    from rlmetrics.wording.terminal import printed

    if as_json:
        document = {
            "kind": kind,
            "at": board.at,
            "output": output,
            "sections": board.sections,
            "fallbacks": board.fallbacks,
        }
        print(json_text(document))
        return
    print(printed(_lines(board, output)))


def _lines(board: Board, output: str) -> list[str]:
    """Return what was made: a line for each section, with as many of its charts as fit."""
    from rlmetrics.dashboards import CRUCIAL
    from rlmetrics.wording.keylists import fitting
    from rlmetrics.wording.terminal import columns, width, wrapped

    panels = sum(len(section.panels) for section in board.sections)
    rows = []
    beside = max((len(section.name) for section in board.sections), default=0) + len("  99  ") + len("  ")
    for section in board.sections:
        titles = [panel.title for panel in section.panels]
        shown = ", ".join(titles) if section.name == CRUCIAL else fitting(titles, width() - beside)
        rows.append((section.name, f"{len(titles):2}", shown))
    return [*wrapped(f"Wrote {output}: {panels} charts in {len(rows)} sections for {board.at}."), "", *columns(rows)]
