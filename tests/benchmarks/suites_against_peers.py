"""The same numbers from a suite and from what trainers use, in one process: medians of paired runs, as ratios.

    python tests/benchmarks/suites_against_peers.py [--sources FOLDER] [--no-compile] [--write]

A step is everything from tensors to Python numbers under the peer's names. Where a peer computes a loss with its
metrics, the suite computes it as well. Each peer's numbers are compared with the suite's before anything is timed.

- torchmetrics: a MetricCollection of means that are given one tensor, as many as PPOSuite has numbers
- torchmetrics, same numbers: the same, with each metric given its own tensor
- by hand: the numbers of PPOSuite in eager code as trainers have it, each brought to the host on its own
- by hand, with care: nothing computed twice, and one copy to the host; as exact: the same code with sums in float64
  that never read padding, as a suite's; both also compiled, with the options that suites are compiled with
- verl: ``compute_data_metrics``, the policy, value and KL losses with their metrics, of release 0.9.1
- trl 0.7.10: ``PPOTrainer.loss`` and ``record_step_stats``
- trl 1.16.0: the metrics of ``GRPOTrainer._compute_loss``; theirs is the difference between the method and the method
  without its last lines, which log, and ours is added to the latter
"""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

# Shapes that another process has seen would make the compiler write slower code for shapes of any size.
os.environ.setdefault("TORCH_DYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO", "0")

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.batches import Batch, make_batch  # noqa: E402
from benchmarks.by_hand import CAREFUL, careful_tensor, collection, ppo_numbers, same_by_torchmetrics  # noqa: E402
from benchmarks.sources import functions, unpacked  # noqa: E402
from rlmetrics.state.suite import Suite  # noqa: E402
from rlmetrics.suites import PPOSuite, make_suite  # noqa: E402
from torch import Tensor  # noqa: E402

Numbers = dict[str, float]
Step = Callable[[], Numbers]

