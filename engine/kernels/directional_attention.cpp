// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/directional_attention.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/score_rows.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/joint_parts.h"
#include "engine/kernels/optional_operand.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using DirectionalContext = torch::autograd::AutogradContext;
using DirectionalTensors = torch::autograd::variable_list;

/// The values of both sides as rows of one matrix, with `parts` rows a key: row parts · k + left is the left value of key k.
/// Rows of other parts have weight 0.
struct SidedValues {
    at::Tensor rows_BND;
    std::int64_t parts, left, right;

    static SidedValues of(const at::Tensor& left_BKD, const at::Tensor& right_BKD) {
        const std::int64_t batch = left_BKD.size(0), keys = left_BKD.size(1), width = left_BKD.size(2);
        const std::int64_t parts = left_BKD.stride(1) / width, left = left_BKD.storage_offset() / width,
                           right = right_BKD.storage_offset() / width;
        const bool areJoint = left_BKD.storage().is_alias_of(right_BKD.storage()) && isPart(left_BKD, parts, left) &&
                              isPart(right_BKD, parts, right);
        if (areJoint && (parts == 2 || parts == 3)) {
            const std::int64_t rows = keys * parts;
            return {left_BKD.as_strided({batch, rows, width}, {rows * width, width, 1}, 0), parts, left, right};
        }
        return {at::stack({left_BKD, right_BKD}, 2).view({batch, 2 * keys, width}), 2, 0, 1};
    }

private:
    /// Whether x [B,K,D] is the columns of this part of a matrix [B·K, parts·D] at the beginning of its memory.
    static bool isPart(const at::Tensor& x_BKD, std::int64_t parts, std::int64_t number) {
        const std::int64_t batch = x_BKD.size(0), keys = x_BKD.size(1), width = x_BKD.size(2), row = parts * width;
        const auto bytes = static_cast<std::size_t>(batch * keys * row) * x_BKD.element_size();
        return x_BKD.strides() == at::IntArrayRef({keys * row, row, 1}) && number < parts &&
               x_BKD.storage_offset() == number * width && x_BKD.storage().nbytes() >= bytes;
    }
};

class DirectionalAttentionFunction : public torch::autograd::Function<DirectionalAttentionFunction> {
public:
    struct Settings {
        double scale;
        std::int64_t lastLeft, firstRight;
    };

    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static at::Tensor forward(DirectionalContext* context, const at::Tensor& query_BQD, const at::Tensor& key_BKD,
                              const at::Tensor& left_BKD, const at::Tensor& right_BKD,
                              const std::optional<at::Tensor>& hidden_B1QK, const Settings& settings) {
        const SidedValues values = SidedValues::of(left_BKD, right_BKD);
        const std::int64_t batch = query_BQD.size(0), queries = query_BQD.size(1), keys = key_BKD.size(1);
        const at::Tensor raw_BQK = at::bmm(query_BQD, key_BKD.transpose(1, 2));
        const at::Tensor sides_BQN = at::empty({batch, queries, values.parts * keys}, key_BKD.options());
        context->saved_data["scale"] = settings.scale;
        context->saved_data["lastLeft"] = settings.lastLeft, context->saved_data["firstRight"] = settings.firstRight;
        context->saved_data["left"] = values.left, context->saved_data["right"] = values.right;
        const at::Tensor hidden = hidden_B1QK.value_or(at::Tensor());
        cuda::SplitWeightsArguments in = argumentsOf(*context, sides_BQN, hidden, keys);
        in.raw = readFrom(raw_BQK);
        kernelsFor({key_BKD})->splitWeights(in, key_BKD.get_device());
        context->save_for_backward({query_BQD, key_BKD, values.rows_BND, sides_BQN, hidden});
        return at::bmm(sides_BQN, values.rows_BND);
    }

