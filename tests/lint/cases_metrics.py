"""Cases of metrics, formulas, texts and canonical names."""

from __future__ import annotations

from lint.lint_case import Case, G, H, P, S, T, metric

JUDGED = "judges: [policy/loss]\n    with: {reward: [policy/reward/mean]}\n    warning: x == 0 and now(reward) < 0.1"
OF_REWARD = "judges: [policy/reward/mean]\n    warning: {}"

AT_REWARDS, READS, SAYS = "    at: [rewards]\n", "    reads: ", "says: 'A {value}.'"

CASES = [
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
    # Formulas
    Case(
        "formula",
        [(P, "formula: mean(rewards)", "formula: mean(rewards + ¦advantages)")],
        [(P, "formula: mean(rewards)", "formula: mean(rewards + 1)")],
        "advantages",
    ),
    Case(
        "formula",
        [(P, "plain: -advantages * logprobs", "plain: -advantages * ¦logprob")],
        [(P, "plain: -advantages * logprobs", "plain: -(advantages * logprobs)")],
        "logprob",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", "    formula: >-\n      mean(rewards\n      + ¦nothing)")],
        [(P, "    formula: mean(rewards)", "    formula: >-\n      mean(rewards\n      + 1)")],
        "nothing",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", "    formula: |\n      mean(\n        ¦nothing\n      )")],
        [(P, "    formula: mean(rewards)", "    formula: |\n      mean(\n        rewards\n      )")],
        "nothing",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", '    formula: "mean(\\u0072ewards +\\n ¦nothing)"')],
        [(P, "    formula: mean(rewards)", '    formula: "mean(\\u0072ewards)"')],
        "nothing",
    ),
    Case(
        "formula",
        [
            (
                P,
                "        formula: mean(clamp(plain, -bound, bound), over=everything)",
                "        formula: mean(clamp(plain, -bound, ¦limit))",
            )
        ],
        [],
        "limit",
    ),
    Case(
        "unused-input",
        [(P, "inputs: [logprobs, advantages, mask]", "inputs: [logprobs, advantages, ¦rewards, mask]")],
        [(P, "plain: -advantages * logprobs", "plain: -advantages * logprobs * 2")],
        "the formula does not use the input `rewards`",
    ),
    Case(
        "unused-input",
        [(P, "    parameters:\n", "    parameters:\n      ¦floor: {brief: Least change.}\n")],
        [
            (P, "    parameters:\n", "    parameters:\n      floor: {brief: Least change.}\n"),
            (P, "    formula: mean(clamp(plain, -bound, bound))\n", "    formula: mean(clamp(plain, floor, bound))\n"),
        ],
        "the formula does not use the parameter `floor`",
    ),
    Case(
        "unused-let",
        [(P, "    let:\n", "    let:\n      ¦twice: 2 * advantages\n")],
        [
            (P, "    let:\n", "    let:\n      twice: 2 * advantages\n"),
            (P, "plain: -advantages * logprobs", "plain: twice * logprobs"),
        ],
        "the formula does not use `twice`",
    ),
    Case(
        "atom",
        [(P, "    atom: token\n    empty: nan", "    atom: ¦sequence\n    empty: nan")],
        [
            (
                P,
                "formula: mean(clamp(plain, -bound, bound))\n",
                "formula: mean(seq_sum(clamp(plain, -bound, bound)))\n",
            ),
            (P, "        population: all_positions", "        population: all_positions\n        atom: token"),
            (P, "    atom: token\n    empty: nan", "    atom: sequence\n    empty: nan"),
        ],
        "the formula needs the atom `token`, not `sequence`",
    ),
    Case(
        "atom",
        [
            (P, "  policy/loss:", "  ¦policy/loss:"),
            (P, "    atom: token\n", ""),
            (P, "        population: all_positions", "        population: all_positions\n        atom: token"),
        ],
        [(P, "        population: all_positions", "        population: all_positions\n        atom: token")],
        "`policy/loss` has no atom",
    ),
    Case(
        "atom",
        [
            (P, "  policy/reward/mean:", "  ¦policy/reward/mean:"),
            (
                P,
                "    formula: mean(rewards)\n    atom: sequence",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:lint",
            ),
        ],
        [
            (
                P,
                "    formula: mean(rewards)",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:lint",
            )
        ],
        "`policy/reward/mean` has no atom",
    ),
    Case(
        "atom",
        [(P, "      padded:", "      ¦padded:"), (P, "over=everything)", "over=everything) + mean(seq_sum(plain))")],
        [
            (P, "over=everything)", "over=everything) + mean(seq_sum(plain))"),
            (P, "        population: all_positions", "        population: all_positions\n        atom: sequence"),
        ],
        "`policy/loss@padded` takes the atom `token` from its metric",
    ),
    Case(
        "formula-kind",
        [(P, "    formula: mean(rewards)", "    ¦formula: histogram(rewards, low=0, high=1, bins=4)")],
        [
            (
                P,
                "    formula: mean(rewards)",
                "    formula: histogram(rewards, low=0, high=1, bins=4)\n    kind: distribution",
            )
        ],
        "the formula gives a distribution, but `policy/reward/mean` is a scalar",
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
    # Names
    Case(
        "canonical-name",
        [("metrics/timing", "", metric("timing/Wait").replace("timing/Wait:", "¦timing/Wait:"))],
        [("metrics/timing", "", metric("timing/wait_2"))],
        "`timing/Wait` is not lower snake case",
    ),
    Case(
        "canonical-name",
        [("metrics/timing", "", metric("policy/wait").replace("policy/wait:", "¦policy/wait:"))],
        [],
        "does not begin with `timing/`",
    ),
    Case(
        "path-prefix",
        [(P, "", metric("policy/reward").replace("policy/reward:", "¦policy/reward:"))],
        [(P, "", metric("policy/reward_spread"))],
        "`policy/reward` is a path prefix of `policy/reward/mean`",
    ),
    Case(
        "tracker-name",
        [(G, "[a-z0-9_/]+", "[a-z_/]+"), (P, "", metric("policy/top2").replace("policy/top2:", "¦policy/top2:"))],
        [(P, "", metric("policy/top2"))],
        "Board rejects `policy/top2`",
    ),
    Case(
        "tracker-name",
        [(P, "", metric(f"policy/{'x' * 34}").replace("  policy/", "  ¦policy/"))],
        [(P, "", metric(f"policy/{'x' * 33}"))],
        "Board accepts 40 characters",
    ),
    Case("invalid-pattern", [(G, "allowed: '[a-z0-9_/]+'", "allowed: ¦'[a-z'")], [], "`[a-z` cannot be used"),
    Case(
        "invalid-pattern",
        [(G, "pattern: '^(?!train/)', replacement: 'train/'", "pattern: ¦'^x', replacement: '\\2'")],
        [(G, "pattern: '^(?!train/)', replacement: 'train/'", "pattern: '^(x)(y)', replacement: '\\2'")],
        "`^x` cannot be used",
    ),
    Case(
        "near-identical",
        [
            (P, "", metric("policy/mean_reward").replace("policy/mean_reward:", "¦policy/mean_reward:")),
            (P, ", actor_loss]", "]"),
        ],
        [(P, "", metric("policy/mean_score"))],
        "`policy/mean_reward` has the same words as `policy/reward/mean`",
    ),
    Case(
        "near-identical",
        [(P, "", metric("policy/losss").replace("policy/losss:", "¦policy/losss:"))],
        [(P, "", metric("policy/loss2"))],
        "`policy/losss` differs from `policy/loss` by one letter",
    ),
    Case(
        "alias-collision",
        [(P, "aliases: [mean_reward]", "aliases: [mean_reward, ¦PG_Loss]")],
        [(P, "aliases: [mean_reward]", "aliases: [mean_reward, pg_losses]")],
        "the alias `PG_Loss` belongs to `policy/loss` too",
    ),
    Case(
        "alias-collision", [(P, "aliases: [mean_reward]", "aliases: [¦timing/step]")], [], "the name of the metric at"
    ),
    Case("alias-collision", [(P, "aliases: [mean_reward]", "aliases: [x, ¦x]")], [], "stands twice"),
    # Readings
    Case(
        "reading-value",
        [
            (
                P,
                "    atom: token\n",
                "    reads: [{value: ¦nought, level: info, says: '{value} is nothing.'}]\n    atom: token\n",
            )
        ],
        [
            (
                P,
                "    atom: token\n",
                "    reads: [{value: '< 0', level: info, says: '{value} is low.'}]\n    atom: token\n",
            )
        ],
        "'nought' is no value",
    ),
    Case(
        "reading-value",
        [
            (
                S,
                "what: only one rank is logged}",
                "what: only one rank is logged, reads: [{value: 0, level: info, says: 'A {value}.'}, "
                "{value: ¦0, level: error, says: 'No {value}.'}]}",
            )
        ],
        [
            (
                S,
                "what: only one rank is logged}",
                "what: only one rank is logged, reads: [{value: 0, level: info, says: 'A {value}.'}, "
                "{value: nan, level: error, says: 'No {value}.'}]}",
            )
        ],
        "0 is read twice here",
    ),
    Case(
        "reading-text",
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS + READS + "[{value: 1, level: expected, says: ¦'Good. It is {value}.'}]\n",
            )
        ],
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS + READS + "[{value: 1, level: expected, says: 'It is {value}, good.'}]\n",
            )
        ],
        "the first sentence does not name {value}",
    ),
    Case(
        "reading-text",
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS + READS + "[{value: 1, level: info, says: 'It is {value}.', why: ¦'As {other} is.'}]\n",
            )
        ],
        [],
        "nothing fills in {other}",
    ),
    Case(
        "reading-follows",
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS + READS + "[{value: 1, level: info, says: 'A {value}.', follows: [¦policy/los]}]\n",
            )
        ],
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS + READS + "[{value: 1, level: info, says: 'A {value}.', follows: [policy/loss]}]\n",
            )
        ],
        "there is no metric `policy/los`",
    ),
]
