"""The run of TRL's GRPO trainer: six steps, two for each generation batch, and an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch

from .fixtures import Event, read_events
from .harness import Case, Data, Leaf, Parts, Reason, Term
from .quantities import Source
from .runs import Run, number_name
from .trl_hf import LISTED, LOGGED, Window, aside, mode_of

STEM = "trl-1.16.0-grpo_parity"
SOURCE = Source("trl[GRPOTrainer]==1.16.0", (("beta", 0.04), ("num_iterations", 2)))
GENERATIONS = 4
END_TOKEN = 1
REWARDS = ("rew_len", "rew_a")
CLIPS = {"clip_low": 0.2, "clip_high": 0.2}
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "loss": {**CLIPS, "kl_coef": 0.04},
    "clip_ratio/low_mean": {"clip_low": 0.2},
    "clip_ratio/low_min": {"clip_low": 0.2},
    "clip_ratio/high_mean": {"clip_high": 0.2},
    "clip_ratio/high_max": {"clip_high": 0.2},
    "clip_ratio/region_mean": CLIPS,
}
OF_THE_UPDATE = (*PARAMETERS, "kl", "entropy")
GENERATED = (
    *(f"completions/{name}" for name in ("mean_length", "min_length", "max_length", "clipped_ratio")),
    *(f"completions/{name}_terminated_length" for name in ("mean", "min", "max")),
    *(f"rewards/{name}/{statistic}" for name in REWARDS for statistic in ("mean", "std")),
    "reward",
    "reward_std",
    "frac_reward_zero_std",
)
TOKENS = "num_tokens"
"""Counts on over the whole run; an evaluation repeats it."""
KEYS = (*OF_THE_UPDATE, *GENERATED, TOKENS)
LOGGED_KEYS = (*KEYS, *(f"eval_{key}" for key in KEYS), "train_loss")
STRAIGHT = "A timing that goes straight to W&B, MLflow or Trackio; the run had only TensorBoard."
ABSENT = {
    f"profiling/Time taken: GRPOTrainer.{name}": STRAIGHT
    for name in (
        "_prepare_inputs",
        "compute_loss",
        "_get_per_token_logps_and_entropies",
        "_calculate_rewards",
        "{timed_reward}",
        "transformers.generate",
    )
}
SIZES = "A loop counter, a size or a number of tokens."
GIVEN = "The reward that the last reward function gave to one response, an input."
MICRO = "one micro-batch"
GENERATION = "one generation batch"
WINDOW = "logged"


def _generation(event: Event) -> Leaf:
    tensors = event.tensors
    mask = event.mask("completion_mask")
    lengths = mask.sum(1)
    last = tensors["completion_ids"].gather(1, (lengths - 1).unsqueeze(1)).squeeze(1)
    return Leaf(
        {
            "lengths": lengths,
            "prompt_lengths": event.mask("prompt_mask").sum(1),
            "terminated": last == END_TOKEN,
            "scores": tensors["rewards"],
            "rewards": tensors["rewards"],
            "group_ids": torch.arange(len(lengths)) // GENERATIONS,
            **{name: tensors["rewards_per_func"][:, index] for index, name in enumerate(REWARDS)},
        }
    )


def _micro(event: Event) -> Leaf:
    tensors = event.tensors
    mask = event.mask("mask")
    return Leaf(
        {
            "logprobs": tensors["per_token_logps"],
            "old_logprobs": tensors["old_per_token_logps"],
            "ref_logprobs": tensors["ref_per_token_logps"],
            "advantages": tensors["advantages"].expand(mask.shape),
            "token_entropy": tensors["entropies"],
            "mask": mask,
        }
    )


def _of_function(key: str, data: Leaf) -> Leaf:
    """Return the rewards of the reward function that a key names."""
    return Leaf({"function_rewards": data.tensors[key.split("/")[1]]})


def _part(key: str, mode: str, data: Leaf, number: str, value: float) -> Case:
    quantity = SOURCE.quantity(key if mode == "train" else f"eval_{key}").of_one_part
    where = MICRO if key in OF_THE_UPDATE else GENERATION
    leaf = _of_function(key, data) if key.startswith("rewards/") else data
    return Case(_named(key, mode), where, number, value, [Term(quantity, leaf, PARAMETERS.get(key, {}))])


def _named(key: str, mode: str) -> str:
    return key if mode == "train" else f"eval_{key}"


def _logged(name: str, mode: str, window: Window, number: str, value: float) -> Case:
    key = name.removeprefix("eval_")
    data: Data
    if key in OF_THE_UPDATE:
        data = window.step() if mode == "train" else window.batches()
    elif key.startswith("rewards/"):
        data = Window([_of_function(key, one) for one in window.generations]).generated()
    else:
        data = window.generated()
    return Case(name, WINDOW, number, value, [Term(SOURCE.quantity(name), data, PARAMETERS.get(key, {}))])


def _loss(event: Event, mode: str, data: Leaf, number: str, value: float) -> Case:
    """Return the loss of a micro-batch: the sum over its tokens by the normaliser of the whole step."""
    quantity = SOURCE.quantity(_named("loss", mode)).of_one_part
    share = float(data.tensors["mask"].sum()) / event.numbers["locals|normalizer"]
    return Case(
        _named("loss", mode),
        MICRO,
        number,
        value,
        [Term(quantity, data, PARAMETERS["loss"])],
        lambda values: values[0] * share,
        f"`{quantity.function}` times the tokens' share in the normaliser",
    )


def _entries() -> Iterator[Case | Reason]:
    windows = {"train": Window(), "eval": Window()}
    steps: list[Term] = []
    seen: list[Leaf] = []
    mode = "train"
    for event in read_events(STEM):
        if event.name == "_generate_and_score_completions":
            # In an evaluation, lists of that mode are filled; those of training are empty after a log.
            mode = "eval" if any(path.startswith("extra|eval|") for path in event.numbers) else "train"
            windows[mode].generations.append(_generation(event))
            if mode == "train":
                seen.append(windows[mode].generations[-1])
        elif event.name == "_compute_loss":
            windows[mode].micro.append(_micro(event))
        elif event.name == "log" and mode_of(event) == "train" and windows["train"].micro:
            steps.append(Term(SOURCE.quantity("loss"), windows["train"].step(), PARAMETERS["loss"]))
        for path, value in event.numbers.items():
            if path.endswith(TOKENS) or f"|{TOKENS}|" in path:
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
        in_mode, key, position = match[1], match[2], int(match[3])
        window = windows[in_mode]
        parts = window.micro if key in OF_THE_UPDATE else window.generations
        return _part(key, in_mode, parts[position], number, value)
    if event.name == "log" and (match := LOGGED.match(path)):
        if match[1] == "train_loss":
            return _run_mean(number, value, steps)
        return _logged(match[1], mode_of(event), windows[mode_of(event)], number, value)
    if event.name == "_compute_loss" and path in ("locals|loss", "locals|policy_loss", "ret"):
        return _loss(event, mode, windows[mode].micro[-1], number, value)
    name = path.removeprefix("locals|").removeprefix("output|").removeprefix("inputs|").removeprefix("ret|")
    if name in ("mean_rewards", "std_func_rewards"):
        key = f"rewards/{REWARDS[-1]}/{'mean' if name == 'mean_rewards' else 'std'}"
        return _part(key, mode, windows[mode].generations[-1], number, value)
    if name.startswith("output_reward_func|"):
        return Reason("output_reward_func", number, GIVEN)
    return Reason(name, number, SIZES)


def _tokens(event: Event, path: str, value: float, seen: Sequence[Leaf]) -> Case:
    key = f"eval_{TOKENS}" if "|eval" in path else TOKENS
    term = Term(SOURCE.quantity(key).of_one_part, Parts("step", list(seen)))
    return Case(key, "the run so far", number_name(event, path), value, [term])


def _run_mean(number: str, value: float, steps: Sequence[Term]) -> Case:
    formula = f"`{steps[0].quantity.function}`, the mean over all steps"
    return Case("train_loss", "the whole run", number, value, steps, lambda losses: sum(losses) / len(losses), formula)


def _numbers() -> Sequence[str]:
    return [number_name(event, path) for event in read_events(STEM) for path in event.numbers]


RUN = Run(
    "TRL 1.16.0, GRPOTrainer",
    SOURCE,
    "Six steps of two micro-batches, each generation batch used twice, then an evaluation of eight batches.",
    lambda: list(_entries()),
    _numbers,
    ABSENT,
)
