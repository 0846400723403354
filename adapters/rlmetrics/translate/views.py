"""Saved views of W&B workspaces, and reports, on a server: read, translated, and saved as new ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rlmetrics.logs.files import require_free
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb_workspace import names_in
from rlmetrics.names.inference import Clues

from .detection import origin_of
from .origins import Decision, Origin, origin_by
from .placing import replacing
from .report import Report
from .rewriting.wandb.ids import NewId
from .rewriting.wandb_workspace_rewriter import rewrite
from .translation_options import Options
from .translator import nothing_translated
from .view_server import SCHEME, Address

__all__ = ["SCHEME", "save_view", "translate_view", "with_copies"]


def translate_view(
    address: str,
    options: Options,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    force: bool = False,
    decide: Decision | None = None,
    runs: Mapping[str, str] | None = None,
    lasting: bool = False,
) -> Report:
    """Save a translated copy of a view beside it.

    Args:
        address: ``wandb-workspace:ENTITY/PROJECT/VIEW``; VIEW is what follows ``?nw=`` in the address of the page. For
            a report, ``wandb-workspace:ENTITY/PROJECT/reports/TITLE--ID``, as in the address of its page.
        options: How its names are translated, and whether nothing is saved.
        output: A file to write the translated view to; nothing is saved on the server then.
        overwrite: Save over the view that was read, instead of as a new one.
        force: Overwrite an existing output.
        decide: Says where its names come from, given what infers it; by default the options do.
        runs: The ids of copies of runs by those of the originals, which the view may name.
        lasting: Whether a translation of the view that was saved earlier is saved over.

    Returns:
        The account; its ``outputs`` name the saved view.

    Raises:
        InputError: If the address is none, the server refuses, or no key could be translated; nothing is saved then.
        NamesError: If source, target or configuration can't be resolved.
        ModuleNotFoundError: If wandb-workspaces is not installed.
    """
    where, path = Address.parse(address), Path(address)
    if where.view is None:
        msg = f"names no view; write {SCHEME}ENTITY/PROJECT/VIEW"
        raise InputError(msg, path)
    file = None if output is None else Path(output)
    if file is not None:
        require_free(file, path, force=force)
    view = where.read()

    def infer() -> Origin:
        return origin_of(path, Clues(tuple(names_in(view.spec, path))), options.spec)

    translator = origin_by(options, infer, decide).translator(options, options.surface)
    report = translator.new_report("wandb-workspace")
    new = with_copies(rewrite(view.spec, path, translator, report), runs or {})
    if not report.translated and not report.collisions:
        raise InputError(nothing_translated(report, [translator]), path)
    report.dry_run = options.dry_run
    if options.dry_run:
        report.outputs.append(str(file or where))
    elif file is not None:
        with replacing(file, force=force) as part:
            part.write_text(json.dumps({"displayName": view.title, "spec": new}, indent=1) + "\n", encoding="utf-8")
        report.outputs.append(str(file))
    elif overwrite:
        report.outputs.append(str(where.save(view.title, new, over=view)))
    else:
        name = NewId.of(view.id, report.source, report.target).new if lasting else None
        report.outputs.append(
            str(where.save(f"{view.title} ({report.target})", new, name=name, of=view.id if lasting else ""))
        )
    return report


def with_copies(spec: str, runs: Mapping[str, str]) -> str:
    """Return a spec that names copies where it named runs: by their ids alone, or before a colon and a metric."""
    if not any(run in spec for run in runs):
        return spec

    def named(text: str) -> str:
        run, colon, rest = text.partition(":")
        return runs.get(text) or (f"{runs[run]}{colon}{rest}" if colon and run in runs else text)

    def walk(value: object) -> object:
        if isinstance(value, dict):
            return {named(key): walk(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [walk(entry) for entry in value]
        return named(value) if isinstance(value, str) else value

    return json.dumps(walk(json.loads(spec)), ensure_ascii=False)


def save_view(address: str, title: str, spec: str) -> str:
    """Save a spec as a new view.

    Args:
        address: ``wandb-workspace:ENTITY/PROJECT``.
        title: What the view is called.
        spec: The JSON text.

    Returns:
        The address of the view.

    Raises:
        InputError: If the address is none, or the server refuses.
        ModuleNotFoundError: If wandb-workspaces is not installed.
    """
    where = Address.parse(address)
    if where.view is not None:
        msg = f"names a view; write {SCHEME}ENTITY/PROJECT for a new one"
        raise InputError(msg, Path(address))
    return str(where.save(title, spec))
