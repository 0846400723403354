"""Servers that run for the tests of this lane."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lanes.servers.mlflow_server import mlflow_program, running


@pytest.fixture(scope="session")
def tracking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real tracking server, of the full package of MLflow."""
    program = mlflow_program()
    if program is None:
        pytest.fail("the full package mlflow is not installed; the lane's command installs it beside")
    with running(program, tmp_path_factory.mktemp("mlflow")) as url:
        yield url
