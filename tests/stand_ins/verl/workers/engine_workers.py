"""The worker that holds the actor: it calls the policy's loss for every micro-batch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..trainer.ppo.core_algos import get_policy_loss_fn


class ActorRolloutRefWorker:
    """`loss_mode` stands for the configuration, `data` for a list of micro-batches."""

    def __init__(self, loss_mode: str) -> None:
        self.loss_mode = loss_mode
        self.actor = SimpleNamespace(engine=SimpleNamespace(get_data_parallel_group=lambda: None))

    def update_actor(self, data: Any) -> Any:
        """Return the losses of all micro-batches."""
        losses = [get_policy_loss_fn(self.loss_mode)(**micro_batch)[0].item() for micro_batch in data]
        return {"metrics": {"pg_loss": losses}}
