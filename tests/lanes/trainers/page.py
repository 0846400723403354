"""Runs blocks of the documentation: ``python page.py FOLDER JOBS``, where JOBS is a JSON list of names and codes.

A block finds ``model``, ``reward``, ``args`` and ``prompts`` as its reader would have them. The trainer's history goes
to ``result.json`` in the folder of its name.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    """Run all blocks."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "offline", "WANDB_SILENT": "true", "CUDA_VISIBLE_DEVICES": ""}
    warnings.simplefilter("ignore")
    import tiny  # type: ignore[import-not-found]

    for job in jobs:
        folder = base / job["name"]
        folder.mkdir()
        os.chdir(folder)
        os.environ["TENSORBOARD_LOGGING_DIR"] = str(folder / "tensorboard")
        tiny.seeded()
        trackers = ["tensorboard", *(["wandb"] if "wandb" in job["code"] else [])]
        names: dict[str, Any] = {
            "__name__": "__main__",
            "model": tiny.policy(),
            "reward": tiny.reward,
            "args": tiny.arguments(folder, trackers),
            "prompts": tiny.prompts(32),
        }
        exec(compile(job["code"], job["name"], "exec"), names)
        if "wandb" in sys.modules:
            sys.modules["wandb"].finish()
        (folder / "result.json").write_text(json.dumps(names["trainer"].state.log_history), encoding="utf-8")


if __name__ == "__main__":
    main()
