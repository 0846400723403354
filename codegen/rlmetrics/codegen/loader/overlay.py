"""Lays the files of an overlay over those of the spec.

A file of an overlay with the path of a file of the spec extends it; any other file is simply added. Field by field:

* Metrics, inputs and the words of signatures may be added, never redefined: their meaning is what relations rest on.
* Other named entries (records of keys, configuration keys, placeholders, profiles, guards, short names, anchors,
  routes) are added, or replace those of the same name.
* What a file says of its records by `as_defined` does not hold for those that an overlay adds; its own file says it.
* Lists grow, shared facts among them. A release, a component, a health rule and a diagnosis replace their namesakes.
* Fields that the overlay leaves out keep their value; other fields that it gives replace it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..findings import SpecFinding
from ..spec import YamlOrigin

if TYPE_CHECKING:
    from .document import YamlDocument, YamlPath

__all__ = ["lay_over"]

_FINAL = frozenset({"metrics", "inputs", "populations", "traits", "levels", "operations", "grades"})
_IDENTITY: dict[str, tuple[str, ...]] = {
    "releases": ("release",),
    "components": ("name", "releases"),
    "diagnoses": ("id",),
    "rules": ("id",),
    "renamed": ("from",),
}
_FINAL_FIELDS = {"spec": ("version",)}


def lay_over(
    ref: str, data: Any, moved: dict[YamlPath, YamlOrigin], overlay: YamlDocument
) -> tuple[Any, dict[YamlPath, YamlOrigin], list[SpecFinding]]:
    """Add one file of an overlay to the data of a file.

    Args:
        ref: The file.
        data: What the file holds so far.
        moved: Places of its entries, as in ``SpecFile.moved``.
        overlay: The file of the overlay.

    Returns:
        The joined data, the places of its entries, and what the overlay must not do.
    """
    if not isinstance(data, dict) or not isinstance(overlay.data, dict):
        return data, moved, []
    result = dict(data)
    places = dict(moved)
    findings: list[SpecFinding] = []
    for name, given in overlay.data.items():
        value = given
        old = result.get(name)
        if name == "keys" and result.get("as_defined") is True and overlay.data.get("as_defined") is not True:
            value = {key: _silent(item) for key, item in value.items()} if isinstance(value, dict) else value
        if isinstance(old, dict) and isinstance(value, dict):
            result[name] = _join_entries(name, old, value, overlay, places, findings)
        elif isinstance(old, list) and isinstance(value, list):
            result[name] = _join_items(name, old, value, overlay, places)
        elif name in _FINAL_FIELDS.get(ref, ()) and value != old:
            message = f"an overlay cannot change `{name}`"
            findings.append(
                SpecFinding("overlay-conflict", "error", overlay.locate((name,)), message, "remove the field")
            )
        else:
            result[name] = value
            places[(name,)] = YamlOrigin(overlay, (name,))
    return result, places, findings


def _silent(records: Any) -> Any:
    """Return a record, or several, of which nothing is as defined unless they say so themselves."""
    if isinstance(records, list):
        return [_silent(item) for item in records]
    return {"as_defined": False, **records} if isinstance(records, dict) else records


def _join_entries(
    field: str,
    old: dict[str, Any],
    new: dict[str, Any],
    overlay: YamlDocument,
    places: dict[YamlPath, YamlOrigin],
    findings: list[SpecFinding],
) -> dict[str, Any]:
    joined = dict(old)
    for name, value in new.items():
        if name in old and field in _FINAL:
            message = f"`{name}` exists already and an overlay cannot redefine it"
            fix = "give it a name of its own"
            findings.append(SpecFinding("overlay-conflict", "error", overlay.locate((field, name)), message, fix))
            continue
        joined[name] = value
        places[field, name] = YamlOrigin(overlay, (field, name))
    return joined


def _join_items(
    field: str, old: list[Any], new: list[Any], overlay: YamlDocument, places: dict[YamlPath, YamlOrigin]
) -> list[Any]:
    identity = _IDENTITY.get(field)
    joined = list(old)
    positions = {_name(item, identity): index for index, item in enumerate(old)} if identity else {}
    for source, item in enumerate(new):
        index = positions.get(_name(item, identity), len(joined)) if identity else len(joined)
        joined[index : index + 1] = [item]
        places[field, index] = YamlOrigin(overlay, (field, source))
    return joined


def _name(item: Any, identity: tuple[str, ...] | None) -> str:
    values = [item.get(field) for field in identity or ()] if isinstance(item, dict) else [item]
    return repr(values)
