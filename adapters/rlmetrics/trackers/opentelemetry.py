"""OpenTelemetry: the rows of a run as metrics under the ``rl.*`` names of a proposed convention, sent over OTLP.

A number is recorded where it is what the convention names, or a known conversion of it. The step is no attribute: each
value of an attribute is a time series of its own, for receivers and in the memory of this process, and a run has as
many steps as rows. Points have a time, and the step is a metric itself, ``rl.train.steps``.
"""

from __future__ import annotations

import logging
import math
import os
import random
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.health.fork_lock import ForkLock
from rlmetrics.names.differences.relations import GRADES
from rlmetrics.names.differences.severity import UNREVIEWED
from rlmetrics.names.mapping.mapping import map_names
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.key_records import Difference, Transform
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.translate.conversion import convert

from .faults import Faults, log
from .live import HasLive, Live
from .live_settings import known_settings
from .wrapping import Wrapped

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, Meter, MeterProvider

__all__ = ["Recorder", "record"]

_CONVENTION = "opentelemetry"
_STEP = "train/global_step"
"""What reporters of transformers call the step, which is in no row."""

_UNSENT = "what was recorded could not be sent"
_NEGATIVE = "histograms of OpenTelemetry take no negative numbers"
_MOST = 10_000
"""How many keys are remembered."""


class _Move(NamedTuple):
    """The name of a key in the convention, how values are converted, and what sets the two apart, the worst first."""

    name: str
    transform: Transform | None
    differs_by: tuple[Difference, ...]

    @property
    def relation(self) -> str:
        """One of ``exact``, ``affine``, ``approximate`` and ``unreviewed``."""
        if any(item.about == UNREVIEWED for item in self.differs_by):
            return UNREVIEWED
        return "approximate" if self.differs_by else "exact" if self.transform is None else "affine"

    @property
    def distance(self) -> tuple[int, int]:
        """Smaller is closer."""
        return (GRADES.index(self.differs_by[0].grade) if self.differs_by else -1, len(self.differs_by))


class _Stream(NamedTuple):
    """How the values of a key are recorded."""

    move: _Move
    instrument: str
    write: Callable[[float, Mapping[str, str]], None]
    attributes: Mapping[str, str]


