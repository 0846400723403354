"""Makes ``rlmetrics`` a name for ``trainer.logger`` of verl: who imports this module adds it, and nothing else.

verl 0.9 imports it through its entry points, 0.6 to 0.8 if ``VERL_USE_EXTERNAL_MODULES`` names it. Runs whose
``trainer.logger`` does not name ``rlmetrics`` stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from rlmetrics.trackers.faults import Faults

__all__ = ["NAME", "register"]

NAME = "rlmetrics"
_OPTIONS = ("to", "both", "health", "at", "findings", "webhook", "measure", "eos")


def register() -> None:
    """Let ``Tracking`` take the name; once is enough, more does no harm."""
    from verl.utils.tracking import Tracking  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]

    if not hasattr(Tracking.__init__, "__rlmetrics__"):
        Tracking.__init__ = _taking(Tracking.__init__)


def _taking(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def making(
        self: Any, project_name: Any, experiment_name: Any, default_backend: Any = "console", config: Any = None
    ) -> None:
        names = [default_backend] if isinstance(default_backend, str) else default_backend
        if not names or NAME not in names:
            original(self, project_name, experiment_name, default_backend, config)
            return
        original(self, project_name, experiment_name, [name for name in names if name != NAME], config)
        with Faults()("verl's names stay, and nothing is judged"):
            _join(self, config)

    vars(making)["__rlmetrics__"] = True
    return making


def _join(tracking: Any, config: Any) -> None:
    """Attach to a ``Tracking`` as ``trainer.rlmetrics`` of its configuration says."""
    from rlmetrics.trackers.finding_sinks import FindingsFile
    from rlmetrics.trackers.webhook import Webhook

    from .verl import attach

    trainer = (config or {}).get("trainer") or {}
    given = trainer.get(NAME) or {}
    options: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    health: Any = options.get("health", True)
    if health and options.get("findings"):
        health = [True, FindingsFile(options["findings"])]
    if health and options.get("webhook"):
        hook = Webhook(options["webhook"], run=str(trainer.get("experiment_name") or "run"))
        health = [*(health if isinstance(health, list) else [True]), hook]
    live = attach(
        tracking,
        to=options.get("to", "canonical"),
        both=bool(options.get("both", False)),
        health=health,
        at=options.get("at"),
        config=config,
    )
    if options.get("measure"):
        from ._stack import calling
        from .verl_suites import measure

        fitting = calling(lambda found: found is not tracking and hasattr(found, "fit"))
        if fitting is None:
            live.faults.note("no trainer was found that logs: use rlmetrics.trainers.verl_suites.measure_batch(batch)")
        else:
            measure(fitting, eos=options.get("eos"))
    for name in options.keys() - set(_OPTIONS):
        live.faults.note(f"trainer.{NAME}.{name} is no option; the options are {', '.join(_OPTIONS)}")


with Faults()(f"{NAME} could not become a name for trainer.logger"):
    register()
