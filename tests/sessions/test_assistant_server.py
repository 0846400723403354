"""The server for assistants, asked by the protocol's own client over a real process."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

GRPO = "trl[GRPOTrainer]==1.16.0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a run that breaks, beside a file that is not below it, to which a link leads."""
    inside = tmp_path / "runs"
    inside.mkdir()
    rows = [
        {"step": step, "loss": 0.1, "reward": step / 80, "reward_std": 0.2, "grad_norm": 0.5 if step < 60 else "NaN"}
        for step in range(1, 81)
    ]
    (inside / "run.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "secret.jsonl").write_text('{"step": 1, "loss": 0.25}\n')
    (inside / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (inside / "nested").mkdir()
    (inside / "nested" / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    return inside


def asked(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """What one server answers to some calls: whether it refuses, and its text."""

    async def session() -> list[tuple[bool, str]]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "rlmetrics.cli", "mcp", "--folder", str(folder)]
        )
        answers = []
        async with Client(stdio_client(server)) as client:
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                text = "\n".join(str(getattr(part, "text", "")) for part in result.content)
                answers.append((bool(result.is_error), text))
        return answers

    return asyncio.run(session())


def test_every_tool_answers_as_its_command_does(folder: Path) -> None:
    """Meaning, value, upgrade, translation, health and source lines, each in one call."""
    answers = asked(
        folder,
        ("resolve", {"keys": ["kl"], "at": GRPO}),
        ("judge", {"row": {"loss": 0.0, "grad_norm": 0.4}, "at": GRPO}),
        ("diff", {"from_": "trl[grpo]==0.26.2", "to": "trl[grpo]==0.27.0", "key": "reward_std"}),
        ("map", {"from_": GRPO, "to": "verl==0.9.1", "key": "kl"}),
        ("check", {"path": "run.jsonl", "at": GRPO}),
        ("source_lines", {"key": "kl", "at": GRPO}),
        ("keys", {"at": "trl[RewardTrainer]==1.16.0"}),
        ("releases", {"framework": "verl"}),
    )
    assert [refused for refused, _ in answers] == [False] * 8
    for said, (_, text) in zip(
        ("k3", "loss", "reward_std", "actor/kl_loss", "step 60", "grpo_trainer.py", "margin", "0.9.1"),
        answers,
        strict=True,
    ):
        assert said in text


def test_settings_reach_the_answer(folder: Path) -> None:
    """A setting that is no text, such as a number or a switch, is understood as the framework writes it."""
    [(refused, text)] = asked(folder, ("resolve", {"keys": ["kl"], "at": GRPO, "config": {"beta": 0.1}}))
    assert not refused
    assert "Not logged" not in text


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("check", {"path": "../secret.jsonl"}, "leads out"),
        ("check", {"path": "link.jsonl"}, "leads out"),
        ("check", {"path": "/etc/passwd"}, "leads out"),
        ("check", {"path": "absent.jsonl"}, "is not in"),
        ("check", {"path": "wandb:team/project/run"}, "is not in"),
        ("resolve", {"keys": []}, "at least one key"),
        ("resolve", {"keys": ["-"]}, "at least one key"),
        ("resolve", {"keys": ["kl"], "config": {"@/etc/passwd": 1}}, "no name of a setting"),
        ("resolve", {"keys": ["kl"], "at": "nothing==1"}, "unknown framework"),
        ("resolve", {"keys": ["k\0l"]}, "null"),
        ("judge", {"row": {}}, "empty"),
        ("map", {"from_": GRPO}, "to"),
    ],
)
def test_bad_arguments_are_answered(folder: Path, name: str, arguments: dict[str, Any], why: str) -> None:
    """Each is refused with its reason, and the server answers the next question."""
    (refused, text), (still_refused, _) = asked(folder, (name, arguments), ("releases", {}))
    assert refused
    assert why in text
    assert not still_refused


def test_an_option_is_no_key(folder: Path) -> None:
    """What begins like an option is a key that nobody logs, and not obeyed."""
    [(refused, text)] = asked(folder, ("resolve", {"keys": ["--spec=/tmp"]}))
    assert not refused
    assert "`--spec=/tmp`" in text or "--spec" in text


def test_links_within_a_folder_are_not_followed(folder: Path) -> None:
    """A folder is judged without what a link in it leads to."""
    [(_, text)] = asked(folder, ("check", {"path": "nested", "at": GRPO}))
    assert "0.25" not in text
    assert "1 row" not in text


def test_every_tool_says_that_it_only_reads(folder: Path) -> None:
    """An assistant may call each without asking first."""

    async def tools() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "rlmetrics.cli", "mcp", "--folder", str(folder)]
        )
        async with Client(stdio_client(server)) as client:
            return list((await client.list_tools()).tools)

    found = asyncio.run(tools())
    assert len(found) == 8
    assert all(tool.annotations.read_only_hint and tool.description for tool in found)
    assert sorted(path.name for path in folder.iterdir()) == ["link.jsonl", "nested", "run.jsonl"]
