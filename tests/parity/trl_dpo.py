"""The run of TRL's DPO trainer: three steps of four pairs, and an evaluation of two batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .fixtures import Event, read_events
from .harness import Case, Leaf, Parts, Reason, Term
from .quantities import Source
from .runs import Run, number_name
from .trl_hf import LISTED, LOGGED, Window, aside, mode_of

STEM = "trl-1.16.0-dpo_parity"
SOURCE = Source("trl[DPOTrainer]==1.16.0")
BETA = {"beta": 0.1}
PARAMETERS: Mapping[str, Mapping[str, float]] = dict.fromkeys(
    ("loss", "rewards/chosen", "rewards/rejected", "rewards/margins"), BETA
)
KEYS = (
    *PARAMETERS,
    *("rewards/accuracies", "logps/chosen", "logps/rejected", "logits/chosen", "logits/rejected"),
    *("entropy", "mean_token_accuracy"),
)
TOKENS = "num_tokens"
"""Counts on over the whole run; an evaluation repeats it."""
LOGGED_KEYS = (TOKENS, f"eval_{TOKENS}", *KEYS, *(f"eval_{key}" for key in KEYS), "train_loss")
LOCALS = {
    "loss": "loss",
    "ret": "loss",
    "entropy": "entropy",
    "avg_chosen_logits": "logits/chosen",
    "avg_rejected_logits": "logits/rejected",
    "accuracy": "mean_token_accuracy",
}
TOTALS = {
    "entropy_sum": ("entropy", "mask"),
    "total_chosen_logits": ("logits/chosen", "chosen_mask"),
    "total_rejected_logits": ("logits/rejected", "rejected_mask"),
    "correct_tokens": ("mean_token_accuracy", "chosen_mask"),
}
"""Sums that a logged mean is made of, with the key of the mean and the mask of the tokens that it counts."""

WHY = {
    "outputs|loss": "The model's own loss over both responses, which the forward pass returns and nobody uses.",
    "ref_outputs|loss": "The reference's own loss over both responses, which the forward pass returns and nobody uses.",
    "loss_weight": "The weight of the only loss type, a setting.",
}
SWITCHES = "A switch, a size or a number of tokens."
MICRO = "one micro-batch"


def _pairs(event: Event) -> Leaf:
    tensors = event.tensors
    named = ("chosen_mean_logits", "rejected_mean_logits", "chosen_is_top1")
    return Leaf(
        {
            "chosen_logprobs": tensors["chosen_logps"],
            "rejected_logprobs": tensors["rejected_logps"],
            "ref_chosen_logprobs": tensors["ref_chosen_logps"],
            "ref_rejected_logprobs": tensors["ref_rejected_logps"],
            "token_entropy": tensors["per_token_entropy"],
            "mask": event.mask("mask"),
            "chosen_mask": event.mask("chosen_mask"),
            "rejected_mask": event.mask("rejected_mask"),
            **{name: tensors[name] for name in named},
        }
    )


def _lengths(event: Event) -> Leaf:
    lengths = event.mask("mask").sum(1)
    return Leaf({"lengths": lengths, "prompt_lengths": event.tensors["inputs|attention_mask"].sum(1) - lengths})


def _named(key: str, mode: str) -> str:
    return key if mode == "train" else f"eval_{key}"


def _part(key: str, mode: str, data: Leaf, number: str, value: float) -> Case:
    quantity = SOURCE.quantity(_named(key, mode)).of_one_part
    return Case(_named(key, mode), MICRO, number, value, [Term(quantity, data, PARAMETERS.get(key, {}))])


def _total(name: str, mode: str, data: Leaf, number: str, value: float) -> Case:
    key, mask = TOTALS[name]
    term = Term(SOURCE.quantity(_named(key, mode)).of_one_part, data)
    tokens = float(data.tensors[mask].sum())
    formula = f"`{term.quantity.function}` times the number of tokens"
    return Case(name, MICRO, number, value, [term], lambda values: values[0] * tokens, formula)


def _entries() -> Iterator[Case | Reason]:
    windows = {"train": Window(), "eval": Window()}
    steps: list[Term] = []
    seen: list[Leaf] = []
    mode = "train"
    for event in read_events(STEM):
        if event.name == "_compute_loss":
            mode = "eval" if any(path.startswith("extra|eval|") for path in event.numbers) else "train"
            windows[mode].micro.append(_pairs(event))
            if mode == "train":
                seen.append(_lengths(event))
        elif mode_of(event) == "train" and windows["train"].micro:
            steps.append(Term(SOURCE.quantity("loss"), windows["train"].step(), BETA))
        for path, value in event.numbers.items():
            if TOKENS in path:
                yield _tokens(event, path, value, seen)
            else:
                yield _entry(event, path, value, windows, mode, steps)
        if event.name == "log":
            windows[mode_of(event)] = Window()


def _entry(
    event: Event, path: str, value: float, windows: Mapping[str, Window], mode: str, steps: Sequence[Term]
) -> Case | Reason:
    number = number_name(event, path)
    left_out = aside(SOURCE, event, path, LOGGED_KEYS, number)
    if left_out is not None:
        return left_out
    if match := LISTED.match(path):
        return _part(match[2], match[1], windows[match[1]].micro[int(match[3])], number, value)
    if event.name == "log" and (match := LOGGED.match(path)):
        return _logged(match[1], mode_of(event), windows, steps, number, value)
    name = path.removeprefix("locals|")
    data = windows[mode].micro[-1]
    if name in TOTALS:
        return _total(name, mode, data, number, value)
    if name in LOCALS:
        return _part(LOCALS[name], mode, data, number, value)
    return Reason(name, number, WHY.get(name, SWITCHES))


def _tokens(event: Event, path: str, value: float, seen: Sequence[Leaf]) -> Case:
    number = number_name(event, path)
    if path.endswith("num_tokens_in_batch"):
        term = Term(SOURCE.quantity(TOKENS).of_one_part, seen[-1])
        return Case("num_tokens_in_batch", MICRO, number, value, [term])
    key = _named(TOKENS, "eval" if "|eval" in path else "train")
    term = Term(SOURCE.quantity(key).of_one_part, Parts("step", list(seen)))
    return Case(key, "the run so far", number, value, [term])


def _logged(
    name: str, mode: str, windows: Mapping[str, Window], steps: Sequence[Term], number: str, value: float
) -> Case:
    if name == "train_loss":
        formula = f"`{steps[0].quantity.function}`, the mean over all steps"
        return Case(name, "the whole run", number, value, steps, lambda losses: sum(losses) / len(losses), formula)
    data = windows[mode].step() if mode == "train" else windows[mode].batches()
    parameters = PARAMETERS.get(name.removeprefix("eval_"), {})
    return Case(name, "logged", number, value, [Term(SOURCE.quantity(name), data, parameters)])


def _numbers() -> Sequence[str]:
    return [number_name(event, path) for event in read_events(STEM) for path in event.numbers]


RUN = Run(
    "TRL 1.16.0, DPOTrainer",
    SOURCE,
    "Three steps of one micro-batch of four pairs, then an evaluation of two batches.",
    lambda: list(_entries()),
    _numbers,
)
