"""Settings of the whole suite."""

import gc
import os

# Before anything imports torch. Tensors of tests are small: threads would wait for each other longer than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

# Busy machines are slow at times; how long an example takes says nothing about whether it holds.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    """Spare the collector what lives until the end: the tests themselves, and the libraries that they have loaded."""
    gc.collect()
    gc.freeze()
