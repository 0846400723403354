"""Trains with suites: ``python measure.py FOLDER JOBS``, where JOBS is a JSON list of runs.

Each has a ``kind`` of trainer, or ``code`` that defines ``MyTrainer`` of that kind, a ``name`` for its folder, whether
it is ``measured``, the number of ``ranks`` and settings of the trainer in ``args``. Every trainer records what it works
with, on each rank: batches, what its models say about them by a pass of their own, and what the reward function has
seen. ``rank0.json`` and its like hold that for each row of the log, beside the history and a digest of the weights.

Runs in an environment of its own, where neither pytest nor the other modules of the tests are.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import hashlib
import inspect
import json
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

STEPS = 4
WORDS = ["<pad>", "<eos>", *"abcdefghijkl"]
PAD, EOS = 0, 1
NEW = trl.__version__.startswith("1.")
TEMPERATURE = 0.8


def tokenizer() -> Any:
    """Return a tokenizer of letters."""
    words = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<pad>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", bos_token="<eos>", padding_side="left"
    )


def policy() -> Any:
    """Return a language model; GRPO loads its reference anew, so the first one is saved."""
    saved = Path("model").resolve()
    if not saved.exists():
        save_model(saved)
    return GPT2LMHeadModel.from_pretrained(saved)


def save_model(place: Path) -> None:
    """Save a tiny model; among several processes transformers would let only the first one save."""
    torch.manual_seed(7)
    config = GPT2Config(
        vocab_size=len(WORDS),
        n_positions=32,
        n_embd=8,
        n_layer=1,
        n_head=2,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        initializer_range=0.3,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=EOS,
    )
    GPT2LMHeadModel(config).save_pretrained(place)


def said(model: Any, ids: torch.Tensor, attention: torch.Tensor, temperature: float = 1.0) -> dict[str, torch.Tensor]:
    """Return what a model says about each token but the first, in double precision from its logits."""
    with torch.no_grad():
        logits = model(input_ids=ids, attention_mask=attention).logits[:, :-1].double() / temperature
    every, tokens = logits.log_softmax(-1), ids[:, 1:]
    return {
        "logprobs": every.gather(-1, tokens.unsqueeze(-1)).squeeze(-1),
        "token_entropy": -(every.exp() * every).sum(-1),
        "mean_logits": logits.mean(-1),
        "is_top1": logits.argmax(-1) == tokens,
    }


class Recording:
    """Keeps what happens between two rows of the log."""

    windows: list[dict[str, Any]]
    batches: list[dict[str, Any]]
    answers: list[dict[str, Any]]

    def record(self, **tensors: Any) -> None:
        """Keep a batch."""
        if not hasattr(self, "batches"):
            self.batches, self.answers, self.windows = [], [], []
        self.batches.append({name: value.tolist() for name, value in tensors.items() if value is not None})

    def log(self, logs: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        """Log, and begin anew."""
        super().log(logs, *args, **kwargs)  # type: ignore[misc]
        if not hasattr(self, "windows"):
            self.batches, self.answers, self.windows = [], [], []
        self.windows.append({"batches": self.batches, "answers": list(ANSWERS), "row": dict(logs)})
        self.batches = []
        ANSWERS.clear()


ANSWERS: list[dict[str, Any]] = []


def reward(prompts: list[str], completions: list[str], completion_ids: list[list[int]], **_: Any) -> list[float]:
    """Score responses, and keep what they are."""
    scores = [text.count("a") + 0.25 * text.count("b") for text in completions]
    ANSWERS.append({"prompts": list(prompts), "scores": scores, "ids": [list(map(int, row)) for row in completion_ids]})
    return scores


class _Sampled(Recording):
    def _generate_and_score_completions(self, inputs: Any) -> Any:
        output = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        if "old_logps" in output:
            # RLOO keeps sums only.
            width = output["completion_ids"].size(1)
            output["recorded_old"] = self._said(self.model, output)["logprobs"][:, -width:]
            if self.beta:
                output["recorded_ref"] = self._said(self.ref_model, output)["logprobs"][:, -width:]
                ANSWERS[-1]["kl"] = (
                    ((output["recorded_old"] - output["recorded_ref"]) * output["completion_mask"]).sum(1).tolist()
                )
        return output

    def _said(self, model: Any, batch: Any) -> dict[str, torch.Tensor]:
        ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
        mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
        return said(model, ids, mask, TEMPERATURE)

    def _compute_loss(self, model: Any, inputs: Any) -> Any:
        loss = super()._compute_loss(model, inputs)  # type: ignore[misc]
        width, mask = inputs["completion_ids"].size(1), inputs["completion_mask"].bool()
        own = {name: value[:, -width:] for name, value in self._said(self.model, inputs).items()}
        ref = None
        if self.beta:
            ref = self._said(self.ref_model, inputs)["logprobs"][:, -width:]
        old = inputs.get("recorded_old", inputs.get("old_per_token_logps"))
        self.record(
            logprobs=own["logprobs"],
            token_entropy=own["token_entropy"],
            old_logprobs=own["logprobs"] if old is None else old,
            ref_logprobs=ref,
            rollout_logprobs=inputs.get("sampling_per_token_logps"),
            advantages=inputs["advantages"].unsqueeze(1).expand(mask.shape),
            mask=mask,
        )
        return loss


class _Pairs(Recording):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().compute_loss(model, inputs, *args, **kwargs)  # type: ignore[misc]
        self._record(inputs)
        return found

    def prediction_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().prediction_step(model, inputs, *args, **kwargs)  # type: ignore[misc]
        if not NEW:
            self._record(inputs)
        return found

    def _record(self, inputs: Any) -> None:
        if NEW:
            ids, attention, mask = inputs["input_ids"], inputs["attention_mask"], inputs["completion_mask"]
        else:
            rows = []
            for side in ("chosen", "rejected"):
                for row in range(len(inputs["prompt_input_ids"])):
                    asked, answer = inputs["prompt_input_ids"][row], inputs[f"{side}_input_ids"][row]
                    asked = asked[inputs["prompt_attention_mask"][row].bool()].tolist()
                    answer = answer[inputs[f"{side}_attention_mask"][row].bool()].tolist()
                    kept = [*asked, *answer]
                    rows.append((kept[: self.max_length], len(asked)))
            width = max(len(row) for row, _ in rows)
            ids = torch.tensor([row + [PAD] * (width - len(row)) for row, _ in rows])
            attention = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row, _ in rows])
            mask = attention * torch.tensor([[place >= asked for place in range(width)] for _, asked in rows])
        mask = mask[:, 1:].bool()
        own, ref = said(self.model, ids, attention), said(self.ref_model, ids, attention)  # type: ignore[attr-defined]
        self.record(
            logprobs=own["logprobs"],
            ref_logprobs=ref["logprobs"],
            token_entropy=own["token_entropy"],
            mean_logits=own["mean_logits"],
            is_top1=own["is_top1"],
            mask=mask,
        )


class _Texts(Recording):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        batch = dict(inputs)
        found = super().compute_loss(model, inputs, *args, **kwargs)  # type: ignore[misc]
        own = said(self.model, batch["input_ids"], batch["attention_mask"])  # type: ignore[attr-defined]
        names = ("logprobs", "token_entropy", "is_top1")
        self.record(**{name: own[name] for name in names}, mask=batch["labels"][:, 1:] != -100)
        return found


def made(cls: Any, base: Any, **options: Any) -> Any:
    """Return an object of a class, made with those of some options that a class of this release takes."""
    taken = inspect.signature(base.__init__).parameters
    return cls(**{name: value for name, value in options.items() if name in taken})


def rolled(prompts: list[Any], trainer: Any) -> dict[str, Any]:
    """Sample as an engine of one's own would, whose log-probabilities differ from the trainer's."""
    chosen = random.Random(len(trainer.state.log_history) * 7 + trainer.accelerator.process_index)
    words = tokenizer()
    answers = [[chosen.randrange(2, len(WORDS)) for _ in range(chosen.randrange(1, 5))] + [EOS] for _ in prompts]
    return {
        "prompt_ids": [words(text)["input_ids"] for text in prompts],
        "completion_ids": answers,
        "logprobs": [[-3.0 + chosen.random() for _ in answer] for answer in answers],
    }


def trainer_of(job: dict[str, Any], folder: Path) -> Any:
    """Return the trainer of a job."""
    from rlmetrics.trainers import trl as suites

    kind = job["kind"]
    base, config = getattr(trl, f"{kind}Trainer"), getattr(trl, f"{kind}Config")
    recording = {"GRPO": _Sampled, "RLOO": _Sampled, "DPO": _Pairs, "SFT": _Texts}[kind]
    if "code" in job:
        # A class of one's own, which an example of the documentation defines.
        names: dict[str, Any] = {}
        exec(job["code"], names)
        base = names["MyTrainer"]
    cls = type(f"Recording{kind}", (recording, base), {})
    if job["measured"] and "code" not in job:
        cls = suites.measured(cls)
    settings = {
        "output_dir": str(folder / "out"),
        "report_to": [],
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "seed": 7,
        "max_steps": STEPS,
        "logging_steps": 1,
        "learning_rate": 3e-2,
        "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": 4,
        "gradient_accumulation_steps": 2,
        "eval_strategy": "steps",
        "eval_steps": 3,
        "save_strategy": "no",
        "disable_tqdm": True,
        "num_generations": 4,
        "num_iterations": 2,
        "max_completion_length": 5,
        "max_prompt_length": 8,
        "temperature": TEMPERATURE,
        "beta": 0.1,
        "max_length": 9,
        "dataset_text_field": "text",
        **job.get("args", {}),
    }
    chosen = random.Random(3)

    def letters(most: int) -> str:
        return " ".join(chosen.choices(WORDS[2:], k=chosen.randrange(2, most)))

    def data(rows: int) -> Dataset:
        asked = list(dict.fromkeys(" ".join(chosen.choices(WORDS[2:], k=3)) for _ in range(rows)))
        if kind == "DPO":
            pairs = {side: [" " + letters(8) for _ in asked] for side in ("chosen", "rejected")}
            return Dataset.from_dict({"prompt": asked, **pairs})
        if kind == "SFT":
            return Dataset.from_dict({"text": [letters(9) for _ in asked]})
        return Dataset.from_dict({"prompt": asked})

    options = {
        "model": policy(),
        "ref_model": policy() if kind == "DPO" else None,
        "args": made(config, config, **settings),
        "train_dataset": data(24),
        "eval_dataset": data(4),
        "processing_class": tokenizer(),
        "reward_funcs": reward,
    }
    if job.get("rollout"):
        options["rollout_func"] = rolled
    return made(cls, getattr(trl, f"{kind}Trainer"), **options)


def run(folder: Path, job: dict[str, Any]) -> None:
    """Make one run on this rank."""
    random.seed(7)
    torch.manual_seed(7)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    trainer = trainer_of(job, folder)
    trainer.train()
    digest = hashlib.sha256()
    for name, tensor in sorted(trainer.model.state_dict().items()):
        digest.update(name.encode() + tensor.detach().contiguous().numpy().tobytes())
    measured = getattr(trainer, "measured", None)
    found = {
        "windows": trainer.windows,
        "history": trainer.state.log_history,
        "weights": digest.hexdigest(),
        "random": torch.rand(1).item(),
        "faults": None if measured is None else [measured.faults.count, measured.faults.last],
        "missing": None if measured is None else measured.missing,
    }
    (folder / f"rank{os.environ.get('RANK', '0')}.json").write_text(json.dumps(found), encoding="utf-8")


def main() -> None:
    """Make all runs, those of several ranks in processes of their own."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TRL_EXPERIMENTAL_SILENCE": "1"}
    os.environ |= {"HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "OMP_NUM_THREADS": "1"}
    warnings.simplefilter("ignore")
    if "RANK" in os.environ:
        chosen = jobs
    else:
        chosen = [job for job in jobs if job.get("ranks", 1) == 1]
        several = [job for job in jobs if job not in chosen]
        for job in several:
            save_model(base / job["name"] / "model")
        if several:
            launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
            subprocess.run([*launcher, __file__, str(base), json.dumps(several)], check=True)
    for job in chosen:
        run(base / job["name"], job)


if __name__ == "__main__":
    main()
