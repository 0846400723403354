"""Reads the YAML of a spec, with the place of everything and all findings at once."""

from .document import YamlDocument, YamlPath
from .spec_tree import SpecError, load, read
from .yaml_parser import parse

__all__ = ["SpecError", "YamlDocument", "YamlPath", "load", "parse", "read"]
