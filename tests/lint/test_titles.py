"""A file is called as its component, unless it says otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from rlmetrics.codegen.model import ComponentFile

COMPONENT = {"name": "Trainer", "releases": "1.0.0..", "module": "acme"}


@pytest.mark.parametrize(("said", "title"), [({}, "Trainer"), ({"title": "Old trainer"}, "Old trainer")])
def test_a_file_is_called_as_its_component(said: dict[str, Any], title: str) -> None:
    """The first one, where a class had several names."""
    file = ComponentFile.model_validate({"brief": "B.", "components": [COMPONENT], **said})
    assert file.title == title


def test_a_file_without_components_says_what_it_is_called() -> None:
    """There is nothing else to call it by."""
    with pytest.raises(ValidationError, match="a file without components needs a `title`"):
        ComponentFile.model_validate({"brief": "B."})
