"""A real TensorBoard server on a free port of this machine."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

Ask = Callable[..., Any]
"""Asks the server: a path below ``/data`` and the parameters; gives the parsed JSON."""


@contextmanager
def serving(logdir: Path) -> Iterator[Ask]:
    """Serve a folder with all plugins that TensorBoard brings, once it has read the runs."""
    program: Any = import_module("tensorboard.program")
    plugins = import_module("tensorboard.default").get_plugins()
    board = program.TensorBoard(plugins=plugins)
    board.configure(argv=["tensorboard", "--logdir", str(logdir), "--port", "0", "--load_fast", "false"])
    server = board._make_server()
    thread = import_module("threading").Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = server.get_url().rstrip("/")

    def ask(path: str, **parameters: str) -> Any:
        with urlopen(f"{url}/data/{path}?{urlencode(parameters)}", timeout=10) as answer:
            return json.load(answer)

    try:
        deadline = time.monotonic() + 20
        while not ask("runs") and time.monotonic() < deadline:
            time.sleep(0.05)
        yield ask
    finally:
        server.shutdown()
        server.server_close()
