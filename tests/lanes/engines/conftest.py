"""Engines in local mode, each with two workers, started when a test first asks for them."""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session that tries a task four times, as a cluster does."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.master("local[2,4]").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """A cluster of this machine, which reports nothing to anybody."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray as engine
    from ray.data import DataContext

    engine.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False)
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.default_hash_shuffle_parallelism = 2  # not 200, of which each is a task
    yield engine
    engine.shutdown()
