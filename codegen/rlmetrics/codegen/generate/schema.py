"""JSON Schemas for editors, from the models that the loader validates with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import VERSION, BaseModel

from rlmetrics.names.tables.levels import UPDATE

from ..cache import kept
from ..model import (
    LOCAL_PREFIX,
    ComponentFile,
    Convention,
    Family,
    Framework,
    Glossary,
    HealthFile,
    Inputs,
    Sentences,
    Signatures,
    SourceTable,
    SpecInfo,
    SuiteFile,
    Tracker,
)
from ..output.json_layout import laid_out
from ..output.prose import header
from ..output.store import Output
from ..spec import Spec

FOLDER = "codegen/rlmetrics/codegen/schema"

KINDS: dict[str, type[BaseModel]] = {
    "component": ComponentFile,
    "convention": Convention,
    "framework": Framework,
    "glossary": Glossary,
    "health": HealthFile,
    "inputs": Inputs,
    "metrics": Family,
    "sentences": Sentences,
    "signatures": Signatures,
    "sources": SourceTable,
    "spec": SpecInfo,
    "suite": SuiteFile,
    "tracker": Tracker,
}
"""The model of each kind of file."""


def emit(spec: Spec) -> Iterator[Output]:
    """Yield one JSON Schema for each kind of spec file, with the names that the spec itself defines."""
    levels = [*spec.signatures.levels]
    names = {"levels": levels, "parts": [*levels, UPDATE], "sources": [*spec.sources]}
    yield from kept("schemas", (VERSION, repr(names)), lambda: list(_schemas(names)))


def _schemas(names: Mapping[str, list[str]]) -> Iterator[Output]:
    for kind, model in KINDS.items():
        source = f"codegen/{model.__module__.replace('.', '/')}.py"
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$comment": header(source),
            **_finished(model.model_json_schema(), names),
        }
        yield Output(f"{FOLDER}/{kind}.json", f"{laid_out(schema)}\n", source)


def _finished(node: Any, names: Mapping[str, list[str]]) -> Any:
    """Let objects with fixed fields hold local facts too, as the models do, and write out names of the spec."""
    if isinstance(node, list):
        return [_finished(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _finished(value, names) for key, value in node.items()}
    if "x-names" in node:
        known = names[node.pop("x-names")]
        node.update({"enum": known} if known else {})
    if node.get("additionalProperties") is False:
        node["patternProperties"] = {f"^{LOCAL_PREFIX}": True}
    return node
