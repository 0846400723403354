"""Stands in for TRL 1.16.0 where it is not installed: the methods that the page about trainers overrides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor


class GRPOTrainer:
    """Calls its own methods in the order and with the tensors of the original; `rows` is what it logs."""

    def __init__(self, epsilon_low: float = 0.2, epsilon_high: float = 0.2) -> None:
        self.epsilon_low, self.epsilon_high = epsilon_low, epsilon_high
        self.model = SimpleNamespace(training=True)
        self.rows: list[dict[str, float]] = []

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Return the loss of a micro-batch."""
        return self._compute_loss(model, inputs)

    def _compute_loss(self, model: Any, inputs: Any) -> Tensor:
        logps, _, _ = self._get_per_token_logps_and_entropies(model, inputs["completion_ids"], None, 1)
        loss: Tensor = -(logps * inputs["completion_mask"]).sum()
        return loss

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: Tensor,
        attention_mask: Any,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        compute_aux_loss: bool = False,
        pixel_values: Any = None,
        image_grid_thw: Any = None,
        num_images: Any = None,
        pixel_attention_mask: Any = None,
        spatial_shapes: Any = None,
        num_tiles: Any = None,
        image_sizes: Any = None,
        token_type_ids: Any = None,
        mm_token_type_ids: Any = None,
        image_position_ids: Any = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        return -1.0 - input_ids / 10, torch.ones(input_ids.shape), None

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keep what is logged."""
        self.rows.append(logs)
