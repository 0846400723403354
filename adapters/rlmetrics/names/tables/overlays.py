"""Tables of the spec with overlays, built in memory; needs what ``rlmetrics[codegen]`` installs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rlmetrics.lazy_typing import Any

from .user_errors import NamesError

__all__ = ["find_spec", "overlaid"]


def overlaid(overlays: Sequence[str]) -> Callable[[str], Mapping[str, Any]]:
    """Return what gives each table, by name, of the spec and the overlays.

    Args:
        overlays: Folders, in the order in which they extend the spec.

    Raises:
        NamesError: The spec cannot be found or read, or a package is missing.
    """
    folders = [Path(overlay).resolve() for overlay in overlays]
    for overlay, folder in zip(overlays, folders, strict=True):
        if not folder.is_dir():
            msg = f"{overlay}: no such folder; --spec takes a folder with YAML files like those of spec/"
            raise NamesError(msg)
    try:
        from rlmetrics.codegen.lint import runner
        from rlmetrics.codegen.lint.checks import guard_checks, reference_checks, release_checks
        from rlmetrics.codegen.loader import SpecError, load
        from rlmetrics.codegen.tables import build
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("rlmetrics"):
            raise
        msg = f'an overlay needs {error.name}; pip install "rlmetrics[codegen]"'
        raise NamesError(msg) from None
    try:
        spec = load(find_spec(), folders)
        # Only what would make a question fail, or leave something out of its answer; rlmetrics lint checks the rest.
        # An `allow:` may name one of the others, so that it is unknown here says nothing.
        checks = [*reference_checks.CHECKS, *release_checks.CHECKS, *guard_checks.CHECKS]
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
    data = build(spec)

    def load_table(name: str) -> Mapping[str, Any]:
        return data[name].data

    return load_table


def find_spec() -> Path:
    """Return the folder ``spec`` of the checkout that this package, or else the working folder, belongs to.

    Raises:
        NamesError: There is none.
    """
    for start in (Path(__file__).resolve(), Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / "spec" / "spec.yaml").is_file():
                return folder / "spec"
    msg = "an overlay extends the YAML of the spec, which is part of a checkout; run this in a checkout of rlmetrics"
    raise NamesError(msg)
