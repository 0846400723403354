"""How a framework is read is data: rules, and what packages do whose source is not read."""

import pytest
from pydantic import ValidationError
from rlmetrics.codegen.audit.release_audit import settings_of
from rlmetrics.codegen.model.audit_settings import AuditSettings, SettingRule
from rlmetrics.names.tables.loading import load_tables


@pytest.mark.parametrize(
    ("key", "owner", "component"),
    [
        ("actor/ppo_kl", "RayPPOTrainer", "actor"),
        ("critic/kl", "RayPPOTrainer", "actor"),
        ("critic/vf_loss", "RayPPOTrainer", "critic"),
        ("critic/score/mean", "RayPPOTrainer", "data"),
        ("anything/else", "RayPPOTrainer", "data"),
        ("actor/ppo_kl", "FSDPSFTTrainer", "sft"),
        ("moe/max_vio/avg", "FSDPSFTTrainer", "veomni_engine"),
    ],
)
def test_the_first_rule_that_fits_gives_the_component(key: str, owner: str, component: str) -> None:
    """A rule asks for the key, the class or both; the last one takes the rest."""
    assert component == settings_of(load_tables(), "verl").component(key, owner)


def test_without_rules_the_class_is_the_component() -> None:
    """As in TRL, whose trainers are components."""
    assert AuditSettings().component("actor/ppo_kl", "GRPOTrainer") == "GRPOTrainer"


def test_settings_stay_what_they_are() -> None:
    """Lists become tuples, rules and ignored places records; a name that no setting has is an error."""
    settings = AuditSettings.model_validate(
        {
            "workers": {"group": ["A", "B"]},
            "components": [{"key": "a/.*", "component": "a"}],
            "ignored": [{"path": "a.py", "symbol": "f", "reason": "it adds no key"}],
        }
    )

    assert settings.workers == {"group": ("A", "B")}
    assert settings.components == (SettingRule(component="a", key="a/.*"),)
    assert [item.reason for item in settings.ignored] == ["it adds no key"]

    with pytest.raises(ValidationError, match="worker"):
        AuditSettings.model_validate({"worker": {}})
