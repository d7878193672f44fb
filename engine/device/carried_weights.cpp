// SPDX-License-Identifier: Apache-2.0
#include "engine/device/carried_weights.h"

#include "engine/device/cuda_kernels.h"
#include "engine/device/row_threads.h"
#include "engine/device/score_rows.h"
#include "engine/device/torch_pch.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

/// Scores [B,H,Q,K] of a pass through the kernels; undefined where there are none. hidden: expanded to their size.
struct CarriedOperands {
    at::Tensor raw, added, hidden;
    double divisor = 1;
};

/// Sizes of the rows, and where the mask of each one lies.
rows::ScoreRows rowsOf(const at::Tensor& like_BHQK, const at::Tensor& hidden_BHQK, double divisor) {
    rows::ScoreRows in;
    in.heads = like_BHQK.size(1);
    in.queries = like_BHQK.size(2);
    in.keys = like_BHQK.size(3);
    in.divisor = static_cast<float>(divisor);
    if (!hidden_BHQK.defined()) return in;
    in.hidden = hidden_BHQK.const_data_ptr<bool>();
    in.hiddenOfBatch = hidden_BHQK.stride(0);
    in.hiddenOfQuery = hidden_BHQK.stride(2);
    return in;
}

cuda::HiddenKeys hiddenOnCuda(const at::Tensor& hidden_BHQK) {
    cuda::HiddenKeys hidden;
    if (!hidden_BHQK.defined()) return hidden;
    hidden.at = hidden_BHQK.const_data_ptr<bool>();
    for (int axis = 0; axis < 4; ++axis) hidden.strides[axis] = hidden_BHQK.stride(axis);
    return hidden;
}

/// Fills `weights`, and `sum` where it is defined.
void weigh(const CarriedOperands& of, const at::Tensor& sum, at::Tensor& weights) {
    if (const CudaKernels* const kernels = kernelsFor({of.raw, of.added})) {
        cuda::ScoreWeightsArguments in{};
        in.shape = scoreShapeOf(of.raw);
        in.raw = readFrom(of.raw), in.added = readFrom(of.added);
        in.carried = writeTo(sum), in.weights = writeTo(weights);
        in.rawType = elementTypeOf(of.raw);
        in.sumType = of.added.defined() ? elementTypeOf(of.added) : in.rawType;
        in.hidden = hiddenOnCuda(of.hidden);
        in.divisor = static_cast<float>(of.divisor), in.hiddenScore = rows::kHiddenLogit;
        kernels->scoreWeights(in, of.raw.get_device());
        return;
    }
    rows::ScoreRows in = rowsOf(of.raw, of.hidden, of.divisor);
    in.raw = of.raw.const_data_ptr<float>();
    in.added = static_cast<const float*>(readFrom(of.added));
    float* const to = weights.data_ptr<float>();
    float* const sumTo = static_cast<float*>(writeTo(sum));
    forRows(of.raw.numel() / in.keys, in.keys,
            [&](std::int64_t begin, std::int64_t end) { rows::scoreWeights(in, sumTo, to, begin, end); });
}

struct CarriedGradients {
    at::Tensor ofWeights, ofSum;  ///< given; undefined: zero
    at::Tensor ofRaw, ofAdded;    ///< to be filled; the same where their types are
};

void weighBackward(const at::Tensor& weights, const at::Tensor& hidden, double divisor, const CarriedGradients& gradients) {
    if (const CudaKernels* const kernels = kernelsFor({weights, gradients.ofWeights, gradients.ofSum})) {
        cuda::ScoreWeightsBackwardArguments in{};
        in.shape = scoreShapeOf(weights);
        in.weights = readFrom(weights);
        in.dweights = readFrom(gradients.ofWeights), in.dcarried = readFrom(gradients.ofSum);
        in.draw = writeTo(gradients.ofRaw);
        in.dadded = gradients.ofAdded.is_same(gradients.ofRaw) ? nullptr : writeTo(gradients.ofAdded);
        in.rawType = elementTypeOf(weights);
        in.sumType = gradients.ofAdded.defined() ? elementTypeOf(gradients.ofAdded) : in.rawType;
        in.hidden = hiddenOnCuda(hidden);
        in.divisor = static_cast<float>(divisor);
        kernels->scoreWeightsBackward(in, weights.get_device());
        return;
    }
    const rows::ScoreRows in = rowsOf(weights, hidden, divisor);
    const rows::ScoreGradients all{weights.const_data_ptr<float>(), static_cast<const float*>(readFrom(gradients.ofWeights)),
                                   static_cast<const float*>(readFrom(gradients.ofSum)),
                                   gradients.ofRaw.mutable_data_ptr<float>()};
    forRows(weights.numel() / in.keys, in.keys,
            [&](std::int64_t begin, std::int64_t end) { rows::scoreWeightsBackward(in, all, begin, end); });
}

