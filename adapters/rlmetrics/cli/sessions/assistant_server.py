"""A server for assistants, by the Model Context Protocol: what keys mean, what values tell, what releases changed.

Each tool is a command line that only reads. Paths are those of the folder that the server was started for, and of
nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from rlmetrics import __version__

from .command_answer import answer

__all__ = ["Tools", "serve"]

_PATIENCE = 120.0
"""Seconds after which a tool gives up; a log of a million points takes ten."""
_NOT_LOGGED = "does not log"
"""By which a refusal is known that says of a key that a source lacks it."""
_MOST = 60_000
"""Characters of an answer: what is longer fills the context of an assistant, and is asked for in parts."""

INSTRUCTIONS = (
    "Metrics of RL post-training (RLHF, PPO, GRPO, DPO) mean different things in different releases. Ask here before "
    "you explain, compare or rename one; never answer from memory. A source is written FRAMEWORK[COMPONENT]==RELEASE, "
    "such as trl[GRPOTrainer]==1.16.0 or verl==0.9.1; leave it out if it is not known. Say which source an answer is "
    "about."
)

Source = Annotated[str, "FRAMEWORK[COMPONENT]==RELEASE, such as trl[GRPOTrainer]==1.16.0; empty if it is not known"]
Settings = Annotated[dict[str, Any] | None, "settings of the run that are known, by their names in the framework"]
Full = Annotated[bool, "everything that is known instead of the answer at a glance"]


class Tools:
    """What an assistant may ask; each tool answers with text, as the command of its name does.

    Args:
        folder: The folder of which files can be read.

    Raises:
        ToolError: From each tool: bad arguments, in one line that the assistant reads.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def resolve(self, keys: list[str], at: Source = "", config: Settings = None, full: Full = False) -> str:
        """Say what logged keys mean: formula, what it is taken over, when it is logged; two keys: how they differ."""
        options = [*_option("--at", at), *_settings(config), *(["--full"] if full else [])]
        return self._answer("resolve", options, _texts(keys, "keys"))

    def judge(self, row: dict[str, Any], at: Source = "", config: Settings = None) -> str:
        """Say what one or more logged values tell, given by key: which are normal, which are a bad sign, and why."""
        if not row:
            msg = "row is empty; give values by key, such as {'kl': 0.1}"
            raise ToolError(msg)
        return self._answer("resolve", [*_option("--at", at), *_settings(config)], [json.dumps(row)])

    def diff(
        self,
        from_: Annotated[str, "the old source"],
        to: Annotated[str, "the new source"],
        key: Annotated[str, "one key; empty for all"] = "",
        full: Full = False,
    ) -> str:
        """Say what an upgrade changes: keys renamed, gone or new, and those of the same name with another meaning."""
        options = [*_option("--from", from_), *_option("--to", to), *(["--full"] if full else [])]
        return self._answer("diff", options, [key] if key else [])

    def map(
        self,
        from_: Annotated[str, "whose names are at hand"],
        to: Annotated[str, "whose names are wanted; also canonical"],
        key: Annotated[str, "one key; empty for all"] = "",
        full: Full = False,
    ) -> str:
        """Say what keys are called in another framework or release, and which only look alike."""
        options = [*_option("--from", from_), *_option("--to", to), *(["--full"] if full else [])]
        try:
            return self._answer("map", options, [key] if key else [])
        except ToolError as error:
            if not key or _NOT_LOGGED not in str(error):
                raise
            # That a source does not have a key is an answer; what is meant is told as `resolve` tells it.
            return f"{error}\n\n{self._answer('resolve', _option('--at', from_), [key])}"

    def check(
        self,
        path: Annotated[str, "a log, or a folder with logs, below the server's folder"],
        at: Source = "",
        config: Settings = None,
        full: Full = False,
    ) -> str:
        """Judge the health of a recorded run: what went wrong, since which step, and what to look at."""
        options = [*_option("--at", at), *_settings(config), *(["--full"] if full else [])]
        return self._answer("check", options, [self._inside(path)])

    def source_lines(self, key: str, at: Annotated[str, "the source, with a release"], config: Settings = None) -> str:
        """Say which lines of a release's own source code show how it computes a key."""
        told = self._told("resolve", [f"--at={at}", *_settings(config), "--json"], _texts([key], "key"))
        lines: list[str] = []
        for found in json.loads(told):
            if found["metric"] is None:
                raise ToolError(found["reason"])
            lines.append(
                f"{found['key']} of {found['source']}, {found['component']}: {found['metric']}. {found['brief']}"
            )
            lines += [
                f"  {line['path']}:{line['line']}  {line['symbol'] or ''}  {line['note'] or ''}".rstrip()
                for line in found["evidence"]
            ]
        return "\n".join(lines)

    def keys(self, at: Annotated[str, "the source, with a release"]) -> str:
        """List what a release logs."""
        return self._answer("keys", _option("--at", at), [])

    def releases(self, framework: Annotated[str, "such as trl; empty for all"] = "") -> str:
        """List the releases that are described, with their dates."""
        return self._answer("releases", [], [framework] if framework else [])

    def _answer(self, command: str, options: Sequence[str], words: Sequence[str]) -> str:
        """Return an answer, cut where it would fill the assistant's context."""
        text = self._told(command, options, words)
        if len(text) > _MOST:
            text = f"{text[:_MOST]}\n… {len(text) - _MOST} further characters are left out; ask about one key"
        return text

    def _told(self, command: str, options: Sequence[str], words: Sequence[str]) -> str:
        """Return what a command prints, after what it warns of unless it prints JSON."""
        # After `--` nothing is an option, whatever it begins with.
        done = answer([command, *options, *(["--", *words] if words else [])], folder=self.folder, timeout=_PATIENCE)
        if done.is_refused:
            raise ToolError(done.said or f"rlmetrics {command} ended with {done.code}")
        warned = f"{done.said}\n" if done.said and "--json" not in options else ""
        return f"{warned}{done.text}".strip()

    def _inside(self, path: str) -> str:
        """Return a path below the folder.

        Raises:
            ToolError: It leads elsewhere, be it by a link, or is not there.
        """
        try:
            found = (self.folder / path).resolve(strict=True)
        except (OSError, ValueError, RuntimeError) as error:
            msg = f"{path!r} is not in the server's folder: {getattr(error, 'strerror', None) or error}"
            raise ToolError(msg) from None
        if not found.is_relative_to(self.folder):
            msg = f"{path!r} leads out of the server's folder; only what lies below it is read"
            raise ToolError(msg)
        return str(found.relative_to(self.folder))


