"""Posts what health finds to a webhook, from a thread of its own: training never waits for a network."""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
from functools import partial
from typing import Any

from rlmetrics.health.watching import RunNews, WebhookPost

from .faults import Faults

__all__ = ["Webhook"]

_MOST = 200
"""News that wait; what comes beyond them is lost."""


class Webhook:
    """Posts findings to a webhook, as Slack and its likes take them: ``{"text", "level", "rule", "run"}``.

    Args:
        url: Where to post.
        run: What to call the run in the text.
        patience: Seconds to wait at the end of the program for what was not posted yet.

    Attributes:
        faults: What was not posted.

    Raises:
        ValueError: The URL is none of the web.
    """

    def __init__(self, url: str, run: str = "run", *, patience: float = 10.0) -> None:
        self.faults = Faults()
        self._post = WebhookPost(url, run)
        self._url, self._run, self._patience = url, run, patience
        self._owner = 0
        self._waiting: queue.Queue[RunNews]
        atexit.register(self.flush)

    def __call__(self, news: RunNews) -> None:
        """Post news soon."""
        if self._owner != os.getpid():
            # Threads do not live on in a forked process; what the parent has not posted yet, it posts itself.
            self._waiting = queue.Queue(_MOST)
            self._owner = os.getpid()
            threading.Thread(target=self._work, args=(self._waiting,), daemon=True, name="rlmetrics webhook").start()
        try:
            self._waiting.put_nowait(news)
        except queue.Full:
            self.faults.note("the webhook is too slow: news are lost")

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies, here and in other processes, post by themselves."""
        return partial(Webhook, patience=self._patience), (self._url, self._run)

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until all is posted.

        Args:
            seconds: For how long at most; by default the ``patience``.

        Returns:
            Whether all was.
        """
        if self._owner != os.getpid():
            return True
        end = time.monotonic() + (self._patience if seconds is None else seconds)
        while self._waiting.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.01)
        return not self._waiting.unfinished_tasks

    def _work(self, waiting: queue.Queue[RunNews]) -> None:
        while True:
            news = waiting.get()
            with self.faults("the webhook did not take it"):
                wrong = self._post(news)
                if wrong:
                    self.faults.note(wrong)
            waiting.task_done()
