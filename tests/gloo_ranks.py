"""Processes that form a group with gloo, for tests of what is computed over ranks."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from generate_support import environment

__all__ = ["RANKS", "join", "on_ranks", "report"]

RANKS = 3


def on_ranks(folder: Path, worker: str, *arguments: str) -> list[Any]:
    """Run a program on each rank, and return what these report; one that fails is an error, with what it said.

    Args:
        folder: Where they meet; empty.
        worker: The program. It calls `join` before it computes with others, and `report` at the end.
        arguments: What it finds in ``sys.argv``, from place 3 on.
    """
    command = [sys.executable, "-c", worker, str(folder)]
    ranks = [
        subprocess.Popen(
            [*command, str(rank), *arguments], env=environment(OMP_NUM_THREADS="1"), stderr=subprocess.PIPE, text=True
        )
        for rank in range(RANKS)
    ]
    errors = [process.communicate(timeout=300)[1] for process in ranks]
    assert [process.returncode for process in ranks] == [0] * RANKS, "\n".join(errors)
    return [torch.load(folder / f"{rank}.pt") for rank in range(RANKS)]


def join(name: str = "group", ranks: int = RANKS) -> int:
    """Form a group, in the program of each of its ranks; return which of them this is."""
    folder, rank = sys.argv[1], int(sys.argv[2])
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/{name}", rank=rank, world_size=ranks, timeout=timedelta(seconds=60)
    )
    return rank


def report(found: Any) -> None:
    """Say what a rank has found: numbers, texts and tensors, and lists and dicts of these."""
    torch.save(found, f"{sys.argv[1]}/{sys.argv[2]}.pt")
