"""Reads the YAML of a spec, with the place of everything and all findings at once."""

from .document import YamlDocument, YamlPath
from .parse import parse
from .tree import SpecError, load, read

__all__ = ["SpecError", "YamlDocument", "YamlPath", "load", "parse", "read"]
