// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels of the CUDA module, free of torch headers so that nvcc compiles them in seconds.

#include "engine/device/cuda_arguments.h"

#include <cuda_runtime_api.h>

namespace heddle::cuda {

/// Each launches its kernel on the given stream of the current device, without synchronisation.
void launch(const DropoutArguments& arguments, cudaStream_t queue);
void launch(const ReluDropoutBackwardArguments& arguments, cudaStream_t queue);
void launch(const AdjustArguments& arguments, cudaStream_t queue);
void launch(const AdjustBackwardArguments& arguments, cudaStream_t queue);
void launch(const AddNormArguments& arguments, cudaStream_t queue);
void launch(const AddNormBackwardArguments& arguments, cudaStream_t queue);
void launch(const CrossEntropyArguments& arguments, cudaStream_t queue);
void launch(const ScoreWeightsArguments& arguments, cudaStream_t queue);
void launch(const ScoreWeightsBackwardArguments& arguments, cudaStream_t queue);
void launch(const ScoreGateArguments& arguments, cudaStream_t queue);
void launch(const ScoreGateBackwardArguments& arguments, cudaStream_t queue);
void launch(const SplitArguments& arguments, cudaStream_t queue);
void launch(const SplitBackwardArguments& arguments, cudaStream_t queue);
void launch(const ScatterRowsArguments& arguments, cudaStream_t queue);
void launch(const GradientSquaresArguments& arguments, cudaStream_t queue);
void launch(const GradientNormArguments& arguments, cudaStream_t queue);
void launch(const AdamArguments& arguments, cudaStream_t queue);
void launch(const StepRingArguments& arguments, cudaStream_t queue);

/// Whether the current device can run the kernels: they were compiled for its compute capability, or bring PTX for it.
bool runOnCurrentDevice();

}  // namespace heddle::cuda
