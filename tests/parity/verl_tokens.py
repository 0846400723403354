"""Rows of what verl computes from logits, of its masked statistics and of the variance proxies."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from .verl_answers import told
from .verl_policy import fraction
from .verl_records import records
from .verl_reduction import row
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Scenario

GRADIENT_NORM = 1.5
LOGITS = 8.0
"""Size of the logits: verl subtracts sums of them, so this is what rounding is relative to."""

HALF_ENTROPY = Explained(
    "computed in bfloat16 from the logits on, which costs up to 0.06 nat; no trainer of these releases logs it"
)
HALF_LOGPROB = Explained(
    "rounded to the 8 significant bits of bfloat16, which costs up to 1 in 200; the functions take log-probabilities "
    "as they are"
)


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of all of them."""
    yield from _entropy(release)
    yield from _logprobs()
    yield from _masked()
    for function, output in records(release):
        if function == "compute_variance_proxy_metrics":
            yield (function, output), row(told(release, output.rpartition("|")[2]), prepare=_with_norm)


def _everywhere(batch: Scenario) -> Scenario:
    return batch.with_tensors(mask=torch.ones_like(batch.mask))


def _entropy(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    key = "entropy/policy"
    function = "entropy_from_logits"
    how = "of each token, padding included"

    def by_token(batch: Scenario) -> Tensor:
        return _everywhere(batch).by_token(key)

    def of_half(batch: Scenario) -> Tensor:
        rounded = batch.tensors["logits"].bfloat16().float()
        return _everywhere(batch).with_tensors(logits=rounded).by_token(key).flatten()

    def flat(batch: Scenario) -> Tensor:
        return by_token(batch).flatten()

    rounded = f"{how}; logits rounded to bfloat16"
    yield (function, "compute_entropy_loss"), row(told(release, "actor/pg_loss").of_another(key))
    yield (function, "entropy_from_logits"), Reproduced(key, by_token, how, magnitude=LOGITS)
    yield (function, "chunking"), Reproduced(key, flat, how, magnitude=LOGITS)
    yield (function, "chunking|bf16"), Reproduced(key, of_half, rounded, magnitude=LOGITS)
    yield (function, "entropy_from_logits|bf16"), HALF_ENTROPY
    if (function, "sum_pi_squared") in records(release):
        proxy = "training/score_norm_proxy@from_logits"
        how = "of each token, at a log-probability of 0, plus 1"
        yield (function, "sum_pi_squared"), Reproduced(proxy, _square_sums, how, magnitude=LOGITS)


def _square_sums(batch: Scenario) -> Tensor:
    """Take the proxy at a log-probability of 0, where its other terms add up to -1."""
    certain = torch.zeros_like(batch.tensors["old_logprobs"])
    batch = _everywhere(batch).with_tensors(old_logits=batch.tensors["logits"], old_logprobs=certain)
    return batch.by_token("training/score_norm_proxy@from_logits") + 1


def _logprobs() -> Iterator[tuple[tuple[str, str], Row]]:
    key = "sft/loss@from_logits"

    def by_token(batch: Scenario) -> Tensor:
        return -_everywhere(batch).by_token(key)

    for name in ("logprobs_from_logits", "logprobs_from_logits_naive", "logprobs_from_logits_v2"):
        yield ("logprobs_from_logits", name), Reproduced(key, by_token, "minus, of each token, padding included")
        yield ("logprobs_from_logits", f"{name}|bf16"), HALF_LOGPROB


def _masked() -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of the helpers behind most numbers, on three tensors."""
    tensors = {"values": "old_values", "advantages": "advantages", "log_probs": "logprobs"}
    for name, word in tensors.items():
        mean, variance = "value/mean", "value/variance"
        how = "" if word == "old_values" else f"on {word}"

        def prepare(batch: Scenario, word: str = word) -> Scenario:
            return batch.with_tensors(old_values=batch.tensors[word])

        outputs: dict[str, tuple[str, Callable[[Scenario], float | Tensor], str]] = {
            "masked_sum": (mean, _sum, "times the number of tokens"),
            "masked_var": (variance, lambda batch: batch.compute("value/variance"), ""),
            "masked_var_biased": (variance, _biased, "times (n - 1) / n"),
            "masked_mean_axis": (mean, _row_means, "of each response, 0 for one without tokens"),
            "masked_whiten": (variance, _whitened, "and `value/mean`: (x - mean) / sqrt(variance + 1e-8)"),
            "masked_whiten_keepmean": (variance, _scaled, "and `value/mean`: masked_whiten plus the mean"),
        }
        yield ("masked_ops", f"{name}|masked_mean"), fraction(mean, {}, prepare, how)
        for output, (key, value, words) in outputs.items():
            text = "; ".join(word for word in (words, how) if word)
            yield ("masked_ops", f"{name}|{output}"), _on(key, prepare, value, text)


def _on(
    key: str,
    prepare: Callable[[Scenario], Scenario],
    value: Callable[[Scenario], float | Tensor],
    how: str,
) -> Row:
    return Reproduced(key, lambda batch: value(prepare(batch)), how)


def _sum(batch: Scenario) -> float:
    return batch.zero_if_empty(batch.compute("value/mean") * float(batch.counts.sum()))


def _biased(batch: Scenario) -> float:
    tokens = float(batch.counts.sum())
    return 0.0 if tokens <= 1 else batch.compute("value/variance") * (tokens - 1) / tokens


def _row_means(batch: Scenario) -> Tensor:
    return torch.where(batch.counts > 0, batch.by_response("value/mean"), 0).squeeze()


def _whitened(batch: Scenario) -> Tensor:
    spread = (batch.compute("value/variance") + 1e-8) ** 0.5
    return torch.div(batch.tensors["old_values"].double() - batch.compute("value/mean"), spread)


def _scaled(batch: Scenario) -> Tensor:
    return _whitened(batch) + batch.compute("value/mean")


def _with_norm(batch: Scenario) -> Scenario:
    return batch.with_tensors(gradient_norms=torch.tensor([GRADIENT_NORM], dtype=torch.float64))
