"""A state that is broken anywhere is refused as a whole, or is one that can be gone on from."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from rlmetrics.health import Monitor
from rlmetrics.trackers import Live

AT = "trl[GRPOTrainer]==1.16.0"
INSTEAD: list[Any] = ["x", None, [], {}, -1, 0.5, True, 10**400]


def row(step: int) -> dict[str, float]:
    """Return a row of a run whose KL grows."""
    return {"loss": 0.1, "kl": 0.1 * step, "reward": float("nan") if step % 7 == 3 else 0.5}


@pytest.fixture(scope="module")
def state() -> Any:
    """The state of a run with findings, as a checkpoint keeps it."""
    monitor = Monitor(AT)
    for step in range(40):
        monitor.observe(step, row(step))
    assert monitor.findings()
    return json.loads(json.dumps(monitor.state_dict()))


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where something stands in a state."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in parts:
        yield (*above, name)
        yield from places(item, (*above, name))


def test_a_state_broken_anywhere_is_refused_or_gone_on_from(state: Any) -> None:
    """Nothing of it is taken, and one ValueError says what is wrong; or judging and reporting go on."""
    everywhere = list(places(state))
    dice, refused = random.Random(3), 0
    for place in dice.sample(everywhere, 250):
        for value in dice.sample(INSTEAD, 3):
            broken = copy.deepcopy(state)
            part = broken
            for name in place[:-1]:
                part = part[name]
            part[place[-1]] = value
            monitor = Monitor(AT)
            said = ""
            try:
                monitor.load_state_dict(broken)
            except ValueError as error:
                said = str(error)
            if said:
                refused += 1
                assert "this is no whole state of a monitor" in said or "the state is of a run of" in said
                assert monitor.rows == 0
                assert monitor.state_dict()["channels"] == {}
                continue
            for step in range(40, 44):
                monitor.observe(step, row(step))
            json.dumps(monitor.state_dict())
            monitor.report()
            assert (monitor.faults, monitor.fault) == (0, ""), (place, value)

    assert refused > 200


@pytest.mark.parametrize("lacking", ["at", "rows", "axis", "kinds", "expected", "run", "channels"])
def test_half_a_state_is_refused(state: Any, lacking: str) -> None:
    """It is named what it lacks."""
    half = {name: value for name, value in state.items() if name != lacking}

    with pytest.raises(ValueError, match=f"it lacks {lacking}"):
        Monitor(AT).load_state_dict(half)


@pytest.mark.parametrize("broken", [None, {}, {"monitor": {}}, {"levels": {}}, {"monitor": {}, "levels": {"a": []}}])
def test_half_the_health_of_a_run_is_refused(broken: Any) -> None:
    """What a checkpoint keeps of a run that is watched is taken whole or not at all."""
    live = Live(AT, health=True)

    with pytest.raises(ValueError, match="this is no whole state"):
        live.restore_health(broken)

    assert live.monitor.rows == 0
