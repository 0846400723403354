"""A receiver of metrics over OTLP/HTTP on this machine: it decodes what exporters post."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

__all__ = ["Point", "Receiver", "receiving"]


class Point(NamedTuple):
    """A point of a metric.

    Attributes:
        kind: ``gauge``, ``sum`` or ``histogram``.
        unit: Of the metric.
        value: The number; of a histogram count, sum, least and largest.
        attributes: Of the point.
        resource: Attributes of what sent it.
    """

    kind: str
    unit: str
    value: Any
    attributes: Mapping[str, str]
    resource: Mapping[str, str]


class Receiver(ThreadingHTTPServer):
    """Keeps what is posted.

    Attributes:
        requests: The decoded bodies.
        paths: Where they were posted.
        status: What it answers.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[ExportMetricsServiceRequest] = []
        self.paths: list[str] = []
        self.status = 200

    @property
    def url(self) -> str:
        """The address, as ``OTEL_EXPORTER_OTLP_ENDPOINT`` takes it."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def points(self) -> dict[str, list[Point]]:
        """Return the points of the last request by the names of their metrics."""
        found: dict[str, list[Point]] = {}
        for sent in self.requests[-1].resource_metrics if self.requests else ():
            resource = _plain(sent.resource.attributes)
            for metric in (metric for scope in sent.scope_metrics for metric in scope.metrics):
                kind = metric.WhichOneof("data") or ""
                for point in getattr(metric, kind).data_points:
                    entry = Point(kind, metric.unit, _value(point), _plain(point.attributes), resource)
                    found.setdefault(metric.name, []).append(entry)
        return found

    def values(self) -> dict[str, Any]:
        """Return the only value of each metric in the last request."""
        return {name: point.value for name, (point,) in self.points().items()}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Keep a body, and answer."""
        assert isinstance(self.server, Receiver)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.paths.append(self.path)
        self.server.requests.append(ExportMetricsServiceRequest.FromString(body))
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(ExportMetricsServiceResponse().SerializeToString())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing."""


def _plain(attributes: Any) -> dict[str, str]:
    return {item.key: item.value.string_value for item in attributes}


def _value(point: Any) -> Any:
    kind = point.WhichOneof("value") if "value" in point.DESCRIPTOR.oneofs_by_name else None
    return (point.count, point.sum, point.min, point.max) if kind is None else getattr(point, kind)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Return a receiver that runs."""
    found = Receiver()
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.shutdown()
        found.server_close()
