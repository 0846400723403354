"""``rlmetrics demo``: a change of meaning, a real log translated, and a metric computed in pieces."""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlmetrics.translate import Report

__all__ = ["PARTS", "add", "changed", "in_pieces", "responses", "run"]

_RUNS = Path(__file__).parent / "demo_runs"
RECORDED = _RUNS / "recorded.json"
"""Results of what needs PyTorch."""

_KEY, _CHANGE = "reward_std", ("trl[GRPOTrainer]==0.26.2", "trl[GRPOTrainer]==0.27.0")
_REWARDS = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
_PROMPTS = (0, 0, 0, 0, 1, 1, 1, 1)
_TRANSLATION = ("trl-0.7.10-ppo.jsonl", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2")
_METRIC = "kl/old/k2"
_POLICY = "policy/"
_TOKENS = 16
PARTS = (1, 2, 5)
"""How many responses each process has."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    subparsers.add_parser(
        "demo",
        help="see what it does, on bundled runs",
        description="Show a name that changed its meaning, translate a bundled run, and compute a metric in pieces. "
        "Nothing is written, and PyTorch is not needed.",
    )


def run(_args: argparse.Namespace) -> int:
    """Run the command."""
    from rlmetrics.wording.terminal import printed

    print(printed([*_change(), "", *_translate(), "", *_compute(), "", *_next()]))
    return 0


def changed() -> list[tuple[str, str, float]]:
    """Return release, metric and value of one key, from the same rewards in two releases."""
    from rlmetrics.names import resolve

    changes: list[tuple[str, str, float]] = []
    for source in _CHANGE:
        (meaning,) = resolve([_KEY], at=source)
        metric = str(meaning.metric)
        changes.append((source.partition("==")[2], metric, _computed(metric, _given(metric))))
    return changes


def _given(metric: str) -> dict[str, list[float]]:
    """Return the rewards under the names that a metric has for its inputs."""
    from rlmetrics.names import load_tables

    return {
        name: [float(prompt) for prompt in _PROMPTS] if name == "group_ids" else [*_REWARDS]
        for name in load_tables().texts[metric]["inputs"]
    }


def _computed(metric: str, inputs: Mapping[str, Any]) -> float:
    """Return a metric by its formula, with nothing but the standard library."""
    from rlmetrics.names import load_tables
    from rlmetrics.oracle import evaluate

    texts = load_tables().texts[metric]
    value = evaluate(texts["formula"], texts.get("let", {}), inputs, {}, texts["empty"])
    if isinstance(value, dict):
        msg = f"{metric} is no number"
        raise TypeError(msg)
    return value


def _change() -> Iterator[str]:
    from rlmetrics.names import load_tables
    from rlmetrics.wording.terminal import columns

    metrics, rows = load_tables().metrics, changed()
    yield f"1  One name, two meanings: {_KEY} of TRL's GRPOTrainer"
    yield "   two prompts, four responses each, rewards 0 0 0 0 and 1 1 1 1"
    yield from columns(
        [(release, f"{value:.2f}", str(metrics[metric]["brief"])) for release, metric, value in rows], indent=5
    )
    yield "   The same responses: the curve jumps because TRL was upgraded."


def _translate() -> Iterator[str]:
    from rlmetrics.translate import translate_file
    from rlmetrics.wording.footnotes import notes_of
    from rlmetrics.wording.keylists import fitting
    from rlmetrics.wording.terminal import symbol, width, wrapped

    name, source, target = _TRANSLATION
    with tempfile.TemporaryDirectory() as folder:
        report = translate_file(_RUNS / name, source=source, target=target, output=Path(folder) / name)
    severities = report.severities
    old, new = source.partition("==")[2], target.partition("==")[2]
    keys = sum(severities.values()) + len(report.duplicates)
    yield f"2  A real log, translated: TRL PPO {old} -> {new}, {keys} keys"
    for severity, examples in _examples(report):
        word = {"look-alike": "look-alikes", "none": "nothing"}.get(severity, severity)
        head = f"     {symbol(severity)} {severities[severity]:2} {word:<13}"
        yield f"{head}{fitting(examples, width() - len(head))}"
        if severity == "biased":
            what = {one["what"] for one in report.translated[examples[0].split(" -> ")[0]]["differs_by"]}
            notes = [note.text for note in notes_of(report).shown if note.what in what]
            yield from wrapped(min(notes, key=len), indent=len(head))
        if severity == "look-alike":
            kept = report.kept[examples[0]]
            yield from wrapped(f"not {kept['nearest']}: {kept['why']}", indent=len(head))


def _examples(report: Report) -> Iterator[tuple[str, list[str]]]:
    """Yield each severity that occurs with its keys, those about the policy first."""
    for severity, count in report.severities.items():
        translated = [(old, how["to"]) for old, how in report.translated.items() if how["severity"] == severity]
        translated.sort(key=lambda item: (item[0] == item[1], _POLICY not in item[0]))
        kept = [old for old, how in report.kept.items() if how["severity"] == severity]
        kept.sort(key=lambda old: _POLICY not in old)
        if count:
            yield severity, [*(f"{old} -> {new}" for old, new in translated), *kept]


def responses() -> dict[str, list[list[float]]]:
    """Return log-probabilities of eight responses of different lengths, the same each time."""
    numbers = random.Random(0)
    lengths = [numbers.randint(1, _TOKENS) for _ in range(sum(PARTS))]
    old = [[-numbers.random() for _ in range(_TOKENS)] for _ in lengths]
    new = [[value + numbers.gauss(0, 0.2) for value in row] for row in old]
    mask = [[float(at < length) for at in range(_TOKENS)] for length in lengths]
    return {"logprobs": new, "old_logprobs": old, "mask": mask}


def in_pieces() -> float:
    """Return the metric from states of three processes that were merged; this needs PyTorch."""
    import torch

    from rlmetrics.functional import REGISTRY

    tensors = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in responses().items()}
    tensors["mask"] = tensors["mask"].bool()
    merged, begin = REGISTRY[_METRIC].state(), 0
    for count in PARTS:
        part = REGISTRY[_METRIC].state()
        part.update(**{name: tensor[begin : begin + count] for name, tensor in tensors.items()})
        merged.merge(part)
        begin += count
    return float(merged.compute())


def _compute() -> Iterator[str]:
    from rlmetrics.wording.terminal import columns

    inputs, begin = responses(), 0
    means: list[float] = []
    for count in PARTS:
        means.append(_computed(_METRIC, {name: rows[begin : begin + count] for name, rows in inputs.items()}))
        begin += count
    has_torch = find_spec("torch") is not None
    merged = in_pieces() if has_torch else float(json.loads(RECORDED.read_text(encoding="utf-8"))[_METRIC])
    sizes = " + ".join(map(str, PARTS))
    yield f"3  A metric computed in pieces: approxkl ({_METRIC}) of {sum(PARTS)} responses"
    plain = "what plain averaging would log"
    rows = [("all at once", _computed(_METRIC, inputs), ""), (f"{len(PARTS)} processes ({sizes}), merged", merged, "")]
    rows.append((f"mean of their {len(PARTS)} means", sum(means) / len(means), plain))
    yield from columns([(what, f"{value:.6f}", said) for what, value, said in rows], indent=5)
    if not has_torch:
        yield "   PyTorch is not installed: the merged number is a recorded result."


def _next() -> Iterator[str]:
    yield "Your turn: rlmetrics resolve KEY · translate LOG --to SOURCE · check LOG"
