"""Records what all releases log.

``python -m rlmetrics.codegen.audit.record DIR OUT`` reads the wheels of all releases from DIR, packed or unpacked into
folders ``trl-0.0.1``, ``verl-0.9.1`` …, and writes ``trl.json``, ``verl.json`` … into OUT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.user_errors import UserError

from ..locks.packages import open_package
from .extract import Extraction, extract
from .recorded import pack
from .release_audit import settings_of

__all__ = ["find_source", "main", "record_release"]


def find_source(folder: Path, package: str, release: str) -> Path | None:
    """Return the wheel of a release, or the folder that it was unpacked into."""
    name = f"{package}-{release}"
    unpacked = folder / name
    return unpacked if unpacked.is_dir() else next(iter(sorted(folder.glob(f"{name}-*.whl"))), None)


def record_release(folder: Path, framework: str, release: str) -> Extraction:
    """Extract a release from its wheel."""
    tables = load_tables()
    package = str(tables.head(framework)["package"])
    place = find_source(folder, package, release)
    if place is None:
        msg = f"{folder} lacks the wheel of {package} {release}; pip download --no-deps fetches it"
        raise UserError(msg)
    name = tables.audit[framework].get("imports", package.replace("-", "_"))
    return extract(framework, release, open_package(name, release, place).texts, settings_of(tables, framework))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the records; see the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, help="folder with all wheels")
    parser.add_argument("out", type=Path, help="folder that the records are written into")
    parser.add_argument("--framework", action="append", metavar="NAME", help="only this one (repeatable)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    options = parser.parse_args(arguments)
    tables = load_tables()
    chosen = options.framework or tables.frameworks
    named = {name: tables.framework(name).releases.names for name in chosen}
    wanted = [
        (str(tables.head(framework)["package"]), release)
        for framework, releases in named.items()
        for release in releases
    ]
    lacking = [f"{name}-{release}" for name, release in wanted if not find_source(options.sources, name, release)]
    if lacking:
        parser.error(f"{options.sources} lacks the wheels of {', '.join(lacking)}; pip download --no-deps fetches them")
    for framework, releases in named.items():
        results = []
        with ProcessPoolExecutor(options.jobs) as pool:
            recorded = pool.map(partial(record_release, options.sources, framework), releases)
            for release, result in zip(releases, recorded, strict=True):
                print(f"{framework} {release}: {len(result.keys)} places", file=sys.stderr, flush=True)
                results.append(result)
        (options.out / f"{framework}.json").write_text(pack(results), encoding="utf-8")


if __name__ == "__main__":
    main()
