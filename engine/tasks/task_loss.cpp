// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/task_loss.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor binaryHinge(const at::Tensor& score_N, const at::Tensor& target_N) {
    return (1 - target_N * score_N).clamp_min(0).mean();
}

at::Tensor multiHinge(const at::Tensor& logits_NC, const at::Tensor& class_N, MultiHinge form) {
    const at::Tensor class_N1 = class_N.unsqueeze(1);
    const at::Tensor margins_NC = (1 - logits_NC.gather(1, class_N1) + logits_NC).clamp_min(0);
    const at::Tensor isWrong_NC = at::ones_like(logits_NC).scatter(1, class_N1, 0);
    const at::Tensor wrong_NC = margins_NC * isWrong_NC;
    return form == MultiHinge::Sum ? wrong_NC.mean() : wrong_NC.amax(1).mean();
}

at::Tensor squaredError(const at::Tensor& predicted_N, const at::Tensor& target_N) {
    return (predicted_N - target_N).square().mean();
}

}  // namespace heddle
