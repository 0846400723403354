"""What an address on a server means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rlmetrics.logs.input_errors import InputError

from .chosen_runs import Selection
from .mlflow_server import MlflowAddress
from .server_run import ServerItem

__all__ = ["is_on_server", "item_at", "items_at"]

_WANDB, _VIEW = "wandb:", "wandb-workspace:"
_BY_HTTP = ("mlflow", "grafana", "prometheus")
_DASHBOARDS = ("grafana:", "prometheus:")


def is_on_server(text: str) -> bool:
    """Tell whether an address is one on a server."""
    if text.startswith((_WANDB, _VIEW)):
        return not Path(text).exists()
    scheme, _, rest = text.partition(":")
    return scheme in _BY_HTTP and rest.startswith(("http://", "https://"))


def item_at(address: str) -> ServerItem:
    """Return what a row of a plan names.

    Raises:
        InputError: The address is none.
    """
    if address.startswith((_WANDB, _VIEW)):
        from .wandb_items import wandb_item

        return wandb_item(address)
    if address.startswith(_DASHBOARDS):
        from .grafana_items import dashboards_at

        return next(dashboards_at(address))
    from .mlflow_runs import MlflowServerRun

    return MlflowServerRun(address)


def items_at(where: str, selection: Selection) -> Iterator[ServerItem]:
    """Yield all at a place: first the runs, then what names their metrics.

    Raises:
        InputError: The address is none, or the server does not answer.
    """
    if where.startswith(_WANDB):
        from .wandb_items import wandb_items

        yield from wandb_items(where, selection)
        return
    if where.startswith(_DASHBOARDS) and not selection:
        from .grafana_items import dashboards_at

        yield from dashboards_at(where)
        return
    from .mlflow_runs import runs_at

    if selection:
        msg = "--filter, --tag, --sweep and --since choose among the runs of W&B projects"
        raise InputError(msg, where)
    address = MlflowAddress.parse(where)
    if address is None:
        msg = "is no place to look for runs; give wandb:ENTITY/PROJECT, or mlflow: and the address of a server"
        raise InputError(msg, where)
    yield from runs_at(address)
