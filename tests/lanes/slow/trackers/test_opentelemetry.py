"""Rows that are recorded as metrics of OpenTelemetry, and what a real receiver on this machine gets of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from otlp_server import Receiver, receiving


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Return a receiver to which everything is sent."""
    with receiving() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        yield found


def test_the_end_of_a_program_sends_the_rest(receiver: Receiver) -> None:
    """A program that only records and ends has sent everything."""
    code = """
from rlmetrics.trackers.opentelemetry import Recorder
Recorder("verl==0.9.1", approximate=True)({"timing_s/step": 2.5}, 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert receiver.values() == {"rl.loop.duration": (1, 2.5, 2.5, 2.5)}
