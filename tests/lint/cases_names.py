"""Cases of canonical names, of trackers, and of what values tell."""

from __future__ import annotations

from lint.lint_case import Case, G, P, S, T, metric

AT_REWARDS, READS, SAYS = "    at: [rewards]\n", "    reads: ", "says: 'A {value}.'"

CASES = [
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
                "what: only one rank is logged, does: held}",
                "what: only one rank is logged, reads: [{value: 0, level: info, says: 'A {value}.'}, "
                "{value: ¦0, level: error, says: 'No {value}.'}]}",
            )
        ],
        [
            (
                S,
                "what: only one rank is logged, does: held}",
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
        "untold-value",
        [(P, "description: Rises when", "description: ¦At 0 nothing is learnt. Rises when")],
        [
            (P, "description: Rises when", "description: At 0 nothing is learnt. Rises when"),
            (
                P,
                "    inputs: [rewards]\n",
                "    reads: [{value: 0, level: info, says: 'A {value}.'}]\n    inputs: [rewards]\n",
            ),
        ],
        "what 0 means stands in the text alone",
    ),
    Case(
        "untold-departure",
        [(P, "description: Rises when", "description: ¦Normally 0. Rises when")],
        [
            (P, "description: Rises when", "description: Normally 0. Rises when"),
            (
                P,
                "    inputs: [rewards]\n",
                "    reads: [{value: '> 0.5', level: info, says: 'A {value}.'}]\n    inputs: [rewards]\n",
            ),
        ],
        "`Normally 0`, and an answer on policy/reward/mean=1 calls it unremarkable",
    ),
    Case(
        "text-range",
        [(P, "description: Rises when", "description: ¦It can turn negative. Rises when")],
        [
            (P, "description: Rises when", "description: It can turn negative. Rises when"),
            (P, "range: [0, 1]", "range: [-1, 1]"),
        ],
        "`can turn negative`, and the range of policy/reward/mean begins at 0",
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
    Case(
        "reading-follows",
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS
                + READS
                + "[{value: 1, level: info, says: 'A {value}.', beside: [{metric: ¦policy/los, value: 0}]}]\n",
            )
        ],
        [
            (
                T,
                AT_REWARDS,
                AT_REWARDS
                + READS
                + "[{value: 1, level: info, says: 'A {value}.', beside: [{metric: policy/loss, value: '> 0'}]}]\n",
            )
        ],
        "there is no metric `policy/los`",
    ),
]
