"""Log-probabilities and entropies from hidden states and a head, next to TRL's chunked and verl's fused function.

    python tests/benchmarks/head_cost.py [--sources FOLDER] [--write]

Forward and backward at 256 tokens, 256 features and 16,384 words, with the code that each has for machines without
Triton. Errors are the largest of log-probabilities against float64. Results are compared before anything is timed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.sources import unpacked  # noqa: E402
from rlmetrics import logprobs  # noqa: E402
from torch import Tensor  # noqa: E402

Both = tuple[Tensor, Tensor]


def loaded(name: str, path: Path, **stubs: dict[str, object]) -> Any:
    """Import one file of a release, with modules in place of those that it imports and does not need here."""
    for module, values in stubs.items():
        stub = ModuleType(module.replace("__", "."))
        stub.__dict__.update(values)
        sys.modules[stub.__name__] = stub
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def ways(sources: str | None) -> dict[str, Callable[[Tensor, Tensor, Tensor], Both]]:
    """Return the functions of hidden states ``[N, H]``, head ``[V, H]`` and tokens ``[N]``."""
    with unpacked("trl", "1.16.0", sources) as root:
        chunked = loaded(
            "trl.kernels.chunked_logprob",
            root / "trl/kernels/chunked_logprob.py",
            trl={"__path__": []},
            trl__kernels={"__path__": []},
            trl__trainer={"__path__": []},
            trl__trainer__utils={"maybe_gather_lm_head_ctx": lambda *_: nullcontext()},
            transformers={"__path__": []},
            transformers__utils={"is_triton_available": lambda: False},
        ).ChunkedLogProbFunction
    with unpacked("verl", "0.9.1", sources) as root:
        fused = loaded("verl_fused", root / "verl/utils/experimental/torch_functional.py").FusedLinearForPPO()

    def ours(hidden: Tensor, weight: Tensor, tokens: Tensor) -> Both:
        found = logprobs.head_statistics(hidden.unsqueeze(0), weight, tokens.unsqueeze(0))
        return found.logprobs[0], found.token_entropy[0]

    def trl(hidden: Tensor, weight: Tensor, tokens: Tensor) -> Both:
        found = chunked.apply(hidden, weight, None, tokens, 1.0, 4096)
        return found[0], found[1]

    return {"rlmetrics": ours, "trl 1.16.0 ChunkedLogProbFunction": trl, "verl 0.9.1 FusedLinearForPPO": fused}


def main() -> None:
    """Measure and report."""
    parser = measure.parser(__doc__)
    parser.set_defaults(rounds=7)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--features", type=int, default=256)
    parser.add_argument("--words", type=int, default=16384)
    parser.add_argument("--sources", help="folder of unpacked wheels (else RLMETRICS_SOURCES, else pip download)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    every = ways(options.sources)
    results: dict[str, Any] = {}
    for dtype in (torch.float32, torch.bfloat16):
        hidden = torch.randn(options.tokens, options.features, device=options.device).to(dtype).requires_grad_()
        weight = (torch.randn(options.words, options.features, device=options.device) / 20).to(dtype).requires_grad_()
        tokens = torch.randint(options.words, (options.tokens,), device=options.device)
        exact = torch.log_softmax(hidden.double() @ weight.double().T, -1).gather(1, tokens.unsqueeze(1)).squeeze(1)

        def both(way: Callable[[Tensor, Tensor, Tensor], Both], given: tuple[Tensor, ...]) -> object:
            hidden, weight, tokens = given
            log_probs, entropies = way(hidden, weight, tokens)
            return torch.autograd.grad(log_probs.sum() + entropies.sum(), [hidden, weight])

        given = (hidden, weight, tokens)
        found = measure.paired(
            {name: lambda way=way, given=given: both(way, given) for name, way in every.items()},  # type: ignore[misc]
            options.rounds,
            options.device,
        )
        for name, way in every.items():
            error = (way(*given)[0].double() - exact).abs().max().item()
            assert error < 0.2, name
            found[name]["error"] = float(f"{error:.1e}")
        results[f"head, {str(dtype).removeprefix('torch.')}, forward and backward"] = {"ways": found}
    measure.report("head_speed", options, results)


if __name__ == "__main__":
    main()
