"""Finds or fetches the archive of a release."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from .packages import Package, PackageError, open_package

if TYPE_CHECKING:
    from ..model.framework import PackageNames

__all__ = ["CACHE", "archive_of", "installed_place", "open_release"]

CACHE = Path(".cache") / "wheels"
"""Where fetched archives are kept, below the folder that the command runs in."""

_PYTHONS = ("3.13", "3.12", "3.11", "3.10", "3.9")

_ARCHIVES = ("*.whl", "*.tar.gz", "*.zip")


def open_release(
    package: str, release: str, place: Path | None = None, cache: Path = CACHE, *, of: PackageNames | None = None
) -> Package:
    """Read a release from a wheel, a source archive, a folder, or what pip fetches.

    Args:
        package: Its name on the package index.
        release: The release.
        place: The archive or folder, if there is one.
        cache: Where fetched archives are kept.
        of: What else it is called, and where its releases are if not on the index.

    Raises:
        PackageError: If it can't be had or read.
    """
    archive = place or archive_of(package, release, cache)
    if archive is None and of is not None and of.source is not None:
        tag = of.source.tag.replace("{release}", release)
        msg = (
            f"{package} {release} is a tag of {of.source.git}, which is not fetched; check {tag} out and name the "
            "folder with --source, or a source archive with --wheel"
        )
        raise PackageError(msg)
    name = package.replace("-", "_") if of is None else of.imported
    return open_package(name, release, archive or _fetch(package, release, cache), package)


def installed_place(package: str, release: str) -> Path | None:
    """Return the folder in which a package is installed, if that is the release."""
    try:
        installed = distribution(package)
    except PackageNotFoundError:
        return None
    return Path(str(installed.locate_file(""))) if installed.version == release else None


def archive_of(package: str, release: str, cache: Path = CACHE) -> Path | None:
    """Return the archive of a release in a folder, if it is there: in a folder of its own or beside the others."""
    names = {package, package.replace("-", "_")}
    for name in sorted(names):
        own = [path for pattern in _ARCHIVES for path in sorted((cache / f"{name}-{release}").glob(pattern))]
        patterns = (f"{name}-{release}-*.whl", f"{name}-{release}.tar.gz", f"{name}-{release}.zip")
        archives = own or [path for pattern in patterns for path in sorted(cache.glob(pattern))]
        if archives:
            return archives[0]
    return None


def _fetch(package: str, release: str, cache: Path) -> Path:
    folder = cache / f"{package}-{release}"
    folder.mkdir(parents=True, exist_ok=True)
    why = ""
    # Wheels for another Python are read as well; what is built from sources runs code of theirs, so that comes last.
    others = (("--only-binary", ":all:", "--python-version", version) for version in _PYTHONS)
    for wanted in (("--only-binary", ":all:"), *others, ("--no-binary", ":all:", "--no-build-isolation")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wanted, "--dest", str(folder)]
        done = subprocess.run([*command, f"{package}=={release}"], capture_output=True, text=True, check=False)
        archive = archive_of(package, release, cache)
        if archive is not None:
            return archive
        why = why or next((line for line in done.stderr.splitlines() if line.startswith("ERROR")), "pip failed")
    folder.rmdir()
    # pip lists every release that there is.
    why = why.partition(" (from versions")[0]
    msg = f"{package}=={release} can't be fetched ({why}); name a --wheel or a --source folder"
    raise PackageError(msg)
