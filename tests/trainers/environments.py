"""Environments with releases of TRL and verl beside this one, made once under ``.cache/trainers``.

Each holds what its release needs in versions of its own time. Torch, accelerate, numpy and the trackers are those of
the environment that runs the tests, found through a ``.pth`` file.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["RELEASES", "ROOT", "interpreter", "python_of", "ran", "trained"]

ROOT = Path(__file__).resolve().parents[2]
_CACHE = ROOT / ".cache" / "trainers"

_DATA = (
    "datasets==5.0.1",
    "dill==0.4.1",
    "multiprocess==0.70.19",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
    "regex==2026.11.15",
    "xxhash",
)
_HUB = (
    "huggingface_hub==0.36.2",
    "fsspec==2026.6.0",
    "aiohttp==3.14.5",
    "aiohappyeyeballs",
    "aiosignal",
    "frozenlist",
    "multidict",
    "propcache",
    "yarl",
)
RELEASES: dict[str, tuple[str, ...]] = {
    "0.11.4": (
        *_DATA,
        *_HUB,
        "transformers==4.45.2",
        "tokenizers==0.20.3",
        "tyro==1.0.17",
        "docstring_parser",
        "typeguard",
    ),
    "0.12.2": (*_DATA, *_HUB, "transformers==4.46.3", "tokenizers==0.20.3"),
    "0.18.2": (*_DATA, *_HUB, "transformers==4.52.4", "tokenizers==0.21.4"),
    "1.16.0": (*_DATA, "transformers==5.23.0", "tokenizers==0.23.3", "typer==0.29.2", "shellingham"),
}
"""What each release of TRL is tried with."""


def python_of(release: str) -> Path:
    """Return the interpreter of a release's environment; where pip can't fetch it, the test that asked fails."""
    return interpreter(f"trl-{release}", (f"trl=={release}", *RELEASES[release]))


def interpreter(name: str, wanted: tuple[str, ...]) -> Path:
    """Return the interpreter of an environment with some packages, made once."""
    base = [path for path in sys.path if path.endswith("site-packages")]
    mark = hashlib.sha256(repr((wanted, base, sys.version)).encode()).hexdigest()[:8]
    folder = _CACHE / f"{name}-{mark}"
    python = folder / "bin" / "python"
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
            subprocess.run([*pip, *wanted], check=True)
            where = subprocess.run(
                [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                check=True,
                capture_output=True,
                text=True,
            )
            (Path(where.stdout.strip()) / "zz_shared.pth").write_text("\n".join(base) + "\n")
            (folder / "ready").touch()
    return python


def trained(release: str, folder: Path, jobs: list[dict[str, Any]], script: str = "train.py") -> None:
    """Make runs with a release of TRL; ``script`` says what jobs are.

    Raises:
        AssertionError: If one failed; the message is what the process said at the end.
    """
    ran(python_of(release), script, folder, jobs)


def ran(python: Path, script: str, folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Run a script of this folder on jobs, with the interpreter of an environment.

    Raises:
        AssertionError: If one failed; the message is what the process said at the end.
    """
    roots = [ROOT / name for name in ("generated", "adapters", "codegen", "tests/trainers")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots)), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), str(ROOT / "tests" / "trainers" / script), str(folder), json.dumps(jobs)]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, f"{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
