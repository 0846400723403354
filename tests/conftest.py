"""Settings of the whole suite."""

import gc
import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

# Before anything imports torch. Tensors of tests are small: threads would wait for each other longer than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from command_line import Answer, answered
from hypothesis import HealthCheck, settings

_TESTS = Path(__file__).resolve().parent

# Busy machines are slow at times; how long an example takes says nothing about whether it holds.
settings.register_profile("fresh", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Whether the suite passes depends on the code alone; ``--hypothesis-profile=fresh`` draws other examples each time.
settings.register_profile("same", settings.get_profile("fresh"), derandomize=True)
settings.load_profile("same")


# What is imported and collected lives until the end: looking for garbage in it takes a tenth of the time.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on look for garbage again, but not in the tests and the libraries that they have loaded."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file to one process, unless ``--dist`` says otherwise: what its tests share is then made once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.option.dist == "load" else None


@pytest.fixture
def call() -> Callable[..., Answer]:
    """Run the command line in this process: ``call("resolve", "kl")`` gives its exit code, output and errors."""
    return answered


@pytest.fixture
def document() -> Callable[..., Any]:
    """Run the command line with ``--json`` in this process; return the document."""

    def run(*words: object) -> Any:
        answer = answered(*words, "--json")
        assert (answer.code, answer.err) == (0, "")
        return json.loads(answer.out)

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, so that ``-m`` takes a part: torch, the client of W&B."""
    for item in items:
        for library in _libraries(item.path):
            item.add_marker(library)


_IMPORT = re.compile(r"^\s*(?:from|import) +(\w+)", re.MULTILINE)


@cache
def _libraries(path: Path) -> frozenset[str]:
    """Return which of the marked libraries a file of tests imports, by itself or through a helper beside the tests."""
    names = set(_IMPORT.findall(path.read_text(encoding="utf-8")))
    helpers = [helper for name in names for helper in (_TESTS / f"{name}.py", path.with_name(f"{name}.py"))]
    return frozenset(names & {"torch", "wandb"}).union(*map(_libraries, filter(Path.is_file, helpers)))
