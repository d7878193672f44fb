#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a GPU train the same model? The sample on the CPU and on the GPU: with graphs, with graphs again, without graphs, in
# bfloat16; and once killed and resumed. Then the runs' comparison and the hashes of their weights: those of graphs, graphs-again,
# eager and killed must be equal. Ten minutes at most.
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
# Kills its training at the second checkpoint, and resumes it.
killed='"$@" & while ! compgen -G "$runs.d/*/step-40" >/dev/null && kill -0 $!; do sleep 0.01; done
  kill -KILL $!; wait; "$heddle" --db "$runs" resume killed'
export heddle runs
part killed 120 bash -c "$killed" - "$heddle" --db "$runs" train "$here/share/heddle/sample/eau-full.json" --name killed \
  --device cuda --steps 200 "${round[@]}" --set train.precision=fp32 --set train.checkpoint_every=20
part compare 60 "$heddle" --db "$runs" compare cpu graphs graphs-again eager bf16 killed
part list 60 "$heddle" --db "$runs" runs list
part weights 60 bash -c 'find "$1.d" -path "*step-200*" -name weights.safetensors | sort | xargs sha256sum' - "$runs"
rm -rf "$runs.d" # the weights are large, and their hashes have been taken
