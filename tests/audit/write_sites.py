"""Finds writes of metrics by regular expressions, sharing nothing with the auditor that it checks.

It knows no scopes, no calls and no inheritance: a line that writes a literal key into something that is named like a
store of metrics is a write site, whatever happens to the store afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["NOT_METRICS", "NotMetrics", "WriteSite", "is_covered", "unexplained", "write_sites"]

_STORE = r"[\w.]*(?:metric|stats|logs\b|timing|_rates|_counters)\w*"
_LITERAL = r"""(?P<f>[fF]?)(?P<quote>["'])(?P<key>[^"'\n]+)(?P=quote)"""
_USE = r"(?:[-+*/|]?=(?!=)|\.(?:append|extend|add)\()"
_SUBSCRIPT = re.compile(rf"{_STORE}(?:\[[^\[\]]+\])*\[\s*{_LITERAL}\s*\]\s*(?:\[[^\[\]]+\]\s*)?{_USE}")
_ASSIGNED = rf"{_STORE}(?:\[[^\[\]]+\])*\s*(?::[^=\n]+)?(?:=|\.update\()"
_HANDED = r"(?:wandb|trackio|accelerator|self|logger|tracker)\.log\((?:data=)?"
_BLOCK = re.compile(rf"(?:{_ASSIGNED}|{_HANDED})\s*(?:dict\(\s*)?\{{")
_ENTRY = re.compile(rf"{_LITERAL}\s*:(?!:)")
_TIMER = re.compile(rf"(?:marked_timer|(?<![\w.])_timer|simple_timer|profiling_context)\(\s*(?:self,\s*)?{_LITERAL}")
_PROFILED = re.compile(r"@profiling_decorator\s*\n\s*(?:async )?def (?P<key>\w+)")
_PREFIXED = re.compile(r"""f(?P<quote>["'])\{(?:self\.)?prefix\}(?P<key>\w+/[^"'\n]*)(?P=quote)\]\s*=""")


@dataclass(frozen=True)
class WriteSite:
    """A line that writes a key: where a part of the key is computed, the template has ``{}``."""

    path: str
    line: int
    template: str
    timed: bool = False
    """Whether the key is the name of a timed function or section, to which the timer adds its own prefix."""


@dataclass(frozen=True)
class NotMetrics:
    """Write sites that no tracker ever sees, with the reason."""

    path: str
    template: str
    reason: str

    def covers(self, site: WriteSite) -> bool:
        """Whether a write site is one of these."""
        return bool(re.fullmatch(self.path, site.path) and re.fullmatch(self.template, site.template))


def write_sites(path: str, text: str) -> Iterator[WriteSite]:
    """Yield the write sites of one file, in the order in which the expressions find them."""
    text = _without_comments(text)

    def site(position: int, key: str, *, formatted: bool, timed: bool = False) -> WriteSite:
        template = re.sub(r"\{[^{}]*\}", "{}", key) if formatted else key
        return WriteSite(path, text.count("\n", 0, position) + 1, template, timed)

    for pattern in (_SUBSCRIPT, _TIMER):
        for match in pattern.finditer(text):
            yield site(match.start("key"), match["key"], formatted=bool(match["f"]), timed=pattern is _TIMER)
    for match in _PREFIXED.finditer(text):
        yield site(match.start("key"), match["key"], formatted=True)
    for match in _PROFILED.finditer(text):
        yield site(match.start("key"), match["key"], formatted=False, timed=True)
    for match in _BLOCK.finditer(text):
        block = text[match.end() : _closing(text, match.end())]
        for entry in _ENTRY.finditer(block):
            yield site(match.end() + entry.start("key"), entry["key"], formatted=bool(entry["f"]))


def _without_comments(text: str) -> str:
    """Blank out comments and docstrings, keeping every line where it is."""
    text = re.sub(r'("""|\'\'\')(?:.|\n)*?\1', lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return re.sub(r"(?m)(^|\s)#.*$", r"\1", text)


def _closing(text: str, start: int) -> int:
    """Return where the brace that opened before ``start`` closes."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def is_covered(site: WriteSite, logged: Mapping[str, Iterable[tuple[int, str]]], slack: int = 4) -> bool:
    """Whether an extraction has a key at (or near) the line of a write site that holds what the site writes.

    Args:
        site: A write site.
        logged: Path to (line, key) of what the auditor extracted there.
        slack: How many lines a statement may spread over.
    """
    parts = [part for part in re.split(r"\{\}", site.template) if part]
    if site.timed:
        return any(
            f"/{name}".endswith((f".{site.template}", f"/{site.template}"))
            for keys in logged.values()
            for _, name in keys
        )
    return any(
        abs(line - site.line) <= slack and all(part in key for part in parts) for line, key in logged.get(site.path, ())
    )


def unexplained(sites: Iterable[WriteSite], logged: Mapping[str, Iterable[tuple[int, str]]]) -> list[WriteSite]:
    """Return the write sites that the extraction lacks and that :data:`NOT_METRICS` does not explain."""
    return [
        site for site in sites if not is_covered(site, logged) and not any(entry.covers(site) for entry in NOT_METRICS)
    ]


_TRAINERS = r"trl/(?:trainer|experimental/\w+)/\w+_trainer\.py"
_SELF_DISTILLATION = r"trl/experimental/(?:self_distillation|sdpo|sdft)/\w+\.py"

NOT_METRICS: tuple[NotMetrics, ...] = (
    NotMetrics(r"trl/.*", r"train|eval", "the store of a mode, not a key"),
    NotMetrics(
        _TRAINERS, r"prompt|completion|advantages|rewards|images?|extra", "a column of the table of completions"
    ),
    NotMetrics(_TRAINERS, r"eval_\{\}", "the prefix of a store that these trainers fill in training only"),
    NotMetrics(
        r"trl/(?:trainer|experimental/\w+)/(?:kto|bco)_trainer\.py",
        r"count/\w+|(?:logits|logps|rewards)/\w+_sum",
        "sums and counts that are divided and deleted before anything is logged",
    ),
    NotMetrics(
        _SELF_DISTILLATION,
        r"(?:self_distillation|completions)/.*|\{\}/\{\}",
        "until 1.5.1 nothing hands this store to a tracker: there is no log method",
    ),
    NotMetrics(
        _SELF_DISTILLATION,
        r"flat_rewards|inactive_self_distillation|no_successful_rollouts",
        "a counter that decides when to warn",
    ),
    NotMetrics(r"trl/experimental/sdpo/sdpo\.py", r"after_\{\}", "printed and saved by log_metrics, never tracked"),
    NotMetrics(r"trl/.*/openenv_harness\.py", r"correctness", "a field that the worker takes out before it reports"),
    NotMetrics(r"verl/tools/.*", r".*", "what a tool tells the model; no tracker sees it"),
    NotMetrics(r"verl/trainer/main_eval\.py", r"test_score/\{\}", "printed by a script of its own"),
    NotMetrics(
        r"verl/experimental/agent_loop/.*",
        r"generate_sequences|tool_calls|num_preempted|compute_score",
        "a field of one conversation; the manager logs its minimum, mean and maximum under agent_loop/",
    ),
    NotMetrics(
        r"verl/trainer/ppo/critic/megatron_critic\.py", r"critic/.*", "a class of 0.1 that nothing calls any more"
    ),
    NotMetrics(r"verl/trainer/ppo/ray_trainer\.py", r"save_checkpoint", "timed after the last log"),
    NotMetrics(r"verl/trainer/main_ppo_sync\.py", r"dump_rollout_generations", "timed after the timings were read"),
    NotMetrics(r"verl/trainer/ppo/rollout_corr_helper\.py", r"rollout_corr/\{\}", "a prefix of keys written elsewhere"),
    NotMetrics(r"verl/workers/engine_workers\w*\.py", r"mfu|grad_norm", "renamed before it is logged, or for a client"),
    NotMetrics(r"verl/workers/roles/.*", r".*", "workers of 0.6 that no trainer of 0.6 makes"),
    NotMetrics(
        r"verl/workers/(?:fsdp|megatron)_workers\.py",
        r"generation_timing/\w+",
        "0.7.1 generates by its agent loops only; no trainer calls this method of the workers",
    ),
    NotMetrics(r"verl/workers/sharding_manager/.*", r"reshard", "kept by the manager and read by nothing"),
)
