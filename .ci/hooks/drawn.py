"""A plugin of pytest that runs a drawn part of the tests: ``-p drawn --draw SEED``.

A test is drawn by its name, whatever the others are, and by the seed, so that in time every one is.
"""

import hashlib

import pytest

ONE_IN = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--draw", metavar="SEED", help=f"run one test in {ONE_IN}, by this seed")


def is_drawn(seed: str, test: str) -> bool:
    """Tell whether a seed draws a test."""
    return int.from_bytes(hashlib.sha256(f"{seed} {test}".encode()).digest()[:8], "big") % ONE_IN == 0


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not drawn."""
    seed = config.getoption("--draw")
    if seed is not None:
        left = [item for item in items if not is_drawn(seed, item.nodeid)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if is_drawn(seed, item.nodeid)]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Let a draw of no test pass: it is one in twenty of few."""
    if session.config.getoption("--draw") is not None and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
