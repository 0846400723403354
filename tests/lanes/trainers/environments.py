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
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "RELEASES",
    "ROOT",
    "VERL",
    "clients_python",
    "interpreter",
    "python_of",
    "ran",
    "rare_python",
    "trained",
    "tried_once",
    "verl_python",
]

ROOT = Path(__file__).resolve().parents[3]
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

_DRIVER = (
    "ray==2.60.0",
    "msgpack==1.2.4",
    "tensordict==0.10.0",
    "pyvers==0.2.3",
    "omegaconf==2.3.0",
    "antlr4-python3-runtime==4.9.3",
    "torchdata==0.11.0",
    "codetiming==1.4.0",
    "hydra-core==1.3.2",
    "peft==0.21.2",
)
VERL: dict[str, tuple[str, ...]] = {
    "0.5.0": (*_DATA, *_HUB, *_DRIVER, "transformers==4.52.4", "tokenizers==0.21.4"),
    "0.7.1": (*_DATA, *_HUB, *_DRIVER, "transformers==4.52.4", "tokenizers==0.21.4"),
    "0.9.1": (
        *_DATA,
        *(name for name in _HUB if not name.startswith("huggingface_hub")),
        *_DRIVER,
        "huggingface_hub==1.5.0",
        "transformers==5.5.4",
        "tokenizers==0.22.2",
        "TransferQueue==0.1.11",
        "pyzmq==27.3.0",
        "msgspec==0.22.0",
    ),
}
"""What each release of verl is tried with."""

_CLIENTS = (
    "transformers==5.23.0",
    "tokenizers==0.23.3",
    "regex==2026.11.15",
    "typer==0.29.2",
    "shellingham",
    "swanlab==0.10.3",
    "protobuf==6.33.6",
    "pyroaring==1.0.3",
    "orjson==3.13.0",
    "simplejson==4.3.0",
    "prettytable==3.18.0",
    "pwinput==1.0.3",
    "pydantic-settings==2.16.3",
    "python-dotenv==1.2.4",
    "nvidia-ml-py==13.615.71",
    "watchdog==7.1.0",
    "wrapt==2.5.2",
    "wcwidth==0.9.4",
    "pyecharts==2.1.0",
    "comet_ml==3.58.8",
    "configobj==5.0.9",
    "dulwich==1.2.21",
    "everett==3.1.0",
    "python-box==6.1.0",
    "requests-toolbelt==1.0.0",
    "semantic-version==2.10.0",
    "sentry-sdk==2.75.0",
    "wurlitzer==3.1.1",
    "clearml==2.1.12",
    "furl==2.1.4",
    "orderedmultidict==1.0.2",
    "pathlib2==2.3.7.post1",
    "pyjwt==2.15.1",
    "pyparsing==3.3.3",
    "six==1.17.0",
    "python-dateutil==2.9.0.post0",
    "dvclive==3.49.1",
    "dvc==3.67.1",
    "dvc-data==3.18.3",
    "dvc-http==2.32.0",
    "dvc-objects==5.2.0",
    "dvc-render==1.0.2",
    "dvc-studio-client==0.23.0",
    "aiohttp-retry==2.9.1",
    "atpublic==9.0.0",
    "dictdiffer==0.10.0",
    "diskcache==5.6.3",
    "dpath==2.2.0",
    "flatten-dict==0.5.0",
    "flufl.lock==9.2.0",
    "funcy==2.1",
    "pygtrie==2.6.2",
    "ruamel.yaml==0.19.1",
    "scmrepo==3.6.2",
    "shortuuid==1.0.13",
    "sqltrie==0.11.3",
    "tabulate==0.10.0",
    "voluptuous==0.16.0",
    "zc.lockfile==4.0",
)
"""Clients of trackers that nothing else here needs."""

_RARE = (
    *(name for name in _CLIENTS[:5]),
    "neptune==1.14.0.post2",
    "arrow==1.4.0",
    "boto3==1.44.8",
    "botocore==1.44.8",
    "bravado==12.0.1",
    "bravado-core==6.4.1",
    "fqdn==1.6.0",
    "future==1.0.0",
    "importlib_resources==7.1.0",
    "jmespath==1.1.0",
    "jsonpointer==3.12",
    "jsonref==1.1.0",
    "monotonic==1.6",
    "msgpack==1.2.4",
    "oauthlib==4.0.1",
    "pytz==2026.6",
    "requests-oauthlib==2.0.0",
    "rfc3987==1.3.8",
    "s3transfer==0.19.3",
    "setuptools==65.5.0",
    "simplejson==4.3.0",
    "six==1.17.0",
    "strict-rfc3339==0.7",
    "swagger-spec-validator==3.0.4",
    "uri-template==1.3.0",
    "webcolors==25.10.0",
    "websocket-client==1.9.2",
    "azureml-core==1.61.0.post4",
    "adal==1.2.7",
    "azure-common==1.1.28",
    "azure-core==1.41.0",
    "contextlib2==21.6.0",
    "docker==7.2.0",
    "isodate==0.7.2",
    "jsonpickle==4.1.4",
    "msrest==0.7.1",
    "msrestazure==0.6.4.post1",
    "rl-insight==0.3.0",
    "antlr4-python3-runtime==4.9.3",
    "omegaconf==2.3.0",
    "openrlhf==0.11.2",
)
"""Those that few people use; they want older packages than the others."""


def tried_once(make: Callable[[str], Path]) -> Callable[[str], Path]:
    """Have runs made when they are first asked for, by release or loop; what fails is not tried again, and fails."""

    @cache
    def tried(name: str) -> Path | Exception:
        try:
            return make(name)
        except Exception as error:
            return error

    def made(name: str) -> Path:
        found = tried(name)
        if isinstance(found, Exception):
            raise found
        return found

    return made


def python_of(release: str) -> Path:
    """Return the interpreter of a release's environment; where pip can't fetch it, the test that asked fails."""
    return interpreter(f"trl-{release}", (f"trl=={release}", *RELEASES[release]))


def verl_python(release: str) -> Path:
    """Return the interpreter of an environment with a release of verl."""
    return interpreter(f"verl-{release}", (f"verl=={release}", *VERL[release]))


def clients_python() -> Path:
    """Return the interpreter of an environment with further trackers."""
    return interpreter("clients", _CLIENTS)


def rare_python() -> Path:
    """Return the interpreter of an environment with trackers that few people use, and OpenRLHF's loggers."""
    return interpreter("rare", _RARE)


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
    roots = [ROOT / name for name in ("adapters", "tests/lanes/trainers")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots)), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), str(ROOT / "tests" / "lanes" / "trainers" / script), str(folder), json.dumps(jobs)]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
