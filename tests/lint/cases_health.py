"""Cases of health: rules, conditions and diagnoses."""

from __future__ import annotations

from lint.lint_case import Case, H, P

JUDGED = "judges: [policy/loss]\n    with: {reward: [policy/reward/mean]}\n    warning: x == 0 and now(reward) < 0.1"
OF_REWARD = "judges: [policy/reward/mean]\n    warning: {}"

CASES = [
    # Health
    Case(
        "rule-range",
        [(H, JUDGED, OF_REWARD.format("¦x > 1.5"))],
        [(H, JUDGED, OF_REWARD.format("x > 0.9"))],
        "`policy/reward/mean` is never above 1.5: its range ends at 1",
    ),
    Case(
        "rule-range",
        [(H, JUDGED, OF_REWARD.format("¦x < 2"))],
        [(H, JUDGED, OF_REWARD.format("x < 1"))],
        "`policy/reward/mean` is always below 2: its range ends at 1",
    ),
    Case(
        "health-rule",
        [
            (
                H,
                "  - {id: loss-broken, title: The loss is NaN, cause: non_finite, judges: [policy/loss], special: "
                "non_finite",
                "  - ¦{id: loss-broken, title: The loss is NaN, cause: non_finite, judges: [policy/loss]",
            )
        ],
        [(H, "special: non_finite", "error: x == 0")],
        "the rule `loss-broken` has no condition for any level",
    ),
    Case(
        "health-rule",
        [(H, "{id: loss-broken,", "{id: ¦loss-stuck,")],
        [(H, "{id: loss-broken,", "{id: loss-stuck-too,")],
        "`loss-stuck` is a rule of `health/basics` too",
    ),
    Case(
        "health-condition",
        [(H, "warning: x == 0", "warning: ¦risen(x)")],
        [(H, "warning: x == 0", "warning: rising(x)")],
        "'risen(x)' cannot stand in a condition",
    ),
    Case(
        "health-condition",
        [(H, "now(reward) < 0.1", "now(rewards) < 0.1"), (H, "    warning: x == 0", "    warning: ¦x == 0")],
        [(H, "now(reward) < 0.1", "now(reward) < 0.2")],
        "names a curve `rewards` that `with:` does not define",
    ),
    Case(
        "health-selector",
        [(H, "    judges: [policy/loss]", "    judges: [¦policy/lost]")],
        [(H, "    judges: [policy/loss]", "    judges: [policy/reward/mean]")],
        "there is no metric `policy/lost`",
    ),
    Case(
        "health-sibling",
        [
            (P, "identity: {quantity: reward, extent: sequence}", "identity: {quantity: policy_loss, estimator: pg}"),
            (
                H,
                "    judges: [policy/loss]\n    with",
                "    ¦judges: [{quantity: policy_loss, estimator: ppo_clip}]\n    with",
            ),
        ],
        [(H, "    judges: [policy/loss]\n    with", "    judges: [{quantity: policy_loss}]\n    with")],
        "leaves out `policy/reward/mean`",
    ),
    Case(
        "health-source",
        [
            (H, "  - id: loss-stuck", "  - ¦id: loss-stuck"),
            (H, "    warning: x == 0", "    warning: now(x) > 3"),
            (H, "    basis: folklore\n    sources: [{title: A blog}]\n", "    basis: folklore\n"),
        ],
        [(H, "    warning: x == 0", "    warning: now(x) > 3")],
        "nothing backs the number in the rule `loss-stuck`",
    ),
    Case(
        "health-unnamed",
        [
            (H, "    warning: x == 0 and now(reward) < 0.1", "    warning: x > 3"),
            (H, "    basis: folklore\n", "    basis: ¦documented\n"),
        ],
        [
            (H, "    warning: x == 0 and now(reward) < 0.1", "    warning: x > 3"),
            (H, "    basis: folklore\n", "    basis: documented\n    named: [3]\n"),
        ],
        "no source of `loss-stuck` names its bound 3",
    ),
    Case(
        "health-unnamed",
        [
            (H, "    warning: x == 0 and now(reward) < 0.1", "    warning: x > 3"),
            (H, "    basis: folklore\n", "    basis: documented\n    named: [3, ¦4]\n"),
        ],
        [
            (H, "    warning: x == 0 and now(reward) < 0.1", "    warning: x > 3"),
            (H, "    basis: folklore\n", "    basis: observed\n"),
        ],
        "4 is no bound of the rule `loss-stuck`",
    ),
    Case(
        "health-level",
        [(H, "    warning: x == 0 and now(reward) < 0.1", "    ¦warning: x == 0")],
        [(H, "    warning: x == 0 and now(reward) < 0.1", "    info: x == 0")],
        "the rule `loss-stuck` is folklore and warns by one curve alone",
    ),
    Case(
        "health-diagnosis",
        [(H, "all_of: [loss-stuck]", "all_of: [¦loss-struck]")],
        [(H, "all_of: [loss-stuck]", "all_of: [loss-broken]")],
        "there is no health rule `loss-struck`",
    ),
]
