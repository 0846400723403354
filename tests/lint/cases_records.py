"""Cases of records, of facts that agree, and of allowances."""

from __future__ import annotations

from lint.lint_case import Case, F, P, S, T

SECOND = "frameworks/acme/second"
SECOND_TRAINER = """title: Second
brief: Another trainer, with one more mode.
extends: [trainer]
components:
  - {name: Second, releases: 1.0.0..1.2.0, module: acme.second}
config:
  mode: {brief: What is a unit., type: choice, choices: [token, sequence, group], defaults: [{value: token}]}
"""
MEAN = "    metric: policy/reward/mean\n    bind: {reward: length}\n"
BY_MODE = (
    "    bind: {reward: length}\n    facts:\n      - {when: mode == 'token', metric: policy/loss}\n"
    "      - {when: mode == 'sequence', metric: policy/reward/mean}\n"
)
DISAGREE = "when: {} and mode == 'sequence', population: ¦response_tokens"
SCORE_LAG = "    facts: [{releases: 1.2.0, lag: 2}]\n"
ONE_AND_TWO = (
    "    formula: mean(rewards)\n    variants:\n      one: {brief: One., formula: mean(rewards) + 1}\n"
    "      two: {brief: Two., formula: mean(rewards) + 2}\n"
)

ONE_RANK = "  first_rank_only:"
OF_POLICY = f'  of_policy: {{facet: defect, grade: minor, what: of the policy, touches: ["log*"]}}\n{ONE_RANK}'
OF_OTHER = (
    f"  of_other: {{facet: defect, grade: minor, what: it is so (in Other with mode token), does: held}}\n{ONE_RANK}"
)
CUT = (
    f'  cut: {{facet: weights, grade: minor, what: numbers are cut, does: unseen, excludes: ["\\\\braw"]}}\n{ONE_RANK}'
)
LOST = (
    "  lost: {facet: defect, grade: minor, what: one makes it NaN, does: {empty: {level: sequence, as: nan}}}\n"
    + ONE_RANK
)


def facts(*lines: str) -> str:
    """Facts of `rewards/{reward}/mean`, to be put in the place of its anchors."""
    return "    facts:\n" + "".join(f"      - {line}\n" for line in lines) + "    at: [rewards]\n"


