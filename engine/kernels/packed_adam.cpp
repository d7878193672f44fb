// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/packed_adam.h"

#include "engine/device/cuda_module.h"
#include "engine/device/pinned_memory.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda/optimizer_bodies.h"
#include "engine/kernels/cuda_kernels.h"

#include <algorithm>
#include <cstring>

namespace heddle {

PackedTable::PackedTable(const std::vector<PackedOperand>& operands)
    : parameterCount(static_cast<std::int64_t>(operands.size())) {
    std::vector<cuda::PackedParameter> parameters;
    std::vector<cuda::PackedPart> parts;
    for (const PackedOperand& one : operands) {
        const std::int64_t n = one.value.numel(), count = cuda::partsOf(n);
        for (std::int64_t i = 0; i < count; ++i)
            parts.push_back({static_cast<std::int32_t>(parameters.size()), static_cast<std::int32_t>(i)});
        parameters.push_back({one.value.mutable_data_ptr<float>(), one.gradient.const_data_ptr<float>(),
                              one.mean.mutable_data_ptr<float>(), one.square.mutable_data_ptr<float>(), writeTo(one.reduced), n,
                              partCount, one.group});
        partCount += count;
    }
    const std::size_t ofParameters = parameters.size() * sizeof(cuda::PackedParameter);
    bytes.resize(ofParameters + parts.size() * sizeof(cuda::PackedPart));
    if (parts.empty()) return;
    std::memcpy(bytes.data(), parameters.data(), ofParameters);
    std::memcpy(bytes.data() + ofParameters, parts.data(), bytes.size() - ofParameters);
}

cuda::PackedParameters PackedTable::at(const void* at) const {
    const auto* const parameters = static_cast<const cuda::PackedParameter*>(at);
    return {parameters, reinterpret_cast<const cuda::PackedPart*>(parameters + parameterCount), parameterCount, partCount};
}

bool PackedAdam::takes(const std::vector<PackedOperand>& operands) {
    return !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](const PackedOperand& one) {
        const auto isFloat = [](const at::Tensor& x) { return x.scalar_type() == at::kFloat; };
        return isFloat(one.value) && isFloat(one.gradient) && one.value.device() == operands.front().value.device() &&
               kernelsFor(OwnKernel::CudaAdam, {one.value, one.gradient, one.mean, one.square, one.reduced});
    });
}

/// Gradients of a captured step have fixed addresses; others mostly have those of the previous step.
std::shared_ptr<const void> PackedAdam::onDevice(const PackedTable& table, const at::Device& device) {
    const CudaTable* const cuda = cudaTable();
    const at::DeviceIndex index = device.index();
    if (cuda->isCapturing(index))
        return {cuda->makeConstant(table.bytes.data(), table.bytes.size(), index),
                [cuda, index](void* constant) { cuda->dropConstant(constant, index); }};
    if (table.bytes != uploaded_) {
        const auto count = static_cast<std::int64_t>(table.bytes.size());
        const at::Tensor host = pinnedTensor({count}, at::kByte);
        std::memcpy(host.mutable_data_ptr(), table.bytes.data(), table.bytes.size());
        deviceTable_ = at::empty({count}, at::TensorOptions(at::kByte).device(device));
        deviceTable_.copy_(host, /*non_blocking=*/true);
        uploaded_ = table.bytes;
    }
    const auto held = std::make_shared<at::Tensor>(deviceTable_);
    return {held, held->const_data_ptr()};
}

PackedAdam::Result PackedAdam::update(const std::vector<PackedOperand>& operands, const Inputs& in) {
    const at::Tensor& first = operands.front().value;
    const PackedTable table(operands);
    const at::TensorOptions ofScalar = at::TensorOptions(at::kFloat).device(first.device());
    Result made{at::empty({}, ofScalar), at::empty({}, ofScalar), at::empty({table.parameterCount}, ofScalar),
                onDevice(table, first.device())};
    const at::Tensor squares = at::empty({table.partCount}, ofScalar.dtype(at::kDouble)), divisor = at::empty({}, ofScalar);
    const at::Tensor objective = in.objective.to(at::kFloat);
    float* const step = in.step.mutable_data_ptr<float>();

    const cuda::PackedParameters all = table.at(made.memory.get());
    const CudaKernels& kernels = *kernelsFor({first});
    const at::DeviceIndex device = first.device().index();
    {
        const StepPhaseScope phase(StepPhase::Clip);
        kernels.gradientSquares({all, squares.mutable_data_ptr<double>()}, device);
        kernels.gradientNorm({all, squares.const_data_ptr<double>(), objective.const_data_ptr<float>(), settings_.clip,
                              made.norms.mutable_data_ptr<float>(), made.norm.mutable_data_ptr<float>(),
                              made.notFinite.mutable_data_ptr<float>(), divisor.mutable_data_ptr<float>(), step},
                             device);
    }
    kernels.adam(
        {all, in.learningRates_G.const_data_ptr<float>(), made.notFinite.const_data_ptr<float>(),
         divisor.const_data_ptr<float>(), step, static_cast<float>(settings_.beta1), static_cast<float>(settings_.beta2),
         static_cast<float>(settings_.weightDecay), static_cast<float>(settings_.epsilon), settings_.decouples},
        device);
    return made;
}

}  // namespace heddle
