// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/carried_weights.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/score_rows.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

/// Operands [B,H,Q,K] of the kernels; undefined: absent. hidden: expanded to their size.
struct CarriedOperands {
    at::Tensor raw, added, hidden;
    double divisor = 1;
    cuda::Drop drop = {};
};

/// Results of the kernels; undefined: not computed.
struct CarriedOutputs {
    at::Tensor weights, sum, dropped;
};

cuda::HiddenKeys hiddenKeys(const at::Tensor& hidden_BHQK) {
    cuda::HiddenKeys hidden;
    if (!hidden_BHQK.defined()) return hidden;
    hidden.at = hidden_BHQK.const_data_ptr<bool>();
    for (int axis = 0; axis < 4; ++axis) hidden.strides[axis] = hidden_BHQK.stride(axis);
    return hidden;
}

/// Computes the defined results.
void computeWeights(const CarriedOperands& of, const CarriedOutputs& made) {
    cuda::ScoreWeightsArguments in{};
    in.shape = scoreShapeOf(of.raw);
    in.raw = readFrom(of.raw), in.added = readFrom(of.added);
    in.carried = writeTo(made.sum), in.weights = writeTo(made.weights), in.dropped = writeTo(made.dropped);
    in.rawType = elementTypeOf(of.raw);
    in.sumType = of.added.defined() ? elementTypeOf(of.added) : in.rawType;
    in.hidden = hiddenKeys(of.hidden);
    in.divisor = static_cast<float>(of.divisor), in.hiddenScore = rows::kHiddenLogit;
    in.drop = of.drop;
    kernelsFor({of.raw, of.added})->scoreWeights(in, of.raw.get_device());
}

struct CarriedGradients {
    at::Tensor ofWeights, ofSum, ofDropped;  ///< inputs; undefined: zero
    at::Tensor ofRaw, ofAdded;               ///< results; one tensor if their types are equal
};

/// Tensors saved for backward.
struct SavedWeights {
    const at::Tensor &weights, &hidden;
    double divisor = 1;
    cuda::Drop drop = {};
};

void weighBackward(const SavedWeights& kept, const CarriedGradients& gradients) {
    const at::Tensor& weights = kept.weights;
    cuda::ScoreWeightsBackwardArguments in{};
    in.shape = scoreShapeOf(weights);
    in.weights = readFrom(weights);
    in.dweights = readFrom(gradients.ofWeights), in.dcarried = readFrom(gradients.ofSum);
    in.ddropped = readFrom(gradients.ofDropped), in.drop = kept.drop;
    in.draw = writeTo(gradients.ofRaw);
    in.dadded = gradients.ofAdded.is_same(gradients.ofRaw) ? nullptr : writeTo(gradients.ofAdded);
    in.rawType = elementTypeOf(weights);
    in.sumType = gradients.ofAdded.defined() ? elementTypeOf(gradients.ofAdded) : in.rawType;
    in.hidden = hiddenKeys(kept.hidden);
    in.divisor = static_cast<float>(kept.divisor);
    kernelsFor({weights})->scoreWeightsBackward(in, weights.get_device());
}

class ScoreWeights : public torch::autograd::Function<ScoreWeights> {
public:
    struct Settings {
        double divisor = 1;
        bool keepsSum = false;
        RandomKey key = {};
        double p = 0;  ///< above 0: with dropout
    };

    /// Returns the weights, then optionally the sum and the dropped weights.
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& raw_BHQK,
                                                  const std::optional<at::Tensor>& added_BHQK,
                                                  const std::optional<at::Tensor>& hidden_BHQK, const Settings& settings) {
        const bool drops = settings.p > 0;
        const CarriedOperands of{raw_BHQK, added_BHQK.value_or(at::Tensor()), hidden_BHQK.value_or(at::Tensor()),
                                 settings.divisor, drops ? cudaDropOf(settings.key, settings.p) : cuda::Drop{}};
        const CarriedOutputs made{at::empty_like(raw_BHQK), settings.keepsSum ? at::empty_like(of.added) : at::Tensor(),
                                  drops ? at::empty_like(raw_BHQK) : at::Tensor()};
        computeWeights(of, made);
        context->save_for_backward({made.weights, of.hidden});
        context->saved_data["divisor"] = settings.divisor;
        context->saved_data["keeps_sum"] = settings.keepsSum;
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        if (added_BHQK) context->saved_data["sum_type"] = static_cast<std::int64_t>(added_BHQK->scalar_type());
        context->set_materialize_grads(false);
        torch::autograd::variable_list all{made.weights};  // autograd does not accept undefined results
        if (settings.keepsSum) all.push_back(made.sum);
        if (drops) all.push_back(made.dropped);
        return all;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::autograd::variable_list saved = context->get_saved_variables();
        const at::Tensor& weights_BHQK = saved[0];
        const bool hasSum = context->saved_data["keeps_sum"].toBool();
        const double p = context->saved_data["p"].toDouble();
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        CarriedGradients all{dense(gradients[0]), hasSum ? dense(gradients[1]) : at::Tensor(),
                             p > 0 ? dense(gradients.back()) : at::Tensor(), at::empty_like(weights_BHQK), at::Tensor()};
        if (const auto type = context->saved_data.find("sum_type"); type != context->saved_data.end()) {
            const auto sumType = static_cast<at::ScalarType>(type->second.toInt());
            const bool isOne = sumType == weights_BHQK.scalar_type();
            all.ofAdded = isOne ? all.ofRaw : at::empty_like(weights_BHQK, weights_BHQK.options().dtype(sumType));
        }
        const RandomKey key = unpackedKey(context->saved_data["key"].toIntVector());
        weighBackward(
            {weights_BHQK, saved[1], context->saved_data["divisor"].toDouble(), p > 0 ? cudaDropOf(key, p) : cuda::Drop{}},
            all);
        return {all.ofRaw, all.ofAdded, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

bool takesScores(const at::Tensor& raw) {
    return raw.dim() == 4 && kernelsFor(OwnKernel::CudaScores, {raw}) && raw.size(3) <= 4 * (cuda::kMostQuads - 2);
}

CarriedWeights carriedWeights(const CarriedScores& scores) {
    const at::Tensor &raw = scores.raw, &added = scores.added, &hidden = scores.hidden;
    std::optional<at::Tensor> addedTo, hiddenTo;  // an undefined tensor would be taken for an operand
    if (added.defined()) addedTo = (typesFit(added, raw) ? added : added.to(raw.scalar_type())).contiguous();
    if (hidden.defined()) hiddenTo = hidden.expand_as(raw);
    const bool makesSum = scores.keepsSum && added.defined();  // without, the sum is what was given
    const auto made =
        ScoreWeights::apply(raw, addedTo, hiddenTo, ScoreWeights::Settings{scores.divisor, makesSum, scores.key, scores.p});
    const at::Tensor sum = makesSum ? made[1] : scores.keepsSum ? raw : at::Tensor();
    return {made[0], sum, scores.p > 0 ? made.back() : made[0]};
}

}  // namespace heddle
