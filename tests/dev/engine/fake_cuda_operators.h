// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

/// Parts of tests/dev/engine/fake_cuda.cpp.
namespace heddle::fake_cuda {

/// "cuda:0"
c10::Device device();

/// Gives the dispatch key CUDA kernels that note what is launched, until the process ends. Once a process.
void registerOperators();

}  // namespace heddle::fake_cuda
