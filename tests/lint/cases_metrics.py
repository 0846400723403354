"""Cases of metrics and of their texts."""

from __future__ import annotations

from lint.lint_case import Case, P, S, T

CASES = [
    # What can be executed
    Case(
        "trait-undone",
        [(S, "  first_rank_only: {", "  ¦first_rank_only: {"), (S, "logged, does: held}", "logged}")],
        [(S, "logged, does: held}", "logged, does: unseen}")],
        "nothing says what a code with `first_rank_only` does",
    ),
    Case(
        "unnamed-variant",
        [(T, ", reproduced_by: padded}", "}"), (P, "      padded:", "      ¦padded:")],
        [
            (T, ", reproduced_by: padded}", "}"),
            (P, "        brief: Padding counts too.", "        brief: Padding counts too.\n        same: true"),
        ],
        "no record names the variant `padded` of `policy/loss`",
    ),
    Case(
        "unknown-held",
        [(P, "        brief: Padding counts too.", "        brief: Padding counts too.\n        holds: [¦padding]")],
        [
            (
                P,
                "        brief: Padding counts too.",
                "        brief: Padding counts too.\n        holds: [padding_counted]",
            )
        ],
        "`policy/loss` holds `padding`, which is neither a trait nor a level",
    ),
    # Metrics
    Case(
        "equal-identity",
        [
            (
                P,
                "    identity: {quantity: reward, extent: sequence}",
                "    ¦identity: {quantity: policy_loss, estimator: ppo_clip, policy: current}",
            )
        ],
        [
            (
                P,
                "identity: {quantity: reward, extent: sequence}",
                "identity: {quantity: policy_loss, estimator: ppo_clip, policy: old}",
            )
        ],
        "`policy/reward/mean` has the same identity as `policy/loss`",
    ),
    Case(
        "definition",
        [
            ("metrics/timing", "  timing/step:", "  ¦timing/step:"),
            ("metrics/timing", "    measured: From the start of the update to its end, on rank 0.\n", ""),
        ],
        [("metrics/timing", "measured: From the start of the update to its end, on rank 0.", "measured: Somewhere.")],
        "nothing says how `timing/step` is computed or measured",
    ),
    Case(
        "definition",
        [(P, "    formula: mean(rewards)", "    formula: mean(rewards)\n    ¦measured: On rank 0.")],
        [],
        "both `formula` and `measured`",
    ),
    Case(
        "definition",
        [
            (
                P,
                "        population: all_positions",
                "        population: all_positions\n        ¦impl: rlmetrics.codegen.lint:lint\n"
                "        reference: rlmetrics.codegen.lint:lint",
            )
        ],
        [
            (
                P,
                "        formula: mean(clamp(plain, -bound, bound), over=everything)",
                "        impl: rlmetrics.codegen.lint:lint\n        reference: rlmetrics.codegen.lint:lint",
            )
        ],
        "the variant `padded` has both",
    ),
    Case(
        "impl",
        [(P, "    formula: mean(rewards)", "    ¦impl: rlmetrics.codegen.lint:lint")],
        [
            (
                P,
                "    formula: mean(rewards)",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:check_spec",
            )
        ],
        "`rlmetrics.codegen.lint:lint` has no reference",
    ),
    Case(
        "impl",
        [
            (
                P,
                "    formula: mean(rewards)",
                "    impl: ¦rlmetrics.codegen.lint:linter\n    reference: rlmetrics.codegen.lint:lint",
            )
        ],
        [],
        "there is no function `rlmetrics.codegen.lint:linter`",
    ),
    Case(
        "impl",
        [
            (
                P,
                "    formula: mean(rewards)",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: ¦rlmetrics.codegen.lint.lint",
            )
        ],
        [],
        "there is no function `rlmetrics.codegen.lint.lint`",
    ),
    Case(
        "impl-atom",
        [
            (
                P,
                "    formula: mean(rewards)",
                "    ¦impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:check_spec",
            )
        ],
        [
            (
                P,
                "    formula: mean(rewards)\n    atom: sequence",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:lint\n    atom: group",
            )
        ],
        "`rlmetrics.codegen.lint:lint` is written by hand, so no state of it can be cut at every sequence",
    ),
    Case(
        "missing-population",
        [(P, "  policy/reward/mean:", "  ¦policy/reward/mean:"), (P, "    population: sequences\n", "")],
        [("metrics/timing", "unit: s", "unit: ms")],
        "`policy/reward/mean` reduces its inputs but has no population",
    ),
    Case(
        "missing-empty",
        [
            (P, "  policy/reward/mean:", "  ¦policy/reward/mean:"),
            (P, "    atom: sequence\n    empty: nan\n", "    atom: sequence\n"),
        ],
        [(P, "    atom: sequence\n    empty: nan\n", "    atom: sequence\n    empty: 0\n")],
        "`policy/reward/mean` has no value for an empty population",
    ),
    Case(
        "value-range", [(P, "range: [0, 1]", "range: ¦[1, 0]")], [(P, "range: [0, 1]", "range: [null, 0]")], "is empty"
    ),
    Case(
        "default-source",
        [
            (
                P,
                "{default: 0.2, brief: Largest change., source: {title: A paper}}",
                "{¦default: 0.2, brief: Largest change.}",
            )
        ],
        [(P, "{default: 0.2, brief: Largest change., source: {title: A paper}}", "{brief: Largest change.}")],
        "nothing backs the default 0.2 of `bound`",
    ),
    Case(
        "default-source",
        [
            (
                P,
                "        brief: Padding counts too.",
                "        parameters: {bound: {¦default: 0.3, brief: Largest.}}\n        brief: Padding counts too.",
            )
        ],
        [
            (
                P,
                "        brief: Padding counts too.",
                "        parameters: {bound: {default: 0.2, brief: Largest.}}\n        brief: Padding counts too.",
            )
        ],
        "nothing backs the default 0.3 of `bound`",
    ),
    # Texts
    Case(
        "empty-description",
        [
            (
                P,
                "    description: Rises when training works. A fall after a rise hints at a policy that "
                "exploits the reward model.",
                "    ¦description: The mean reward of a policy, averaged over the responses.",
            )
        ],
        [(P, "description: Rises when training works.", "description: Falls when training works.")],
        "the description of `policy/reward/mean` says no more",
    ),
    Case(
        "same-text",
        [(P, "    brief: Reward, averaged over responses.", "    ¦brief: Surrogate loss over  response tokens.")],
        [(P, "brief: Reward, averaged over responses.", "brief: Surrogate loss over responses.")],
        "`policy/reward/mean` has the same brief as `policy/loss`",
    ),
]
