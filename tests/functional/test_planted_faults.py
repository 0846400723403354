"""The generated tests notice faults: every one that is planted in a few functions of each sort."""

from __future__ import annotations

import pytest
from generated_cases import CASES
from programs.mutation.mutants import KINDS
from programs.mutation.mutation import is_killed, mutants_of, telling_draws


@pytest.mark.parametrize(
    "key",
    [
        "kl/old/k2",
        "policy/loss",
        "reward/zero_std_fraction",
        "value/explained_variance",
        "rollout/token_weight/p75",
        "validation/pass_at_k",
    ],
)
def test_every_fault_is_noticed(key: str) -> None:
    """A dropped mask, a flipped sign, another ddof, a shift, swapped inputs …: some generated test fails."""
    case = CASES[key]
    planted = list(mutants_of(case))

    assert len(planted) > 5
    assert {mutant.kind for mutant in planted} <= set(KINDS)
    survivors = [mutant for mutant in planted if not is_killed(case, mutant)]
    # What no draw of inputs tells from the function is none: a square takes either order of a difference.
    assert not [mutant.change for mutant in survivors if telling_draws(case, mutant)]
