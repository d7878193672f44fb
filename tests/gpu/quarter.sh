#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A quarter of an hour on a device: about nine minutes of work, the most valuable facts first.
#   OUT=FOLDER quarter.sh [PART…]     PART: correctness, kernels, speed, gains; without one these four, in this order; and memory
# correctness: is what this commit computes right? kernels: what does each one take and move? speed: how fast is a step beside
# PyTorch's compiled one? gains: what does each kernel gain? memory: do kernels stay within theirs, and what happens where it ends?
# After every part all that is known lies in OUT as results.tgz and summary.txt, so that a lease that ends early loses little.
# HEDDLE_GPU_SECONDS: after so many nothing is started (default: 545, which ends within speed: gains has a call of its own)
# HEDDLE_GPU_WORKLOADS: those of speed, the first first
# It stands in the folder that tests/gpu/pack.sh made, with peers.py for the comparison.
export HEDDLE_GPU_SECONDS=${HEDDLE_GPU_SECONDS:-545}
work=${TMPDIR:-/tmp}/heddle-quarter
rm -rf "$work"
parts=("$@")
[ $# -gt 0 ] || parts=(correctness kernels speed gains)
source "$(dirname "$0")/common.sh" "$work/results"
mkdir -p "${OUT:?the folder for what comes back}"
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$work/inductor TRITON_CACHE_DIR=$work/inductor/triton
read -ra workloads <<<"${HEDDLE_GPU_WORKLOADS:-W1 W5-g W7 W4 W6 W3-128 W2t W1r-bkt}"

# Few files, each written under another name first.
keep() {
  tar -C "$work" -czf "$OUT/results.tmp" results && mv "$OUT/results.tmp" "$OUT/results.tgz"
  cp "$results/summary.txt" "$OUT/"
}

# PyTorch's programs are compiled while correctness is tested: that keeps the processor busy and hardly the card.
compile_peers() {
  local workload
  for workload in "${workloads[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge 4 ]; do sleep 0.2; done
    part "compile-$workload" 150 python3 peers.py --device cuda --row "$workload:graph-compile" --steps 2 --warmup 2 --repeats 1 \
      --row-s 0.1 --no-profile &
  done
  wait
}

# Tests that use a device have processes of their own: the hooks of torch's autograd are set once a process, by the first backward
# pass, and a pass on the CPU alone leaves those of the GPU out.
correctness() {
  [ ! -e peers.py ] || compile_peers &
  part kernels 100 env HEDDLE_WITH=cuda-attention "$here/bin/engine_test" --gtest_filter='*CudaKernels*' &
  part kernels-of-products 60 env HEDDLE_WITH=cuda-epilogues "$here/bin/engine_test" --gtest_filter='CudaKernelsOfProducts.*' &
  part graphs 60 "$here/bin/engine_test" --gtest_filter='CudaGraphs.*' &
  part captures 140 "$here/bin/engine_test" --gtest_filter='Cuda/Captured*-*OutOfMemory*' &
  part presets 100 "$heddle" verify --device cuda &
  part presets-with-attention 100 env HEDDLE_WITH=cuda-attention "$heddle" verify --device cuda &
  part presets-with-epilogues 100 env HEDDLE_WITH=cuda-epilogues "$heddle" verify --device cuda &
  part training 150 "$here/training.sh" "$results" &
  wait
}

# Every kernel of a captured step (tests/gpu/kernels.py sums it up); what builds the model is skipped.
kernels() {
  local workload
  for workload in W1 W5-g W7 W4; do
    part "ncu-$workload" 45 ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum,dram__bytes.sum --csv \
      --print-units base --launch-skip 550 --launch-count 1300 "$heddle" bench train "$workload" --device cuda --steps 1 \
      --warmup 1 --repeats 1 --json
    keep
  done
}

# Means of 100 steps: Heddle, PyTorch, Heddle.
speed() {
  local workload
  for workload in "${workloads[@]}"; do
    part "step-$workload-1" 30 "$heddle" bench train "$workload" --device cuda --repeats 2 --json
    [ ! -e peers.py ] || part "peer-$workload" 100 python3 peers.py --device cuda --row "$workload:graph-compile" --repeats 3 --row-s 2
    part "step-$workload-2" 30 "$heddle" bench train "$workload" --device cuda --repeats 2 --json
    keep
  done
}

# The step without each kernel where it matters most, and the same step with all.
gains() {
  local pair kernel workload
  for workload in W1 W6 W5-g W7 W4 W3-128; do
    part "with-all-$workload" 25 "$heddle" bench train "$workload" --device cuda --repeats 2 --json
  done
  for pair in sums:W1 norm:W6 scores:W5-g gate:W5-g adjust:W6 split:W7 loss:W3-128 rows:W1 dropout:W1 gelu:W4 adam:W4 ring:W1 update:W7; do
    kernel=${pair%%:*} workload=${pair#*:}
    part "without-$kernel-$workload" 25 env "HEDDLE_WITHOUT=cuda-$kernel" "$heddle" bench train "$workload" --device cuda \
      --repeats 2 --json
  done
  for pair in attention:W5-g epilogues:W5-g attention:W1 epilogues:W1 attention:W3-128 epilogues:W6; do # off: no device has measured them
    kernel=${pair%%:*} workload=${pair#*:}
    part "with-$kernel-$workload" 25 env "HEDDLE_WITH=cuda-$kernel" "$heddle" bench train "$workload" --device cuda --repeats 2 --json
  done
  part nondeterministic-W4 30 "$heddle" bench train W4 --device cuda --nondeterministic --repeats 2 --json
}

memory() {
  part sanitizer 180 env HEDDLE_WITH=cuda-attention,cuda-epilogues compute-sanitizer --error-exitcode 1 "$here/bin/engine_test" --gtest_filter='*CudaKernels*'
  part out-of-memory 60 "$here/bin/engine_test" --gtest_filter='Cuda/Captured*OutOfMemory*'
}

part doctor 20 "$heddle" doctor
part card 10 nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv
keep
for name in "${parts[@]}"; do
  "$name"
  keep
done

# What was measured, in short.
times() { grep -hoE "\"$1\": ?[0-9.]+" "${@:2}" 2>/dev/null | grep -oE '[0-9.]+$' | tr '\n' ' '; }
for workload in "${workloads[@]}"; do
  printf '%-8s Heddle %s ms, PyTorch %s ms\n' "$workload" "$(times step_ms "$results"/quarter-step-"$workload"-*.txt)" \
    "$(times ms_med "$results/quarter-peer-$workload.txt")"
done
for file in "$results"/quarter-with*.txt "$results"/quarter-nondet*.txt; do
  [ ! -e "$file" ] || printf '%-24s %s ms\n' "$(basename "${file#*quarter-}" .txt)" "$(times step_ms "$file")"
done
