"""Cases of releases, guards, templates and allowances."""

from __future__ import annotations

from lint.lint_case import AMENDS, EVIDENCE, OMITS, SHARED, Case, F, P, T, new_emission

SECOND = "frameworks/acme/second"
SECOND_TRAINER = """title: Second
brief: Another trainer, with one more mode.
extends: [trainer]
components:
  - {name: Second, releases: 1.0.0..1.2.0, module: acme.second}
tracking:
  - {route: direct, enable: Second(log=True), x_axis: the step}
config:
  mode: {brief: What is a unit., type: choice, choices: [token, sequence, group], defaults: [{value: token}]}
emissions: []
"""
BOTH_MODES = [
    (T, "when: beta > 1,", "when: mode == 'token',"),
    (T, "when: beta <= 1 and mode ==", "when: mode =="),
]
CASES = [
    # Emissions
    Case(
        "missing-metric",
        [(T, "  - key: score/{source}\n    metric: policy/reward/mean\n", "  - ¦key: score/{source}\n")],
        [
            (
                T,
                "  - key: score/{source}\n    metric: policy/reward/mean\n",
                "  - key: score/{source}\n    profile: scored\n",
            ),
            (T, "profiles:\n", "profiles:\n  scored: {brief: Scored., metric: policy/reward/mean}\n"),
        ],
        "`score/{source}` has no metric",
    ),
    Case(
        "condition-default",
        [(T, "    bind: {reward: length}", "    ¦condition: at night")],
        [(T, "    bind: {reward: length}", "    condition: at night\n    logged_by_default: false")],
        "`rewards/{reward}/mean` has a condition",
    ),
    Case(
        "empty-variant",
        [(T, "reduction: {sequence: mean}}", "evidence: []}"), (T, "- {name: by_sequence", "- ¦{name: by_sequence")],
        [(T, "reduction: {sequence: mean}}", "lag: -1}")],
        "a variant of `loss/policy` says only when it applies",
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
        "`sequences` is a population of sequences, but the metric's is one of tokens",
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
        [(SHARED, "{release: 1.0.0, path: acme/base.py", "{release: ¦4.52.4, path: acme/base.py")],
        [(SHARED, "{release: 1.0.0, path: acme/base.py", "{release: 4.52.4, path: transformers/base.py")],
        "the release `4.52.4`",
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
        "release-overlap",
        [
            (T, "releases: [1.2.0rc1, 1.2.0]\n", "releases: 1.1.0..1.2.0\n"),
            (
                T,
                "  - key: loss/policy\n    metric: policy/loss\n    releases",
                "  - key: ¦loss/policy\n    metric: policy/loss\n    releases",
            ),
        ],
        [(T, "releases: [1.2.0rc1, 1.2.0]\n", "releases: 1.1.0..1.2.0\n    when: beta == 0\n")],
        "`loss/policy` stands for 1.1.0 at spec/frameworks/acme/trainer.yaml:",
    ),
    Case(
        "omits-nothing",
        [(T, "unlogged:", OMITS.format("¦step_timer"))],
        [(T, "unlogged:", OMITS.format("step_time"))],
        "no extended file logs `step_timer`",
    ),
    Case(
        "amends-nothing",
        [(T, "unlogged:", AMENDS.format("step_time, ¦step_timer", ""))],
        [(T, "unlogged:", AMENDS.format("step_time, loss/policy", ""))],
        "no record of `step_timer`",
    ),
    Case(
        "amends-nothing",
        [(T, "unlogged:", AMENDS.format("loss/policy", "").replace("note: Timed twice.", "drops: [padded, ¦paddled]"))],
        [(T, "unlogged:", AMENDS.format("loss/policy", "").replace("note: Timed twice.", "drops: [padded]"))],
        "no record of these keys has a variant or trait `paddled`",
    ),
    Case(
        "broken-reference",
        [(T, "unlogged:", AMENDS.format("step_time", "¦padding_counted_twice"))],
        [(T, "unlogged:", AMENDS.format("step_time", ""))],
        "padding_counted_twice",
    ),
    Case(
        "guard-syntax",
        [(T, "unlogged:", AMENDS.format("step_time", "").replace("note: Timed twice.", "when: beta ¦is 0"))],
        [(T, "unlogged:", AMENDS.format("step_time", "").replace("note: Timed twice.", "when: beta == 0"))],
        "there is 'is'",
    ),
    Case(
        "broken-reference",
        [(T, "unlogged:", AMENDS.format("step_time", "").replace("note: Timed twice.", "when: ¦alpha == 0"))],
        [(T, "unlogged:", AMENDS.format("step_time", "").replace("note: Timed twice.", "when: beta == 0"))],
        "alpha",
    ),
    Case(
        "release-overlap",
        [(T, "unlogged:", new_emission("step_time")), (T, "unlogged:", new_emission("¦step_time"))],
        [(T, "unlogged:", new_emission("step_time"))],
        "`step_time` stands for 1.0.0 to 1.2.0",
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
        "evidence-range",
        [(T, "{release: 1.1.0, path: acme/trainer.py, line: 12", "{release: ¦1.2.0, path: acme/trainer.py, line: 12")],
        [(T, "{release: 1.1.0, path: acme/trainer.py, line: 12", "{release: 1.2.0, path: torch/trainer.py, line: 12")],
        "`loss/policy` is not described for 1.2.0",
    ),
    Case(
        "evidence-range",
        [
            (
                T,
                "by_sequence, when: beta <= 1",
                "by_sequence, evidence: [{release: ¦1.2.0, path: acme/x.py, line: 1, symbol: f}], when: beta <= 1",
            )
        ],
        [
            (
                T,
                "by_sequence, when: beta <= 1",
                "by_sequence, evidence: [{release: 1.1.0, path: acme/x.py, line: 1, symbol: f}], when: beta <= 1",
            )
        ],
        "`loss/policy` is not described for 1.2.0",
    ),
    Case(
        "evidence-ends",
        [
            (
                T,
                "unlogged:",
                f"  - key: x\n    metric: policy/loss\n{EVIDENCE}unlogged:".replace("evidence", "¦evidence"),
            )
        ],
        [(T, "unlogged:", f"  - key: x\n    metric: policy/loss\n    releases: 1.0.0\n{EVIDENCE}unlogged:")],
        "no evidence shows `x` in 1.2.0",
    ),
    Case(
        "evidence-key-only",
        [(T, "unlogged:", new_emission("x").replace(", shows: value", "").replace("evidence:", "¦evidence:"))],
        [(T, "unlogged:", new_emission("x").replace("value", "reduction", 1))],
        "the evidence of `x` shows only the key",
    ),
    # Guards
    Case(
        "guard-syntax",
        [(T, "    when: beta != 0", "    when: beta ¦is 0")],
        [(T, "    when: beta != 0", "    when: beta > 0")],
        "there is 'is'",
    ),
    Case(
        "guard-syntax",
        [(T, "reduction: {rank: mean},", "scale: 1 ¦/ , reduction: {rank: mean},")],
        [(T, "reduction: {rank: mean},", "scale: 1 / window, reduction: {rank: mean},")],
        "but there is the end",
    ),
    Case(
        "guard-never",
        [(T, "    when: beta != 0", "    when: ¦beta > 1 and beta < 1")],
        [(T, "    when: beta != 0", "    when: beta > 1 or beta < 1")],
        "`beta > 1 and beta < 1` can never hold",
    ),
    Case(
        "guard-never",
        [(T, "when: beta > 1,", "when: ¦beta == 0,")],
        [(T, "when: beta > 1,", "when: beta == 2,")],
        "`beta == 0` can never hold where `beta != 0` holds",
    ),
    Case(
        "guard-overlap",
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: ¦beta >= 1 and mode == 'sequence'")],
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: not (beta > 1)")],
        "the variants `padded` and `by_sequence` both apply with",
    ),
    Case(
        "guard-overlap",
        [
            (T, "when: beta > 1,", "when: \"mode in ['sequence']\","),
            (T, "when: beta <= 1 and mode == 'sequence'", "when: ¦mode != 'token'"),
        ],
        [
            (T, "when: beta > 1,", "when: \"mode in ['sequence']\","),
            (T, "when: beta <= 1 and mode == 'sequence'", "when: mode == 'token'"),
        ],
        "both apply",
    ),
    Case(
        "variants-exhaustive",
        [*BOTH_MODES, (T, "    variants:", "    ¦variants:")],
        [*BOTH_MODES, (T, "    variants:", "    exhaustive: true\n    variants:")],
        "one of the variants always holds",
    ),
    Case(
        "variants-exhaustive",
        [(T, "    variants:", "    ¦exhaustive: true\n    variants:")],
        [
            (T, "when: beta > 1,", "when: beta > 1 or mode == 'token',"),
            (T, "    variants:", "    exhaustive: true\n    variants:"),
        ],
        "no variant holds with beta=0.1, mode=token",
    ),
    Case(
        "variants-exhaustive",
        [*BOTH_MODES, (T, "    variants:", "    ¦exhaustive: true\n    variants:"), (SECOND, "", SECOND_TRAINER)],
        [*BOTH_MODES, (SECOND, "", SECOND_TRAINER)],
        "no variant holds with beta=0.1, mode=group in second",
    ),
    Case(
        "variants-exhaustive",
        [
            (T, "metric: policy/loss\n    profile", "metric: ¦policy/loss\n    exhaustive: true\n    profile"),
            (T, "when: beta > 1,", "metric: policy/reward/mean, when: mode == 'token',"),
            (T, "when: beta <= 1 and mode ==", "metric: policy/reward/mean, when: mode =="),
        ],
        [
            (T, "metric: policy/loss\n    profile", "metric: policy/loss\n    exhaustive: true\n    profile"),
            (T, "when: beta > 1,", "metric: policy/reward/mean, when: mode == 'token',"),
            (T, "when: beta <= 1 and mode ==", "metric: policy/loss, when: mode =="),
        ],
        "the key never means `policy/loss`",
    ),
    Case(
        "guard-value",
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: ¦\"mode in ['sequence', 'tokens']\"")],
        [(T, "when: beta <= 1 and mode == 'sequence'", "when: \"mode in ['sequence', 'token']\"")],
        "`mode` is one of token, sequence and never tokens",
    ),
    Case(
        "guard-value",
        [(T, "when: beta != 0", "when: ¦beta != 'zero'")],
        [(T, "when: beta != 0", "when: beta != -1.5")],
        "`beta` is a number and never zero",
    ),
    Case(
        "variant-name",
        [(T, "{name: by_sequence,", "{name: ¦padded,")],
        [(T, "{name: by_sequence,", "{name: padded_too,")],
        "two variants are named `padded`",
    ),
    Case(
        "missing-default",
        [
            (T, "      - {releases: 1.0.0..1.1.0, value: 0.1}\n", "      - {releases: 1.0.0, value: 0.1}\n"),
            (T, "    when: beta != 0", "    when: ¦beta != 0"),
        ],
        [(T, "      - {releases: 1.0.0..1.1.0, value: 0.1}\n", "      - {releases: '0.9..1.1.0', value: 0.1}\n")],
        "`beta` has no default in 1.1.0, so `beta != 0` has no answer there",
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
    # Templates
    Case(
        "template-syntax", [(T, "key: score/{source}", "key: ¦score/{source")], [], "does not belong to a placeholder"
    ),
    Case(
        "template-syntax",
        [(T, "key: score/{source}", "key: ¦score/{source}{reward}")],
        [(T, "key: score/{source}", "key: score/{source}/{reward}")],
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
            (T, "key: score/{source}", "key: ¦score/{source}_{reward}"),
            (F, "pattern: '[a-z]+', examples: [math, code]", "pattern: '[a-z_]+', examples: [math]"),
        ],
        [(T, "key: score/{source}", "key: score/{source}_{reward}")],
        "is read back as source=math_format, reward=ok",
    ),
    Case(
        "ambiguous-template",
        [(T, "unlogged:", new_emission("¦'{reward}/{source}'"))],
        [(T, "unlogged:", new_emission("'{reward}/{source}/x'"))],
        "both match `score/a`",
    ),
    Case(
        "ambiguous-template",
        [(T, "unlogged:", new_emission("¦score/{reward}"))],
        [
            (T, "unlogged:", new_emission("score/{reward}")),
            (T, "'[A-Za-z0-9_]+', examples: [length, format_ok]", "'[A-Za-z0-9]*_[A-Za-z0-9]*', examples: [_a, b_]"),
            (T, "bind: {reward: length}", "bind: {reward: a_}"),
        ],
        "`score/{reward}` and `score/{source}` (spec/frameworks/acme/trainer.yaml:48:10) both match",
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
        [(T, "bind: {reward: length}", "allow: [{check: ¦evidence-end, reason: Because.}]")],
        [],
        "`evidence-end` is not a check",
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
