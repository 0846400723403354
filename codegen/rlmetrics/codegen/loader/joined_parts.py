"""Joins a long file with its parts: files in a folder of its name.

``grpo_trainer/loss.yaml`` goes on with ``grpo_trainer.yaml``. A part adds entries to the mappings and lists of the file
and gives none that the file, or another part, has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..findings import SpecFinding
from ..spec import YamlOrigin

if TYPE_CHECKING:
    from .document import YamlDocument, YamlPath

__all__ = ["joined"]


def joined(data: Any, part: YamlDocument) -> tuple[Any, dict[YamlPath, YamlOrigin], list[SpecFinding]]:
    """Add a part to the data of a file.

    Args:
        data: What the file holds so far.
        part: The part.

    Returns:
        The joined data, the places of what was added, and what stands twice.
    """
    if not isinstance(data, dict) or not isinstance(part.data, dict):
        message = "a part of a file must be a mapping of fields, as the file itself"
        return data, {}, [SpecFinding("wrong-type", "error", part.locate(()), message, "write `field: value`")]
    result = dict(data)
    places: dict[YamlPath, YamlOrigin] = {}
    findings: list[SpecFinding] = []
    for name, value in part.data.items():
        old = result.get(name)
        if name not in result:
            result[name] = value
            places[(name,)] = YamlOrigin(part, (name,))
        elif isinstance(old, dict) and isinstance(value, dict):
            result[name] = {**old, **{key: item for key, item in value.items() if key not in old}}
            places.update({(name, key): YamlOrigin(part, (name, key)) for key in value if key not in old})
            findings += [_twice(part, (name, key)) for key in value if key in old]
        elif isinstance(old, list) and isinstance(value, list):
            result[name] = [*old, *value]
            places.update({(name, len(old) + index): YamlOrigin(part, (name, index)) for index in range(len(value))})
        else:
            findings.append(_twice(part, (name,)))
    return result, places, findings


def _twice(part: YamlDocument, path: YamlPath) -> SpecFinding:
    message = f"`{path[-1]}` stands in the file, or in another part of it, already"
    return SpecFinding("yaml-duplicate-key", "error", part.locate(path), message, "keep one of the two")
