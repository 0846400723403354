"""Cases of files that are not YAML or do not fit the model."""

from __future__ import annotations

from lint.lint_case import SHARED, Case, F, G, P, S, T, metric

STEP_TIME = "  step_time: ¦timing/step\n"

TRACKING = "{route: direct, enable: '{settings}(log=True)', x_axis: the step}"
ROUNDED = "groups:\n  rounded:\n    - {notes: Rounded.}\nguards:"

CASES = [
    # Reading: the files
    Case("file-name", [(P, "family: policy", "family: ¦policies")], [], "the family is named `policies`"),
    Case("file-name", [(F, "framework: acme", "framework: ¦acne")], [], "the framework is named `acne`"),
    Case("file-name", [(G, "tracker: board", "tracker: ¦boards")], [], "the tracker is named `boards`"),
    Case("stray-file", [("metrics/deep/x", "", "¦family: x\n")], [], "nothing reads this file"),
    Case(
        "yaml-empty",
        [("metrics/empty", "", "¦# nothing\n")],
        [("metrics/empty", "", "family: empty\ntitle: Empty\ndescription: Nothing yet.\nmetrics: {}\n")],
        "the file is empty",
    ),
    Case(
        "duplicate-metric",
        [
            (
                "metrics/timing",
                "  timing/step:",
                metric("policy/loss")[1:].replace("policy/loss:", "¦policy/loss:") + "  timing/step:",
            )
        ],
        [],
        "is defined at spec/metrics/policy.yaml:5:3 already",
    ),
    # Reading: YAML
    Case(
        "yaml-syntax",
        [(P, "brief: Surrogate loss over response tokens.", "brief: Surrogate¦: loss")],
        [(P, "brief: Surrogate loss over response tokens.", "brief: 'Surrogate: loss'")],
        "mapping values are not allowed",
    ),
    Case(
        "yaml-syntax",
        [(P, "[pg_loss, actor_loss]", "[¦*pg_loss]")],
        [(P, "[pg_loss, actor_loss]", "['*pg_loss']")],
        "undefined alias",
    ),
    Case("yaml-syntax", [("spec", "", "¦---\n{}\n")], [], "found another document"),
    Case(
        "yaml-syntax",
        [("spec", "said less", "said ¦\x07 less")],
        [("spec", "said less", "said é less")],
        "a control character",
    ),
    Case(
        "yaml-tab",
        [
            (
                P,
                '    unit: "1"\n    identity: {quantity: policy_loss',
                '¦\tunit: "1"\n    identity: {quantity: policy_loss',
            )
        ],
        [(P, "Rises when", "Rises\twhen")],
        "a tab indents this line",
    ),
    Case(
        "yaml-depth",
        [("spec", "", "x-deep: " + "[" * 39 + "¦" + "[" * 11 + "]" * 50 + "\n")],
        [("spec", "", "x-deep: " + "[" * 30 + "]" * 30 + "\n")],
        "nested more than 40 levels",
    ),
    Case(
        "yaml-alias",
        [("spec", "", "x-a: ¦&a [*a]\n")],
        [("spec", "", "x-a: &a [1]\nx-b: *a\n")],
        "an anchor contains itself",
    ),
    Case(
        "yaml-duplicate-key",
        [(P, "    atom: sequence", "    atom: sequence\n    ¦atom: token")],
        [(P, "    atom: sequence", "    x-atom: token\n    atom: sequence")],
        "`atom` stands twice",
    ),
    Case("yaml-merge-key", [(S, "  rank: {brief", "  rank: {¦<<: {}, brief")], [], "merge keys"),
    Case(
        "yaml-tag",
        [("spec", 'version: "1.0.0"', "version: ¦!!str 1.0.0")],
        [("spec", 'version: "1.0.0"', "version: 1.0.0")],
        "the tag `!!str` is not allowed",
    ),
    Case("yaml-key", [("spec", "", "¦1: x\n")], [("spec", "", "x-1: x\n")], "the key `1` is not read as text"),
    Case("yaml-key", [("spec", "", "¦[x-a]: x\n")], [("spec", "", "'x-[x-a]': x\n")], "a key must be text"),
    Case(
        "yaml-ambiguous",
        [(F, "choices: [token, sequence]", "choices: [token, sequence, ¦off]")],
        [(F, "choices: [token, sequence]", "choices: [token, sequence, 'off']")],
        "`off` is a boolean to some readers",
    ),
    Case(
        "yaml-ambiguous",
        [("metrics/timing", "unit: s", "unit: ¦1:30")],
        [("metrics/timing", "unit: s", "unit: '1:30'")],
        "`1:30` is a different number",
    ),
    # Reading: the model
    Case(
        "unknown-field",
        [(P, "    formula: mean(rewards)", "    ¦fromula: mean(rewards)")],
        [(P, "    formula: mean(rewards)", "    x-fromula: of no interest\n    formula: mean(rewards)")],
        "`fromula` is not a field of a metric",
    ),
    Case(
        "unknown-field",
        [(T, "{route: direct,", "{route: direct, ¦axis: x,")],
        [(T, "{route: direct,", "{route: direct, x-axis: x,")],
        "`axis` is not a field of a tracking",
    ),
    Case(
        "missing-field",
        [(P, "  policy/reward/mean:", "  ¦policy/reward/mean:"), (P, '    unit: "1"\n    range', "    range")],
        [],
        "`unit` is missing in a metric",
    ),
    Case(
        "missing-field",
        [
            (
                T,
                "      - {releases: 1.0.0, says: The score., guide: 'logging # Scores'}",
                "      - ¦{releases: 1.0.0, guide: 'logging # Scores'}",
            )
        ],
        [],
        "`says` is missing in a guide statement",
    ),
    Case(
        "missing-field",
        [("spec", "", ""), ("spec", 'version: "1.0.0"', '¦x-version: "1.0.0"')],
        [],
        "`version` is missing in a spec info",
    ),
    Case(
        "wrong-type",
        [(F, '{release: "0.9",', "{release: ¦0.9,")],
        [(F, '{release: "0.9",', "{release: '0.9',")],
        "`release` must be text, but `0.9` is read as a number",
    ),
    Case(
        "wrong-type",
        [(T, "releases: 1.0.0..1.1.0, value: 0.1", "releases: ¦1.10, value: 0.1")],
        [],
        "`releases` must be text, but `1.10` is read as a number",
    ),
    Case(
        "wrong-type",
        [(T, "releases: [1.2.0rc1, 1.2.0]", "releases: [1.2.0rc1, ¦1.2]")],
        [],
        "item 2 must be text, but `1.2` is read as a number",
    ),
    Case(
        "wrong-type",
        [(P, "aliases: [mean_reward]", "aliases: ¦mean_reward")],
        [(P, "aliases: [mean_reward]", "aliases:\n      - mean_reward")],
        "`aliases` must be a list, not `mean_reward`",
    ),
    Case(
        "wrong-type",
        [(P, "    range: [0, 1]", "    ¦range:")],
        [(P, "    range: [0, 1]", "    range: [null, null]")],
        "`range` is empty but must be a list",
    ),
    Case(
        "wrong-type",
        [(P, "source: {title: A paper}", "source: {title: A paper, line: ¦11.5}")],
        [(P, "source: {title: A paper}", "source: {title: A paper, line: 11}")],
        "`line` must be a whole number, not `11.5`",
    ),
    Case(
        "wrong-value",
        [(P, "policy: current}", "policy: ¦curent}")],
        [(P, "policy: current}", "policy: old}")],
        "`policy` must be one of",
    ),
    Case(
        "wrong-value",
        [(P, "source: {title: A paper}", "source: {title: A paper, line: ¦0}")],
        [(P, "source: {title: A paper}", "source: {title: A paper, line: 1}")],
        "`line` must be",
    ),
    Case(
        "wrong-value",
        [(S, "operations: {mean: unweighted", "operations: {¦means: unweighted")],
        [(S, "operations: {mean: unweighted", "operations: {sum: sum of the parts, mean: unweighted")],
        "`means` is not allowed as a name",
    ),
    Case(
        "wrong-value",
        [(P, "title: Policy", "¦title: ' '")],
        [(P, "title: Policy", "title: ' P'")],
        "`title` must not be blank",
    ),
    Case(
        "wrong-value",
        [(F, "examples: [math, code]", "examples: ¦[]")],
        [],
        "`examples` must be at least 1 long",
    ),
    # Reading: one record of a key, or a list of them
    Case(
        "unknown-field",
        [(T, "    at: [rewards]\n", "    ¦att: [rewards]\n")],
        [(T, "    at: [rewards]\n", "    x-att: [rewards]\n")],
        "`att` is not a field of a record",
    ),
    Case(
        "unknown-field",
        [(T, "{when: beta > 1, population: all_positions", "{when: beta > 1, ¦populations: all_positions")],
        [],
        "`populations` is not a field of a fact",
    ),
    Case(
        "wrong-type",
        [(SHARED, "  step_time:\n    metric: timing/step\n    span: The whole update.\n    at: [log]\n", STEP_TIME)],
        [],
        "`step_time` must be a mapping or a list, not `timing/step`",
    ),
    Case(
        "wrong-value",
        [
            (
                T,
                "    - {metric: policy/loss, releases: [1.2.0rc1, 1.2.0]",
                "    - ¦{logged: never, releases: [1.2.0rc1, 1.2.0]",
            )
        ],
        [],
        "`logged: never` and `reason` belong together",
    ),
    Case(
        "wrong-value",
        [(T, "    at: [rewards]\n", "    at: [rewards]\n    facts: [¦{releases: 1.0.0}]\n")],
        [(T, "    at: [rewards]\n", "    at: [rewards]\n    facts: [{releases: 1.0.0, lag: 1}]\n")],
        "a fact must say something",
    ),
    Case(
        "wrong-value",
        [(T, "    releases: 1.0.0..\n", "    releases: {¦trian: 1.0.0..}\n")],
        [(T, "    releases: 1.0.0..\n", "    releases: {train: 1.0.0..}\n")],
        "`trian` is not allowed as a name",
    ),
    Case(
        "wrong-type",
        [(T, "penalised: beta != 0", "penalised: ¦true")],
        [(T, "penalised: beta != 0", "penalised: [{releases: 1.0.0.., when: beta != 0}]")],
        "`penalised` must be text",
    ),
    # Groups of facts
    Case(
        "unknown-group",
        [(T, "    bind: {reward: length}", "    bind: {reward: length}\n    groups: [¦rounded]")],
        [
            (T, "    bind: {reward: length}", "    bind: {reward: length}\n    groups: [rounded]"),
            (T, "guards:", ROUNDED),
        ],
        "no group is called `rounded`",
    ),
    Case(
        "unknown-group",
        [(T, "traits: [first_rank_only], at: [score]}", "groups: [¦rounded]}")],
        [
            (T, "traits: [first_rank_only], at: [score]}", "groups: [rounded]}"),
            (F, "guides:", "groups:\n  rounded:\n    - {notes: Rounded.}\nguides:"),
        ],
        "no group is called `rounded`",
    ),
    Case(
        "unknown-group",
        [(T, "{route: direct, enable: Trainer(log=True), x_axis: the step}", "{¦like: wandb, settings: Trainer}")],
        [
            (T, "{route: direct, enable: Trainer(log=True), x_axis: the step}", "{like: wandb, settings: Trainer}"),
            (F, "guides:", f"tracking:\n  wandb: {TRACKING}\nguides:"),
        ],
        "framework.yaml has no tracking `wandb`",
    ),
    Case(
        "wrong-value",
        [(T, "{route: direct, enable: Trainer(log=True), x_axis: the step}", "¦{route: direct}")],
        [],
        "`route`, `enable` and `x_axis` belong here",
    ),
    Case(
        "unknown-record",
        [(T, "    bind: {reward: length}", "    bind: {reward: length}\n    ¦like: sharde")],
        [],
        "there is no file or record `sharde`",
    ),
    Case(
        "unknown-keys",
        [(T, '{keys: ["score/{source}", step_time]', "{keys: [step_time, ¦'scores/*']")],
        [(T, '{keys: ["score/{source}", step_time]', "{keys: [step_time, 'score/*']")],
        "no key of this file or of those that it extends is like `scores/*`",
    ),
    Case(
        "group-cycle",
        [
            (T, "    bind: {reward: length}", "    bind: {reward: length}\n    groups: [rounded]"),
            (T, "guards:", "groups:\n  ¦rounded:\n    - {groups: [cut]}\n  cut:\n    - {groups: [rounded]}\nguards:"),
        ],
        [
            (T, "    bind: {reward: length}", "    bind: {reward: length}\n    groups: [rounded]"),
            (T, "guards:", "groups:\n  rounded:\n    - {groups: [cut]}\n  cut:\n    - {notes: Cut.}\nguards:"),
        ],
        "the group refers to itself: `rounded` → `cut` → `rounded`",
    ),
    Case(
        "unused-group",
        [(T, "guards:", ROUNDED.replace("rounded", "¦rounded"))],
        [(T, "guards:", ROUNDED), (T, "bind: {reward: length}", "bind: {reward: length}\n    groups: [rounded]")],
        "nothing uses the group `rounded`",
    ),
    Case(
        "unused-group",
        [(F, "guides:", "guards:\n  ¦by_sequence: mode == 'sequence'\nguides:")],
        [
            (F, "guides:", "guards:\n  by_sequence: mode == 'sequence'\nguides:"),
            (T, "beta <= 1 and mode == 'sequence'", "beta <= 1 and by_sequence"),
        ],
        "nothing uses the guard `by_sequence`",
    ),
]
