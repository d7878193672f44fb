#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares 50 training steps of Heddle with the same steps in Python's torch, from equal weights (tests/oracle/peers_oracle.py).
#   tests/oracle/run.sh [--peers FILE] [--workloads W1,W6] [--batch N] [--seq N] …
# Uses the torch 2.11 of ORACLE_PYTHON (or python3) where there is one; otherwise it makes one in build/oracle from the wheels
# (a download of about 2 GB the first time: Python's torch does not start without NVIDIA's libraries, not even for the CPU).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -h | --help) usage "$0" "$1" ;; esac
packaging=$root/packaging
"$packaging/setup.sh"
"$packaging/build.sh" release oracle_steps

python=${ORACLE_PYTHON:-python3}
if ! "$python" -c 'import torch, numpy; assert torch.__version__.startswith("2.11.")' 2>/dev/null; then
  python=python3.11
  command -v "$python" >/dev/null || fail "the torch wheel is for CPython 3.11; set ORACLE_PYTHON to a Python with torch 2.11"
  site=$root/build/oracle/site
  if [ ! -e "$site/.complete" ]; then
    stage "fetching what Python's torch needs into build/oracle"
    rm -rf "$site"
    "$python" "$root/resources/setup/wheels.py" "$site" "$root/resources/setup/libtorch-cuda.txt"
    "$python" -m pip install --quiet --no-compile --only-binary=:all: --target "$site.python" -r "$root/tests/oracle/requirements.txt"
    cp -a --link "$site.python/." "$root/.deps/torch-2.11.0/." "$site/"
    rm -rf "$site.python"
    touch "$site/.complete"
    finished
  fi
  export PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}
fi
exec "$python" "$root/tests/oracle/peers_oracle.py" --program "$root/build/release/bin/oracle_steps" "$@"
