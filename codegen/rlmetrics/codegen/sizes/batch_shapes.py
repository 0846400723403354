"""What the reference batches look like: lengths, rewards, and how a step is cut into parts.

The figures are choices, not measurements: round numbers in the middle of what post-training runs have. The page
``docs/typical-sizes.md`` says why each is what it is. Changing one changes the sizes of all differences.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LAYOUTS", "PROFILES", "SEED", "RunProfile", "StepLayout"]

SEED = 20_240_229
"""What every draw starts from."""


@dataclass(frozen=True)
class RunProfile:
    """What the responses of a run are like.

    Attributes:
        name: What the profile is called.
        median: Median length of a response in tokens, were there no limit.
        spread: Standard deviation of the logarithm of that length.
        limit: The most tokens that a response may have.
        entropy: Mean entropy of a token in nat.
        verified: Whether a response is right or wrong (1 or 0) rather than scored by a reward model.
    """

    name: str
    median: float
    spread: float
    limit: int
    entropy: float
    verified: bool


@dataclass(frozen=True)
class StepLayout:
    """How the responses of a step are cut into parts.

    Attributes:
        prompts: Prompts of a step.
        group: Responses to each prompt.
        ranks: Data-parallel processes.
        epochs: Passes over the step.
        mini_batches: Optimizer steps of each pass.
        micro_rows: Responses of a micro-batch of one process.
    """

    prompts: int
    group: int
    ranks: int
    epochs: int
    mini_batches: int
    micro_rows: int

    @property
    def rows(self) -> int:
        """Responses of a step."""
        return self.prompts * self.group


PROFILES = (
    RunProfile("short answers", 60, 0.5, 256, 1.1, verified=False),
    RunProfile("reasoning", 260, 0.7, 768, 0.45, verified=True),
    RunProfile("heavy truncation", 420, 0.8, 512, 0.35, verified=True),
)

LAYOUTS = (
    StepLayout(prompts=8, group=8, ranks=1, epochs=1, mini_batches=4, micro_rows=8),
    StepLayout(prompts=8, group=8, ranks=2, epochs=1, mini_batches=1, micro_rows=4),
    StepLayout(prompts=16, group=4, ranks=2, epochs=1, mini_batches=4, micro_rows=4),
    StepLayout(prompts=16, group=8, ranks=2, epochs=1, mini_batches=2, micro_rows=16),
    StepLayout(prompts=8, group=8, ranks=4, epochs=1, mini_batches=2, micro_rows=4),
    StepLayout(prompts=16, group=4, ranks=4, epochs=2, mini_batches=2, micro_rows=4),
    StepLayout(prompts=8, group=8, ranks=8, epochs=1, mini_batches=1, micro_rows=2),
    StepLayout(prompts=8, group=16, ranks=8, epochs=2, mini_batches=2, micro_rows=4),
)
