"""Advice looks at the run itself: which curve moved first, and a learning rate that is far off."""

import random

import pytest
from rlmetrics.health import Monitor


def broken(source, rate, norm, *, stepped=True):
    """Return the report on a run whose gradient grows, whose policy then leaves, and whose reward falls.

    Args:
        source: What logged it.
        rate: Its learning rate.
        norm: Its first gradient norm.
        stepped: Whether steps are told.
    """
    noise = random.Random(source)
    monitor = Monitor(source)
    for step in range(1, 121):
        late, later = max(0, step - 40), max(0, step - 70)
        monitor.observe(
            step if stepped else None,
            {
                "loss": 0.02 + 0.01 * noise.gauss(0, 1),
                "grad_norm": norm * (1 + 0.5 * late) * (1 + 0.02 * noise.gauss(0, 1)),
                "learning_rate": rate,
                "reward": 0.4 - 0.004 * later + 0.01 * noise.gauss(0, 1),
                "reward_std": 0.2 + 0.01 * noise.gauss(0, 1),
                "entropy": 0.6 * 0.9**later * (1 + 0.02 * noise.gauss(0, 1)),
            },
        )
    return monitor.report()


@pytest.mark.parametrize(
    ("rate", "said"), [(1.0, "the log has 1, 1,000,000 times"), (1e-3, "the log has 0.001, 1,000")]
)
def test_a_learning_rate_far_above_the_default_is_named_first(rate, said):
    """The log has the learning rate; where it explains the ailment, it is the first thing to change."""
    first = broken("trl[GRPOTrainer]==1.16.0", rate, 0.5).diagnoses[0]

    assert first.checks[0].startswith("Lower the learning rate: " + said)


@pytest.mark.parametrize("rate", [1e-6, 1e-4])
def test_a_usual_learning_rate_is_not_blamed(rate):
    """The default, and what adapters are trained with, are not named."""
    checks = [check for item in broken("trl[GRPOTrainer]==1.16.0", rate, 0.5).diagnoses for check in item.checks]

    assert not any("the log has" in check for check in checks)


def test_what_moved_first_is_named():
    """The answer is the worst; of all curves that moved, the first to leave its level is where to begin.

    What is said of it is told of the step where it was found: a norm that has begun to grow is not above 10 yet.
    """
    report = broken("trl[GRPOTrainer]==1.16.0", 1e-6, 6.0)
    first, (found,) = report.diagnoses[0], [item for item in report.findings if item.rule == "gradient-norm-high"]

    assert first.id == "entropy-collapsed"
    assert found.onset_step < found.first_step
    assert first.checks[0].startswith(
        f"Begin with grad_norm, which moved first, from step {found.onset_step:g} on. At step {found.first_step:g} it "
        "was clear: The gradient norm stays above 10"
    )


def test_rows_without_a_step_are_called_rows():
    """Where the log tells no steps, the place is the number of a row, here as in the rest of the answer."""
    report = broken("trl[GRPOTrainer]==1.16.0", 1e-6, 6.0, stepped=False)

    assert report.by_row
    assert "which moved first, from row 4" in report.diagnoses[0].checks[0]
