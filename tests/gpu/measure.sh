#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What Heddle owes on a GPU, in one go, from a folder that tests/gpu/pack.sh made: the golden cases and properties, the kernels
# beside their definitions, trainings with graphs, without, and on the CPU, then the table of speeds beside PyTorch. A part that
# fails does not stop the others; summary.txt says how each ended and how long it took.
#   measure.sh RESULTS [SECONDS]     SECONDS: for the table of speeds (default: 420)
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=$(realpath -m "${1:?where do the results go? measure.sh RESULTS}")
budget=${2:-420}
mkdir -p "$results"
cd "$here" || exit 1
HEDDLE_LIBTORCH=${HEDDLE_LIBTORCH:-$(python3 -c 'import torch; print(torch.__path__[0])')} || exit 1
export HEDDLE_LIBTORCH
export LD_LIBRARY_PATH=$here/lib:$HEDDLE_LIBTORCH/lib:$here/lib/debian${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CUBLAS_WORKSPACE_CONFIG=:4096:8
heddle=$here/bin/heddle
runs=$(mktemp -d)/runs.heddle

# part NAME SECONDS COMMAND…: its output goes to all.txt, how it ended to summary.txt.
part() {
  local name=$1 limit=$2 began=$SECONDS
  shift 2
  { echo "== $name: $*"; timeout -k 10 "$limit" "$@"; } >>"$results/all.txt" 2>&1
  echo "$name: exit $? after $((SECONDS - began)) s" | tee -a "$results/summary.txt"
}
run() { # NAME DEVICE SETTINGS…
  local name=$1 device=$2
  shift 2
  part "train $name" 120 "$heddle" --db "$runs" train "$here/share/heddle/sample/eau-full.json" \
    --name "$name" --device "$device" --steps 200 "$@"
}

part doctor 60 "$heddle" doctor
part kernels 180 "$here/bin/engine_test" --gtest_filter='*Cuda*:*Captured*'
part verify 300 "$heddle" verify
round=(--set train.batch.round=8) # the same batches everywhere
run cpu cpu "${round[@]}"
run graphs cuda "${round[@]}"
run graphs-again cuda "${round[@]}"
run worked-through cuda "${round[@]}" --set train.graphs=false
run bf16 cuda "${round[@]}" --set train.precision=bf16
part compare 60 "$heddle" --db "$runs" compare cpu graphs graphs-again worked-through bf16
part "list" 60 "$heddle" --db "$runs" runs list
part "bits of the weights" 60 bash -c 'find "$1.d" -path "*200*" -name weights.safetensors | sort | xargs sha256sum' - "$runs"
peers=()
[ -e peers.py ] && peers=(--peers --peers-script "$here/peers.py" --peer graph-compile --peer compile)
timeout -k 10 120 "$heddle" bench train --all --small --json >"$results/small.json" 2>>"$results/all.txt"
timeout -k 10 "$budget" "$heddle" bench train W1 W1r-bkt W2t W5-raw W5-g W6 W3-128 W4 "${peers[@]}" --repeats 2 --json \
  >"$results/speed.json" 2>>"$results/all.txt"
echo "speed: exit $?" | tee -a "$results/summary.txt"
