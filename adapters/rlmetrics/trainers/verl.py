"""New names and health in what verl's driver logs.

verl logs one dictionary per step through its ``Tracking``, which hands it to the trackers that ``trainer.logger``
names; only the driver, or rank 0 of a supervised trainer, has one. `attach` changes what a ``Tracking`` gets,
`TrackingAdapter` stands in its place, and `BackendAdapter` in the place of one tracker in its dictionary ``logger``.
`rlmetrics.trainers.verl_plugin` makes ``rlmetrics`` a name for ``trainer.logger``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from weakref import WeakMethod

from rlmetrics.logs.run_settings import flattened
from rlmetrics.names.settings.configuration import UNKNOWN
from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import FallbackWarning, NamesError
from rlmetrics.trackers.faults import Faults
from rlmetrics.trackers.live import HasLive, Live, Measuring
from rlmetrics.trackers.live_health import Health
from rlmetrics.trackers.live_settings import plain_settings
from rlmetrics.trackers.wrapping import Wrapped

from .verl_backends import keep_rows

__all__ = ["BackendAdapter", "TrackingAdapter", "attach", "source_of"]

_SUPERVISED = {"sft_trainer": "sft", "sft_trainer_ray": "sft", "fsdp_sft_trainer": "fsdp_sft"}
"""The component of each program of verl that is no reinforcement learning."""


class _Logging(Wrapped):
    """A function of verl that logs, with new names and health in front of it."""

    def _row(self, step: float | None, row: Mapping[str, Any]) -> dict[str, Any]:
        evaluated = all(str(name).startswith(("val-", "val/")) for name in row)
        more = {} if evaluated else self.live.measured()
        return self.live.take(step, row, more, evaluated=evaluated).row


class _Adapter(HasLive):
    """Stands in front of something that logs, and is like it in everything else.

    Attributes:
        live: What treats the rows.
    """

    def __init__(
        self,
        behind: Any,
        to: str | None = None,
        both: bool = False,
        health: Health = None,
        metrics: Measuring | None = None,
        *,
        at: str | None = None,
        config: Any = None,
        spec: Overlays | Tables = None,
    ) -> None:
        self._behind = behind
        self.live = _live(to, both, health, metrics, at, config, spec)
        self._log = _Logging(behind.log, self.live)
        _keep_rows(behind, self.live)

    def log(self, *args: Any, **kwargs: Any) -> Any:
        """Log under new names; arguments and result are those of what is behind it."""
        return self._log(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Return what the object behind it has."""
        if name.startswith("__") or name == "_behind":
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(msg)
        return getattr(self._behind, name)


class TrackingAdapter(_Adapter):
    """Stands in the place of a ``Tracking`` and logs under new names, judged.

    Values and names that would cost MLflow the row, or stop ClearML or TensorBoard, are left out for these trackers,
    and said once.

    Args:
        behind: A ``verl.utils.tracking.Tracking``, or anything with its ``log(data, step)``.
        to: The source whose names are wanted, such as ``canonical`` or ``trl[GRPOTrainer]==1.16.0``; None keeps them.
        both: Log the old names beside the new ones, while dashboards move.
        health: True, a ``Monitor``, a function that takes news of findings, or several of these: each finding is
            logged once under ``rlmetrics``, and numbers under ``health/`` join the rows.
        metrics: A suite, or what has its ``compute`` and ``reset``; its numbers join the rows under ``exact/``.
        at: The source that logs; by default the release of verl that is imported or installed.
        config: verl's configuration, nested as it is, from OmegaConf or plain.
        spec: Folders with further YAML.

    Raises:
        NamesError: ``to`` or ``at`` is no source. Nothing raises afterwards.
        TypeError: ``health`` is none of what it may be.
    """


