// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/carried_weights.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/score_rows.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/optional_operand.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

class ScoreWeights : public torch::autograd::Function<ScoreWeights> {
public:
    struct Settings {
        double divisor = 1;
        bool keepsSum = false;
        RandomKey key = {};
        double p = 0;  ///< above 0: with dropout
    };

    /// Returns the weights, then optionally the sum and the dropped weights. `hidden` has the size of the scores.
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& raw_BHQK,
                                                  const std::optional<at::Tensor>& givenAdded,
                                                  const std::optional<at::Tensor>& givenHidden, const Settings& settings) {
        const at::Tensor added_BHQK = givenAdded.value_or(at::Tensor()), hidden_BHQK = givenHidden.value_or(at::Tensor());
        const bool drops = settings.p > 0;
        const at::ScalarType sumType = settings.keepsSum      ? typeOfSums(raw_BHQK)
                                       : added_BHQK.defined() ? added_BHQK.scalar_type()
                                                              : raw_BHQK.scalar_type();
        const at::Tensor weights_BHQK = at::empty_like(raw_BHQK),
                         sum_BHQK =
                             settings.keepsSum ? at::empty_like(raw_BHQK, raw_BHQK.options().dtype(sumType)) : at::Tensor(),
                         dropped_BHQK = drops ? at::empty_like(raw_BHQK) : at::Tensor();
        cuda::ScoreWeightsArguments in{};
        in.shape = scoreShapeOf(raw_BHQK);
        in.raw = readFrom(raw_BHQK), in.added = readFrom(added_BHQK);
        in.carried = writeTo(sum_BHQK), in.weights = writeTo(weights_BHQK), in.dropped = writeTo(dropped_BHQK);
        in.rawType = elementTypeOf(raw_BHQK);
        in.sumType = elementTypeOf(sumType);
        in.hidden = hiddenKeysOf(hidden_BHQK);
        in.divisor = static_cast<float>(settings.divisor), in.hiddenScore = rows::kHiddenLogit;
        if (drops) in.drop = cudaDropOf(settings.key, settings.p);
        kernelsFor({raw_BHQK, added_BHQK})->scoreWeights(in, raw_BHQK.get_device());
        context->save_for_backward({weights_BHQK, hidden_BHQK});
        context->saved_data["divisor"] = settings.divisor;
        context->saved_data["keeps_sum"] = settings.keepsSum;
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->saved_data["adds"] = givenAdded.has_value();
        context->saved_data["sum_type"] = static_cast<std::int64_t>(sumType);
        context->set_materialize_grads(false);
        torch::autograd::variable_list all{weights_BHQK};  // autograd does not accept undefined results
        if (settings.keepsSum) all.push_back(sum_BHQK);
        if (drops) all.push_back(dropped_BHQK);
        return all;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::autograd::variable_list saved = context->get_saved_variables();
        const at::Tensor& weights_BHQK = saved[0];
        const bool hasSum = context->saved_data["keeps_sum"].toBool();
        const double p = context->saved_data["p"].toDouble();
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        const at::Tensor dweights = dense(gradients[0]), dsum = hasSum ? dense(gradients[1]) : at::Tensor(),
                         ddropped = p > 0 ? dense(gradients.back()) : at::Tensor(), draw = at::empty_like(weights_BHQK);
        at::Tensor dadded;  // draw itself if the types are equal
        cuda::ScoreWeightsBackwardArguments in{};
        in.shape = scoreShapeOf(weights_BHQK);
        in.weights = readFrom(weights_BHQK);
        in.dweights = readFrom(dweights), in.dcarried = readFrom(dsum), in.ddropped = readFrom(ddropped);
        in.draw = writeTo(draw);
        const auto sumType = static_cast<at::ScalarType>(context->saved_data["sum_type"].toInt());
        in.rawType = elementTypeOf(weights_BHQK), in.sumType = elementTypeOf(sumType);
        if (context->saved_data["adds"].toBool()) {
            dadded = draw;
            if (sumType != weights_BHQK.scalar_type()) {
                dadded = at::empty_like(weights_BHQK, weights_BHQK.options().dtype(sumType));
                in.dadded = writeTo(dadded);
            }
        }
        in.hidden = hiddenKeysOf(saved[1]);
        in.divisor = static_cast<float>(context->saved_data["divisor"].toDouble());
        if (p > 0) in.drop = cudaDropOf(unpackedKey(context->saved_data["key"].toIntVector()), p);
        kernelsFor({weights_BHQK})->scoreWeightsBackward(in, weights_BHQK.get_device());
        return {draw, dadded, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::ScalarType typeOfSums(const at::Tensor& scores) {
    return scores.scalar_type() == at::kBFloat16 ? at::kFloat : scores.scalar_type();
}

at::Tensor sumOfScores(const at::Tensor& a, const at::Tensor& b) {
    // ATen promotes bfloat16 + float32 to float32.
    return (b.scalar_type() == at::kBFloat16 ? a.to(typeOfSums(a)) : a) + b;
}

bool takesScores(const at::Tensor& raw) {
    return raw.dim() == 4 && kernelsFor(OwnKernel::CudaScores, {raw}) && raw.size(3) <= 4 * (cuda::kMostQuads - 2);
}

CarriedWeights carriedWeights(const CarriedScores& scores) {
    const at::Tensor &raw = scores.raw, &added = scores.added, &hidden = scores.hidden;
    at::Tensor addedTo, hiddenTo;
    // The kernel reads what is added in the type of the sum that it writes.
    const at::ScalarType ofSums = typeOfSums(raw);
    if (added.defined()) addedTo = (!scores.keepsSum && typesFit(added, raw) ? added : added.to(ofSums)).contiguous();
    if (hidden.defined()) hiddenTo = hidden.expand_as(raw);
    // Without anything added, a sum of raw's type is raw itself.
    const bool makesSum = scores.keepsSum && (added.defined() || ofSums != raw.scalar_type());
    const auto made = ScoreWeights::apply(raw, ifThere(addedTo), ifThere(hiddenTo),
                                          ScoreWeights::Settings{scores.divisor, makesSum, scores.key, scores.p});
    const at::Tensor sum = makesSum ? made[1] : scores.keepsSum ? raw : at::Tensor();
    return {made[0], sum, scores.p > 0 ? made.back() : made[0]};
}

}  // namespace heddle
