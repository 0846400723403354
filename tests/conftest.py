"""Settings of the whole suite."""

import gc
import os

import pytest

# Before anything imports torch. Tensors of tests are small: threads would wait for each other longer than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

# Busy machines are slow at times; how long an example takes says nothing about whether it holds.
settings.register_profile("fresh", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Whether the suite passes depends on the code alone; ``--hypothesis-profile=fresh`` draws other examples each time.
settings.register_profile("same", settings.get_profile("fresh"), derandomize=True)
settings.load_profile("same")


def pytest_collection_finish() -> None:
    """Spare the collector what lives until the end: the tests themselves, and the libraries that they have loaded."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a browser: the machine may have none, so that it is asked for by ``-m browser``."""
    for item in items:
        if "chromium_browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
