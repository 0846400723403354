"""JSON Schemas for editors, from the models that the loader validates with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

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
    SpecInfo,
    SuiteFile,
    Tracker,
)
from .store import Output
from .text import header

FOLDER = "codegen/rlmetrics/codegen/schema"

KINDS: dict[str, tuple[type[BaseModel], str]] = {
    "component": (ComponentFile, "framework.py"),
    "convention": (Convention, "convention.py"),
    "framework": (Framework, "framework.py"),
    "glossary": (Glossary, "translation.py"),
    "health": (HealthFile, "health.py"),
    "inputs": (Inputs, "metric.py"),
    "metrics": (Family, "metric.py"),
    "sentences": (Sentences, "translation.py"),
    "signatures": (Signatures, "signature.py"),
    "spec": (SpecInfo, "framework.py"),
    "suite": (SuiteFile, "suite.py"),
    "tracker": (Tracker, "framework.py"),
}
"""The model of each kind of file, and the module that defines it."""


def emit() -> Iterator[Output]:
    """Yield one JSON Schema for each kind of spec file."""
    for kind, (model, module) in KINDS.items():
        source = f"codegen/rlmetrics/codegen/model/{module}"
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$comment": header(source),
            **_open_to_local_facts(model.model_json_schema()),
        }
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        yield Output(f"{FOLDER}/{kind}.json", text, source)


def _open_to_local_facts(node: Any) -> Any:
    """Let every object with a fixed set of fields hold local facts too, as the models do."""
    if isinstance(node, list):
        return [_open_to_local_facts(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _open_to_local_facts(value) for key, value in node.items()}
    if node.get("additionalProperties") is False:
        node["patternProperties"] = {f"^{LOCAL_PREFIX}": True}
    return node