VERL_DATA = {
    "critic/score/mean": "reward/score/mean",
    "critic/score/max": "reward/score/max",
    "critic/score/min": "reward/score/min",
    "critic/rewards/mean": "reward/total/mean",
    "critic/rewards/max": "reward/total/max",
    "critic/rewards/min": "reward/total/min",
    "critic/advantages/mean": "advantage/mean",
    "critic/advantages/max": "advantage/max",
    "critic/advantages/min": "advantage/min",
    "critic/returns/mean": "return/mean",
    "critic/returns/max": "return/max",
    "critic/returns/min": "return/min",
    "critic/values/mean": "value/mean",
    "critic/values/max": "value/max",
    "critic/values/min": "value/min",
    "critic/vf_explained_var": "value/explained_variance@epsilon",
    "response_length/mean": "length/response/mean",
    "response_length/max": "length/response/max",
    "response_length/min": "length/response/min",
    "response_length/clip_ratio": "length/at_limit_fraction",
    "response_length_non_aborted/mean": "length/nonempty/mean",
    "response_length_non_aborted/max": "length/nonempty/max",
    "response_length_non_aborted/min": "length/nonempty/min",
    "response_length_non_aborted/clip_ratio": "length/nonempty/at_limit_fraction",
    "response/aborted_ratio": "rollout/aborted_fraction",
    "prompt_length/mean": "length/prompt/mean",
    "prompt_length/max": "length/prompt/max",
    "prompt_length/min": "length/prompt/min",
    "prompt_length/clip_ratio": "length/prompt_at_limit_fraction",
}
VERL_LOSSES = {
    "actor/pg_loss": "policy/loss@dual_clip",
    "actor/pg_clipfrac": "policy/clip_fraction",
    "actor/ppo_kl": "kl/old/k1@clamped",
    "actor/pg_clipfrac_lower": "policy/dual_clip_fraction",
    "actor/kl_loss": "kl/reference/k3@clamped",
    "actor/entropy_loss": "entropy/policy@from_token_entropy",
    "critic/vf_loss": "value/loss",
    "critic/vf_clipfrac": "value/clip_fraction",
    "critic/vpred_mean": "value/prediction_mean",
}
TRL_PPO = {
    "ppo/loss/policy": "policy/loss",
    "ppo/loss/value": "value/loss",
    "ppo/policy/entropy": "entropy/policy@from_token_entropy",
    "ppo/policy/approxkl": "kl/old/k2",
    "ppo/policy/policykl": "kl/old/k1",
    "ppo/policy/clipfrac": "policy/clip_fraction",
    "ppo/policy/advantages_mean": "advantage/mean",
    "ppo/returns/mean": "return/mean",
    "ppo/returns/var": "return/variance",
    "ppo/val/vpred": "value/prediction_mean",
    "ppo/val/error": "value/error",
    "ppo/val/clipfrac": "value/clip_fraction",
    "ppo/val/mean": "value/mean",
    "ppo/val/var": "value/variance",
    "ppo/val/var_explained": "value/explained_variance_mse",
    "objective/kl": "kl/old_reference_sum/k1",
    "objective/entropy": "entropy/surprisal_sum",
    "ppo/mean_non_score_reward": "reward/non_score/token_mean",
    "ppo/mean_scores": "reward/score/mean",
    "ppo/std_scores": "reward/score/std",
    "tokens/queries_len_mean": "length/prompt/mean",
    "tokens/queries_len_std": "length/prompt/std",
    "tokens/responses_len_mean": "length/response/mean",
    "tokens/responses_len_std": "length/response/std",
}
TRL_GRPO = {
    "kl": "kl/reference/k3",
    "entropy": "entropy/policy@from_token_entropy",
    "clip_ratio/low_mean": "policy/clip_fraction_low",
    "clip_ratio/high_mean": "policy/clip_fraction_high",
    "clip_ratio/region_mean": "policy/clip_fraction",
    "clip_ratio/low_min": "group/clip_fraction_low/sequence_min",
    "clip_ratio/high_max": "group/clip_fraction_high/sequence_max",
}


def ours(suite: Suite, batch: Callable[[], Batch], keys: dict[str, str] | None = None, compiled: bool = False) -> Step:
    """Return a step by a suite, with its results under the peer's names."""
    wanted = list(suite.fusion.inputs)
    if compiled:
        suite.compile()

    def step() -> Numbers:
        tensors = batch()
        suite.update(**{name: tensors[name] for name in wanted if name in tensors})
        results = suite.compute()
        suite.reset()
        return results if keys is None else {key: results[name] for key, name in keys.items()}

    return step


def by_care(way: Callable[[Batch], Tensor], batch: Batch) -> Step:
    """Return a step by careful code, with one copy to the host."""
    return lambda: dict(zip(CAREFUL, way(batch).tolist(), strict=True))


def agree(one: Numbers, other: Numbers) -> None:
    """Check that two ways give the same numbers, to what float32 sums of 65 thousand terms can be told apart."""
    if one.keys() != other.keys():
        msg = f"other numbers: {sorted(one.keys() ^ other.keys())}"
        raise AssertionError(msg)
    for name, value in one.items():
        if abs(value - other[name]) > 1e-4 + 2e-3 * abs(value):
            msg = f"{name}: {value} and {other[name]}"
            raise AssertionError(msg)


