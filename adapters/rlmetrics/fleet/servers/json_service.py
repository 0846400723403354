"""An interface of JSON over HTTP: asked again where that may help; refusals are told in one line without secrets."""

from __future__ import annotations

import base64
import http.client
import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from rlmetrics.logs.input_errors import InputError
from rlmetrics.wording.voice import later

__all__ = ["JsonService", "authorisation"]

_DELAYS = (0.5, 1.0, 2.0, 4.0)
"""Seconds between attempts, unless the server says when it can be asked again."""
_LONGEST_DELAY = 60.0
_TIMEOUT = 60.0
_BUSY = frozenset({429, 503})
"""Answers that say that nothing was done."""
_PASSING = frozenset({500, 502, 504})
"""Answers that leave open what was done."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST = 300


def authorisation(token: str = "", user: str = "", password: str = "") -> dict[str, str]:
    """Return the header that says who asks; none if nobody is named."""
    if user or password:
        pair = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
        return {"Authorization": f"Basic {pair}"}
    return {"Authorization": f"Bearer {token}"} if token else {}


class _Staying(HTTPRedirectHandler):
    """Follows nobody elsewhere, since what says who asks would go along."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Refuse."""


class JsonService:
    """A server that answers in JSON.

    Args:
        base: What the address of each request begins with.
        address: What people call it, for messages.
        headers: Sent with each request.
        secrets: Texts that must not be shown, whatever a server answers.
        wait: Lets seconds go by.
    """

    def __init__(
        self,
        base: str,
        address: str,
        headers: Mapping[str, str] | None = None,
        *,
        secrets: tuple[str, ...] = (),
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self._base = base.rstrip("/")
        self._headers = {"Accept": "application/json", **(headers or {})}
        self._secrets = tuple(text for text in secrets if text)
        self._wait = wait

    def get(self, path: str, **values: Any) -> Any:
        """Return what a path answers."""
        query = urlencode({name: value for name, value in values.items() if value is not None}, doseq=True)
        return self._answer(Request(f"{self._base}/{path}{'?' if query else ''}{query}", headers=self._headers), True)

    def post(self, path: str, body: Mapping[str, Any], *, again: bool = True) -> Any:
        """Send something to a path and return the answer.

        Args:
            path: Where.
            body: What; entries that are None are left out.
            again: Whether it may be sent once more where nothing says that it did not arrive.
        """
        text = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        headers = {**self._headers, "Content-Type": "application/json"}
        return self._answer(Request(f"{self._base}/{path}", text, headers, method="POST"), again)

    def _answer(self, request: Request, again: bool) -> Any:
        """Return the answer to a request.

        Raises:
            InputError: There is none, or a refusal.
        """
        opener = _opener(self._base)
        for delay in (*_DELAYS, None):
            try:
                with opener.open(request, timeout=_TIMEOUT) as answer:
                    return json.loads(answer.read() or b"{}")
            except HTTPError as error:
                with error:
                    why = f"the server answers {error.code}: {_reason(error)}"
                may = error.code in _BUSY or (again and error.code in _PASSING)
                delay = _asked_for(error, delay) if may else None
            except (URLError, OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                told = getattr(reason, "strerror", None) or reason
                why = f"no answer: {told}; {later('is the server running there?')}"
                # What could not connect has not arrived.
                delay = delay if again or isinstance(reason, ConnectionRefusedError) else None
            except ValueError:
                why, delay = later("the answer is no JSON; is this the address of such a server?"), None
            if delay is None:
                raise InputError(self._safe(why), self.address) from None
            self._wait(delay)
        raise AssertionError  # the last delay is none

    def _safe(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return text


def _opener(base: str) -> OpenerDirector:
    """Return what opens addresses: those of this machine without the proxy for others."""
    is_own = urlsplit(base).hostname in _LOOPBACK
    return build_opener(_Staying, *([ProxyHandler({})] if is_own else []))


def _reason(error: HTTPError) -> str:
    """Return why a server refuses, as it says it itself."""
    if where := error.headers.get("Location"):
        return f"it redirects to {where.partition('?')[0]}; give that address"
    try:
        said = json.loads(error.read(1 << 16))
        text = said.get("message") or said.get("error") or said.get("error_code") if isinstance(said, dict) else None
    except (ValueError, OSError, http.client.HTTPException):
        text = None
    text = " ".join(str(text or error.reason or "no reason").split())
    hint = f"; {later('set who asks in the environment')}" if error.code in (401, 403) else ""
    return (text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…") + hint


def _asked_for(error: HTTPError, delay: float | None) -> float | None:
    """Return how long to wait: what the server says, if it says it, and nothing after the last attempt."""
    if delay is None:
        return None
    try:
        return min(max(float(error.headers.get("Retry-After", "")), 0.0), _LONGEST_DELAY)
    except ValueError:
        return delay