class ScoreWeights : public torch::autograd::Function<ScoreWeights> {
public:
    struct Settings {
        double divisor = 1;
        bool keepsSum = false;
    };

    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& raw_BHQK,
                                                  const std::optional<at::Tensor>& added_BHQK,
                                                  const std::optional<at::Tensor>& hidden_BHQK, const Settings& settings) {
        const CarriedOperands of{raw_BHQK, added_BHQK.value_or(at::Tensor()), hidden_BHQK.value_or(at::Tensor()),
                                 settings.divisor};
        at::Tensor weights_BHQK = at::empty_like(raw_BHQK);
        const at::Tensor sum_BHQK = settings.keepsSum ? at::empty_like(of.added) : at::Tensor();
        weigh(of, sum_BHQK, weights_BHQK);
        context->save_for_backward({weights_BHQK, of.hidden});
        context->saved_data["divisor"] = settings.divisor;
        if (added_BHQK) context->saved_data["sum_type"] = static_cast<std::int64_t>(added_BHQK->scalar_type());
        context->set_materialize_grads(false);
        if (!settings.keepsSum) return {weights_BHQK};  // autograd takes no undefined answer
        return {weights_BHQK, sum_BHQK};
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::autograd::variable_list saved = context->get_saved_variables();
        const at::Tensor& weights_BHQK = saved[0];
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        CarriedGradients all{dense(gradients[0]), gradients.size() > 1 ? dense(gradients[1]) : at::Tensor(),
                             at::empty_like(weights_BHQK), at::Tensor()};
        if (const auto type = context->saved_data.find("sum_type"); type != context->saved_data.end()) {
            const auto sumType = static_cast<at::ScalarType>(type->second.toInt());
            const bool isOne = sumType == weights_BHQK.scalar_type();
            all.ofAdded = isOne ? all.ofRaw : at::empty_like(weights_BHQK, weights_BHQK.options().dtype(sumType));
        }
        weighBackward(weights_BHQK, saved[1], context->saved_data["divisor"].toDouble(), all);
        return {all.ofRaw, all.ofAdded, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

bool takesScores(const at::Tensor& raw, const at::Tensor& hidden) {
    if (raw.dim() != 4 || raw.numel() == 0 || !raw.is_contiguous()) return false;
    if (raw.is_cuda()) return kernelsFor({raw}) && raw.size(3) <= 4 * (cuda::kMostQuads - 2);
    if (!raw.is_cpu() || raw.scalar_type() != at::kFloat) return false;
    return !hidden.defined() || takesMask(hidden.expand_as(raw));
}

bool takesMask(const at::Tensor& hidden_BHQK) {
    const bool isSameForHeads = hidden_BHQK.stride(1) == 0 || hidden_BHQK.size(1) == 1;
    return isSameForHeads && (hidden_BHQK.stride(3) == 1 || hidden_BHQK.size(3) == 1);
}

CarriedWeights carriedWeights(const CarriedScores& scores) {
    const auto& [raw, added, hidden, divisor, keepsSum] = scores;
    std::optional<at::Tensor> addedTo, hiddenKeys;  // an undefined tensor would be taken for an operand
    if (added.defined()) addedTo = (typesFit(added, raw) ? added : added.to(raw.scalar_type())).contiguous();
    if (hidden.defined()) hiddenKeys = hidden.expand_as(raw);
    const bool makesSum = keepsSum && added.defined();  // without, the sum is what was given
    const auto made = ScoreWeights::apply(raw, addedTo, hiddenKeys, ScoreWeights::Settings{divisor, makesSum});
    return {made[0], makesSum ? made[1] : keepsSum ? raw : at::Tensor()};
}

}  // namespace heddle