def verl(root: Path, batch: Batch, losses: bool) -> Step:
    """Return verl's own metrics of a step, as its trainer and its actor and critic compute them."""
    tools = functions(root / "verl/utils/torch_functional.py", ["masked_sum", "masked_mean", "clip_by_value"])
    module: dict[str, Any] = {"verl_F": SimpleNamespace(**tools), "AlgoConfig": ()}
    algorithms = functions(
        root / "verl/trainer/ppo/core_algos.py",
        ["agg_loss", "compute_policy_loss_vanilla", "compute_value_loss", "kl_penalty", "kl_penalty_forward"],
        module,
    )
    data = functions(
        root / "verl/trainer/ppo/metric_utils.py", ["_compute_response_info", "compute_data_metrics"], module
    )["compute_data_metrics"]
    rows, columns = batch["mask"].shape
    width = 256
    before = torch.arange(width, device=batch["mask"].device) >= width - batch["prompt_lengths"][:, None]
    tensors = SimpleNamespace(
        batch={
            "token_level_scores": batch["token_scores"],
            "token_level_rewards": batch["token_rewards"],
            "advantages": batch["advantages"],
            "returns": batch["returns"],
            "values": batch["old_values"],
            "prompts": torch.zeros(rows, width, dtype=torch.int64),
            "responses": torch.zeros(rows, columns, dtype=torch.int64),
            "response_mask": batch["mask"].long(),
            "attention_mask": torch.cat([before, batch["mask"]], 1).long(),
        },
        non_tensor_batch={},
    )

    class Config(SimpleNamespace):
        def get(self, name: str, otherwise: object) -> object:
            return getattr(self, name, otherwise)

    config = Config(clip_ratio=0.2, clip_ratio_low=None, clip_ratio_high=None, global_batch_info={})
    mask = batch["mask"]

    def of_losses() -> Numbers:
        loss, metrics = algorithms["compute_policy_loss_vanilla"](
            batch["old_logprobs"], batch["logprobs"], batch["advantages"], mask, config=config
        )
        distance = algorithms["kl_penalty"](batch["logprobs"], batch["ref_logprobs"], "low_var_kl")
        value_loss, clipped = algorithms["compute_value_loss"](
            batch["values"], batch["returns"], batch["old_values"], mask, 0.2
        )
        return {
            **metrics,
            "actor/pg_loss": loss.item(),
            "actor/kl_loss": algorithms["agg_loss"](distance, mask, "token-mean").item(),
            "actor/entropy_loss": algorithms["agg_loss"](batch["token_entropy"], mask, "token-mean").item(),
            "critic/vf_loss": value_loss.item(),
            "critic/vf_clipfrac": clipped.item(),
            "critic/vpred_mean": tools["masked_mean"](batch["values"], mask).item(),
        }

    return lambda: {**data(tensors), **(of_losses() if losses else {})}


def verl_suite(batch: Batch, losses: bool, compiled: bool) -> Step:
    """Return the same numbers from a suite, from the same tensors."""
    keys = {**VERL_DATA, **(VERL_LOSSES if losses else {})}
    columns = batch["mask"].shape[1]
    settings = {name: {"limit": float(columns)} for name in keys.values() if name.endswith("at_limit_fraction")}
    settings["length/prompt_at_limit_fraction"] = {"limit": 256.0}
    suite = make_suite({name: settings.get(name, {}) for name in keys.values()}, device=batch["mask"].device)
    width = 256
    before = torch.arange(width, device=batch["mask"].device) >= width - batch["prompt_lengths"][:, None]
    attention = torch.cat([before, batch["mask"]], 1).long()

    def tensors() -> Batch:
        return {
            **batch,
            "scores": batch["token_scores"].sum(-1),
            "lengths": attention[:, -columns:].sum(-1),
            "prompt_lengths": attention[:, :-columns].sum(-1),
        }

    return ours(suite, tensors, keys, compiled)


