"""News that are posted to a real server on this machine."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
from collections.abc import Iterator

import pytest
from post_server import Server, serving
from rlmetrics.health import Monitor
from rlmetrics.trackers import Webhook, tell

AT = "verl==0.9.1"


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a server that runs."""
    with serving() as found:
        yield found


def broken(monitor: Monitor) -> None:
    """Let a monitor find something."""
    monitor.observe(1, {"actor/pg_loss": 0.1})
    monitor.observe(2, {"actor/pg_loss": math.nan})


def test_findings_are_posted(server: Server) -> None:
    """A finding is posted once, as Slack and its likes take it."""
    monitor, hook = Monitor(AT), Webhook(server.url, "my run")
    tell(monitor, hook)

    broken(monitor)
    monitor.observe(3, {"actor/pg_loss": math.nan})

    assert hook.flush()
    (body,) = server.posted
    assert body["level"] == "error"
    assert body["text"].startswith("my run: step 2")
    assert "actor/pg_loss" in body["text"]


def test_nobody_waits_for_a_slow_server(server: Server) -> None:
    """Judging goes on while the server does not answer; the news arrive when it does."""
    server.gate.clear()
    monitor, hook = Monitor(AT), Webhook(server.url)
    tell(monitor, hook)

    broken(monitor)

    assert not hook.flush(0.05)
    assert server.posted == []
    server.gate.set()
    assert hook.flush()
    assert len(server.posted) == 1


@pytest.mark.parametrize("status", [404, 500])
def test_a_server_that_refuses_is_a_fault(server: Server, status: int) -> None:
    """An answer that is an error is counted and stops nothing."""
    server.status = status
    monitor, hook = Monitor(AT), Webhook(server.url)
    tell(monitor, hook)

    broken(monitor)

    assert hook.flush()
    assert hook.faults.count == 1
    assert str(status) in hook.faults.last


def test_no_server_is_a_fault() -> None:
    """An address where nobody listens is counted and stops nothing."""
    monitor, hook = Monitor(AT), Webhook("http://127.0.0.1:9/hook")
    tell(monitor, hook)

    broken(monitor)

    assert hook.flush()
    assert hook.faults.count == 1


def test_a_forked_process_posts_its_own(server: Server) -> None:
    """After a fork, parent and child both post, each its own news once."""
    monitor, hook = Monitor(AT), Webhook(server.url)
    tell(monitor, hook)
    broken(monitor)
    assert hook.flush()

    def child() -> None:
        monitor.observe(3, {"actor/grad_norm": 1.0})
        monitor.observe(4, {"actor/grad_norm": math.inf})
        os._exit(0 if hook.flush() else 1)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(20)

    assert process.exitcode == 0
    assert ["actor/pg_loss" in body["text"] for body in server.posted] == [True, False]
    assert "actor/grad_norm" in server.posted[1]["text"]


@pytest.mark.parametrize("url", ["file:///etc/hostname", "", "hooks.example/x", "https://", "ftp://a/b"])
def test_what_is_no_webhook_is_refused_when_it_is_made(url: str) -> None:
    """An address that would tell nobody is not found out at the first finding of a night."""
    with pytest.raises(ValueError, match="no address of a webhook"):
        Webhook(url)


def test_a_copy_in_another_process_posts_by_itself(server: Server) -> None:
    """Launchers pickle what trainers hold; what arrives there tells findings as the original would."""
    monitor, hook = Monitor(AT), pickle.loads(pickle.dumps(Webhook(server.url, "my run", patience=5.0)))
    tell(monitor, hook)

    broken(monitor)

    assert hook.flush()
    (body,) = server.posted
    assert body["text"].startswith("my run: step 2")
