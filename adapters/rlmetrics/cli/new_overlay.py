"""``rlmetrics overlay``: begin the description of a framework or trainer of one's own."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING

from .options import add_json, add_spec, spec_of
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.codegen.overlay_draft import Draft, OwnFramework, OwnTrainer
    from rlmetrics.names import Tables

__all__ = ["add", "run"]

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "overlay",
        help="describe a framework or a trainer of your own",
        description="Write a folder of YAML that extends the spec, for you to edit: lint passes it, --spec takes it. "
        "What keys of a run measure is guessed by their names, and unreviewed until somebody states it.",
        epilog="Exit codes: 0 done; 2 bad usage or input, nothing written.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="write one, with the keys of a run")
    init = actions.add_parser("init", help="write one without keys")
    for each in (new, init):
        each.add_argument("name", metavar="NAME", help="the framework or trainer, such as my-rl; also the folder")
        each.add_argument(
            "--extends", metavar="F/FILE", help="take over the keys of a described file, such as trl/grpo_trainer"
        )
    new.add_argument("--keys", metavar="RUN", action="append", default=[], help="a log with the keys (repeatable)")
    for each in (new, init):
        each.add_argument("-o", "--output", type=Path, metavar="DIR", help="where to write it (default: NAME)")
        add_spec(each)
        add_json(each)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0.
    """
    from rlmetrics.names.tables.loading import load_tables
    from rlmetrics.names.tables.user_errors import UserError

    try:
        from rlmetrics.answers.guessed_keys import guessed_keys
        from rlmetrics.codegen.overlay_draft import drafted
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("rlmetrics"):
            raise
        msg = f'an overlay needs {error.name}; pip install "rlmetrics[codegen]"'
        raise UserError(msg) from None
    from .checkout import overlays_of, spec_root

    tables = load_tables(spec_of(args))
    own = _own(args.name, args.extends, tables)
    folder: Path = args.output or Path(args.name)
    if folder.exists():
        msg = f"{folder}: exists already; name another folder with -o, or add to what is there"
        raise UserError(msg)
    keys = _logged(getattr(args, "keys", []))
    known = _inherited(args.extends, keys, tables)
    overlays = overlays_of(args)
    spec, _ = spec_root(overlays or [folder])
    draft = drafted(own, guessed_keys([key for key in keys if key not in known], tables), spec, overlays)
    for path, text in draft.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
    if args.json:
        print(json_text(_as_json(folder, draft, known)))
    else:
        print("\n".join(_said(folder, draft, known, own)))
    return 0


def _own(name: str, extends: str | None, tables: Tables) -> OwnFramework | OwnTrainer:
    """Return what is to be described.

    Raises:
        UserError: The name can't be one, is taken, or there is no such file to extend.
    """
    from rlmetrics.codegen.overlay_draft import OwnFramework, OwnTrainer
    from rlmetrics.names.sources.source import nearest
    from rlmetrics.names.tables.user_errors import UserError

    if _NAME.fullmatch(name) is None:
        msg = f"{name!r} is no name of a framework; write small letters, digits, - and _, such as my-rl"
        raise UserError(msg)
    if extends is None:
        if name in tables.frameworks:
            msg = f"{name} is described; extend one of its files, such as --extends {name}/{_stems(name, tables)[0]}"
            raise UserError(msg)
        return OwnFramework(name)
    framework, slash, stem = extends.partition("/")
    if not slash or not stem:
        msg = f"--extends {extends!r} is no file; write FRAMEWORK/FILE, such as trl/grpo_trainer"
        raise UserError(msg)
    if framework not in tables.frameworks:
        msg = f"--extends: no framework {framework!r}; {nearest(framework, tables.frameworks, 'frameworks')}"
        raise UserError(msg)
    stem = stem.removesuffix(".yaml")
    known = _stems(framework, tables)
    if stem not in known:
        msg = f"--extends: {framework} has no file {stem!r}; {nearest(stem, known, 'files')}"
        raise UserError(msg)
    if name.replace("-", "_") in known:
        msg = f"{framework} has a file {name.replace('-', '_')}; choose another name"
        raise UserError(msg)
    return OwnTrainer(name, framework, stem, tables.framework(framework).releases.names[-1])


def _stems(framework: str, tables: Tables) -> list[str]:
    return list(dict.fromkeys(stem for _, stem, _, _ in tables.framework(framework).components))


def _logged(runs: Sequence[str]) -> list[str]:
    """Return the names in logs, those of axes left out.

    Raises:
        UserError: One can't be read.
    """
    from rlmetrics.health.judging import logs_of
    from rlmetrics.logs.reading import STEP_NAMES

    names: dict[str, None] = {}
    for run in runs:
        for unit in logs_of(Path(run))[0]:
            names.update(dict.fromkeys(sorted(unit.open().names())))
    return [name for name in names if name not in STEP_NAMES and not name.startswith("_") and "{" not in name]


def _inherited(extends: str | None, keys: Sequence[str], tables: Tables) -> list[str]:
    """Return the keys that the extended file describes already."""
    if extends is None:
        return []
    from rlmetrics.names import resolve
    from rlmetrics.names.lookup.resolving import is_users_own

    framework, _, stem = extends.removesuffix(".yaml").partition("/")
    table = tables.framework(framework)
    component = next(name for name, file, _, _ in table.components if file == stem)
    release = next(
        release
        for release in reversed(table.releases.names)
        if any(name == component for name, _ in table.described(release))
    )
    found = resolve(list(keys), f"{framework}[{component}]=={release}", spec=tables) if keys else []
    return [item.key for item in found if item.metric is not None and not is_users_own(item.metric, tables)]


def _as_json(folder: Path, draft: Draft, known: Sequence[str]) -> dict[str, object]:
    return {
        "folder": folder.as_posix(),
        "files": [(folder / path).as_posix() for path in draft.files],
        "guessed": {item.key: {"metric": item.metric, "why": item.why} for item in draft.kept},
        "unknown": [{"key": key, "why": why} for key, why in draft.left.items()],
        "inherited": list(known),
    }


def _said(folder: Path, draft: Draft, known: Sequence[str], own: OwnFramework | OwnTrainer) -> list[str]:
    """Return what was written, and what to do next."""
    from rlmetrics.wording.terminal import wrapped

    whole = len(draft.kept) + len(draft.left) + len(known)
    told = [f"{len(draft.kept)} of {whole} keys guessed by name"] if whole else []
    told += [f"{len(known)} known from the file that it extends"] if known else []
    told += [f"{len(draft.left)} left open"] if draft.left else []
    first = f"Wrote {folder}: {', '.join(told)}." if told else f"Wrote {folder}, without a key."
    return [
        *wrapped(f"{first}{' Guesses are unreviewed.' if draft.kept else ''}"),
        "",
        *(f"  {folder / path}" for path in draft.files),
        "",
        f"edit    what stands there, then rlmetrics lint --spec {folder}",
        f"ask     rlmetrics keys --at '{own.source}' --spec {folder}",
        "always  RLMETRICS_SPEC names the folder for every command",
    ]
