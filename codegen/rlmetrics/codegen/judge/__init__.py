"""Sentences of the spec, judged by numbers: steps of a run are drawn, and what a release would log of them is computed.

- `reference_steps`, `side_inputs`: seeded steps in plain Python, in each situation that a sentence may name
- `plain_numbers`: the number that a recipe of `rlmetrics.reproduction` gives for a step, by the plain-Python evaluator
- `asked_rows`, `carriers`: which keys of which releases a sentence is told of, under which settings
- `shown_numbers`: what these keys are in each step
- `verdicts`: what steps can say, and what a sentence is held against
- `value_verdicts`, `stated_verdicts`, `constant_verdicts`, `trait_verdicts`: sentences on values, on where a number
  begins, on constants, and on what traits do
- `spec_judge`, `judged_lock`: all of them; the verdicts are kept in ``spec/judged.lock``

The sentences themselves are gathered by `rlmetrics.codegen.lint.sentences`, and what each is told of by
`rlmetrics.codegen.lint.carried`.

No part of it needs PyTorch.
"""