    static DirectionalTensors backward(DirectionalContext* context, const DirectionalTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of attention in one function have no gradients");
        const DirectionalTensors saved = context->get_saved_variables();
        const at::Tensor &query_BQD = saved[0], &key_BKD = saved[1], &rows_BND = saved[2], &sides_BQN = saved[3],
                         &dy_BQD = gradients[0];
        const std::int64_t batch = key_BKD.size(0), queries = query_BQD.size(1), keys = key_BKD.size(1),
                           width = key_BKD.size(2);
        const at::Tensor dsides_BQN = at::bmm(dy_BQD, rows_BND.transpose(1, 2));
        const at::Tensor draw_BQK = at::empty({batch, queries, keys}, key_BKD.options());
        const cuda::SplitWeightsBackwardArguments in{argumentsOf(*context, sides_BQN, saved[4], keys), readFrom(dsides_BQN),
                                                     writeTo(draw_BQK)};
        kernelsFor({key_BKD})->splitWeightsBackward(in, key_BKD.get_device());

        const std::int64_t parts = in.forward.parts;
        // The gradient of the joint product, if each of its parts gets one here.
        at::Tensor joint_BKP = parts == 3 ? wholeOfGradients({kQuery, kLeft, kRight}, key_BKD.options()) : at::Tensor();
        at::Tensor dquery_BQD;
        if (joint_BKP.defined())
            dquery_BQD = joint_BKP.narrow(-1, (3 - in.forward.left - in.forward.right) * width, width);
        else
            dquery_BQD = at::empty({batch, queries, width}, key_BKD.options()),
            joint_BKP = at::empty({batch, keys, parts * width}, key_BKD.options());
        at::Tensor dvalues_BND = joint_BKP.view({batch, keys * parts, width});
        at::bmm_out(dvalues_BND, sides_BQN.transpose(1, 2), dy_BQD);  // 0 where a part is no value
        at::bmm_out(dquery_BQD, draw_BQK, key_BKD);
        return {dquery_BQD,
                at::bmm(draw_BQK.transpose(1, 2), query_BQD),
                joint_BKP.narrow(-1, in.forward.left * width, width),
                joint_BKP.narrow(-1, in.forward.right * width, width),
                at::Tensor(),
                at::Tensor()};
    }

private:
    static constexpr std::size_t kQuery = 0, kLeft = 2, kRight = 3;  ///< numbers of inputs

    static cuda::SplitWeightsArguments argumentsOf(DirectionalContext& context, const at::Tensor& sides_BQN,
                                                   const at::Tensor& hidden_B1QK, std::int64_t keys) {
        cuda::SplitWeightsArguments in{};
        in.shape = {sides_BQN.size(0), 1, sides_BQN.size(1), keys};
        in.type = elementTypeOf(sides_BQN);
        in.hidden = hiddenKeysOf(hidden_B1QK), in.hiddenScore = rows::kHiddenLogit;
        in.scale = static_cast<float>(context.saved_data["scale"].toDouble());
        in.lastLeft = context.saved_data["lastLeft"].toInt(), in.firstRight = context.saved_data["firstRight"].toInt();
        in.parts = static_cast<int>(sides_BQN.size(2) / keys);
        in.left = static_cast<int>(context.saved_data["left"].toInt());
        in.right = static_cast<int>(context.saved_data["right"].toInt());
        in.sides = writeTo(sides_BQN);
        return in;
    }
};

}  // namespace

bool attendsInOneFunction(const at::Tensor& x_BSD) {
    return x_BSD.dim() == 3 && x_BSD.size(1) <= 4 * (cuda::kMostQuads - 2) && kernelsFor(OwnKernel::CudaSplit, {x_BSD});
}

at::Tensor directionalAttention(const DirectionalAttentionParts& of) {
    TORCH_INTERNAL_ASSERT(of.firstRight <= of.lastLeft + 1, "a key has no side");
    at::Tensor hidden_B1QK;
    if (of.hidden.defined())
        hidden_B1QK = of.hidden.expand({of.query_BQD.size(0), 1, of.query_BQD.size(1), of.key_BKD.size(1)});
    // Without reduced copies autocast computes projections in bfloat16, of a float32 stream.
    const at::Tensor key_BKD = of.key_BKD.to(of.query_BQD.scalar_type());
    return DirectionalAttentionFunction::apply(of.query_BQD, key_BKD, of.left_BKD, of.right_BKD, ifThere(hidden_B1QK),
                                               DirectionalAttentionFunction::Settings{of.scale, of.lastLeft, of.firstRight});
}

}  // namespace heddle
