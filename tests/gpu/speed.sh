#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How fast is a GPU? Each workload of `heddle bench train` by itself, beside PyTorch where its script was packed: one file for each,
# written when it is measured. Ten minutes at most.
#   speed.sh RESULTS [WORKLOAD…]
source "$(dirname "$0")/common.sh"
shift
workloads=("$@")
[ $# -gt 0 ] || workloads=(W1 W1r-bkt W5-g W6 W7 W2t W5-raw W3-128 W4)
peers=()
[ -e peers.py ] && peers=(--peers --peers-script "$here/peers.py" --peer graph-compile --peer compile)

for workload in "${workloads[@]}"; do
  part "$workload" 180 "$heddle" bench train "$workload" --device cuda "${peers[@]}" --repeats 2 --rows "$results/rows" --json
done
