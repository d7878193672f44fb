// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Gives this process one fake CUDA device, "cuda:0". Like PyTorch's fake tensors, its tensors have sizes, types and addresses,
/// but no meaningful values. The engine runs its code for a GPU on it. launchLog() gets what a real device would launch: every
/// call of an operator that has a kernel of its own on CUDA, and Heddle's kernels. Views and allocations launch nothing.
///
/// Call it before the process first uses torch, which looks for CUDA only once; later calls do nothing. The device stays until
/// the process ends. Throws Error(Failure) when the process has looked for CUDA before. An operator whose result decides
/// what the host does next (`item`, `nonzero`, a copy to the host) throws Error(Failure): a captured step must not wait.
void useFakeCuda();

/// Sets whether the fake device has Heddle's kernels. At first it has them.
enum class FakeKernels { Heddle, None };
void setFakeKernels(FakeKernels kernels);

/// Whether the device is lost: as on a real one, to release pinned memory then throws.
void setFakeDeviceLost(bool isLost);

/// Returns the operators of ATen that are called on the device and launch nothing there ("as_strided"), because they make
/// memory or a view.
std::vector<std::string> operatorsThatLaunchNothing();

}  // namespace heddle
