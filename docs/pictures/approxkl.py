"""Draw what a change of meaning did to a curve: approximate KL of one real run, as two releases of TRL define it.

The run is a PPO training with TRL 0.18.2 whose tensors were kept. The script computes the number from them twice: over
response tokens, as releases up to 0.11.4 did, and over all positions, padding included, as releases since 0.12.0 do.
The second must be what that run logged. Run it in the root of a checkout:

    python docs/pictures/approxkl.py
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import torch
from rlmetrics.functional.kl import kl_old_k2, kl_old_k2_padded

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests" / "fixtures" / "parity" / "trl-0.18.2-ppo_parity1"
_NUMBER = "locals|metrics|policy/approxkl_avg"
LIMIT = 0.1
"""Above it an update is said to move the policy too far; nobody measured that."""


@dataclass(frozen=True)
class Words:
    """What the picture says in one language.

    Attributes:
        file: The picture's name beside this script.
        title: What is drawn.
        update: Under each point, with ``{}`` for its number.
        token: Beside the curve over response tokens.
        position: Beside the curve over all positions.
        description: For who does not see it, with ``{hidden}`` updates below the ``{limit}``.
    """

    file: str
    title: str
    update: str
    token: tuple[str, ...]
    position: tuple[str, ...]
    description: str


ENGLISH = Words(
    "approxkl.svg",
    "Approximate KL of one PPO run, nat (log scale)",
    "update {}",
    ("up to 0.11.4:", "ppo/policy/approxkl,", "over response tokens"),
    ("since 0.12.0:", "policy/approxkl_avg,", "padding counts as 0"),
    "The same six updates, measured over response tokens and over all positions. "
    "In {hidden} of them the logged number is below {limit:g} only because padding counts.",
)
CHINESE = Words(
    "approxkl.zh.svg",
    "一次 PPO 运行的近似 KL（nat，对数刻度）",
    "更新 {}",
    ("直到 0.11.4：", "ppo/policy/approxkl，", "在响应 token 上"),
    ("从 0.12.0 起：", "policy/approxkl_avg，", "填充按 0 计入"),
    "同样的六次更新，分别在响应 token 上和在所有位置上测量。"
    "其中 {hidden} 次，所记录的数字低于 {limit:g} 只是因为填充也计入。",
)

Point = tuple[float, float, float]
"""What the run logged, and what the tensors give over all positions and over response tokens."""

_WIDTH, _HEIGHT = 480, 320
"""Little wider than a phone, on which its words can be read, too."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 14, 46, 44
_BESIDE = 292
"""Where the words about the curves begin: to the right of their fall."""
_LOW, _HIGH = 0.02, 50.0
_STYLE = """
svg{font:15px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;color-scheme:light dark}
.bg{fill:#fff}text{fill:#1d2330}.mute{fill:#5a6475;font-size:13px}.axis{stroke:#dde2ea}
.limit{stroke:#5a6475;stroke-dasharray:4 4}
.a{stroke:#2f6fb2;fill:none;stroke-width:2.5}.b{stroke:#b0560a;fill:none;stroke-width:2.5}.pa{fill:#2f6fb2}.pb{fill:#b0560a}
@media(prefers-color-scheme:dark){.bg{fill:#1a1d26}text{fill:#e4e7ee}.mute{fill:#9ba5b6}.axis{stroke:#353b4a}
.limit{stroke:#9ba5b6}
.a{stroke:#79b4ee}.b{stroke:#f0a35e}.pa{fill:#79b4ee}.pb{fill:#f0a35e}}
""".strip()


def points() -> list[Point]:
    """Return a point for each update of the run."""
    sys.path.insert(0, str(ROOT / "tests"))
    from parity.recorded_arrays import recorded_arrays

    with gzip.open(f"{RUN}.json.gz") as stream:
        events = json.load(stream)["events"]
    found: list[Point] = []
    plain: list[float] = []
    padded: list[float] = []
    arrays = recorded_arrays(RUN.name)
    for event in events:
        if event["name"] == "microbatch_at_backward":
            tensors = {name: torch.from_numpy(arrays[place]) for name, place in event["arrays"].items()}
            mask = ~tensors["padding_mask"].bool()[tensors["micro_batch_inds"]]
            both = tensors["new_logprobs"], tensors["mb_logprobs"], mask
            plain.append(float(kl_old_k2(*both)))
            padded.append(float(kl_old_k2_padded(*both)))
        else:
            found.append((event["numbers"][_NUMBER], fmean(padded), fmean(plain)))
            plain, padded = [], []
    return found


def svg(values: list[Point], words: Words) -> str:
    """Return the picture in one language."""
    steps = range(1, len(values) + 1)
    token, position = [value[2] for value in values], [value[1] for value in values]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_description(values, words)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="bg" width="{_WIDTH}" height="{_HEIGHT}" rx="10"/>',
        f'<text x="{_LEFT}" y="26" font-weight="650">{words.title}</text>',
    ]
    for tick in (0.1, 1.0, 10.0):
        y = _y(tick)
        kind, end = ("limit", _WIDTH - _RIGHT) if tick == LIMIT else ("axis", _BESIDE - 22)
        lines.append(f'<line class="{kind}" x1="{_LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="mute" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for step in steps:
        x, text = _x(step, len(values)), words.update.format(step)
        lines.append(f'<text class="mute" x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{text}</text>')
    for name, series in (("a", token), ("b", position)):
        path = " ".join(
            f"{_x(step, len(values)):.1f},{_y(value):.1f}" for step, value in zip(steps, series, strict=True)
        )
        lines.append(f'<polyline class="{name}" points="{path}"/>')
        lines += [
            f'<circle class="p{name}" cx="{_x(step, len(values)):.1f}" cy="{_y(value):.1f}" r="3.5"/>'
            for step, value in zip(steps, series, strict=True)
        ]
    for name, y, texts in (("a", _TOP + 22, words.token), ("b", _TOP + 86, words.position)):
        lines.append(
            f'<rect class="p{name}" x="{_BESIDE - 14}" y="{y - 12}" width="4" height="{18 * len(texts) - 2}"/>'
        )
        lines += [
            f'<text class="p{name}" x="{_BESIDE}" y="{y + 18 * at}">{text}</text>' for at, text in enumerate(texts)
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _description(values: list[Point], words: Words) -> str:
    hidden = sum(logged < LIMIT < token for logged, _, token in values)
    return words.description.format(hidden=hidden, limit=LIMIT)


def _x(step: int, count: int) -> float:
    return _LEFT + 26 + (step - 1) * (_WIDTH - _LEFT - _RIGHT - 52) / (count - 1)


def _y(value: float) -> float:
    share = (math.log(value) - math.log(_LOW)) / (math.log(_HIGH) - math.log(_LOW))
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


if __name__ == "__main__":
    for language in (ENGLISH, CHINESE):
        picture = Path(__file__).with_name(language.file)
        picture.write_text(svg(points(), language), encoding="utf-8")
        print(f"{picture.relative_to(ROOT)}: {_description(points(), language)}")
