"""Options that several commands share."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from rlmetrics.names.tables.tables import Tables

__all__ = ["add_config", "add_json", "add_program", "add_source", "add_spec", "add_surface", "config_of", "spec_of"]


def add_source(
    parser: argparse.ArgumentParser,
    flag: str,
    what: str,
    *,
    required: bool = False,
    without: str = "by default inferred from the keys",
) -> None:
    """Add an option that takes a source; ``without`` says what happens where it is left out."""
    dest = flag.lstrip("-") + ("_" if flag in ("--from",) else "")
    hint = "" if required else f"; {without}"
    parser.add_argument(
        flag,
        dest=dest,
        metavar="SOURCE",
        required=required,
        default=None if required else "auto",
        help=f"{what}, such as trl[GRPOTrainer]==1.16.0, verl==0.9.1, trl (installed or newest) or canonical{hint}",
    )


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add ``--config``."""
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE|@FILE",
        help="a setting that differs from the release's default, or a file with all of a run's: training arguments, "
        "hydra's or W&B's config.yaml (repeatable; the later wins)",
    )


def add_spec(parser: argparse.ArgumentParser) -> None:
    """Add ``--spec``."""
    parser.add_argument("--spec", action="append", default=[], metavar="DIR", help="add an overlay (repeatable)")


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add ``--program``."""
    parser.add_argument(
        "--program",
        metavar="NAME",
        help="which program or trainer of a release is meant, on either side, such as sft of verl, or all; by default "
        "that of the other side, else the framework's default (verl: reinforcement learning)",
    )


def add_surface(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--surface``."""
    parser.add_argument(
        "--surface",
        metavar="SURFACE",
        help=f"show names as logged, or as wandb, tensorboard, trackio, mlflow … show them; by default {default}",
    )


def add_json(parser: argparse._ActionsContainer) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def config_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return what ``--config`` gave: single settings and those of whole files, in the order in which they stand.

    Raises:
        UserError: A file can't be read, or a setting is written wrongly.
    """
    if not args.config:
        return {}
    from pathlib import Path

    from rlmetrics.names.settings.configuration import parse_pairs

    pairs = parse_pairs((text for text in args.config if not text.startswith("@")), "--config")
    settings: dict[str, Any] = {}
    for text in args.config:
        if text.startswith("@"):
            from rlmetrics.logs.run_settings import named_file
            from rlmetrics.names.tables.loading import load_tables

            given = named_file(Path(text[1:]))
            _check_known(text[1:], given, load_tables(spec_of(args) if "spec" in args else None))
        else:
            name = text.partition("=")[0].strip()
            given = {name: pairs[name]}
        for name, value in given.items():
            settings.pop(name, None)  # the last one counts, so it stands last
            settings[name] = value
    return settings


def _check_known(path: str, settings: Mapping[str, Any], tables: Tables) -> None:
    """Refuse a file of which no framework knows a single setting: it is another one than was meant.

    Raises:
        UserError: There is no such setting.
    """
    from rlmetrics.names.meanings.recorded_settings import is_setting
    from rlmetrics.names.tables.user_errors import UserError

    if not any(is_setting(name, tables) for name in settings):
        titles = " or ".join(str(row["title"]) for row in tables.frameworks.values())
        count = f"none of its {len(settings)} names is" if len(settings) > 1 else "its only name is not"
        msg = f"{path}: {count} a setting of {titles}; name training arguments or the config.yaml of a run"
        raise UserError(msg)


def spec_of(args: argparse.Namespace) -> list[str] | None:
    """Return what ``--spec`` gave."""
    return list(args.spec) or None
