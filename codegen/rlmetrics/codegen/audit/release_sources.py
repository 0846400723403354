"""Gets at the source of a release: a wheel, an unpacked tree, the installed package, or a wheel fetched with pip."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rlmetrics.names.tables.user_errors import UserError

__all__ = ["SourceError", "read_release"]

_SUFFIXES = (".py", ".yaml", ".yml")


class SourceError(UserError):
    """A release whose source can't be had."""


def read_release(package: str, release: str, *, wheel: Path | None, folder: Path | None, cache: Path) -> dict[str, str]:
    """Return the texts of a release by their path in the wheel.

    Args:
        package: Name of the package on the package index.
        release: Its release.
        wheel: A wheel to read, if there is one.
        folder: An unpacked source tree to read, if there is one: the folder that holds the package.
        cache: Where a fetched wheel is kept.

    Raises:
        SourceError: If there is no such wheel or folder, or it can't be fetched.
    """
    if wheel is not None:
        return _from_wheel(wheel)
    if folder is not None:
        return _from_folder(folder, package)
    installed = _installed(package, release)
    return _from_folder(installed, package) if installed is not None else _from_wheel(_fetch(package, release, cache))


def _from_wheel(wheel: Path) -> dict[str, str]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(_SUFFIXES)]
            return {name: archive.read(name).decode("utf-8", errors="replace") for name in names}
    except (OSError, zipfile.BadZipFile) as error:
        msg = f"{wheel}: can't be read as a wheel ({error}); name a .whl file"
        raise SourceError(msg) from None


def _from_folder(folder: Path, package: str) -> dict[str, str]:
    root = folder.parent if folder.name == package and (folder / "__init__.py").is_file() else folder
    if not (root / package).is_dir():
        msg = f"{folder}: holds no package {package}; name the folder that contains {package}/"
        raise SourceError(msg)
    files = [path for path in sorted((root / package).rglob("*")) if path.suffix in _SUFFIXES and path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files}


def _installed(package: str, release: str) -> Path | None:
    try:
        installed = distribution(package)
    except PackageNotFoundError:
        return None
    return Path(str(installed.locate_file(""))) if installed.version == release else None


def _fetch(package: str, release: str, cache: Path) -> Path:
    folder = cache / f"{package}-{release}"
    if not list(folder.glob("*.whl")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run(
            [*command, "--dest", str(folder), f"{package}=={release}"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            why = next((line for line in done.stderr.splitlines() if line.startswith("ERROR")), "pip failed")
            msg = f"{package}=={release} can't be fetched ({why}); name a --wheel or a --source folder"
            raise SourceError(msg)
    return next(folder.glob("*.whl"))
