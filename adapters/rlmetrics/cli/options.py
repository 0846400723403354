"""Options that several commands share."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from rlmetrics.names.tables.tables import Tables

__all__ = [
    "add_config",
    "add_jobs",
    "add_json",
    "add_key",
    "add_program",
    "add_source",
    "add_source_of_each",
    "add_spec",
    "add_surface",
    "config_of",
    "say_releases",
    "spec_of",
    "with_sources",
]


_MOST_PROCESSES = 1024


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


def add_source_of_each(parser: argparse.ArgumentParser) -> None:
    """Let a command over several runs be told what logged each of them."""
    parser.add_argument(
        "--at",
        action="append",
        metavar="SOURCE",
        help="what logged them: once for all runs, or once for each in their order; by default inferred from the keys",
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
    parser.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="DIR",
        help="add an overlay (repeatable; RLMETRICS_SPEC names some too)",
    )


def add_key(parser: argparse.ArgumentParser) -> None:
    """Add ``--key``."""
    parser.add_argument(
        "--key",
        dest="given_key",
        metavar="KEY",
        help="what a file holds that has no names, such as train/loss for a CSV that TensorBoard's page downloaded",
    )


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add ``--program``."""
    parser.add_argument(
        "--program",
        metavar="NAME",
        help="which program or trainer of a release is meant, on either side, such as sft, or all; by default "
        "that of the other side, else the framework's default",
    )


def add_surface(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--surface``."""
    parser.add_argument(
        "--surface",
        metavar="SURFACE",
        help=f"show names as logged, or as wandb, tensorboard, trackio, mlflow … show them; by default {default}",
    )


def add_jobs(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--jobs``; ``what`` says what the processes do."""
    parser.add_argument("-j", "--jobs", type=_count, default=1, metavar="N", help=f"how many processes {what}")


def _count(text: str) -> int:
    import argparse

    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= _MOST_PROCESSES or len(text) > 6:
        msg = f"{text!r} is no number of processes from 1 to {_MOST_PROCESSES}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


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
    """Return the overlays that were found and, behind them, those of ``--spec``."""
    from rlmetrics.overlay_places import with_found

    return with_found(args.spec) or None


def say_releases(sources: Iterable[str], tables: Tables) -> None:
    """Warn once of each release that another one answers for; judging many runs would say it for each of them.

    Raises:
        NamesError: One of them is unknown.
    """
    from rlmetrics.names.sources.source import parse_source

    for source in dict.fromkeys(sources):
        if source != "auto":
            parse_source(source, tables)


def with_sources(
    command: str, paths: Sequence[str], given: Sequence[str] | None, tables: Tables
) -> list[tuple[str, str]]:
    """Return runs with what logged each: one source for all, or one for each.

    Raises:
        UsageError: There are neither one nor as many.
        NamesError: One of them is unknown.
    """
    sources = given or ["auto"]
    if len(sources) not in (1, len(paths)):
        from rlmetrics.wording.keylists import counted

        from .exits import UsageError

        count = counted(len(paths), "run")
        msg = f"rlmetrics {command}: {len(sources)} sources for {count}; give --at once, or once for each"
        raise UsageError(msg)
    say_releases(sources, tables)
    return [*zip(paths, sources if len(sources) > 1 else [*sources] * len(paths), strict=True)]
