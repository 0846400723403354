"""Cases of guards, and of facts and programs that they rule out."""

from __future__ import annotations

from lint.lint_case import Case, F, S, T

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
LONG = "beta != 0 and long and (mode == 'sequence' or longer)"
LONGER = "beta not in [" + ", ".join(str(number) for number in range(100, 400)) + "]"

CASES = [
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
]
