// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/kernels/packed_adam.h"
#include "engine/kernels/reduced.h"
#include "engine/spec/run_spec.h"
#include "engine/train/checkpoint/named_tensors.h"
#include "engine/train/step/muon.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Adam (Kingma and Ba 2015, algorithm 1; weight decay added to the gradient), AdamW (Loshchilov and Hutter 2019, algorithm 2;
/// weight decay decoupled), or Muon for the matrices of the stacks and AdamW for all else, over the parameters of a store that
/// are not frozen, after clipping by the global gradient norm. Factors of learning rates and weight decay: parameterSettings().
/// Step counter, learning rates and clip factor are on the device; an update never synchronises.
class Optimizer {
public:
    /// Keeps references to the store's tensors; call after Model::to(device). `copies`, if any, are written with every update
    /// and must outlive this. Muon's products are in bfloat16 if the spec's precision is.
    Optimizer(const ParameterStore& parameters, const TrainSpec& spec, ReducedParameters* copies = nullptr);

    struct Update {
        at::Tensor gradientNorm;  ///< global L2 norm before clipping, float32 scalar
        at::Tensor notFinite;     ///< 1 if the norm or the objective is not finite: then no parameter was changed; else 0
        std::vector<std::string_view> paths;  ///< of the parameters that had a gradient; live as long as the optimizer
        at::Tensor norms;                     ///< L2 norm of each one's gradient before clipping [paths], float32
        std::shared_ptr<const void> memory;   ///< memory read by a captured update
    };
    /// Clips, updates every parameter that has a gradient, and releases the gradients. `objective` is the step's loss (scalar),
    /// learningRates_G: learningRates() on the device.
    Update update(const at::Tensor& learningRates_G, const at::Tensor& objective);
    Update update(double learningRate, const at::Tensor& objective);
    /// The learning rate of each group for the schedule's `learningRate`.
    std::vector<float> learningRates(double learningRate) const;
    void releaseGradients();

    /// First and second moments, or Muon's momentum, by parameter path, and the step counter: everything the next update
    /// depends on.
    NamedTensors state() const;
    /// All or nothing: throws Error(InvalidInput) naming the first tensor that is missing, superfluous or of another shape.
    void restore(const NamedTensors& state, const std::string& where);

private:
    struct Slot {
        std::string path;
        at::Tensor parameter;
        at::Tensor mean, square;  ///< Adam's first and second moment; with Muon its momentum, and undefined
        std::int64_t group = 0;
    };
    /// Parameters with the same learning rate (`rate` times that of the schedule), weight decay and algorithm.
    struct Group {
        double rate = 1, weightDecay = 0;
        bool isMuons = false;
        std::vector<std::size_t> slots;
    };
    /// Inputs shared by the fused kernels of all groups; float32 scalars.
    struct Factors {
        const at::Tensor &learningRate, &divisor, &notFinite;
    };
    /// L2 norms of all gradients together and of each, whether these or the objective are not finite (1, else 0), and what
    /// clipping divides gradients by.
    struct Norms {
        at::Tensor norms, norm, notFinite, divisor;
    };
    Norms normsOfGradients(const at::Tensor& objective) const;
    /// Operands of the parameters used in this step's forward pass; empty if PackedAdam cannot update these groups.
    std::vector<PackedOperand> operands() const;
    Update updateByGroups(const at::Tensor& learningRates_G, const at::Tensor& objective);
    void updateByAdam(const Group& group, const Factors& factors);
    void updateByMuon(const Group& group, const Factors& factors);
    bool decoupled_;
    double beta1_, beta2_, epsilon_, clip_;
    PackedAdam packed_;
    Muon muon_;
    ReducedParameters* copies_;
    std::vector<Slot> slots_;
    std::vector<Group> groups_;
    bool isPackable_;
    at::Tensor step_;  // float32 scalar on the device
};

}  // namespace heddle