class Recorder:
    """Records rows as metrics of OpenTelemetry. It is called like any ``log(row, step)``, and never raises then.

    Points have two attributes: ``rlmetrics.key``, the key of the source, and ``rlmetrics.relation``: ``exact``,
    ``affine`` (converted) or ``approximate``. That the convention leaves open how its numbers are taken makes none
    approximate: any way to take them is one that it allows.

    Args:
        at: The source that logs the rows, such as ``verl==0.9.1``.
        approximate: Record numbers that differ from what the convention names, too.
        attributes: Of the resource, such as ``{"rl.run.id": "7", "rl.algorithm": "grpo"}``; ``rl.system`` is known.
        provider: What makes meters, with a resource and exporters of its own. By default numbers are sent over
            OTLP/HTTP to where ``OTEL_EXPORTER_OTLP_ENDPOINT`` says, every ``OTEL_METRIC_EXPORT_INTERVAL`` milliseconds
            and when the program ends, from a thread of their own.
        every_rank: Record on all ranks, not only on the first.
        config: Settings of the run. Those that the source does not know are left alone.
        spec: Folders with further YAML.

    Attributes:
        faults: What could not be recorded or sent; what the caller's own ``provider`` cannot send is in its own log.
        left_out: The keys that are not recorded, and why; of more than 10,000 the first.

    Raises:
        NamesError: The source is unknown.
        ImportError: OpenTelemetry is not installed.
        ValueError: Both a provider and attributes for its resource are given. Nothing raises afterwards.
    """

    def __init__(
        self,
        at: str,
        *,
        approximate: bool = False,
        attributes: Mapping[str, str] | None = None,
        provider: MeterProvider | None = None,
        every_rank: bool = False,
        config: Config = None,
        spec: Overlays | Tables = None,
    ) -> None:
        if provider is not None and attributes:
            msg = "the resource of a provider is its own: give it the attributes"
            raise ValueError(msg)
        tables = load_tables(spec)
        self._given: dict[str, Any] = {
            "approximate": approximate,
            "attributes": attributes,
            "provider": provider,
            "every_rank": every_rank,
            "config": config,
            "spec": spec,
        }
        self._at = at
        self.faults = Faults()
        self.left_out: dict[str, str] = {}
        self._owners = {os.getpid()}
        known = known_settings(at, config, tables) if config else None
        self._map = map_names(at, _CONVENTION, config=known, spec=tables)
        convention = tables.conventions[_CONVENTION]
        self._rows = {row["name"]: row for row in convention["names"]}
        self._open = {f"trait:{name}" for name in convention.get("traits", ())}
        source = self._map.from_view.source
        system = {} if source.is_canonical else {"rl.system": source.framework}
        self._sends = provider is None
        self._provider: Any = provider or _sending({**system, **(attributes or {})}, self.faults, self._owners)
        self._meter: Meter = self._provider.get_meter("rlmetrics")
        self._approximate = approximate
        self._every_rank = every_rank
        self._has_step = self._map.translate(_STEP).target is not None
        self._streams: dict[str, _Stream | None] = {}
        self._told = False
        self._lock = ForkLock()

    def __call__(self, row: Mapping[str, Any], step: float | None = None) -> None:
        """Record a row."""
        with self.faults("a row could not be recorded"), self._lock:
            if not self._every_rank and _rank() != 0:
                return
            self._owners.add(os.getpid())
            if self._has_step and step is not None:
                row = {_STEP: step, **row}
            new = [key for key in row if key not in self._streams]
            if new:
                self._learn(new)
            for key, value in row.items():
                stream = self._streams[key]
                if stream is not None and value is not None:
                    with self.faults(f"{key} could not be recorded"):
                        self._write(key, stream, value)
            if len(self._streams) > _MOST:
                self._forget()

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies, here and in other processes, record and send by themselves."""
        return partial(Recorder, **self._given), (self._at,)

    def flush(self, seconds: float = 10.0) -> bool:
        """Send what was not sent yet, and return whether nothing went wrong."""
        before = self.faults.count
        with self.faults(_UNSENT):
            self._provider.force_flush(seconds * 1000)
        return before == self.faults.count

    def close(self) -> None:
        """Send what was not sent yet, and end the thread that sends, as the end of the program does by itself.

        The caller's own ``provider`` stays open.
        """
        with self.faults(_UNSENT):
            if self._sends:
                self._provider.shutdown()

    def _write(self, key: str, stream: _Stream, value: Any) -> None:
        plain = value.tolist() if hasattr(value, "tolist") else value
        if stream.move.transform is not None:
            plain = convert(plain, stream.move.transform.scale, stream.move.transform.offset)
        numbers: list[Any] = plain if isinstance(plain, list) and stream.instrument == "histogram" else [plain]
        if not all(math.isfinite(number) for number in numbers):
            msg = "OpenTelemetry takes finite numbers only"
            raise ValueError(msg)
        if stream.instrument == "histogram" and min(numbers, default=0) < 0:
            # Without them, it would be the distribution of something else.
            self._streams[key] = None
            self.left_out[key] = f"{stream.move.name}: {_NEGATIVE}"
            raise ValueError(self.left_out[key])
        for number in numbers:
            stream.write(number, stream.attributes)

    def _learn(self, keys: Iterable[str]) -> None:
        """Decide what becomes of new keys. A name has one key: of those that come first, the closest one."""
        owners = {stream.move.name: key for key, stream in self._streams.items() if stream is not None}
        moves: dict[str, _Move] = {}
        for key in keys:
            self._streams[key] = None
            with self.faults("a key could not be looked up"):
                move = self._move(key)
                if move is not None:
                    moves[key] = move
        for key, move in sorted(moves.items(), key=lambda item: item[1].distance):
            if move.differs_by and not self._approximate:
                self.left_out[key] = f"{move.name} is approximate, see approximate=True: {move.differs_by[0].what}"
            elif owners.setdefault(move.name, key) != key:
                self.left_out[key] = f"{move.name} is recorded from {owners[move.name]}"
            else:
                attributes = {"rlmetrics.key": key, "rlmetrics.relation": move.relation}
                row = self._rows[move.name]
                write = _writer(self._meter, **{part: row[part] for part in ("name", "instrument", "unit")})
                self._streams[key] = _Stream(move, row["instrument"], write, attributes)
        if self.left_out and not self._told:
            self._told = True
            text = "OpenTelemetry gets {} of {} keys; left_out says why not the others, and this is not said again"
            log(logging.WARNING, text.format(sum(map(bool, self._streams.values())), len(self._streams)))

    def _forget(self) -> None:
        """Forget the keys that are not recorded, but for the reasons of the first: a training may log ever new ones."""
        # Learned anew, they would go on.
        ended = {key: why for key, why in self.left_out.items() if why.endswith(_NEGATIVE)}
        self._streams = {key: stream for key, stream in self._streams.items() if stream or key in ended}
        self.left_out = ended | dict(islice(self.left_out.items(), _MOST))

    def _move(self, key: str) -> _Move | None:
        translation = self._map.translate(key)
        if translation.target is None or translation.row is None:
            self.left_out[key] = "the convention has no name for it"
            return None
        shows = [
            item for item in translation.row.differs_by if item.applies is not False and item.about not in self._open
        ]
        shows.sort(key=lambda item: GRADES.index(item.grade), reverse=True)
        return _Move(translation.target, translation.row.transform, tuple(shows))


def _writer(meter: Meter, name: str, instrument: str, unit: str) -> Callable[[float, Mapping[str, str]], None]:
    """Return what records a value."""
    if instrument == "gauge":
        return meter.create_gauge(name, unit).set
    if instrument == "histogram":
        return meter.create_histogram(name, unit).record
    return _Total(meter.create_counter(name, unit))


class _Total:
    """Adds to a counter by how much a total has grown."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._last: float = 0

    def __call__(self, value: float, attributes: Mapping[str, str]) -> None:
        """Count up to a value; below the last one, counting begins anew there."""
        more, self._last = value - self._last, value
        if more < 0:
            msg = "the total has become smaller, which a counter cannot"
            raise ValueError(msg)
        self._counter.add(more, attributes)


