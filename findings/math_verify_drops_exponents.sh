#!/usr/bin/env bash
# math-verify 0.9.0: in 3e8 the exponent is dropped, so 3e8 m/s is a correct 3, and no correct 300000000; within LaTeX
# the e is Euler's number, and \boxed{2.5e-4} is 2.796.
#
# Guess:    a number as Python, JSON and every calculator write it is read as that number, or not read at all.
# Seen:     the plain text is read up to the e: "The answer is 3e8" gives 3, "2.5e-4" gives 2.5, with E as well, and so
#           does a gold answer in this form, so that 1.5e5 and 1.5e9 are equal. In a box or between dollars it is 2.5
#           times e minus 4. No warning; raise_on_error raises nothing. 3\times10^8 is read well.
# Hurts:    rewards and accuracies over numeric tasks: right answers in this form get 0 and wrong ones, off by any power
#           of ten, get 1 where the gold answer came from a float of Python (str(1e-05) and str(1e+16) have the form).
#           A policy learns notation, and the curve reads as one of arithmetic.
# Remedy:   numbers of gold answers written out or with \times10^{...}, and answers put into that form first.
# Output:   read: The answer is 3e8. -> 3; 2.5e-4 -> 2.5; 2.5E-4 -> 2.5; \boxed{2.5e-4} -> 2.796;
#           \boxed{3\times10^8} -> 300000000
#           gold 3: 3e8 True; gold 300000000: 3e8 False; gold 1.5e5: 1.5e9 True; gold 0.00025: \boxed{2.5e-4} False
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check math-verify==0.9.0 latex2sympy2_extended==1.11.0 \
  antlr4-python3-runtime==4.13.2 sympy==1.14.0 mpmath==1.3.0 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
from math_verify import parse, verify


def read(text):
    return parse(text, raise_on_error=True)[0]


numbers = {
    text: round(float(read(text)), 3)
    for text in ("The answer is 3e8.", "2.5e-4", "2.5E-4", r"\boxed{2.5e-4}", r"\boxed{3\times10^8}")
}
print("read:", "; ".join(f"{text} -> {number:.10g}" for text, number in numbers.items()))
pairs = [("3", "3e8"), ("300000000", "3e8"), ("1.5e5", "1.5e9"), ("0.00025", r"\boxed{2.5e-4}")]
correct = [verify(read(gold), read(answer)) for gold, answer in pairs]
print("; ".join(f"gold {gold}: {answer} {right}" for (gold, answer), right in zip(pairs, correct, strict=True)))
assert [*numbers.values()] == [3.0, 2.5, 2.5, 2.796, 3e8], "exponents are read now"
assert correct == [True, False, True, False], "exponents count now"
PY
