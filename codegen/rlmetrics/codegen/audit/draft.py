"""Drafts YAML for what a release logs: everything that can be read off, with the meaning left to a person."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Any

import yaml

from .extract import ExtractedKey

__all__ = ["draft"]

_EVALUATION = "eval_"
_HEADER = """\
# Drafted from the source of {source}. Where a value starts with "TODO", a person has to read the source and say
# what the number means; `rlmetrics lint` refuses the file until that is done. Expressions stand in x-expression;
# `rlmetrics anchor add NAME RELEASE PATH:LINE` lets each name under `at` stand for one of the x-places.
"""


def draft(source: str, release: str, keys: Iterable[ExtractedKey]) -> str:
    """Return YAML documents, one for each component, in the form of the spec's component files.

    Args:
        source: What the keys were extracted from, for the header.
        release: The release.
        keys: The extracted keys that need a description.
    """
    by_component: dict[str, list[ExtractedKey]] = {}
    for key in keys:
        by_component.setdefault(key.component, []).append(key)
    documents = [_component(name, release, extracted) for name, extracted in sorted(by_component.items())]
    return _HEADER.format(source=source) + yaml.safe_dump_all(
        documents, sort_keys=False, allow_unicode=True, width=120, explicit_start=len(documents) > 1
    )


def _component(name: str, release: str, keys: list[ExtractedKey]) -> dict[str, Any]:
    by_key: dict[str, list[ExtractedKey]] = {}
    for found in keys:
        by_key.setdefault(found.key, []).append(found)
    document: dict[str, Any] = {
        "title": name,
        "brief": "TODO: what this component is.",
        "components": [{"name": name, "releases": release, "module": keys[0].module}],
    }
    names = dict.fromkeys(found for key in by_key for found in re.findall(r"\{(\w+)\}", key))
    if names:
        document["placeholders"] = {
            found: {"brief": f"TODO: what stands for {found}.", "pattern": "[^/]+", "examples": ["TODO"]}
            for found in names
        }
    document["modes"] = ["train"]
    document["keys"] = {
        key.removeprefix(_EVALUATION) if modes == ["eval"] else key: _record(key, release, found, modes)
        for key, found in by_key.items()
        if not (key.startswith(_EVALUATION) and key.removeprefix(_EVALUATION) in by_key)
        for modes in [_modes(key, by_key)]
    }
    return document


def _modes(key: str, keys: Container[str]) -> list[str]:
    """Return in which modes a key is logged: one that evaluation logs too, prefixed, is one record."""
    if key.startswith(_EVALUATION):
        return ["eval"]
    return ["train", "eval"] if f"{_EVALUATION}{key}" in keys else ["train"]


def _record(key: str, release: str, keys: list[ExtractedKey], modes: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"metric": "TODO/metric", "releases": f"{release}.."}
    if modes != ["train"]:
        record["modes"] = modes
    record["x-meaning"] = "TODO: over which population and with which reduction the number comes about."
    record["x-expression"] = list(dict.fromkeys(site.expression for site in keys))
    record["x-places"] = sorted({f"{site.path}:{site.line}" for site in keys})
    record["at"] = []
    for site in keys:
        name = f"{re.sub(r'[^a-z0-9]+', '_', key.lower()).strip('_')}.{site.symbol.rpartition('.')[2]}"
        if name not in record["at"]:
            record["at"].append(name)
    return record