def serve(folder: Path) -> None:
    """Answer an assistant over standard input and output until it hangs up.

    Args:
        folder: The folder of which files can be read.
    """
    server = MCPServer("rlmetrics", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    tools = Tools(folder)
    reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (
        tools.resolve,
        tools.judge,
        tools.diff,
        tools.map,
        tools.check,
        tools.source_lines,
        tools.keys,
        tools.releases,
    ):
        server.add_tool(tool, annotations=reads)
    server.run()


def _texts(given: Sequence[str], name: str) -> list[str]:
    """Return texts of which there is at least one, and none that stands for the standard input.

    Raises:
        ToolError: There is none, or one is empty or ``-``.
    """
    if not given or any(text.strip() in ("", "-") for text in given):
        msg = f"{name} must name at least one key, and no empty one"
        raise ToolError(msg)
    return [*given]


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value else []


def _settings(config: Mapping[str, Any] | None) -> list[str]:
    """Return settings as options.

    Raises:
        ToolError: A name is none, or would name a file.
    """
    options: list[str] = []
    for name, value in (config or {}).items():
        if not name or name.startswith("@") or "=" in name:
            msg = f"{name!r} is no name of a setting"
            raise ToolError(msg)
        options.append(f"--config={name}={value if isinstance(value, str) else json.dumps(value)}")
    return options