def trl_ppo(root: Path, batch: Batch) -> Step:
    """Return the numbers that PPOTrainer of TRL 0.7.10 brings to the host after one mini-batch."""
    import numpy as np
    from torch.nn.utils.rnn import pad_sequence

    given: dict[str, object] = {
        "np": np,
        "Mapping": dict,
        "pad_sequence": pad_sequence,
        "WANDB_PADDING": -1,
        # Entropies of logits are another claim: both sides start from those of the tokens.
        "entropy_from_logits": lambda entropies: entropies,
    }
    given |= functions(
        root / "trl/core.py",
        ["masked_mean", "masked_var", "clip_by_value", "flatten_dict", "stack_dicts", "stats_to_np"],
        given,
    )
    loss, record = functions(
        root / "trl/trainer/ppo_trainer.py", ["PPOTrainer.loss", "PPOTrainer.record_step_stats"], given
    ).values()
    config = SimpleNamespace(cliprange=0.2, cliprange_value=0.2, vf_coef=0.1, ratio_threshold=10.0)
    trainer = SimpleNamespace(config=config)
    mask = batch["mask"].long()
    prompts = [torch.zeros(int(length), dtype=torch.int64) for length in batch["prompt_lengths"]]
    responses = [torch.zeros(int(length), dtype=torch.int64) for length in batch["lengths"]]
    core: Any = given

    def step() -> Numbers:
        _, _, stats = loss(
            trainer,
            batch["old_logprobs"],
            batch["old_values"],
            batch["token_entropy"],
            batch["values"],
            batch["logprobs"],
            mask,
            batch["advantages"],
            batch["returns"],
        )
        kls = batch["old_logprobs"] - batch["ref_logprobs"]
        every = record(
            trainer,
            kl_coef=0.2,
            masks=mask,
            kls=kls,
            logprobs=batch["old_logprobs"],
            ref_logprobs=batch["ref_logprobs"],
            non_score_reward=-0.2 * kls,
            scores=batch["scores"],
            queries=prompts,
            responses=responses,
            train_stats=core["stack_dicts"]([stats]),
        )
        numbers = core["stats_to_np"](every)
        return {key: np.asarray(numbers[key]).item() for key in TRL_PPO}

    return step


def _without_metrics(method: ast.FunctionDef) -> None:
    """Cut what logs off the end of a method."""
    first = next(
        place
        for place, node in enumerate(method.body)
        if isinstance(node, ast.FunctionDef) and node.name == "masked_seq_mean"
    )
    method.body[first:-1] = []


def trl_grpo(root: Path, batch: Batch) -> tuple[Step, Callable[[], object]]:
    """Return GRPOTrainer's loss of TRL 1.16.0 with its metrics, and without them."""
    utilities = functions(root / "trl/trainer/utils.py", ["nanmin", "nanmax"])
    path = root / "trl/trainer/grpo_trainer.py"
    whole = functions(path, ["GRPOTrainer._compute_loss"], utilities)["GRPOTrainer._compute_loss"]
    bare = functions(path, ["GRPOTrainer._compute_loss"], utilities, _without_metrics)["GRPOTrainer._compute_loss"]
    rows, columns = batch["mask"].shape
    metrics: dict[str, list[float]] = defaultdict(list)
    trainer = SimpleNamespace(
        _metrics={"train": metrics},
        model=SimpleNamespace(training=True),
        args=SimpleNamespace(delta=None, use_bias_correction_kl=False),
        accelerator=SimpleNamespace(gather=lambda x: x, reduce=lambda x, reduction: x, num_processes=1),
        _get_per_token_logps_and_entropies=lambda *_, **__: (batch["logprobs"], batch["token_entropy"], None),
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level="token",
        beta=0.04,
        loss_type="bnpo",
        epsilon_low=0.2,
        epsilon_high=0.2,
        use_vllm=False,
        vllm_importance_sampling_correction=False,
        _entropy_bonus_enabled=False,
        current_gradient_accumulation_steps=1,
    )
    ids = torch.zeros(rows, columns, dtype=torch.int64)
    mask = batch["mask"].long()
    inputs = {
        "prompt_ids": ids[:, :1],
        "prompt_mask": mask[:, :1],
        "completion_ids": ids,
        "completion_mask": mask,
        "advantages": batch["advantages"],
        "old_per_token_logps": batch["old_logprobs"],
        "ref_per_token_logps": batch["ref_logprobs"],
    }

    def step() -> Numbers:
        metrics.clear()
        whole(trainer, None, inputs)
        return {key: metrics[key][0] for key in TRL_GRPO}

    return step, lambda: bare(trainer, None, inputs)


