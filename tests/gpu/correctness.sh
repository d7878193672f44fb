#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is what a GPU computes right? Every kernel beside its definition, captured steps and captured decoding beside eager ones, the
# golden cases, and the training pass of every preset beside the CPU's in float64. All at once, since none of them fills a GPU.
# Four minutes at most.
#   correctness.sh RESULTS
source "$(dirname "$0")/common.sh"

part doctor 60 "$heddle" doctor
grep -q 'device cuda:' "$results/correctness-doctor.txt" ||
  echo "correctness: there is no CUDA device, so the tests below are skipped" | tee -a "$results/summary.txt"
# Tests that use a device have processes of their own: the hooks of torch's autograd are set once a process, by the first
# backward pass, and a pass on the CPU alone leaves those of the GPU out.
part kernels 180 "$here/bin/engine_test" --gtest_filter='*CudaKernels*' &
part graphs 60 "$here/bin/engine_test" --gtest_filter='CudaGraphs.*' &
part captures 240 "$here/bin/engine_test" --gtest_filter='Cuda/Captured*-*OutOfMemory*' &
part presets 120 "$heddle" verify --device cuda &
# With the CUDA toolkit, what the kernels read and write is checked too.
if command -v compute-sanitizer >/dev/null; then
  part sanitizer 120 compute-sanitizer --error-exitcode 1 "$here/bin/engine_test" --gtest_filter='*CudaKernels*' &
fi
wait
part memory 60 "$here/bin/engine_test" --gtest_filter='Cuda/Captured*OutOfMemory*' # takes all that is there
