"""Cases of formulas."""

from __future__ import annotations

from lint.lint_case import Case, P

CASES = [
    # Formulas
    Case(
        "formula",
        [(P, "formula: mean(rewards)", "formula: mean(rewards + ¦advantages)")],
        [(P, "formula: mean(rewards)", "formula: mean(rewards + 1)")],
        "advantages",
    ),
    Case(
        "formula",
        [(P, "plain: -advantages * logprobs", "plain: -advantages * ¦logprob")],
        [(P, "plain: -advantages * logprobs", "plain: -(advantages * logprobs)")],
        "logprob",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", "    formula: >-\n      mean(rewards\n      + ¦nothing)")],
        [(P, "    formula: mean(rewards)", "    formula: >-\n      mean(rewards\n      + 1)")],
        "nothing",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", "    formula: |\n      mean(\n        ¦nothing\n      )")],
        [(P, "    formula: mean(rewards)", "    formula: |\n      mean(\n        rewards\n      )")],
        "nothing",
    ),
    Case(
        "formula",
        [(P, "    formula: mean(rewards)", '    formula: "mean(\\u0072ewards +\\n ¦nothing)"')],
        [(P, "    formula: mean(rewards)", '    formula: "mean(\\u0072ewards)"')],
        "nothing",
    ),
    Case(
        "formula",
        [
            (
                P,
                "        formula: mean(clamp(plain, -bound, bound), over=everything)",
                "        formula: mean(clamp(plain, -bound, ¦limit))",
            )
        ],
        [],
        "limit",
    ),
    Case(
        "unused-input",
        [(P, "inputs: [logprobs, advantages, mask]", "inputs: [logprobs, advantages, ¦rewards, mask]")],
        [(P, "plain: -advantages * logprobs", "plain: -advantages * logprobs * 2")],
        "the formula does not use the input `rewards`",
    ),
    Case(
        "unused-input",
        [(P, "    parameters:\n", "    parameters:\n      ¦floor: {brief: Least change.}\n")],
        [
            (P, "    parameters:\n", "    parameters:\n      floor: {brief: Least change.}\n"),
            (P, "    formula: mean(clamp(plain, -bound, bound))\n", "    formula: mean(clamp(plain, floor, bound))\n"),
        ],
        "the formula does not use the parameter `floor`",
    ),
    Case(
        "unused-let",
        [(P, "    let:\n", "    let:\n      ¦twice: 2 * advantages\n")],
        [
            (P, "    let:\n", "    let:\n      twice: 2 * advantages\n"),
            (P, "plain: -advantages * logprobs", "plain: twice * logprobs"),
        ],
        "the formula does not use `twice`",
    ),
    Case(
        "atom",
        [(P, "    atom: token\n    empty: nan", "    atom: ¦sequence\n    empty: nan")],
        [
            (
                P,
                "formula: mean(clamp(plain, -bound, bound))\n",
                "formula: mean(seq_sum(clamp(plain, -bound, bound)))\n",
            ),
            (P, "        population: all_positions", "        population: all_positions\n        atom: token"),
            (P, "    atom: token\n    empty: nan", "    atom: sequence\n    empty: nan"),
        ],
        "the formula needs the atom `token`, not `sequence`",
    ),
    Case(
        "atom",
        [
            (P, "  policy/loss:", "  ¦policy/loss:"),
            (P, "    atom: token\n", ""),
            (P, "        population: all_positions", "        population: all_positions\n        atom: token"),
        ],
        [(P, "        population: all_positions", "        population: all_positions\n        atom: token")],
        "`policy/loss` has no atom",
    ),
    Case(
        "atom",
        [
            (P, "  policy/reward/mean:", "  ¦policy/reward/mean:"),
            (
                P,
                "    formula: mean(rewards)\n    atom: sequence",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:lint",
            ),
        ],
        [
            (
                P,
                "    formula: mean(rewards)",
                "    impl: rlmetrics.codegen.lint:lint\n    reference: rlmetrics.codegen.lint:lint",
            )
        ],
        "`policy/reward/mean` has no atom",
    ),
    Case(
        "atom",
        [(P, "      padded:", "      ¦padded:"), (P, "over=everything)", "over=everything) + mean(seq_sum(plain))")],
        [
            (P, "over=everything)", "over=everything) + mean(seq_sum(plain))"),
            (P, "        population: all_positions", "        population: all_positions\n        atom: sequence"),
        ],
        "`policy/loss@padded` takes the atom `token` from its metric",
    ),
    Case(
        "formula-kind",
        [(P, "    formula: mean(rewards)", "    ¦formula: histogram(rewards, low=0, high=1, bins=4)")],
        [
            (
                P,
                "    formula: mean(rewards)",
                "    formula: histogram(rewards, low=0, high=1, bins=4)\n    kind: distribution",
            )
        ],
        "the formula gives a distribution, but `policy/reward/mean` is a scalar",
    ),
]