class BackendAdapter(_Adapter):
    """Stands in the place of one tracker in the ``logger`` of a ``Tracking``; the others keep verl's names.

    ``tracking.logger["wandb"] = BackendAdapter(tracking.logger["wandb"], to="canonical")``. The arguments are those of
    `TrackingAdapter`, with the tracker in place of the ``Tracking``.
    """


class _Weakly:
    """Calls a method of an object without keeping the object: a ``Tracking`` closes its files when it is let go."""

    def __init__(self, method: Any) -> None:
        self._method = WeakMethod(method)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, if the object is still there."""
        method = self._method()
        return None if method is None else method(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Have the copy of an object call its own method."""
        method = self._method()
        return _weakly, (getattr(method, "__self__", None), getattr(method, "__name__", ""))


def _weakly(owner: Any, name: str) -> _Weakly:
    return _Weakly(getattr(owner, name))


def attach(
    tracking: Any,
    to: str | None = None,
    both: bool = False,
    health: Health = None,
    metrics: Measuring | None = None,
    *,
    at: str | None = None,
    config: Any = None,
    spec: Overlays | Tables = None,
) -> Live:
    """Let a ``Tracking`` log under new names, judged, from now on. The arguments are those of `TrackingAdapter`.

    Returns:
        What treats the rows, with ``at``, ``monitor`` and ``faults``.

    Raises:
        NamesError: ``to`` or ``at`` is no source. Nothing raises afterwards.
        TypeError: ``health`` is none of what it may be.
    """
    live = _live(to, both, health, metrics, at, config, spec)
    if isinstance(vars(tracking).get("log"), _Logging):
        del vars(tracking)["log"]
    vars(tracking)["log"] = _Logging(_Weakly(tracking.log), live)
    _keep_rows(tracking, live)
    return live


def _keep_rows(tracking: Any, live: Live) -> None:
    with live.faults("the trackers could not be looked at"):
        keep_rows(tracking, load_tables(live.spec), live.faults)


def source_of(tables: Tables) -> str | None:
    """Return the source of the verl that is imported, or installed; of its supervised trainers if one is running.

    Returns:
        Such as ``verl==0.9.1`` or ``verl[sft]==0.9.1``; None if there is no verl, or none that the spec knows.
    """
    release = getattr(sys.modules.get("verl"), "__version__", None)
    if not isinstance(release, str):
        try:
            release = version("verl")
        except PackageNotFoundError:
            return None
    program = getattr(getattr(sys.modules.get("__main__"), "__spec__", None), "name", "") or ""
    component = _SUPERVISED.get(program.rpartition(".")[2]) if program.startswith("verl.") else None
    source = f"verl[{component}]=={release}" if component else f"verl=={release}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            parse_source(source, tables)
    except NamesError:
        return None
    return source


def _live(
    to: str | None,
    both: bool,
    health: Health,
    metrics: Measuring | None,
    at: str | None,
    config: Any,
    spec: Overlays | Tables,
) -> Live:
    tables = load_tables(spec)
    if to is not None:
        parse_source(to, tables)
    found = at if at is not None else source_of(tables)
    settings: dict[str, Any] = {}
    trouble = Faults()
    with trouble("the configuration of the run could not be read"):
        settings = _settings(config)
    live = Live(found, to, both=both, health=health, metrics=metrics, config=settings, spec=spec)
    live.faults.count, live.faults.last = trouble.count, trouble.last
    if found is None and to is not None:
        live.faults.note("the spec knows no release of verl that is installed: names stay; say at= to change that")
    return live


def _settings(config: Any) -> dict[str, Any]:
    """Return settings under dotted names; those that hold more than single values, or miss one, are left out."""
    if config is None:
        return {}
    omegaconf = sys.modules.get("omegaconf")
    if omegaconf is not None and omegaconf.OmegaConf.is_config(config):
        config = omegaconf.OmegaConf.to_container(config, resolve=True)
    settings = {name: value for name, value in flattened(config).items() if value is not UNKNOWN}
    return {name: value for name, value in plain_settings(settings).items() if value != "???"}
