"""Sentences of the spec, judged by numbers: steps of a run are drawn, and what a release would log of them is computed.

- `reference_steps`: seeded steps in plain Python, in each situation that a sentence may name
- `plain_numbers`: the number that a recipe of `rlmetrics.reproduction` gives for a step, by the plain-Python evaluator
- `carriers`: which keys of which releases a sentence is told of, under which settings
- `verdicts`: whether the numbers of the steps bear a sentence out
- `spec_judge`, `judged_lock`: the verdicts, and where they are kept: in ``spec/judged.lock``

The sentences themselves are gathered by `rlmetrics.codegen.lint.sentences`.

No part of it needs PyTorch.
"""
