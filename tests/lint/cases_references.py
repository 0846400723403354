"""Cases of names that must exist or be used."""

from __future__ import annotations

from lint.lint_case import SHARED, Case, F, P, S, T

CONVENTION = """convention: common
title: Common names
brief: Names that are common.
version: "1"
sources: [{title: A list}]
traits: [first_rank_only]
names:
  - {name: loss.policy, metric: policy/loss, instrument: gauge, unit: "1"}
"""

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

PADDING = "without:\n  padding: {brief: Padding., trait: padding_counted}\ntraits:\n"
FAMILY = (
    "  first family:\n    family: {first: policy/loss, second: policy/reward/mean}\n"
    "    also: {copy: {of: first, modes: [train]}}\nshared:\n"
)

CASES = [
    # References
    Case(
        "broken-reference",
        [(F, "package: acme\n", "package: acme\norder: [Trainer, ¦Trainr]\n")],
        [(F, "package: acme\n", "package: acme\norder: [Trainer]\n")],
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
        [(T, "  - key: loss/value", "  - key: ¦loss/{part}")],
        [(T, "  - key: loss/value", "  - key: loss/{source}")],
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
            (T, "key: loss/value", "key: loss/{layer}"),
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
    # What records and files of records name
    Case(
        "broken-reference",
        [(T, "profile: averaged\n      logged_when: penalised", "profile: averaged\n      logged_when: ¦penalized")],
        [(T, "profile: averaged\n      logged_when: penalised", "profile: averaged\n      logged_when: not penalised")],
        "there is no configuration key `penalized`",
    ),
    Case(
        "broken-reference",
        [(T, "width: window", "width: ¦windows")],
        [
            (T, "width: window", "width: window\n  style: mode"),
            (T, "when: mode == 'sequence', snapshot", "when: style == 'sequence', snapshot"),
        ],
        "there is no configuration key `windows`",
    ),
    Case(
        "broken-reference",
        [(T, "at: [rewards]", "at: [¦reward]")],
        [(T, "at: [rewards]", "at: [rewards, score]")],
        "this file has no anchor `reward`",
    ),
    Case(
        "broken-reference",
        [(T, "x_axis: the step", "x_axis: the step, at: [¦route]")],
        [(T, "x_axis: the step", "x_axis: the step, at: [score]")],
        "this file has no anchor `route`",
    ),
    Case(
        "broken-reference",
        [(T, "guide: 'logging # Scores'", "guide: ¦'logs # Scores'")],
        [(T, "guide: 'logging # Scores'", "guide: logging")],
        "there is no guide `logs`",
    ),
    Case(
        "broken-reference",
        [(T, "guide: 'logging # Losses'", "guide: ¦'losses # Losses'")],
        [(T, "guide: 'logging # Losses'", "guide: 'logging # All losses'")],
        "there is no guide `losses`",
    ),
    Case(
        "broken-reference",
        [(T, "step_time], releases", "¦step_times], releases")],
        [(T, "step_time], releases", "step_time, loss/policy], releases")],
        "there is no record of the key `step_times`",
    ),
    Case(
        "broken-reference",
        [(T, "shared:\n", "replace: [¦by_rank]\nshared:\n")],
        [
            (SHARED, "    at: [log]\n", "    at: [log]\n    facts: [{name: by_rank, traits: [first_rank_only]}]\n"),
            (T, "shared:\n", "replace: [by_rank]\nshared:\n"),
        ],
        "there is no fact of an extended file named `by_rank`",
    ),
    Case(
        "broken-reference",
        [(T, "unlogged:\n", "pinned: [{settings: {¦depth: 1}}]\nunlogged:\n")],
        [(T, "unlogged:\n", "pinned: [{settings: {window: 1}, at: [score]}]\nunlogged:\n")],
        "there is no configuration key `depth`",
    ),
    Case(
        "broken-reference",
        [(T, "bind: {reward: length}", "without: [¦tool_tokens]")],
        [(T, "bind: {reward: length}", "without: [padding]"), (S, "traits:\n", PADDING)],
        "there is no part of a population `tool_tokens`",
    ),
    Case(
        "broken-reference",
        [(S, "traits:\n", PADDING.replace("padding_counted", "¦padding_left"))],
        [(S, "traits:\n", PADDING)],
        "there is no trait `padding_left`",
    ),
    Case(
        "broken-reference",
        [(S, "  sequences:", "  part: {domain: token, words: a part, brief: A part., of: ¦all_tokens}\n  sequences:")],
        [(S, "  sequences:", "  part: {domain: token, words: parts, brief: Part., of: all_positions}\n  sequences:")],
        "there is no population `all_tokens`",
    ),
    Case(
        "broken-reference",
        [(T, "shared:\n", FAMILY.replace("policy/loss", "¦policy/losses"))],
        [(T, "shared:\n", FAMILY)],
        "there is no metric `policy/losses`",
    ),
    Case(
        "broken-reference",
        [(T, "shared:\n", FAMILY.replace("of: first", "of: ¦third"))],
        [(T, "shared:\n", FAMILY)],
        "there is no key of this record named `third`",
    ),
    Case(
        "unused-name",
        [(T, "  penalised: beta != 0\n", "  penalised: beta != 0\n  ¦free: beta == 0\n")],
        [
            (T, "  penalised: beta != 0\n", "  penalised: not free\n  free: beta == 0\n"),
        ],
        "nothing uses the guard `free`",
    ),
    Case(
        "unused-name",
        [(T, "scale: 1 / width", "scale: 1 / window"), (T, "  width: window", "  ¦width: window")],
        [],
        "nothing uses the short name `width`",
    ),
    Case(
        "unused-name",
        [(T, "  rewards, score: Trainer", "  ¦rewards, score, scores: Trainer")],
        [(T, "  rewards, score: Trainer", "  rewards, score, scores: Trainer"), (T, "[rewards]", "[rewards, scores]")],
        "nothing uses the anchor `scores`",
    ),
    Case(
        "unused-name",
        [(F, "guides:\n", "guides:\n  ¦speed: {title: The other guide, path: docs/speed.md}\n")],
        [
            (F, "guides:\n", "guides:\n  speed: {title: The other guide, path: docs/speed.md}\n"),
            (T, "guide: 'logging # Losses'", "guide: 'speed # Losses'"),
        ],
        "nothing uses the guide `speed`",
    ),
    Case(
        "unused-name",
        [(S, "traits:\n", PADDING.replace("  padding:", "  ¦padding:"))],
        [(S, "traits:\n", PADDING), (T, "bind: {reward: length}", "without: [padding]")],
        "no metric or record has the part of a population `padding`",
    ),
    Case(
        "broken-reference",
        [(T, "shared:\n", FAMILY + "  - {keys: [second], when: window > 1, reproduced_by: ¦padded}\n")],
        [(T, "shared:\n", FAMILY + "  - {keys: [first, copy], when: window > 1, reproduced_by: padded}\n")],
        "there is no variant of the formula of `policy/reward/mean` named `padded`",
    ),
]
