"""A translation of one set of rows in any kind of log."""

from rlmetrics.translate import translate_file

EXACT = {
    "response_length/mean": "length/response/mean",
    "response_length/max": "length/response/max",
    "global_seqlen/min": "balance/chunk_tokens/min",
}
FLIPPED = "val/contain_eos_token"
ROWS = [{**{key: repr(7.25 + step + place) for place, key in enumerate(EXACT)}, "mine/own": "0.5"} for step in range(6)]


def translate(log, tmp_path, rows, source, target, **options):
    """Write rows, translate them, and return what was read back, and the report."""
    path, out = tmp_path / log.name, tmp_path / f"out-{log.name}"
    log.write(path, rows)
    before = contents(path)
    report = translate_file(path, source=source, target=target, output=out, kind=log.kind, **options)
    assert contents(path) == before
    return log.read(out), report


def contents(path):
    """Return the bytes of a file, or of every file of a folder."""
    files = [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]
    return {file: file.read_bytes() for file in files}