def record(rows: Live | HasLive | Wrapped, **options: Any) -> Recorder:
    """Record, from now on, each row that is logged as it comes, beside its new names and what health finds.

    Args:
        rows: What `attach` of a trainer returned, an adapter of verl, or what `wrap` made of any function that logs.
        options: The other arguments of `Recorder`; settings of the run and folders of the spec are known.

    Returns:
        What records, with ``left_out``, ``faults`` and ``flush``.

    Raises:
        ValueError: It is not known what logs the rows. For others see `Recorder`.
    """
    live = rows if isinstance(rows, Live) else rows.live
    if live.at is None:
        msg = "it is not known what the keys mean: say at=, such as at='verl==0.9.1', where the rows are attached"
        raise ValueError(msg)
    recorder = Recorder(live.at, **{"config": live.known, "spec": live.spec, **options})
    take = live.take

    def taking(step: float | None, row: Mapping[str, Any], *rest: Any, **more: Any) -> Any:
        recorder(row, step)
        return take(step, row, *rest, **more)

    vars(live)["take"] = taking
    return recorder


def _sending(attributes: Mapping[str, str], faults: Faults, owners: Collection[int]) -> Any:
    """Return a provider that sends over OTLP/HTTP; what is refused, or reaches nobody, is a fault.

    The thread of a reader lives on in processes that are forked, such as those that load data: they would send what
    was recorded before, again and again, so only ``owners`` send. Exporters draw how long they wait from the random
    numbers of the program, whenever they send: they get a generator of their own, and training computes the same.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import MetricExportResult, PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
    except ImportError as error:
        msg = f'needs {error.name}; pip install "rlmetrics[opentelemetry]"'
        raise ImportError(msg, name=error.name) from None

    for name, module in list(sys.modules.items()):
        if name.startswith("opentelemetry.exporter.otlp") and vars(module).get("random") is random:
            vars(module)["random"] = random.Random()

    class Exporter(OTLPMetricExporter):
        def export(self, *args: Any, **kwargs: Any) -> MetricExportResult:
            if os.getpid() not in owners:
                return MetricExportResult.SUCCESS
            result = MetricExportResult.FAILURE
            with faults(_UNSENT):
                result = super().export(*args, **kwargs)
                if result is MetricExportResult.FAILURE:
                    faults.note(_UNSENT)
            return result

    reader = PeriodicExportingMetricReader(Exporter())
    return MeterProvider([reader], Resource.create(dict(attributes)))


def _rank() -> int:
    """Return the rank of this process among those that train together."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    return int(os.environ.get("RANK", "0"))
