"""Cases of releases: their order, ranges, and components that come and go."""

from __future__ import annotations

from lint.lint_case import SHARED, Case, F, T, new_record

NEVER = (
    "  score/{source}:\n    - {releases: 1.2.0rc1, logged: never, reason: A bug.}\n"
    "    - releases: [1.0.0, 1.1.0, 1.2.0]\n      metric: policy/reward/mean\n"
)

CASES = [
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
        [(T, "two logs.", "two logs.\n    formerly: {name: beta, releases: ¦2.0..}")],
        [(T, "two logs.", 'two logs.\n    formerly: {name: beta, releases: "0.9.."}')],
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
        "omits-nothing",
        [(T, "shared:\n", "  times: {logged: never, reason: No clock., ¦family: [step_timer*]}\nshared:\n")],
        [(T, "shared:\n", "  times: {logged: never, reason: No clock., family: [step_t*]}\nshared:\n")],
        "no extended file logs `step_timer*`",
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
]
