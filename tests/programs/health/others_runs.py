"""Writes the runs of other people's simulators as JSON lines, spelled as TRL's GRPOTrainer 1.16.0 logs them.

Runs with a Python in which rldoctor and rlprobe are installed: ``python others_runs.py FOLDER [SEEDS]``. The name of a
file is ``FAMILY-SCENARIO-SEED.jsonl``; what TRL does not log is left out, a score on held-out data is ``eval_reward``.
"""

# pyright: reportMissingImports=false

import json
import math
import sys
import tempfile
from pathlib import Path

GRPO = {
    "reward_mean": "reward",
    "group_reward_std_mean": "reward_std",
    "zero_variance_group_frac": "frac_reward_zero_std",
    "kl_mean": "kl",
    "entropy_mean": "entropy",
    "clip_fraction": "clip_ratio/region_mean",
    "loss": "loss",
    "lr": "learning_rate",
    "grad_norm": "grad_norm",
    "completion_len_mean": "completions/mean_length",
    "completion_len_max": "completions/max_length",
    "truncation_rate": "completions/clipped_ratio",
    "step_time_s": "step_time",
}


def main(folder: Path, seeds: int) -> None:
    """Write the runs of both simulators."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(seeds):
        _rldoctor(folder, seed)
        _rlprobe(folder, seed)


def _rldoctor(folder: Path, seed: int) -> None:
    from rl_doctor.simulate import SCENARIOS, simulate

    for scenario in SCENARIOS:
        records, _ = simulate(scenario, seed=seed)
        rows = []
        for record in records:
            row = {key: value for key, value in record.items() if key not in ("perf/throughput", "eval/accuracy")}
            rows.append(row)
            if "eval/accuracy" in record:
                rows.append({"step": record["step"], "eval_reward": record["eval/accuracy"]})
        _write(folder / f"rldoctor-{scenario}-{seed}.jsonl", rows)


def _rlprobe(folder: Path, seed: int) -> None:
    import pyarrow.parquet as parquet
    from rlprobe.testing.synth import PATHOLOGIES, generate_run

    for pathology in (None, *PATHOLOGIES):
        with tempfile.TemporaryDirectory() as made:
            generate_run(Path(made) / "run", pathology, seed=seed)
            steps = [
                row
                for file in sorted(Path(made).rglob("*.parquet"))
                if "sample" not in file.name and "sample" not in str(file.parent.name)
                for row in parquet.read_table(file).to_pylist()
            ]
        steps.sort(key=lambda row: row["step"])
        rows = []
        for step in steps:
            row = {"step": step["step"]}
            row |= {GRPO[name]: value for name, value in step.items() if name in GRPO and value is not None}
            if step.get("nan_count"):
                row["grad_norm"] = math.nan
            prefix = "reward_component."
            parts = {name.removeprefix(prefix): value for name, value in step.items() if name.startswith(prefix)}
            row |= {f"rewards/{name}/mean": value for name, value in parts.items()}
            rows.append(row)
        _write(folder / f"rlprobe-{pathology or 'healthy'}-{seed}.jsonl", rows)


def _write(path: Path, rows: list) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)
