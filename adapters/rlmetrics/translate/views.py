"""Saved views of W&B workspaces, and reports, on a server: read, translated, and saved as new ones."""

from __future__ import annotations

import json
from pathlib import Path

from rlmetrics.logs.files import require_free
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb_workspace import names_in
from rlmetrics.names.inference import Clues

from .detection import origin_of
from .origins import Known, Origin
from .placing import replacing
from .report import Report
from .rewriting.wandb_workspace_rewriter import rewrite
from .translation_options import Options
from .translator import nothing_translated
from .view_server import SCHEME, Address

__all__ = ["SCHEME", "save_view", "translate_view"]


def translate_view(
    address: str,
    options: Options,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    force: bool = False,
) -> Report:
    """Save a translated copy of a view beside it.

    Args:
        address: ``wandb-workspace:ENTITY/PROJECT/VIEW``; VIEW is what follows ``?nw=`` in the address of the page. For
            a report, ``wandb-workspace:ENTITY/PROJECT/reports/TITLE--ID``, as in the address of its page.
        options: How its names are translated, and whether nothing is saved.
        output: A file to write the translated view to; nothing is saved on the server then.
        overwrite: Save over the view that was read, instead of as a new one.
        force: Overwrite an existing output.

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
    origin: Origin = Known(options.source)
    if options.source == "auto":
        names = names_in(view.spec, path)
        origin = origin_of(path, Clues(tuple(names)), options.spec)
    translator = origin.translator(options, options.surface)
    report = translator.new_report("wandb-workspace")
    new = rewrite(view.spec, path, translator, report)
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
        report.outputs.append(str(where.save(f"{view.title} ({report.target})", new)))
    return report


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
