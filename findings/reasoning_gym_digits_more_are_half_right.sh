#!/usr/bin/env bash
# reasoning-gym 0.1.25, score_answer: a wrong number that contains the right one gets most of the reward: 113 for 13 is
# 0.667, 7935460720 for 793546072 is 0.9; in gsm_symbolic -288 for 288 is 1.0.
#
# Guess:    a task with one number for an answer gives 1 for it, and 0 (or a fixed consolation) for any other number.
# Seen:     many tasks share a rule for answers that are right but wordy: if the text of the right one occurs in what
#           was said, the score is the length of the one by that of the other. The rule counts characters, not words:
#           any digit more, at either end, or a minus sign leaves half to nine tenths of the reward, the more so the
#           longer the number. "not Yes" for Yes is 0.429. gsm_symbolic reads numbers without the minus before them.
# Hurts:    mean rewards and their curves, which are read as accuracy: a model that is off by the sign or by a factor of
#           ten is above one half. Where answers have one digit, "10" collects 0.5 for both 0 and 1: guessing long pays.
# Remedy:   count score == 1 for accuracy, and compare numbers as numbers.
# Output:   simple_equations, answer 13: right 1.0, a digit after 0.667, a digit before 0.667, minus 0.667
#           products, answer 793546072: right 1.0, a digit after 0.9, a digit before 0.9, minus 0.9
#           letter_counting, answer 3: right 1.0, a digit after 0.5, a digit before 0.5, minus 0.5
#           gsm_symbolic, answer 288: right 1.0, a digit after 0.01, a digit before 0.01, minus 1.0
#           syllogism, answer Yes: not Yes 0.429, No 0.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check reasoning-gym==0.1.25 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import reasoning_gym

WRONG = {
    "right": "{}",
    "a digit after": "{}0",
    "a digit before": "1{}",
    "minus": "-{}",
}


def scores(task):
    data = reasoning_gym.create_dataset(task, size=3, seed=1)
    entry = data[0]
    found = {name: round(data.score_answer(form.format(entry["answer"]), entry), 3) for name, form in WRONG.items()}
    print(f"{task}, answer {entry['answer']}: " + ", ".join(f"{name} {score}" for name, score in found.items()))
    return found


equations, products, counting = scores("simple_equations"), scores("products"), scores("letter_counting")
symbolic = scores("gsm_symbolic")
data = reasoning_gym.create_dataset("syllogism", size=3, seed=1)
(entry,) = [one for one in data if one["answer"] == "Yes"][:1]
denied = round(data.score_answer("not Yes", entry), 3)
print(f"syllogism, answer Yes: not Yes {denied}, No {data.score_answer('No', entry)}")
for found in (equations, products, counting, symbolic):
    assert found["right"] == 1
assert equations["a digit before"] > 0.6 and products["a digit after"] > 0.8, "a wrong number gets nothing now"
assert counting["a digit before"] == 0.5 and symbolic["minus"] == 1 and symbolic["a digit after"] < 0.1
assert denied > 0.4
PY
