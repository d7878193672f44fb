#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a GPU train the same model? The sample on the CPU and on the GPU: with graphs, with graphs again, without graphs, in
# bfloat16. Then the runs' comparison and the hashes of their weights. Ten minutes at most.
#   training.sh RESULTS
source "$(dirname "$0")/common.sh"
runs=$results/runs.heddle

run() { # NAME DEVICE SETTINGS…
  local name=$1 device=$2
  shift 2
  part "$name" 120 "$heddle" --db "$runs" train "$here/share/heddle/sample/eau-full.json" --name "$name" --device "$device" \
    --steps 200 "$@"
}

round=(--set train.batch.round=8) # the same batches everywhere
run cpu cpu "${round[@]}"
run graphs cuda "${round[@]}" --set train.precision=fp32
run graphs-again cuda "${round[@]}" --set train.precision=fp32
run eager cuda "${round[@]}" --set train.precision=fp32 --set train.graphs=false
run bf16 cuda "${round[@]}" --set train.precision=bf16
part compare 60 "$heddle" --db "$runs" compare cpu graphs graphs-again eager bf16
part list 60 "$heddle" --db "$runs" runs list
part weights 60 bash -c 'find "$1.d" -path "*step-200*" -name weights.safetensors | sort | xargs sha256sum' - "$runs"
rm -rf "$runs.d" # the weights are large, and their hashes have been taken
