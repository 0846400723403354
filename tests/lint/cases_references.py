"""Cases of names that must exist or be used."""

from __future__ import annotations

from lint.lint_case import Case, F, P, S, T

CONVENTION = """convention: common
title: Common names
brief: Names that are common.
version: "1"
sources: [{title: A list}]
traits: [first_rank_only]
names:
  - {name: loss.policy, metric: policy/loss, instrument: gauge, unit: "1"}
"""
OTHER = """convention: other
title: Other
brief: A framework that is not described.
version: "1"
sources: [{title: Its source}]
known_by: {framework: Other, keys: [other/loss, TOLD]}
names:
  - {name: other/loss, metric: policy/loss}
"""
NAMESAKE = OTHER.replace("convention: other", "convention: acme")
SUITE = """suite: small
name: SmallSuite
brief: Two numbers.
description: A loss and a reward.
parameters: {bound: 0.3}
metrics:
  - policy/loss
  - policy/reward/mean
names: {policy/reward/mean: policy/loss}
"""
GOOD_SUITE = SUITE.replace("names: {policy/reward/mean: policy/loss}\n", "")

CASES = [
    # References
    Case(
        "broken-reference",
        [(F, "package: acme\n", "package: acme\nforemost: [Trainer, ¦Trainr]\n")],
        [(F, "package: acme\n", "package: acme\nforemost: [Trainer]\n")],
        "there is no component `Trainr`",
    ),
    Case(
        "broken-reference",
        [(T, "      metric: policy/loss\n", "      metric: ¦policy/los\n")],
        [
            (T, "      metric: policy/loss\n", "      metric: policy/reward/mean\n"),
            (T, ", population: all_positions, reproduced_by: padded", ", lag: 1"),
        ],
        "there is no metric `policy/los`",
    ),
    Case(
        "broken-reference",
        [(T, "    bind: {reward: length}", "    renamed: {rewards: {of: ¦reward, releases: 1.2.0}}")],
        [(T, "    bind: {reward: length}", "    renamed: {rewards: {of: 'rewards/{reward}/mean', releases: 1.2.0}}")],
        "there is no key of this record named `reward`",
    ),
    Case(
        "broken-reference",
        [("conventions/common", "", CONVENTION.replace("policy/loss", "¦policy/los"))],
        [("conventions/common", "", CONVENTION)],
        "there is no metric `policy/los`",
    ),
    Case(
        "broken-reference",
        [("conventions/other", "", OTHER.replace("TOLD", "other/reward").replace("keys:", "built_on: ¦acne, keys:"))],
        [("conventions/other", "", OTHER.replace("TOLD", "other/reward").replace("keys:", "built_on: acme, keys:"))],
        "there is no framework `acne`",
    ),
    Case(
        "telling-key",
        [("conventions/other", "", OTHER.replace("TOLD", "¦train/loss/policy"))],
        [("conventions/other", "", OTHER.replace("TOLD", "other/reward"))],
        "`train/loss/policy` tells `acme` as well",
    ),
    Case(
        "telling-key",
        [("conventions/acme", "", NAMESAKE.replace("TOLD", "¦train/loss/policy"))],
        [("conventions/acme", "", NAMESAKE.replace("TOLD", "other/reward"))],
        "`train/loss/policy` tells `acme` as well",
    ),
    Case(
        "broken-reference",
        [("conventions/common", "", CONVENTION.replace("[first_rank_only]", "[¦first_rank]"))],
        [("conventions/common", "", CONVENTION)],
        "there is no trait `first_rank`",
    ),
    Case(
        "broken-reference",
        [("suites/small", "", GOOD_SUITE.replace("- policy/reward/mean", "- ¦policy/reward"))],
        [("suites/small", "", GOOD_SUITE)],
        "there is no metric `policy/reward`",
    ),
    Case(
        "broken-reference",
        [("suites/small", "", GOOD_SUITE.replace("- policy/loss", "- ¦policy/loss@unpadded"))],
        [("suites/small", "", GOOD_SUITE.replace("- policy/loss", "- policy/loss@padded"))],
        "there is no variant of `policy/loss` `unpadded`",
    ),
    Case(
        "suite-metric",
        [("suites/small", "", SUITE.replace("- policy/reward", "- ¦policy/reward"))],
        [("suites/small", "", GOOD_SUITE)],
        "would both be called `policy/loss`",
    ),
    # Levels of reduction
    Case(
        "broken-reference",
        [(T, "reduction: {rank: mean}", "reduction: {¦ranks: mean}")],
        [(T, "reduction: {rank: mean}", "reduction: {sequence: mean}")],
        "there is no level of reduction `ranks`",
    ),
    Case(
        "broken-reference",
        [(T, "reduction: {sequence: mean}", "reduction: {¦sequences: mean}")],
        [],
        "there is no level of reduction `sequences`",
    ),
    Case(
        "broken-reference",
        [(P, "formula: mean(rewards)", "formula: mean(rewards)\n    aggregation: {¦steps: sum}")],
        [(P, "formula: mean(rewards)", "formula: mean(rewards)\n    aggregation: {window: sum}")],
        "there is no level of reduction `steps`",
    ),
    Case(
        "broken-reference",
        [(T, "names:\n", "single: {¦updates: beta == 0}\nnames:\n")],
        [(T, "names:\n", "single: {update: beta == 0, rank: beta == 1}\nnames:\n")],
        "there is no level of reduction `updates`",
    ),
    Case(
        "broken-reference",
        [(F, "guides:\n", "single: {¦pod: mode == 'token'}\nguides:\n")],
        [(F, "guides:\n", "single: {rank: mode == 'token'}\nguides:\n")],
        "there is no level of reduction `pod`",
    ),
    Case(
        "broken-reference",
        [(T, "names:\n", "shaping: {window: {says: Averages more., level: ¦windows}}\nnames:\n")],
        [(T, "names:\n", "shaping: {window: {says: Averages more., level: window}}\nnames:\n")],
        "there is no level of reduction `windows`",
    ),
    Case(
        "suite-metric",
        [("suites/small", "", GOOD_SUITE + "  - ¦policy/loss\n")],
        [("suites/small", "", GOOD_SUITE + "  - policy/loss@padded\n")],
        "`policy/loss` stands in the suite already",
    ),
    Case(
        "suite-metric",
        [("suites/small", "", GOOD_SUITE + "  - ¦timing/step\n")],
        [("suites/small", "", GOOD_SUITE)],
        "`timing/step` has no formula",
    ),
    Case(
        "suite-metric",
        [("suites/small", "", GOOD_SUITE + "names: {¦policy/loss@padded: policy/loss}\n")],
        [("suites/small", "", GOOD_SUITE + "  - policy/loss@padded\nnames: {policy/loss: policy/loss}\n")],
        "the suite has no metric `policy/loss@padded`",
    ),
    Case(
        "suite-parameter",
        [("suites/small", "", GOOD_SUITE.replace("bound:", "¦bounds:"))],
        [("suites/small", "", GOOD_SUITE)],
        "no metric of the suite has a parameter `bounds`",
    ),
    Case(
        "broken-reference",
        [(P, "inputs: [rewards]", "inputs: [rewards, ¦reward]")],
        [],
        "there is no input `reward`",
    ),
    Case(
        "broken-reference",
        [(P, "population: sequences", "population: ¦sequence")],
        [(P, "population: sequences", "population: response_tokens")],
        "there is no population `sequence`",
    ),
    Case(
        "broken-reference",
        [(P, "        population: all_positions", "        population: ¦positions")],
        [],
        "there is no population `positions`",
    ),
    Case(
        "broken-reference",
        [(S, "traits: [padding_counted]", "traits: [¦padding]")],
        [(S, "traits: [padding_counted]", "traits: [first_rank_only]")],
        "there is no trait `padding`",
    ),
    Case(
        "broken-reference",
        [(T, "{rank: mean}, traits: [first_rank_only]", "{rank: mean}, traits: [first_rank_only, ¦last_rank_only]")],
        [],
        "there is no trait `last_rank_only`",
    ),
    Case(
        "broken-reference",
        [(T, "      profile: averaged", "      profile: ¦average")],
        [],
        "there is no profile `average`",
    ),
    Case(
        "broken-reference",
        [(T, "  score/{source}:\n", "  ¦score/{sources}:\n"), (T, '"score/{source}", ', "")],
        [(T, "  score/{source}:\n", "  score/{reward}:\n"), (T, '"score/{source}", ', "")],
        "there is no placeholder `sources`",
    ),
    Case(
        "broken-reference",
        [(T, "{loss/value:", "{¦'loss/{part}':")],
        [(T, "{loss/value:", "{'loss/{source}':")],
        "there is no placeholder `part`",
    ),
    Case(
        "broken-reference",
        [(T, "penalised: beta != 0", "penalised: ¦betta != 0")],
        [(T, "penalised: beta != 0", "penalised: window != 0")],
        "there is no configuration key `betta`",
    ),
    Case(
        "broken-reference",
        [(T, "brief: Steps between two logs.", "brief: Steps between two logs.\n    formerly: {name: ¦bata}")],
        [(T, "brief: Steps between two logs.", "brief: Steps between two logs.\n    formerly: {name: beta}")],
        "there is no configuration key `bata`",
    ),
    Case(
        "broken-reference",
        [(T, "scale: 1 / width", "scale: 1 / ¦windows + width")],
        [(T, "scale: 1 / width", "scale: 1 / (window + width)")],
        "there is no configuration key `windows`",
    ),
    Case(
        "broken-reference",
        [(T, "reproduced_by: padded", "reproduced_by: ¦pad")],
        [],
        "there is no variant of the formula of `policy/loss` named `pad`",
    ),
    Case(
        "broken-reference",
        [(T, "extends: [shared]", "extends: [¦share]")],
        [(T, "extends: [shared]", "extends: []"), (T, ", step_time], rel", "], rel")],
        "there is no file `share`",
    ),
    Case(
        "broken-reference",
        [(T, "route: direct", "route: ¦tensorboard")],
        [(T, "route: direct", "route: prefixed")],
        "there is no tracker route `tensorboard`",
    ),
    Case(
        "broken-reference",
        [(T, "      profile: averaged", "      route: ¦via\n      profile: averaged")],
        [(T, "      profile: averaged", "      route: prefixed\n      profile: averaged")],
        "there is no tracker route `via`",
    ),
    Case(
        "broken-reference",
        [(P, "{metric: policy/reward/mean", "{metric: ¦policy/reward")],
        [(P, "{metric: policy/reward/mean", "{metric: timing/step")],
        "there is no metric `policy/reward`",
    ),
    Case(
        "broken-reference",
        [("spec", "to: policy/loss", "to: ¦policy/lost")],
        [("spec", "to: policy/loss", "to: timing/step")],
        "there is no metric `policy/lost`",
    ),
    Case(
        "broken-reference",
        [(T, "bind: {reward: length}", "bind: {¦rewards: length}")],
        [(T, "bind: {reward: length}", "bind: {reward: format_ok}")],
        "the key has no placeholder `rewards`",
    ),
    Case(
        "unused-name",
        [(S, "  first_rank_only:", "  ¦lonely: {facet: defect, grade: minor, what: x}\n  first_rank_only:")],
        [
            (S, "  first_rank_only:", "  lonely: {facet: defect, grade: minor, what: x}\n  first_rank_only:"),
            (T, "snapshot", "snapshot"),
        ][:0],
        "no metric or record has the trait `lonely`",
    ),
    Case(
        "unused-name",
        [("inputs", "  rewards:", "  ¦scores: {domain: sequence, dtype: float, brief: Scores.}\n  rewards:")],
        [
            ("inputs", "  rewards:", "  scores: {domain: sequence, dtype: float, brief: Scores.}\n  rewards:"),
            (P, "[rewards]", "[rewards, scores]"),
        ],
        "no metric has the input `scores`",
    ),
    Case(
        "unused-name",
        [(S, "  sequences:", "  ¦groups: {domain: group, words: all groups, brief: Groups.}\n  sequences:")],
        [
            (S, "  sequences:", "  groups: {domain: group, words: all groups, brief: Groups.}\n  sequences:"),
            (T, "bind: {reward: length}", "population: groups"),
        ],
        "no metric or record has the population `groups`",
    ),
    Case(
        "unused-name",
        [(T, "profiles:\n", "profiles:\n  ¦summed: {brief: Summed., reduction: {rank: sum}}\n")],
        [
            (T, "profiles:\n", "profiles:\n  summed: {brief: Summed., reduction: {rank: sum}}\n"),
            (T, "    bind: {reward: length}", "    profile: summed"),
        ],
        "nothing uses the profile `summed`",
    ),
    Case(
        "unused-name",
        [(T, "placeholders:\n", "placeholders:\n  ¦layer: {brief: A layer., pattern: '[0-9]+', examples: ['1']}\n")],
        [
            (T, "placeholders:\n", "placeholders:\n  layer: {brief: A layer., pattern: '[0-9]+', examples: ['1']}\n"),
            (T, "{loss/value:", "{'loss/{layer}':"),
        ],
        "nothing uses the placeholder `layer`",
    ),
    Case(
        "unused-name",
        [(F, "config:\n", "config:\n  ¦seed: {brief: Seed., type: int, defaults: [{value: 1}]}\n")],
        [
            (F, "config:\n", "config:\n  seed: {brief: Seed., type: int, defaults: [{value: 1}]}\n"),
            (T, "    bind: {reward: length}", "    offset: seed * 2"),
        ],
        "nothing uses the configuration key `seed`",
    ),
]
