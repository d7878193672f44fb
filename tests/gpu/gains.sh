#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What does each CUDA kernel of Heddle's own gain? The training step without it ÷ with it, on the workloads that use it; in the
# table of engine/kernels/README.md a kernel below 1.05 on every workload has no place. No workload takes histograms, so that kernel
# is not measured here. Ten minutes at most; a kernel that no time is left for is named in summary.txt.
#   gains.sh RESULTS [KERNEL…]
source "$(dirname "$0")/common.sh"
shift
declare -A workloads=(
  [cuda-sums]="W1 W2t" [cuda-norm]="W1 W6" [cuda-scores]="W5-g W7" [cuda-gate]="W5-g" [cuda-adjust]="W6" [cuda-loss]="W1 W3-128"
  [cuda-rows]="W1 W3-128" [cuda-dropout]="W1 W6" [cuda-adam]="W1 W4" [cuda-split]="W7" [cuda-ring]="W1"
)
kernels=("$@")
[ $# -gt 0 ] || kernels=("${!workloads[@]}")

for kernel in "${kernels[@]}"; do
  read -ra on <<<"${workloads[$kernel]:-W1}"
  part "$kernel" 120 python3 two_builds.py "$heddle" --without "$kernel" --device cuda --full --pairs 3 --steps 100 \
    --workloads "${on[@]}"
done
