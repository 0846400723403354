"""Log-probabilities and entropies of logits: time and memory next to TRL's and verl's own functions.

    python tests/benchmarks/vocabulary_cost.py [--sources FOLDER] [--columns 128] [--write]

Time at 8 x columns tokens and 32,768 words, forward alone, and forward and backward; memory, as a share of the logits,
is what the allocator held at most beside inputs and gradients, forward and backward, at 8 x 1024 tokens with
``--memory``. Results are compared with the peers' before anything is timed.

On CUDA, also the bandwidth at which the entropy reads its logits, next to that of a copy of the same tensor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.sources import functions, unpacked  # noqa: E402
from logprobs.memory_peak import peak_bytes  # noqa: E402
from rlmetrics import logprobs  # noqa: E402
from torch import Tensor  # noqa: E402

Function = Callable[[Tensor], Tensor]


def _log_prob(tokens: Tensor, logits: Tensor) -> Tensor:
    return logprobs.log_prob(logits, tokens)


def peers(tokens: Tensor, sources: str | None) -> dict[str, dict[str, Function]]:
    """Return the peers' functions of logits for log-probabilities and for entropies."""
    found: dict[str, dict[str, Function]] = {"log-probabilities": {}, "entropies": {}}
    with unpacked("trl", "1.16.0", sources) as root:
        given: dict[str, object] = {"is_triton_available": lambda: False}
        own = functions(root / "trl/trainer/utils.py", ["selective_log_softmax", "entropy_from_logits"], given)
        found["log-probabilities"]["trl 1.16.0 selective_log_softmax"] = lambda x: own["selective_log_softmax"](
            x, tokens
        )
        found["entropies"]["trl 1.16.0 entropy_from_logits"] = own["entropy_from_logits"]
    with unpacked("verl", "0.9.1", sources) as root:
        path = root / "verl/utils/torch_functional.py"
        names = ["logprobs_from_logits_v2", "entropy_from_logits", "entropy_from_logits_with_chunking"]
        verl = SimpleNamespace(**functions(path, names))
        found["log-probabilities"]["verl 0.9.1 logprobs_from_logits"] = lambda x: verl.logprobs_from_logits_v2(
            x, tokens
        )
        found["entropies"]["verl 0.9.1 entropy_from_logits"] = verl.entropy_from_logits
        found["entropies"]["verl 0.9.1 entropy_from_logits_with_chunking"] = lambda x: (
            verl.entropy_from_logits_with_chunking(x.flatten(0, 1)).view(x.shape[:2])
        )
    return found


def main() -> None:
    """Measure and report."""
    parser = measure.parser(__doc__)
    parser.set_defaults(rounds=5)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--words", type=int, default=32768)
    parser.add_argument("--memory", action="store_true", help="measure memory, at 8 x 1024 tokens; takes 6 GiB")
    parser.add_argument("--sources", help="folder of unpacked wheels (else RLMETRICS_SOURCES, else pip download)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    columns = 1024 if options.memory else options.columns
    results: dict[str, Any] = {}
    for dtype in (torch.float32, torch.bfloat16):
        logits = (torch.randn(options.rows, columns, options.words, device=options.device) * 3).to(dtype)
        tokens = torch.randint(options.words, (options.rows, columns), device=options.device)
        ways = peers(tokens, options.sources)
        ours: dict[str, Function] = {"rlmetrics": partial(_log_prob, tokens)}
        ways["log-probabilities"] = {**ours, **ways["log-probabilities"]}
        ways["entropies"] = {"rlmetrics": logprobs.entropy, **ways["entropies"]}
        for what, members in ways.items():
            title = f"{what}, {str(dtype).removeprefix('torch.')}"
            if options.memory:
                results[title] = {name: memory(way, logits) for name, way in members.items()}
            else:
                results |= times(title, members, logits, options.rounds, options.device)
                if options.device.startswith("cuda") and what == "entropies":
                    results[f"{title}, bandwidth"] = bandwidth(logits, options.rounds)
            print(title, file=sys.stderr)
    measure.report("vocabulary_memory" if options.memory else "vocabulary_speed", options, results)


def times(title: str, members: dict[str, Function], logits: Tensor, rounds: int, device: str) -> dict[str, Any]:
    """Return times of forward alone and of forward and backward."""
    with torch.no_grad():
        model = members["rlmetrics"](logits)
        for way in members.values():
            torch.testing.assert_close(way(logits).to(model.dtype), model, rtol=3e-2, atol=6e-2, check_dtype=False)
        forward = measure.paired(
            {name: lambda way=way: way(logits) for name, way in members.items()},  # type: ignore[misc]
            rounds,
            device,
        )
    leaf = logits.detach().requires_grad_()

    def both(way: Function) -> object:
        return torch.autograd.grad(way(leaf).sum(), leaf)

    backward = measure.paired(
        {name: lambda way=way: both(way) for name, way in members.items()},  # type: ignore[misc]
        rounds,
        device,
    )
    return {f"{title}, forward": {"ways": forward}, f"{title}, forward and backward": {"ways": backward}}


def memory(way: Function, logits: Tensor) -> dict[str, float]:
    """Return the most memory beside inputs and gradients, in percent of the logits."""
    size = logits.numel() * logits.element_size()
    leaf = logits.detach().requires_grad_()
    with torch.no_grad():
        forward = peak_bytes(lambda: way(logits))
    both = peak_bytes(lambda: torch.autograd.grad(way(leaf).sum(), leaf))
    return {"forward, %": round(100 * forward / size, 2), "forward and backward, %": round(100 * both / size - 100, 2)}


def bandwidth(logits: Tensor, rounds: int) -> dict[str, float]:
    """Return gigabytes a second: what entropy reads, what a copy reads and writes."""
    size = logits.numel() * logits.element_size()
    target = torch.empty_like(logits)
    with torch.no_grad():
        compiled = torch.compile(logprobs.entropy, fullgraph=True)
        ways: dict[str, measure.Way] = {
            "copy": lambda: target.copy_(logits),
            "entropy": lambda: logprobs.entropy(logits),
            "entropy, compiled": lambda: compiled(logits),
        }
        found = measure.paired(ways, rounds, "cuda")
    passes = {"copy": 2, "entropy": 1, "entropy, compiled": 1}
    return {name: round(passes[name] * size / figures["us"] / 1e3, 1) for name, figures in found.items()}


if __name__ == "__main__":
    main()
