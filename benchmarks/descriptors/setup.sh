#!/usr/bin/env bash
# Makes benchmarks/descriptors/.venv with the pinned versions; does nothing if it is there already.
# PYTHON names the interpreter, 3.11 or later.
set -euo pipefail
cd "$(dirname "$0")"
stamp=.venv/installed.txt
if cmp --silent requirements.txt "$stamp"; then
    exit 0
fi
"${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --requirement requirements.txt
cp requirements.txt "$stamp"
