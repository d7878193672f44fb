#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does quarter.sh still work? A dry run without a device: programs that answer at once stand in for heddle, the tests, PyTorch, ncu
# and nvidia-smi, and one of them fails, as a kernel might. Exits with 1 and says what is missing.
#   quarter_test.sh
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "quarter_test: $1" >&2
  cat "$folder/output" >&2
  exit 1
}

packed=$folder/packed
mkdir -p "$packed"/{bin,lib,share} "$folder"/{stubs,out,tmp}
cp "$source"/*.sh "$packed/"
touch "$packed/peers.py"
stub() { # FILE OUTPUT [STATUS]
  printf '#!/usr/bin/env bash\necho %q\nexit %s\n' "$2" "${3:-0}" >"$1"
  chmod +x "$1"
}
stub "$packed/bin/heddle" '{"step_ms": 1.25}'
stub "$packed/bin/engine_test" '[  FAILED  ] CudaKernels' 1
stub "$folder/stubs/python3" '{"ms_med": 2.5}'
stub "$folder/stubs/ncu" '"ID","Kernel Name"'
stub "$folder/stubs/nvidia-smi" 'a device'
gzip "$packed/bin/engine_test" # as pack.sh does

HEDDLE_LIBTORCH=$folder PATH=$folder/stubs:$PATH TMPDIR=$folder/tmp OUT=$folder/out "$packed/quarter.sh" >"$folder/output" 2>&1 ||
  fail "quarter.sh ended with $?"

expect() { grep -qE -- "$1" "$folder/output" || fail "its output lacks: $1"; }
expect '^quarter, kernels: exit 1 '   # a failure is told, and the rest goes on
expect '^quarter, ncu-W7: exit 0 '
expect '^quarter, peer-W2t: exit 0 '
expect '^quarter, without-split-W7: exit 0 '
expect '^W5-g +Heddle 1.25 1.25  ms, PyTorch 2.5  ms'
! grep -q 'not started' "$folder/output" || fail "a part was not started"
[ "$(find "$folder/out" -type f | wc -l)" -le 8 ] || fail "more than eight files come back"
kept=$folder/kept
mkdir "$kept" && tar -C "$kept" -xzf "$folder/out/results.tgz"
[ -s "$kept/results/quarter-presets.txt" ] || fail "results.tgz lacks a part"
cmp -s "$kept/results/summary.txt" "$folder/out/summary.txt" || fail "the last summary was not kept"
