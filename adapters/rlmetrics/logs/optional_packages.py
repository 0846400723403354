"""Packages that only some kinds of files need, and which extra installs each."""

from __future__ import annotations

from collections.abc import Iterable

from .input_errors import InputError

__all__ = ["EXTRAS", "MissingPackageError", "told_once"]

EXTRAS = {
    "pydantic": "codegen",
    "yaml": "codegen",
    "jinja2": "codegen",
    "torch": "torch",
    "wandb": "wandb",
    "wandb_workspaces": "workspaces",
    "tensorboard": "tensorboard",
    "tensorboard_data_server": "tensorboard",
    "trackio": "trackio",
    "mlflow": "mlflow",
    "argcomplete": "completion",
    "mcp": "mcp",
    "sqlglot": "sql",
    "narwhals": "frames",
    "pyarrow": "frames",
}
"""The extra that installs a package, by the name under which it is imported."""


class MissingPackageError(InputError):
    """A file that can't be read without a package that is not installed.

    Attributes:
        package: The package.
    """

    package = ""

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> MissingPackageError | None:
        """Return what is to be said of a module that is missing; None if no extra brings it."""
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            return None
        said = cls(f'needs {error.name}; pip install "rlmetrics[{EXTRAS[package]}]"')
        said.package = package
        return said


def told_once(missing: Iterable[MissingPackageError]) -> str:
    """Return in one sentence how many files need which packages, and what installs them all."""
    counts: dict[str, int] = {}
    for error in missing:
        counts[error.package] = counts.get(error.package, 0) + 1
    needs = ", ".join(
        f"{count} {'file needs' if count == 1 else 'files need'} {name}" for name, count in counts.items()
    )
    extras = ",".join(sorted({EXTRAS[name] for name in counts}))
    return f'{needs}; pip install "rlmetrics[{extras}]"'
