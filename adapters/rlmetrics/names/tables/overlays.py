"""Tables of the spec with overlays, as they are built; needs what ``rlmetrics[codegen]`` installs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .base_spec import base_folder
from .user_errors import NamesError

__all__ = ["find_spec", "overlaid"]


def overlaid(overlays: Sequence[str]) -> dict[str, str]:
    """Return the tables of the spec and the overlays, by name, each as the text of its file.

    Args:
        overlays: Folders, in the order in which they extend the spec.

    Raises:
        NamesError: The spec cannot be found or read, or a package is missing.
    """
    folders = [Path(overlay).resolve() for overlay in overlays]
    try:
        from rlmetrics.codegen.lint import runner
        from rlmetrics.codegen.lint.checks import framework_checks, guard_checks, reference_checks, release_checks
        from rlmetrics.codegen.loader import SpecError, load
        from rlmetrics.codegen.tables import FOLDER, render
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("rlmetrics"):
            raise
        msg = f'an overlay needs {error.name}; pip install "rlmetrics[codegen]"'
        raise NamesError(msg) from None
    try:
        spec = load(find_spec(), folders)
        # Only what would make a question fail, or leave something out of its answer; rlmetrics lint checks the rest.
        # An `allow:` may name one of the others, so that it is unknown here says nothing.
        topics = (reference_checks, framework_checks, release_checks, guard_checks)
        checks = [check for topic in topics for check in topic.CHECKS]
        wanted = {check.id for check in checks if check.level == "error"} - {runner.UNKNOWN_CHECK.id}
        findings = [item for item in runner.run(spec, checks) if item.id in wanted]
    except SpecError as error:
        findings = list(error.findings)
        spec = None
    if spec is None or findings:
        first = min(findings, key=lambda item: item.id.startswith("unused-"))  # which may follow from another
        more = f" (and {len(findings) - 1} more; run rlmetrics lint --spec {overlays[0]})" if len(findings) > 1 else ""
        msg = f"{first.location}: {first.message}; {first.fix}{more}"
        raise NamesError(msg)
    files = render(spec).items()
    return {
        path.removeprefix(f"{FOLDER}/").removesuffix(".json"): text for path, text in files if path.endswith(".json")
    }


def find_spec() -> Path:
    """Return the folder ``spec`` that belongs to this package, or else the one of the checkout around this folder.

    Raises:
        NamesError: There is none.
    """
    base = base_folder()
    if base is not None:
        return Path(base)
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "spec" / "spec.yaml").is_file():
            return folder / "spec"
    msg = (
        "an overlay extends the YAML of the spec, and this package came without it; run this in a checkout of rlmetrics"
    )
    raise NamesError(msg)
