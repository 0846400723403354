"""Saved views of W&B workspaces on a server: read, translated, and saved as a new view.

The package wandb-workspaces talks to the server; the spec stays the text that the server sent, since the models of the
package drop what they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from rlmetrics.names import infer_source
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .files import replacing, require_free
from .kinds import wandb_workspace
from .report import Report
from .translator import Translator

__all__ = ["SCHEME", "save_view", "translate_view"]

SCHEME = "wandb-workspace:"
"""What the address of a view begins with: ``wandb-workspace:ENTITY/PROJECT/VIEW``."""


def translate_view(
    address: str,
    *,
    target: str,
    source: str = "auto",
    output: str | Path | None = None,
    overwrite: bool = False,
    force: bool = False,
    config: Mapping[str, Any] | None = None,
    bind: Mapping[str, str] | None = None,
    spec: Overlays | Tables = None,
    strict: bool = False,
    both: bool = False,
    unknown: Literal["keep", "drop", "error"] = "keep",
    surface: str | None = None,
) -> Report:
    """Save a translated copy of a view beside it.

    Args:
        address: ``wandb-workspace:ENTITY/PROJECT/VIEW``; VIEW is what follows ``?nw=`` in the address of the page.
        target: As for ``translate_file``, like all that is not described here.
        source: As for ``translate_file``.
        output: A file to write the translated view to; nothing is saved on the server then.
        overwrite: Save over the view that was read, instead of as a new one.
        force: Overwrite an existing output.
        config: As for ``Translator``.
        bind: As for ``Translator``.
        spec: As for ``Translator``.
        strict: As for ``Translator``.
        both: As for ``Translator``.
        unknown: As for ``Translator``.
        surface: As for ``Translator``.

    Returns:
        The account; its ``outputs`` name the saved view.

    Raises:
        InputError: If the address is none, the server refuses, or no key could be translated; nothing is saved then.
        NamesError: If source, target or configuration can't be resolved.
        ModuleNotFoundError: If wandb-workspaces is not installed.
    """
    entity, project, name = _parts(address)
    place = Path(address)
    file = None if output is None else Path(output)
    if file is not None:
        require_free(file, place, force=force)
    view = _read(address, entity, project, name)
    text = str(view["spec"])
    if source == "auto":
        source = infer_source(wandb_workspace.names_in(text, place), config=config, spec=spec)
    translator = Translator(
        source, target, config=config, bind=bind, spec=spec, strict=strict, both=both, unknown=unknown, surface=surface
    )
    report = translator.new_report("wandb-workspace")
    new = wandb_workspace.rewrite(text, place, translator, report)
    if not report.translated and not report.collisions:
        msg = f"0 keys translated from {report.source} to {report.target}; is the source right? Nothing was saved"
        raise InputError(msg, place)
    if file is not None:
        with replacing(file) as part:
            part.write_text(json.dumps({**view, "spec": new}, indent=1), encoding="utf-8")
        report.outputs.append(str(file))
        return report
    title = str(view["displayName"])
    if overwrite:
        saved = _save(place, entity, project, new, name=f"nw-{name}-v", title=title, id=view["id"])
    else:
        saved = _save(place, entity, project, new, name=_new_name(), title=f"{title} ({report.target})")
    report.outputs.append(saved)
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
    parts = address.removeprefix(SCHEME).split("/")
    if len(parts) != 2 or not all(parts):
        msg = f"no project; write {SCHEME}ENTITY/PROJECT"
        raise InputError(msg, Path(address))
    return _save(Path(address), parts[0], parts[1], spec, name=_new_name(), title=title)


def _parts(address: str) -> tuple[str, str, str]:
    parts = address.removeprefix(SCHEME).split("/")
    if len(parts) != 3 or not all(parts):
        msg = f"no view; write {SCHEME}ENTITY/PROJECT/VIEW, where VIEW is what follows ?nw= in the page's address"
        raise InputError(msg, Path(address))
    return parts[0], parts[1], parts[2].removeprefix("nw-").removesuffix("-v")


def _internal() -> Any:
    return import_module("wandb_workspaces.workspaces.internal")


def _read(address: str, entity: str, project: str, name: str) -> dict[str, Any]:
    internal = _internal()
    try:
        view: dict[str, Any] = internal.get_view_dict(entity, project, name)
    except Exception as error:  # The package lets through whatever its transports raise.
        msg = f"the view can't be read: {error}"
        raise InputError(msg, Path(address)) from None
    return view


def _new_name() -> str:
    return str(_internal()._generate_view_name())


def _save(place: Path, entity: str, project: str, spec: str, *, name: str, title: str, **existing: str) -> str:
    """Save a view and return its address; ``existing`` holds the id of the one that is overwritten."""
    mutation = import_module("wandb_workspaces.reports.v2.gql").upsert_view
    execute = import_module("wandb_workspaces._graphql").execute_graphql
    variables = {
        "entityName": entity,
        "projectName": project,
        "name": name,
        "displayName": title,
        "description": "",
        "type": "project-view",
        "spec": spec,
        **existing,
    }
    try:
        saved = execute(import_module("wandb").Api(), mutation, variables)["upsertView"]["view"]
    except Exception as error:
        msg = f"the view can't be saved: {error}"
        raise InputError(msg, place) from None
    slug = str(saved["name"]).removeprefix("nw-").removesuffix("-v")
    return f"{SCHEME}{entity}/{project}/{slug}"
