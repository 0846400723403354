"""Finds or fetches the archive of a release."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .packages import Package, PackageError, open_package

__all__ = ["CACHE", "archive_of", "open_release"]

CACHE = Path(".cache") / "wheels"
"""Where fetched archives are kept, below the folder that the command runs in."""

_ARCHIVES = ("*.whl", "*.tar.gz", "*.zip")


def open_release(package: str, release: str, place: Path | None = None, cache: Path = CACHE) -> Package:
    """Read a release from a wheel, a folder, or what pip fetches.

    Raises:
        PackageError: If it can't be had or read.
    """
    archive = place or archive_of(package, release, cache) or _fetch(package, release, cache)
    return open_package(package.replace("-", "_"), release, archive)


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
    for wanted in (("--only-binary", ":all:"), ("--no-binary", ":all:", "--no-build-isolation")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wanted, "--dest", str(folder)]
        done = subprocess.run([*command, f"{package}=={release}"], capture_output=True, text=True, check=False)
        archive = archive_of(package, release, cache)
        if archive is not None:
            return archive
        why = next((line for line in done.stderr.splitlines() if line.startswith("ERROR")), "pip failed")
        # pip lists every release that there is.
        why = why.partition(" (from versions")[0]
    folder.rmdir()
    msg = f"{package}=={release} can't be fetched ({why}); name a --wheel or a --source folder"
    raise PackageError(msg)
