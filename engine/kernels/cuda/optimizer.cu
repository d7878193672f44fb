// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda/kernels.h"
#include "engine/kernels/cuda/optimizer_bodies.h"
#include "engine/kernels/cuda/teams.h"

namespace heddle::cuda {

void launch(const GradientSquaresArguments& a, cudaStream_t queue) {
    launchTeams<kTeamThreads>(GradientSquaresPass{a}, a.of.partCount, queue);
}

void launch(const GradientNormArguments& a, cudaStream_t queue) {
    launchTeams<512>(GradientNormPass{a}, a.of.parameterCount + 1, queue);
}

void launch(const AdamArguments& a, cudaStream_t queue) { launchTeams<kTeamThreads>(AdamPass{a}, a.of.partCount, queue); }

void launch(const StepRingArguments& a, cudaStream_t queue) { launchTeams<8>(StepRingPass{a}, 1, queue); }

}  // namespace heddle::cuda
