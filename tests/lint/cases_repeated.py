"""Cases of facts that say what holds already, and of units that are spelt otherwise."""

from __future__ import annotations

from lint.lint_case import Case, P, T

RECORD = "    bind: {reward: length}\n    at: [rewards]\n"
WIDE = "      - {traits: [first_rank_only]}\n"


TIMED = """  policy/time:
    unit: {}
    brief: X.
    description: Y, high.
    identity: {{quantity: t}}
    measured: Z.
"""


def facts(*rows: str) -> tuple[str, str, str]:
    """Give the record of rewards facts."""
    return T, RECORD, f"{RECORD}    facts:\n{''.join(rows)}"


CASES = [
    Case(
        "fact-repeated",
        [facts(WIDE, "      - {when: beta > 1 and mode == 'sequence', ¦traits: [first_rank_only]}\n")],
        [
            facts(
                "      - {when: beta > 1, traits: [first_rank_only]}\n",
                "      - {when: beta < 1, traits: [first_rank_only]}\n",
            )
        ],
        "`traits: first_rank_only` is said of all these keys and releases at",
    ),
    Case(
        "fact-repeated",
        [facts("      - {releases: 1.1.0, when: beta > 1, ¦metric: policy/reward/mean}\n")],
        [facts("      - {when: beta > 1, metric: policy/loss}\n")],
        "`metric: policy/reward/mean` is said",
    ),
    Case(
        "fact-repeated",
        [facts("      - {when: beta > 1, notes: Twice.}\n", "      - {when: beta > 1, ¦notes: Twice.}\n")],
        # A variant of a formula belongs to the metric that stands with it.
        [
            facts(
                "      - {when: beta > 1, metric: policy/loss}\n",
                "      - {releases: 1.1.0, when: beta > 1, metric: policy/loss, reproduced_by: padded}\n",
            )
        ],
        "`notes: Twice.` is said",
    ),
    Case(
        "fact-repeated",
        [facts(WIDE, "      - {releases: 1.1.0, ¦traits: [first_rank_only]}\n")],
        # The wider one does not hold in the last release.
        [
            facts(
                "      - {releases: ..1.1.0, traits: [first_rank_only]}\n",
                "      - {when: beta > 1, traits: [first_rank_only]}\n",
            )
        ],
        "`traits: first_rank_only` is said",
    ),
    Case(
        "unit-spelling",
        [(P, "", TIMED.format("¦Seconds"))],
        [(P, "", TIMED.format("ms"))],
        "the unit `Seconds` is written `s` elsewhere",
    ),
]