def main() -> None:
    """Measure everything."""
    parser = measure.parser(__doc__)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--columns", type=int, default=1024)
    parser.add_argument("--sources", help="folder of unpacked wheels (else RLMETRICS_SOURCES, else pip download)")
    parser.add_argument("--no-compile", action="store_true", help="leave the compiled suites out")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    batch = make_batch(options.rows, options.columns, options.device)
    kinds = {"suite": False} if options.no_compile else {"suite": False, "suite, compiled": True}
    results: dict[str, Any] = {}

    def compared(title: str, suites: dict[str, Step], peers: dict[str, Step]) -> None:
        first = next(iter(suites.values()))()
        for name, step in {**suites, **peers}.items():
            if name != "torchmetrics":
                agree(first, step())
        found = measure.paired({**suites, **peers}, options.rounds, options.device)
        results[title] = {"numbers": len(first), "ways": found}
        print(title, results[title], file=sys.stderr)

    with torch.no_grad():
        of_ppo = list(ppo_numbers(batch))
        inputs = {name: batch[name] for name in PPOSuite().fusion.inputs if name in batch}
        del inputs["token_entropy"], inputs["token_rewards"]
        careful = {
            "by hand, with care": careful_tensor,
            "by hand, with care, as exact": partial(careful_tensor, exact=True),
        }
        if not options.no_compile:
            careful |= {f"{name}, compiled": torch.compile(way, fullgraph=True) for name, way in careful.items()}
        peers: dict[str, Step] = {"by hand": lambda: ppo_numbers(batch)}
        peers |= {name: by_care(way, batch) for name, way in careful.items()}
        if measure.installed("torchmetrics"):
            peers["torchmetrics"] = collection(batch, len(of_ppo))
            peers["torchmetrics, same numbers"] = same_by_torchmetrics(batch)
        compared(
            "PPOSuite",
            {kind: ours(PPOSuite(), lambda: inputs, compiled=compiled) for kind, compiled in kinds.items()},
            peers,
        )
        with unpacked("verl", "0.9.1", options.sources) as root:
            for title, losses in {"verl 0.9.1 data metrics": False, "verl 0.9.1 data, policy and value": True}.items():
                compared(
                    title,
                    {kind: verl_suite(batch, losses, compiled) for kind, compiled in kinds.items()},
                    {"verl": verl(root, batch, losses)},
                )
        with unpacked("trl", "0.7.10", options.sources) as root:
            settings: dict[str, dict[str, float]] = {name: {} for name in TRL_PPO.values()}
            compared(
                "TRL 0.7.10 PPOTrainer",
                {
                    kind: ours(make_suite(settings), lambda: batch, TRL_PPO, compiled)
                    for kind, compiled in kinds.items()
                },
                {"trl": trl_ppo(root, batch)},
            )
        with unpacked("trl", "1.16.0", options.sources) as root:
            theirs, bare = trl_grpo(root, batch)

            def with_loss(step: Step) -> Step:
                def both() -> Numbers:
                    bare()
                    return step()

                return both

            suites = {
                kind: ours(make_suite(list(TRL_GRPO.values())), lambda: batch, TRL_GRPO, compiled)
                for kind, compiled in kinds.items()
            }
            compared(
                "TRL 1.16.0 GRPOTrainer, loss and metrics",
                {f"trl's loss, {kind}": with_loss(step) for kind, step in suites.items()},
                {"trl": theirs},
            )
            found = measure.paired({**suites, "trl's loss alone": bare}, options.rounds, options.device)
            results["TRL 1.16.0 GRPOTrainer, parts"] = {"numbers": len(TRL_GRPO), "ways": found}
    measure.report("suites_against_peers", options, results)


if __name__ == "__main__":
    main()
