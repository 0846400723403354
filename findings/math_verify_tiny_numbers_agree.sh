#!/usr/bin/env bash
# math-verify 0.9.0: any two numbers below about 1e-16, and decimals that agree in their first six places, are the same
# answer: Planck's constant is Boltzmann's, and the mass of an electron is its charge.
#
# Guess:    "precision" is one of digits that count: 6.63e-34 and 1.38e-23 differ in all of them.
# Seen:     the difference itself is what is held against 0, so of numbers written with a power of ten nothing is left
#           from about 1e-16 on: another size, another mantissa and the other sign are all correct, in both directions,
#           and so is 10^{-20} for 10^{-23}. Written as decimals, numbers are rounded to six places behind the point:
#           0.0000001 is 0.0000004. The same ratio at 10^{-8} or at 10^{23} is told apart. Nothing is said.
# Hurts:    rewards and accuracies over physics and chemistry, where answers are of this size: each well-formed wrong
#           answer is rewarded, accuracy on these tasks stands near 1 from the first step on, and groups in which all
#           are "right" have no advantage.
# Remedy:   compare such answers by their ratio, or ask for them in units in which they are near 1.
# Output:   gold 6.63\times 10^{-34}: 6.63\times 10^{-34} True, 1.38\times 10^{-23} True, -6.63\times 10^{-34} True
#           gold 9.11\times 10^{-31}: 1.6\times 10^{-19} True; gold 10^{-23}: 10^{-20} True
#           gold 0.0000001: 0.0000004 True, 0.000004 False
#           gold 6.63\times 10^{-8}: 1.38\times 10^{-8} False; gold 6.63\times 10^{23}: 1.38\times 10^{23} False
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check math-verify==0.9.0 latex2sympy2_extended==1.11.0 \
  antlr4-python3-runtime==4.13.2 sympy==1.14.0 mpmath==1.3.0 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
from math_verify import parse, verify


def correct(gold, answer):
    sides = [parse(f"${text}$", raise_on_error=True) for text in (gold, answer)]
    assert all(sides), "nothing was read"
    assert verify(*sides) == verify(*sides[::-1]), "the order counts"
    return verify(*sides)


LINES = [
    [(r"6.63\times 10^{-34}", [r"6.63\times 10^{-34}", r"1.38\times 10^{-23}", r"-6.63\times 10^{-34}"])],
    [(r"9.11\times 10^{-31}", [r"1.6\times 10^{-19}"]), ("10^{-23}", ["10^{-20}"])],
    [("0.0000001", ["0.0000004", "0.000004"])],
    [(r"6.63\times 10^{-8}", [r"1.38\times 10^{-8}"]), (r"6.63\times 10^{23}", [r"1.38\times 10^{23}"])],
]
judged = []
for line in LINES:
    said = []
    for gold, answers in line:
        results = [correct(gold, answer) for answer in answers]
        said.append(f"gold {gold}: " + ", ".join(f"{a} {r}" for a, r in zip(answers, results, strict=True)))
        judged += results
    print("; ".join(said))
assert judged == [*[True] * 5, True, False, False, False], "tiny numbers are told apart now"
PY
