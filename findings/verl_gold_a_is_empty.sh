#!/usr/bin/env bash
# verl 0.9.1, search_r1_like_qa_em: the gold answer "A" is an empty text, which an empty answer equals and every answer
# contains; -5 equals 5, and 3.5 equals 35.
#
# Guess:    "exact match" forgives capitals, a full stop at the end and "the" before a name; what is the whole answer,
#           or changes a number, stays.
# Seen:     all punctuation and the words a, an and the are deleted wherever they stand, from the gold answer as well.
#           Of "A" nothing is left, so <answer></answer> and "the" are exact matches, and for compute_score_subem it is
#           part of any answer, "B" among them. "Hepatitis A" is "Hepatitis", minus signs and decimal points are gone,
#           and 1/2 is 12, C++ is C. No warning.
# Hurts:    rewards and accuracies over multiple choice and over questions with numbers: of four letters one is right
#           for whoever leaves the tags empty, or by parts for any answer, so that accuracy has a floor that looks like
#           skill, and groups on these prompts have no advantage. A magnitude with the wrong sign is full marks.
# Remedy:   gold answers spelled out, and numbers compared as numbers.
# Output:   exact: A: '' 1.0, 'the' 1.0, 'B' 0.0; B: '' 0.0; Hepatitis A: 'Hepatitis' 1.0; -5: '5' 1.0; 3.5: '35' 1.0;
#           1/2: '12' 1.0; C++: 'C' 1.0
#           part: A: 'B' 1.0, 'no idea' 1.0; B: 'no idea' 0.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$work" verl==0.9.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
import contextlib
import glob
import io
import zipfile

# The one file: it needs nothing but the standard library, while the package around it asks for a trainer's.
path = "verl/utils/reward_score/search_r1_like_qa_em.py"
module = {}
exec(compile(zipfile.ZipFile(glob.glob("verl-*.whl")[0]).read(path), path, "exec"), module)


def score(function, gold, answer):
    with contextlib.redirect_stdout(io.StringIO()):  # one call in 64 prints what it judges
        return module[function](f"I think so. <answer>{answer}</answer>", {"target": [gold]})


def table(function, cases):
    found = {(gold, answer): score(function, gold, answer) for gold, answers in cases.items() for answer in answers}
    parts = (f"{gold}: " + ", ".join(f"{a!r} {found[gold, a]}" for a in answers) for gold, answers in cases.items())
    return found, "; ".join(parts)


exact, line = table(
    "compute_score",
    {
        "A": ["", "the", "B"],
        "B": [""],
        "Hepatitis A": ["Hepatitis"],
        "-5": ["5"],
        "3.5": ["35"],
        "1/2": ["12"],
        "C++": ["C"],
    },
)
print("exact:", line)
part, line = table("compute_score_subem", {"A": ["B", "no idea"], "B": ["no idea"]})
print("part:", line)
assert exact["B", ""] == 0 and part["B", "no idea"] == 0
assert exact["A", ""] == 1 and exact["-5", "5"] == 1 and exact["3.5", "35"] == 1, "exact match keeps these apart now"
assert part["A", "B"] == 1, "A is no part of B any more"
PY