CASES = [
    # Records
    Case(
        "missing-metric",
        [(T, "  score/{source}:\n    metric: policy/reward/mean\n", "  ¦score/{source}:\n")],
        [
            (T, "  score/{source}:\n    metric: policy/reward/mean\n", "  score/{source}:\n    profile: scored\n"),
            (T, "profiles:\n", "profiles:\n  scored: {brief: Scored., metric: policy/reward/mean}\n"),
        ],
        "`score/{source}` has no metric",
    ),
    Case(
        "missing-metric",
        [
            (T, "  rewards/{reward}/mean:\n", "  ¦rewards/{reward}/mean:\n"),
            (T, MEAN, BY_MODE.replace("sequence", "token").replace("policy/reward/mean", "policy/loss")),
        ],
        [(T, MEAN, BY_MODE)],
        "`rewards/{reward}/mean` has no metric with mode=sequence",
    ),
    Case(
        "missing-metric",
        [
            (T, "  rewards/{reward}/mean:\n", "  ¦rewards/{reward}/mean:\n"),
            (T, MEAN, BY_MODE),
            (SECOND, "", SECOND_TRAINER),
        ],
        [
            (T, MEAN, BY_MODE + "      - {logged_when: mode != 'group'}\n"),
            (SECOND, "", SECOND_TRAINER),
        ],
        "`rewards/{reward}/mean` has no metric with mode=group in second",
    ),
    Case(
        "condition-default",
        [(T, "    bind: {reward: length}", "    facts:\n      - {releases: 1.1.0.., ¦condition: at night}")],
        [
            (
                T,
                "    bind: {reward: length}",
                "    condition: at night\n    facts:\n      - {lag: 1, condition: by night}",
            )
        ],
        "`rewards/{reward}/mean` has a condition",
    ),
    Case(
        "condition-default",
        [(T, "    bind: {reward: length}", "    also: {rewards/all: {¦condition: at night}}")],
        [
            (
                T,
                "    bind: {reward: length}",
                "    also: {rewards/all: {condition: at night, logged_by_default: false}}",
            )
        ],
        "`rewards/all` has a condition",
    ),
    Case(
        "condition-wording",
        [(T, "    bind: {reward: length}", "    condition: ¦a tool is called\n    logged_by_default: false")],
        [(T, "    bind: {reward: length}", "    condition: if a tool is called\n    logged_by_default: false")],
        "“logged only a tool is called” is no sentence",
    ),
    Case(
        "condition-wording",
        [(T, "    bind: {reward: length}", "    condition: ¦at night; others fail\n    logged_by_default: false")],
        [(T, "    bind: {reward: length}", "    condition: at night (others fail)\n    logged_by_default: false")],
        "“logged only at night; others fail” is no sentence",
    ),
    Case(
        "condition-wording",
        [
            (
                T,
                "    bind: {reward: length}",
                "    also: {rewards/all: {condition: ¦only at night, logged_by_default: false}}",
            )
        ],
        [
            (
                T,
                "    bind: {reward: length}",
                "    also: {rewards/all: {condition: at night, logged_by_default: false}}",
            )
        ],
        "“logged only only at night” is no sentence",
    ),
    Case(
        "population-domain",
        [(P, "population: sequences", "population: ¦response_tokens")],
        [],
        "`policy/reward/mean` has a population of tokens",
    ),
    Case(
        "population-domain",
        [(T, "when: beta > 1, population: all_positions", "when: beta > 1, population: ¦sequences")],
        [(T, "when: beta > 1, population: all_positions", "when: beta > 1, population: response_tokens")],
        "`sequences` is a population of sequences, but that of `policy/loss` is one of tokens",
    ),
    Case(
        "population-domain",
        [
            (
                T,
                "    at: [rewards]\n",
                facts(
                    "{when: mode == 'token', metric: policy/loss}", "{when: window > 1, population: ¦response_tokens}"
                ),
            )
        ],
        [
            (
                T,
                "    at: [rewards]\n",
                facts(
                    "{when: mode == 'token', metric: policy/loss}",
                    "{when: window > 1 and mode == 'token', population: response_tokens}",
                ),
            )
        ],
        "`response_tokens` is a population of tokens, but that of `policy/reward/mean` is one of sequences",
    ),
    # Facts that agree
    Case(
        "facts-disagree",
        [(T, "when: beta <= 1 and mode == 'sequence', reduction: {sequence: mean}", DISAGREE.format("beta >= 1"))],
        [(T, "when: beta <= 1 and mode == 'sequence', reduction: {sequence: mean}", DISAGREE.format("not (beta > 1)"))],
        "`population` of `loss/policy` is `response_tokens` here and `all_positions` at spec/frameworks/acme/trainer.y",
    ),
    Case(
        "facts-disagree",
        [(T, "mode == 'sequence', snapshot: current", "beta == 0.5, reduction: {sequence: ¦pool}")],
        [(T, "mode == 'sequence', snapshot: current", "mode == 'token', reduction: {sequence: pool}")],
        "the reduction of `sequence` of `loss/policy` is `pool` here and `mean`",
    ),
    Case(
        "facts-disagree",
        [(T, "    at: [rewards]\n", facts("{lag: 1}", "{releases: 1.1.0.., lag: ¦2}"))],
        [(T, "    at: [rewards]\n", facts("{releases: 1.0.0, lag: 1}", "{releases: 1.1.0.., lag: 2}"))],
        "both hold for 1.1.0 to 1.2.0",
    ),
    Case(
        "facts-disagree",
        [
            (T, "    at: [score]\n", "    at: [score]\n" + SCORE_LAG),
            (T, "traits: [first_rank_only], at", "lag: ¦1, at"),
        ],
        [
            (T, "traits: [first_rank_only], at", "lag: 1, at"),
            (T, "    at: [score]\n", "    at: [score]\n" + SCORE_LAG.replace("2}", "1}")),
        ],
        "`lag` of `score/{source}` is",
    ),
    Case(
        "facts-disagree",
        [
            (T, "    at: [rewards]\n", facts("{when: mode == 'token', lag: 1}", "{when: mode != 'sequence', lag: ¦2}")),
            (SECOND, "", SECOND_TRAINER),
        ],
        [
            (T, "    at: [rewards]\n", facts("{when: mode == 'token', lag: 1}", "{when: mode != 'token', lag: 2}")),
            (SECOND, "", SECOND_TRAINER),
        ],
        "both hold for 1.0.0 to 1.2.0 with mode=token",
    ),
    Case(
        "facts-disagree",
        [
            (T, "    at: [rewards]\n", facts("{when: mode != 'token', lag: 1}", "{when: mode != 'sequence', lag: ¦2}")),
            (SECOND, "", SECOND_TRAINER),
        ],
        [(T, "    at: [rewards]\n", facts("{when: mode != 'token', lag: 1}", "{when: mode != 'sequence', lag: 2}"))],
        "with mode=group in second",
    ),
    Case(
        "facts-disagree",
        [
            (
                T,
                "    at: [rewards]\n",
                facts("{when: window > 1, reproduced_by: one}", "{when: window > 2, reproduced_by: ¦two}"),
            ),
            (P, "    formula: mean(rewards)\n", ONE_AND_TWO),
        ],
        [
            (
                T,
                "    at: [rewards]\n",
                facts(
                    "{when: window > 1, reproduced_by: one}",
                    "{when: window > 2, metric: policy/loss, reproduced_by: padded}",
                ),
            ),
            (P, "    formula: mean(rewards)\n", ONE_AND_TWO),
        ],
        "`reproduced_by` of `rewards/{reward}/mean` is `two` here and `one`",
    ),
    Case(
        "guard-value",
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: ¦\"mode in ['sequence', 'tokens']\"")],
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: \"mode in ['sequence', 'token']\"")],
        "`mode` is one of token, sequence and never tokens",
    ),
    Case(
        "guard-value",
        [(T, "penalised: beta != 0", "penalised: ¦beta != 'zero'")],
        [(T, "penalised: beta != 0", "penalised: beta != -1.5")],
        "`beta` is a number and never zero",
    ),
    Case(
        "guard-value",
        [(T, "- {releases: 1.1.0, when: mode ==", "- {releases: 1.1.0, when: ¦mode == 'group' or mode ==")],
        [
            (T, "- {releases: 1.1.0, when: mode ==", "- {releases: 1.1.0, when: mode == 'group' or mode =="),
            (SECOND, "", SECOND_TRAINER),
        ],
        "`mode` is one of token, sequence and never group",
    ),
    Case(
        "missing-default",
        [
            (T, "      - {releases: 1.0.0..1.1.0, value: 0.1}\n", "      - {releases: 1.0.0, value: 0.1}\n"),
            (T, "logged_when: penalised", "logged_when: ¦penalised"),
        ],
        [(T, "      - {releases: 1.0.0..1.1.0, value: 0.1}\n", "      - {releases: '0.9..1.1.0', value: 0.1}\n")],
        "`beta` has no default in 1.1.0, so whether this key is logged is unknown there",
    ),
    Case(
        "missing-default",
        [
            (T, "    defaults: [{value: 10}]", "    defaults: [{releases: 1.2.0, value: 10}]"),
            (T, "- {releases: 1.1.0, when: mode == 'sequence'", "- {releases: 1.1.0, when: ¦window > 1"),
        ],
        [
            (T, "    defaults: [{value: 10}]", "    defaults: [{releases: 1.1.0.., value: 10}]"),
            (T, "- {releases: 1.1.0, when: mode == 'sequence'", "- {releases: 1.0.0.., when: window > 1"),
        ],
        "`window` has no default in 1.1.0, so whether this fact holds is unknown there",
    ),
    Case(
        "default-value",
        [(T, "defaults: [{value: 10}]", "defaults: [{value: ¦ten}]")],
        [(T, "defaults: [{value: 10}]", "defaults: [{value: null}]")],
        "`window` is a whole number, but its default is ten",
    ),
    Case(
        "default-value",
        [(F, "{value: token}", "{value: ¦tokens}")],
        [(F, "{value: token}", "{value: sequence}")],
        "`mode` is one of",
    ),
    Case("default-value", [(F, "    type: choice\n", "    type: ¦str\n")], [], "only type `choice` has choices"),
    Case(
        "default-value",
        [
            (T, "    type: int\n    defaults: [{value: 10}]", "    defaults: [{value: null}]"),
            (T, "  window:\n", "  ¦window:\n"),
        ],
        [(T, "    type: int\n    defaults: [{value: 10}]", "    defaults: [{value: 10}]")],
        "neither choices nor defaults show what `window` can be",
    ),
    Case(
        "default-value",
        [(F, "    type: choice\n    choices: [token, sequence]\n", "    type: ¦choice\n")],
        [],
        "needs choices",
    ),
    Case(
        "default-overlap",
        [(T, "      - {releases: 1.2.0rc1.., value: 0.0}", "      - ¦{releases: 1.1.0.., value: 0.0}")],
        [],
        "`beta` has two defaults in 1.1.0",
    ),
    # Traits on numbers that can have them
    Case(
        "trait-without-input",
        [(S, ONE_RANK, OF_POLICY), (T, "    bind: {reward: length}", "    traits: [¦of_policy]")],
        [
            (S, ONE_RANK, OF_POLICY),
            (T, "when: beta > 1, population: all_positions", "when: beta > 1, traits: [of_policy]"),
        ],
        "`of_policy`, but `policy/reward/mean` has no such input: log*",
    ),
    Case(
        "trait-without-input",
        [
            (S, ONE_RANK, OF_POLICY),
            (T, MEAN, BY_MODE + "      - {when: mode != 'token', traits: [¦of_policy]}\n"),
        ],
        [
            (S, ONE_RANK, OF_POLICY),
            (T, MEAN, BY_MODE + "      - {when: mode == 'token', traits: [of_policy]}\n"),
        ],
        "`of_policy`, but `policy/reward/mean` has no such input: log*",
    ),
    Case(
        "trait-compared-away",
        [
            (S, ONE_RANK, LOST),
            (P, "    formula: mean(rewards)", "    formula: mean(rewards > 0)"),
            (T, "    bind: {reward: length}", "    traits: [¦lost]"),
        ],
        [
            (S, ONE_RANK, LOST),
            (P, "    formula: mean(rewards)", "    formula: mean(where(rewards > 0, rewards, 0))"),
            (T, "    bind: {reward: length}", "    traits: [lost]"),
        ],
        "`lost`, but `policy/reward/mean` only compares",
    ),
    Case(
        "trait-of-another",
        [(S, ONE_RANK, OF_OTHER), (T, "    bind: {reward: length}", "    traits: [¦of_other]")],
        [
            (S, ONE_RANK, OF_OTHER.replace("Other", "Trainer")),
            (T, "    bind: {reward: length}", "    traits: [of_other]"),
        ],
        "`of_other` speaks of Other, and this is another trainer",
    ),
    Case(
        "text-excluded",
        [
            (S, ONE_RANK, CUT),
            (T, "    bind: {reward: length}", "    traits: [cut]"),
            (P, "description: Rises when", "description: ¦Of raw numbers. Rises when"),
        ],
        [
            (S, ONE_RANK, CUT),
            (T, "    bind: {reward: length}", "    bind: {reward: length}"),
            (P, "description: Rises when", "description: Of raw numbers. Rises when"),
        ],
        "`raw`, and with `cut` it is not so",
    ),
    # Settings that move curves
    Case(
        "shaping-key",
        [(T, "keys:\n", "shaping:\n  width: {says: 'wider, {after}', keys: [¦loss/other]}\nkeys:\n")],
        [(T, "keys:\n", "shaping:\n  width: {says: 'wider, {after}', keys: [loss/policy]}\nkeys:\n")],
        "`width` moves `loss/other`, which nothing logs",
    ),
    Case(
        "shaping-words",
        [(T, "keys:\n", "shaping:\n  width: {says: ¦'wider, {value}', keys: [loss/policy]}\nkeys:\n")],
        [(T, "keys:\n", "shaping:\n  width: {says: 'from {before} to {after}', keys: [loss/policy]}\nkeys:\n")],
        "the words of `width` have `value` in braces",
    ),
    # Allow
    Case(
        "unknown-check",
        [(T, "bind: {reward: length}", "allow: [{check: ¦release-holes, reason: Because.}]")],
        [],
        "`release-holes` is not a check",
    ),
    Case(
        "unknown-check",
        [(P, "title: Policy", "title: Policy\nallow: [{check: ¦unknown-field, reason: Because.}]")],
        [],
        "`unknown-field` is not a check that can be allowed",
    ),
    Case(
        "unused-allow",
        [(P, "    range: [0, 1]", "    range: [0, 1]\n    allow: [{check: ¦value-range, reason: Because.}]")],
        [(P, "    range: [0, 1]", "    range: [1, 0]\n    allow: [{check: value-range, reason: Because.}]")],
        "nothing here or below fails `value-range`",
    ),
]
