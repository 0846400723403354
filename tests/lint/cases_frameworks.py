"""Cases of records, facts, releases, templates and allowances."""

from __future__ import annotations

from lint.lint_case import SHARED, Case, F, P, S, T, new_record

SECOND = "frameworks/acme/second"
SECOND_TRAINER = """title: Second
brief: Another trainer, with one more mode.
extends: [trainer]
components:
  - {name: Second, releases: 1.0.0..1.2.0, module: acme.second}
config:
  mode: {brief: What is a unit., type: choice, choices: [token, sequence, group], defaults: [{value: token}]}
"""
PROGRAM = "program: train\nextends:"
FACTS = "      facts:\n"
MEAN = "    metric: policy/reward/mean\n    bind: {reward: length}\n"
BY_MODE = (
    "    bind: {reward: length}\n    facts:\n      - {when: mode == 'token', metric: policy/loss}\n"
    "      - {when: mode == 'sequence', metric: policy/reward/mean}\n"
)

LONG = "beta != 0 and long and (mode == 'sequence' or longer)"
LONGER = "beta not in [" + ", ".join(str(number) for number in range(100, 400)) + "]"
DISAGREE = "when: {} and mode == 'sequence', population: ¦response_tokens"
SCORE_LAG = "    facts: [{releases: 1.2.0, lag: 2}]\n"
ONE_AND_TWO = (
    "    formula: mean(rewards)\n    variants:\n      one: {brief: One., formula: mean(rewards) + 1}\n"
    "      two: {brief: Two., formula: mean(rewards) + 2}\n"
)
NEVER = (
    "  score/{source}:\n    - {releases: 1.2.0rc1, logged: never, reason: A bug.}\n"
    "    - releases: [1.0.0, 1.1.0, 1.2.0]\n      metric: policy/reward/mean\n"
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
        [(T, "    bind: {reward: length}", "    ¦condition: at night")],
        [(T, "    bind: {reward: length}", "    condition: at night\n    logged_by_default: false")],
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
    # Releases
    Case(
        "unknown-release",
        [(T, "releases: [1.2.0rc1, 1.2.0]", "releases: [1.2.0rc1, ¦1.2.1]")],
        [(T, "releases: [1.2.0rc1, 1.2.0]", "releases: 1.2.0rc1..1.2.0")],
        "the release `1.2.1` is not among the releases",
    ),
    Case(
        "unknown-release",
        [(T, "releases: 1.0.0..1.2.0, module", "releases: ¦1.2.0..1.0.0, module")],
        [],
        "ends before it starts",
    ),
    Case(
        "unknown-release",
        [(T, "{value: 10}", "{releases: ¦2.0.., value: 10}")],
        [(T, "{value: 10}", '{releases: "0.9..", value: 10}')],
        "the release `2.0`",
    ),
    Case(
        "unknown-release",
        [(F, "{value: token}", "{releases: ¦2.0.., value: token}")],
        [(F, "{value: token}", '{releases: "0.9..", value: token}')],
        "the release `2.0`",
    ),
    Case(
        "unknown-release",
        [(T, "- {releases: 1.1.0, when", "- {releases: ¦1.1.1, when")],
        [(T, "- {releases: 1.1.0, when", "- {releases: 1.1.0.., when")],
        "the release `1.1.1`",
    ),
    Case(
        "unknown-release",
        [(T, "penalised: beta != 0", "penalised: [{releases: ¦1.1.1, when: beta != 0}]")],
        [(T, "penalised: beta != 0", "penalised: [{releases: 1.0.0.., when: beta != 0}]")],
        "the release `1.1.1`",
    ),
    Case(
        "unknown-release",
        [(T, "    releases: 1.0.0..\n", "    releases: {train: ¦1.1.1}\n")],
        [(T, "    releases: 1.0.0..\n", "    releases: {train: 1.0.0..}\n")],
        "the release `1.1.1`",
    ),
    Case(
        "unknown-release",
        [(T, "- {releases: 1.0.0, says", "- {releases: ¦1.0.1, says")],
        [(T, "- {releases: 1.0.0, says", "- {releases: 1.0.0.., says")],
        "the release `1.0.1`",
    ),
    Case(
        "release-order",
        [
            (F, '  - {release: 1.0.0, date: "2024-02-29"}\n', ""),
            (F, "  - {release: 1.2.0, ", '  - {release: 1.2.0, date: "2024-04-20"}\n  - {release: ¦1.0.0, '),
        ],
        [(F, "{release: 1.2.0, ", '{release: 1.2.0.post1, date: "2024-04-30"}\n  - {release: 1.3.0, ')][:0],
        "`1.0.0` stands after `1.2.0`",
    ),
    Case("release-order", [(F, "{release: 1.1.0,", "{release: ¦1.0.0,")], [], "`1.0.0` stands after `1.0.0`"),
    Case("release-order", [(F, "{release: 1.1.0,", "{release: ¦newest,")], [], "`newest` is no version"),
    Case(
        "release-order",
        [(F, '"2024-02-29"', "¦2024-2-29")],
        [(F, '"2024-02-29"', "2024-02-28")],
        "`2024-2-29` is not a date",
    ),
    Case(
        "release-dates",
        [(F, '"2024-04-15"', '¦"2024-03-15"')],
        [(F, '"2024-04-15"', '"2024-03-31"')],
        "`1.2.0rc1` (2024-03-15) is older than `1.1.0` (2024-03-31)",
    ),
    Case(
        "component-overlap",
        [
            (
                "frameworks/acme/twin",
                "",
                "title: Twin\nbrief: Twin.\ncomponents: [{name: Trainer, releases: ¦1.1.0.., module: acme.trainer}]\n",
            )
        ],
        [
            (
                "frameworks/acme/twin",
                "",
                "title: Twin\nbrief: Twin.\ncomponents: [{name: Trainer, releases: ['0.9'], module: acme.trainer}]\n",
            )
        ],
        "`Trainer` is described in acme/trainer.yaml too, for 1.1.0 to 1.2.0",
    ),
    Case(
        "writers-overlap",
        [
            (
                T,
                "    - {metric: policy/loss, releases: [1.2.0rc1, 1.2.0],",
                "    - ¦{metric: policy/loss, releases: 1.1.0..,",
            ),
        ],
        [
            (
                T,
                "    - {metric: policy/loss, releases: [1.2.0rc1, 1.2.0],",
                "    - {metric: policy/loss, releases: 1.1.0.., logged_when: beta == 0,",
            )
        ],
        "`loss/policy` stands for 1.1.0 at spec/frameworks/acme/trainer.yaml:",
    ),
    Case(
        "writers-overlap",
        [
            (
                T,
                "shared:\n",
                new_record("rewards", "    also: {'score/{source}': {}}\n").replace("  rewards:", "  ¦rewards:"),
            )
        ],
        [(T, "shared:\n", new_record("rewards", "    also: {'scores/{source}': {}}\n"))],
        "`score/{source}` stands for 1.0.0 to 1.2.0 at spec/frameworks/acme/trainer.yaml:",
    ),
    Case(
        "omits-nothing",
        [(T, "shared:\n", "  ¦step_timer: {logged: never, reason: No clock.}\nshared:\n")],
        [(T, "shared:\n", "  step_time: {logged: never, reason: No clock.}\nshared:\n")],
        "no extended file logs `step_timer`",
    ),
    Case(
        "broken-reference",
        [(T, "releases: 1.1.0.., traits: [first_rank_only]", "releases: 1.1.0.., traits: [¦first_only]")],
        [(T, "releases: 1.1.0.., traits: [first_rank_only]", "releases: 1.1.0.., traits: [padding_counted]")],
        "there is no trait `first_only`",
    ),
    Case(
        "guard-syntax",
        [(T, "releases: 1.1.0.., traits:", "releases: 1.1.0.., when: beta ¦is 0, traits:")],
        [(T, "releases: 1.1.0.., traits:", "releases: 1.1.0.., when: beta == 0, traits:")],
        "'is' cannot stand here",
    ),
    Case(
        "broken-reference",
        [(T, "releases: 1.1.0.., traits:", "releases: 1.1.0.., when: ¦alpha == 0, traits:")],
        [(T, "releases: 1.1.0.., traits:", "releases: 1.1.0.., when: beta == 0, traits:")],
        "alpha",
    ),
    Case(
        "release-hole",
        [(T, "    releases: 1.0.0..\n", "    releases: ¦[1.0.0, 1.1.0, 1.2.0]\n")],
        [(T, "    releases: 1.0.0..\n", "    releases: [1.0.0, 1.1.0, 1.2.0rc1, 1.2.0]\n")],
        "`score/{source}` is not described for 1.2.0rc1",
    ),
    Case(
        "not-described",
        [(T, "    releases: 1.0.0..\n", '    releases: ¦"0.9"\n')],
        [(T, "    releases: 1.0.0..\n", '    releases: "0.9.."\n')],
        "no described release of this file is in `0.9`",
    ),
    Case(
        "release-hole",
        [
            (
                T,
                "    releases: 1.0.0..\n",
                "    releases: ¦[1.0.0, 1.1.0, 1.2.0]\n",
            ),
            (SHARED, "    at: [log]\n", "    at: [log]\n  other: {metric: timing/step}\n"),
        ],
        [
            (T, "  score/{source}:\n    metric: policy/reward/mean\n    releases: 1.0.0..\n", NEVER),
            (T, "    at: [score]\n    documented:\n      - {rel", "      at: [score]\n      documented:\n      - {rel"),
            (SHARED, "    at: [log]\n", "    at: [log]\n  score/{source}: {metric: timing/step}\n"),
        ],
        "`score/{source}` is not described for 1.2.0rc1",
    ),
    Case(
        "not-described",
        [(T, "    releases: 1.0.0..\n", '    releases: {train: 1.0.0.., eval: ¦"0.9"}\n')],
        [(T, "    releases: 1.0.0..\n", '    releases: {train: 1.0.0.., eval: "0.9.."}\n')],
        "no described release of this file is in `0.9`",
    ),
    Case(
        "not-described",
        [(T, "    bind: {reward: length}", "    releases: ..1.1.0\n    renamed: {rewards: {releases: ¦1.1.0..1.2.0}}")],
        [(T, "    bind: {reward: length}", "    releases: ..1.1.0\n    renamed: {rewards: {releases: 1.1.0}}")],
        "the record describes nothing in all of `1.1.0..1.2.0`",
    ),
    Case(
        "unknown-release",
        [(T, "    bind: {reward: length}", "    renamed: {rewards: {releases: ¦1.9.0..}}")],
        [(T, "    bind: {reward: length}", "    renamed: {rewards: {releases: 1.2.0..}}")],
        "the release `1.9.0` is not among the releases",
    ),
    Case(
        "writers-overlap",
        [
            (
                T,
                "shared:\n",
                new_record("scores", "    renamed: {'score/{source}': {releases: 1.2.0}}\n").replace(
                    "  scores:", "  ¦scores:"
                ),
            )
        ],
        [(T, "shared:\n", new_record("scores", "    renamed: {'scored/{source}': {releases: 1.2.0}}\n"))],
        "`score/{source}` stands for 1.2.0 at spec/frameworks/acme/trainer.yaml:",
    ),
    # Guards
    Case(
        "guard-syntax",
        [(T, "penalised: beta != 0", "penalised: beta ¦is 0")],
        [(T, "penalised: beta != 0", "penalised: beta > 0")],
        "'is' cannot stand here",
    ),
    Case(
        "guard-syntax",
        [(T, "reduction: {rank: mean},", "scale: 1 ¦/ , reduction: {rank: mean},")],
        [(T, "reduction: {rank: mean},", "scale: 1 / window, reduction: {rank: mean},")],
        "a value is missing at the end",
    ),
    Case(
        "guard-syntax",
        [(T, "penalised: beta != 0", f"penalised: ¦{LONG}\n  long: {LONGER}\n  longer: {LONGER}")],
        [(T, "penalised: beta != 0", f"penalised: {LONG}\n  long: {LONGER}\n  longer: beta != 1")],
        "with its named guards written out: the expression is longer than",
    ),
    Case(
        "guard-cycle",
        [(T, "penalised: beta != 0", "¦penalised: beta != 0 and not free\n  free: not penalised")],
        [(T, "penalised: beta != 0", "penalised: beta != 0 and not free\n  free: beta == 1")],
        "the guard refers to itself: `penalised` → `free` → `penalised`",
    ),
    Case(
        "guard-cycle",
        [(T, "penalised: beta != 0", "¦penalised: penalised or beta != 0")],
        [],
        "the guard refers to itself: `penalised` → `penalised`",
    ),
    Case(
        "guard-shadows",
        [(T, "penalised: beta != 0", "penalised: beta != 0 or window\n  ¦window: beta == 0")],
        [(T, "penalised: beta != 0", "penalised: beta != 0 or windowed\n  windowed: beta == 0")],
        "the guard `window` hides a configuration key",
    ),
    Case(
        "guard-shadows",
        [(T, "  width: window", "  width: window\n  ¦beta: window")],
        [(T, "  width: window", "  width: window\n  alpha: window")],
        "the short name `beta` hides a configuration key",
    ),
    Case(
        "guard-shadows",
        [(F, "  mode:\n", "  run.mode:\n"), (T, "  width: window", "  width: window\n  ¦mode: window")],
        [(F, "  mode:\n", "  run.mode:\n"), (T, "  width: window", "  width: window\n  mode: run.mode")],
        "the short name `mode` hides a configuration key",
    ),
    Case(
        "guard-shadows",
        [(T, "  width: window", "  width: window\n  ¦penalised: window")],
        [],
        "`penalised` is a guard too",
    ),
    Case(
        "guard-shadows",
        [
            (F, "  mode:\n", "  run.mode:\n"),
            (T, "when: beta <= 1 and mode ==", "when: beta <= 1 and run.mode =="),
            (T, "- {releases: 1.1.0, when: mode", "- {releases: 1.1.0, when: ¦mode"),
            (SECOND, "", SECOND_TRAINER),
        ],
        [
            (F, "  mode:\n", "  run.mode:\n"),
            (T, "when: beta <= 1 and mode ==", "when: beta <= 1 and run.mode =="),
            (T, "- {releases: 1.1.0, when: mode", "- {releases: 1.1.0, when: run.mode"),
            (SECOND, "", SECOND_TRAINER),
        ],
        "`mode` does not mean the same in second",
    ),
    Case(
        "guard-never",
        [(T, "penalised: beta != 0", "penalised: ¦beta > 1 and beta < 1")],
        [(T, "penalised: beta != 0", "penalised: beta > 1 or beta < 1")],
        "`beta > 1 and beta < 1` can never hold",
    ),
    Case(
        "guard-never",
        [(T, "when: beta > 1, population", "when: ¦not penalised and beta, population")],
        [(T, "when: beta > 1, population", "when: penalised and beta > 3, population")],
        "`not penalised and beta` can never hold",
    ),
    Case(
        "vanishing-guard",
        [(S, "what: only one rank is logged", "what: only one rank is logged, vanishes_if: ¦bota == 0 or unknown")],
        [(S, "what: only one rank is logged", "what: only one rank is logged, vanishes_if: beta == 0 or single.rank")],
        "there is no configuration key `bota`",
    ),
    Case(
        "vanishing-guard",
        [(F, "config:\n", "single: {rank: ¦processes == 1}\nconfig:\n")],
        [(F, "config:\n", "single: {rank: beta == 0, window: unknown}\nconfig:\n")],
        "there is no configuration key `processes`",
    ),
    Case(
        "program",
        [(F, "config:\n", "programs:\n  ¦training: {brief: A run.}\nconfig:\n"), (T, "extends:", PROGRAM)],
        [(F, "config:\n", "programs:\n  train: {brief: A run.}\nconfig:\n"), (T, "extends:", PROGRAM)],
        "there is no program `training`",
    ),
    Case(
        "program",
        [(F, "config:\n", "programs: {Trainer: {brief: A run.}, b: {brief: B., of: ¦c}}\nconfig:\n")],
        [(F, "config:\n", "programs: {Trainer: {brief: A run.}, b: {brief: B., of: Trainer}}\nconfig:\n")],
        "there is no program `c`",
    ),
    Case(
        "dead-fact",
        [(T, "- {when: beta > 1, pop", "- ¦{when: beta == 0, pop")],
        [(T, "- {when: beta > 1, pop", "- {when: beta == 2, pop")],
        "no key is logged where this fact holds",
    ),
    Case(
        "dead-fact",
        [(T, "- {releases: 1.1.0, when", "- ¦{releases: 1.2.0, when")],
        [(T, "- {releases: 1.1.0, when", "- {releases: 1.1.0.., when")],
        "no key has this fact",
    ),
    Case(
        "dead-fact",
        [(T, "- {releases: 1.1.0, when", "- ¦{releases: 1.1.0, modes: [eval], when")],
        [(T, "- {releases: 1.1.0, when", "- {releases: 1.1.0, modes: [eval, train], when")],
        "no key has this fact",
    ),
    Case(
        "dead-fact",
        [(T, '  - {keys: ["score/{source}", step_time], rel', '  - ¦{keys: ["score/{source}"], modes: [eval], rel')],
        [(T, '  - {keys: ["score/{source}", step_time], rel', "  - {keys: [step_time], modes: [eval], rel")],
        "no key has this fact",
    ),
    Case(
        "redundant-range",
        [(T, "- {releases: 1.1.0, when", "- {releases: ¦1.0.0..1.1.0, when")],
        [(T, "- {releases: 1.1.0, when", "- {when")],
        "these are all releases of the record",
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
    # Templates
    Case(
        "template-syntax", [(T, "  score/{source}:\n", "  ¦score/{source:\n")], [], "does not belong to a placeholder"
    ),
    Case(
        "template-syntax",
        [(T, "  score/{source}:\n", "  ¦score/{source}{reward}:\n")],
        [(T, "  score/{source}:\n", "  score/{source}/{reward}:\n")],
        "two placeholders with nothing between them",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'[a-z'")],
        [(F, "pattern: '[a-z]+'", r"pattern: '[\w]+'")],
        "is not a regular expression",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'(?!x)[a-z]+'")],
        [(F, "pattern: '[a-z]+'", "pattern: '(?:[a-w]|[y-z])[a-z]*|code'")],
        "cannot be analysed",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'[a-z]*'")],
        [(F, "pattern: '[a-z]+'", "pattern: '[a-z]{1,8}'")],
        "`{source}` may be empty",
    ),
    Case(
        "placeholder-example",
        [(F, "examples: [math, code]", "examples: [math, ¦Code]")],
        [(F, "examples: [math, code]", "examples: [math, x]")],
        "does not match the example `Code`",
    ),
    Case(
        "placeholder-example",
        [(T, "bind: {reward: length}", "bind: {reward: ¦a-b}")],
        [(T, "bind: {reward: length}", "bind: {reward: a_b}")],
        "does not match the bound value `a-b`",
    ),
    Case(
        "round-trip",
        [
            (T, "  score/{source}:\n", "  ¦score/{source}_{reward}:\n"),
            (F, "pattern: '[a-z]+', examples: [math, code]", "pattern: '[a-z_]+', examples: [math]"),
        ],
        [(T, "  score/{source}:\n", "  score/{source}_{reward}:\n")],
        "is read back as source=math_format, reward=ok",
    ),
    Case(
        "ambiguous-template",
        [(T, "shared:\n", new_record("¦'{reward}/{source}'"))],
        [(T, "shared:\n", new_record("'{reward}/{source}/x'"))],
        "both match `score/a`",
    ),
    Case(
        "ambiguous-template",
        [(T, "shared:\n", new_record("¦score/{reward}"))],
        [
            (T, "shared:\n", new_record("score/{reward}")),
            (T, "'[A-Za-z0-9_]+', examples: [length, format_ok]", "'[A-Za-z0-9]*_[A-Za-z0-9]*', examples: [_a, b_]"),
            (T, "bind: {reward: length}", "bind: {reward: a_}"),
        ],
        "`score/{reward}` and `score/{source}` (spec/frameworks/acme/trainer.yaml:44:3) both match",
    ),
    Case(
        "open-template",
        [(F, "pattern: '[a-z]+', examples: [math, code]", "pattern: 'math|code', examples: [math, code], ¦open: true")],
        [(F, "examples: [math, code]", "examples: [math, code], open: true")],
        "lists all its values",
    ),
    Case(
        "loose-placeholder",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'.+'")],
        [(F, "pattern: '[a-z]+', examples: [math, code]", "pattern: '.+', examples: [math, code], open: true")],
        "`{source}` matches anything",
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
