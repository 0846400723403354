"""Cases of names that component files mention."""

from __future__ import annotations

from lint.lint_case import SHARED, Case, F, S, T

PADDING = "without:\n  padding: {brief: Padding., trait: padding_counted}\ntraits:\n"
FAMILY = (
    "  first family:\n    family: {first: policy/loss, second: policy/reward/mean}\n"
    "    also: {copy: {of: first, modes: [train]}}\nshared:\n"
)

CASES = [
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
        [(T, "{releases: 1.0.0, says: The score., guide: 'logging # Scores'}", "¦{releases: 1.0.0, says: The score.}")],
        [
            (
                T,
                "{releases: 1.0.0, says: The score., guide: 'logging # Scores'}",
                "{releases: 1.0.0, says: The score.}",
            ),
            (T, "unlogged:\n", "guide: 'logging # Scores'\nunlogged:\n"),
        ],
        "neither this statement nor its file names a `guide`",
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
