#!/usr/bin/env bash
# azureml-core 1.61.0.post4: an integer of NumPy with 64 bits is sent as the text np.int64(3).
#
# Guess:    numbers of NumPy become numbers of Python, whatever their width.
# Seen:     int8 to int32 and float16 to float64 do. int64 and uint64, which are what sums and counts of arrays are, are in
#           no list and go through repr(): the column is one of texts. No warning reaches run.log: the new kind of metric
#           converts without one. A tensor and an array of one element become texts, too.
# Hurts:    counts of tokens, episodes or truncated answers have no curve, and a name that was a number once and a text
#           later has two types.
# Remedy:   int(value) before it is logged.
# Output:   {'int32': ('int', 3), 'int64': ('string', 'np.int64(3)'), 'float64': ('double', 0.5), 'array': ('string', 'array([0.5])')}
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps azureml-core==1.61.0.post4 numpy==2.3.5 six msrest \
    isodate requests requests-oauthlib oauthlib urllib3 certifi charset-normalizer idna azure-core azure-common pytz \
    contextlib2 jsonpickle adal msrestazure docker pathspec pyjwt cryptography cffi python-dateutil packaging \
    typing-extensions setuptools
cd "$work"
"$work/venv/bin/python" - <<'PY'
import sys
import types

import azureml
import numpy as np

# The package asks for all of Azure; its module of metrics asks for little.
core = types.ModuleType("azureml.core")
core.__path__ = [f"{path}/core" for path in azureml.__path__]
sys.modules["azureml.core"] = core
from azureml.core._metrics import ScalarMetric

values = {"int32": np.int32(3), "int64": np.int64(3), "float64": np.float64(0.5), "array": np.array([0.5])}
sent = {}
for name, value in values.items():
    metric = ScalarMetric(name, value).create_v2_dto()
    sent[name] = (metric.columns[name], metric.value[0].data[name])
print(sent)
assert sent["int64"] == ("string", "np.int64(3)"), "it is a number now"
assert sent["int32"] == ("int", 3)
PY
