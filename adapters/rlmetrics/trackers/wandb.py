"""Weights & Biases, told by the spec: over which step each metric is drawn, what its summary keeps, and alerts."""

from __future__ import annotations

from typing import Any

from rlmetrics.health.monitor import Monitor
from rlmetrics.health.report_records import LEVELS
from rlmetrics.health.watching import RunNews
from rlmetrics.names.meanings.view import open_views
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.templates import OPEN

from .faults import Faults
from .finding_sinks import tell

__all__ = ["Alerts", "alert_on", "define_metrics"]

_STEP = "progress/global_step"
_CURVES = {"scalar", "counter"}
_SUMMARIES = {"higher": "last,max", "lower": "last,min"}
_LEVELS = {"info": "INFO", "warning": "WARN", "error": "ERROR"}


def define_metrics(
    run: Any, at: str, *, step: str | None = None, config: Config = None, spec: Overlays | Tables = None
) -> tuple[str, ...]:
    """Tell a run about the metrics of a source.

    Each is drawn over the step of the source, and the summary keeps beside the last value the highest of what should
    rise and the lowest of what should fall. W&B's own highest and lowest stay NaN once a NaN was logged
    (`findings/wandb_summary_min_stays_nan.sh`); the last value recovers.

    Args:
        run: What ``wandb.init`` returned.
        at: The source that logs, such as ``verl==0.9.1``, or ``canonical`` for a run that is logged under these names.
        step: The key of the step; by default the source's own, or W&B's where it logs none.
        config: Settings of the run.
        spec: Folders with further YAML.

    Returns:
        The names that were defined. One with a placeholder before its end is left out, since W&B takes patterns that
        are a beginning only.

    Raises:
        NamesError: The source or a setting is unknown.
    """
    tables = load_tables(spec)
    (view,) = open_views([at], config=config, surface="wandb", spec=tables)
    summaries: dict[str, str | None] = {}
    if step is None:
        steps = view.candidates(_STEP, "train")
        moving = [item for item in steps if not any("always" in text for text in item.constant_when)]
        step = view.show(moving[0], moving[0].key, "wandb") if moving else None
    for entry in view.entries():
        if entry.metric is None or entry.kind not in _CURVES or entry.logged is False:
            continue
        if view.template(entry).rank == OPEN:
            continue
        name = view.show(entry, entry.key, "wandb")
        first = name.find("{")
        if first >= 0:
            if "}" in name[first:-1] or first == 0:
                continue
            name = f"{name[:first]}*"
        direction = tables.metrics.get(entry.metric, {}).get("direction", "")
        summaries.setdefault(name, _SUMMARIES.get(str(direction)))
    if step is not None:
        summaries.pop(step, None)
        run.define_metric(step)
    defined = [] if step is None else [step]
    for name, summary in summaries.items():
        if name and (summary or step is not None):
            run.define_metric(name, step_metric=step, summary=summary)
            defined.append(name)
    return tuple(defined)


class Alerts:
    """Sends findings as alerts of a run.

    Args:
        run: What ``wandb.init`` returned.
        level: The lowest level that is sent: ``info``, ``warning`` or ``error``.
    """

    def __init__(self, run: Any, *, level: str = "warning") -> None:
        if level not in LEVELS:
            msg = f"{level!r} is no level; write {', '.join(LEVELS)}"
            raise ValueError(msg)
        self._run = run
        self._lowest = LEVELS.index(level)

    def __call__(self, news: RunNews) -> None:
        """Send an alert."""
        finding = news.finding
        if LEVELS.index(finding.level) < self._lowest:
            return
        title = finding.rule if news.answer is None else news.answer.title
        self._run.alert(title=title, text=news.as_text(), level=_LEVELS[finding.level], wait_duration=0)


def alert_on(run: Any, monitor: Monitor, *, level: str = "warning") -> Faults:
    """Send what a monitor finds, from now on, as alerts of a run.

    Args:
        run: What ``wandb.init`` returned.
        monitor: What judges the run, such as ``attach(trainer, health=True).monitor``.
        level: The lowest level that is sent: ``info``, ``warning`` or ``error``.

    Returns:
        Where alerts that could not be sent are counted; training goes on.
    """
    return tell(monitor, Alerts(run, level=level))
