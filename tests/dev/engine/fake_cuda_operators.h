// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

/// Parts of tests/dev/engine/fake_cuda.cpp.
namespace heddle::fake_cuda {

/// Returns "cuda:0".
c10::Device device();

/// Registers kernels for the dispatch key CUDA that note what is launched, until the process ends. Call it once in a process.
void registerOperators();

}  // namespace heddle::fake_cuda
