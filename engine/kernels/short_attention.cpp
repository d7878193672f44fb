// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/short_attention.h"

#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cpu/score_rows.h"
#include "engine/kernels/cuda/attention_layout.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/joint_parts.h"
#include "engine/kernels/optional_operand.h"

#include <torch/csrc/autograd/custom_function.h>

#include <array>

namespace heddle {
namespace {

using AttentionContext = torch::autograd::AutogradContext;
using AttentionTensors = torch::autograd::variable_list;
using NextScores = CarriedTerm::Next;

/// The sizes and settings of an attention, without its tensors.
struct AttentionSettings {
    double scale = 1;
    RandomKey key = {};
    double p = 0;
    std::optional<double> atHidden = {};
    cuda::GateActivation activation = cuda::GateActivation::Tanh;
    double divisor = 1;
    NextScores next = NextScores::Nothing;
};

/// Numbers of the operands; those from kOfCarried on may be undefined.
enum Operand : std::size_t { kOfQuery, kOfKey, kOfValue, kOfCarried, kOfWeight, kOfBias, kOfHidden };

template <class Pointer>
cuda::HeadRows<Pointer> headRows(const at::Tensor& x_BHSE, Pointer at) {
    return {at, {x_BHSE.stride(0), x_BHSE.stride(2), x_BHSE.stride(1)}};
}
cuda::HeadRows<const void*> readHeads(const at::Tensor& x_BHSE) { return headRows(x_BHSE, readFrom(x_BHSE)); }
cuda::HeadRows<void*> writeHeads(const at::Tensor& x_BHSE) { return headRows(x_BHSE, writeTo(x_BHSE)); }

/// Whether the kernels can read or write 16 bytes of a row of this tensor at once.
bool hasWholeRows(const at::Tensor& x_BHSE) {
    constexpr std::int64_t kTogether = 8;
    const auto isMultiple = [](std::int64_t n) { return n % kTogether == 0; };
    return x_BHSE.stride(3) == 1 && isMultiple(x_BHSE.size(3)) && isMultiple(x_BHSE.storage_offset()) &&
           isMultiple(x_BHSE.stride(0)) && isMultiple(x_BHSE.stride(1)) && isMultiple(x_BHSE.stride(2));
}

cuda::AttentionArguments argumentsOf(const AttentionTensors& operands, const AttentionSettings& settings) {
    const at::Tensor &q = operands[kOfQuery], &k = operands[kOfKey], &weight = operands[kOfWeight], &bias = operands[kOfBias];
    cuda::AttentionArguments in{};
    in.shape = {q.size(0), q.size(1), q.size(2), k.size(2)};
    in.width = q.size(3);
    in.q = readHeads(q), in.k = readHeads(k), in.v = readHeads(operands[kOfValue]);
    in.scale = static_cast<float>(settings.scale);
    in.divisor = static_cast<float>(settings.divisor), in.hiddenScore = rows::kHiddenLogit;
    if (const at::Tensor& hidden = operands[kOfHidden]; hidden.defined())
        in.hidden = hiddenKeysOf(hidden.expand({in.shape.batch, in.shape.heads, in.shape.queries, in.shape.keys}));
    if (settings.p > 0) in.drop = cudaDropOf(settings.key, settings.p);
    in.carried = readFrom(operands[kOfCarried]);
    in.fillsCarried = settings.atHidden.has_value() && in.hidden.at != nullptr;
    in.carriedFill = static_cast<float>(settings.atHidden.value_or(0));
    in.nextIsSum = settings.next == NextScores::Sum;
    in.carriedType = in.nextIsSum ? cuda::ElementType::Float32 : cuda::ElementType::BFloat16;
    if (!weight.defined()) return in;
    const auto headStride = [](const at::Tensor& x) { return x.size(0) == 1 ? 0 : x.stride(0); };
    in.gate.weight = weight.const_data_ptr<float>();
    in.gate.headStride = headStride(weight), in.gate.rowStride = weight.stride(1);
    in.gate.activation = settings.activation;
    if (!bias.defined()) return in;
    in.gate.bias = bias.const_data_ptr<float>();
    in.gate.biasStrides[0] = headStride(bias), in.gate.biasStrides[1] = bias.size(1) == 1 ? 0 : bias.stride(1);
    return in;
}

/// The sizes of x [B,H,S,E]; stored as [B,S,H,E].
at::Tensor emptyHeads(const at::Tensor& x_BHSE) {
    return at::empty({x_BHSE.size(0), x_BHSE.size(2), x_BHSE.size(1), x_BHSE.size(3)}, x_BHSE.options()).transpose_(1, 2);
}

class ShortAttentionFunction : public torch::autograd::Function<ShortAttentionFunction> {
public:
    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static AttentionTensors forward(AttentionContext* context, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                                    const at::Tensor& v_BHKE, const std::optional<at::Tensor>& p_BHQK,
                                    const std::optional<at::Tensor>& weight_HKK, const std::optional<at::Tensor>& bias,
                                    const std::optional<at::Tensor>& hidden, const AttentionSettings& settings) {
        const auto orNone = [](const std::optional<at::Tensor>& x) { return x.value_or(at::Tensor()); };
        const AttentionTensors operands{q_BHQE,       k_BHKE,        v_BHKE, orNone(p_BHQK), orNone(weight_HKK),
                                        orNone(bias), orNone(hidden)};
        cuda::AttentionArguments in = argumentsOf(operands, settings);
        AttentionTensors made{emptyHeads(q_BHQE)};
        if (settings.next != NextScores::Nothing)
            made.push_back(at::empty({in.shape.batch, in.shape.heads, in.shape.queries, in.shape.keys},
                                     q_BHQE.options().dtype(in.nextIsSum ? at::kFloat : at::kBFloat16)));
        in.out = writeHeads(made[0]);
        if (made.size() > 1) in.next = writeTo(made[1]);
        cudaKernelsOn(q_BHQE.get_device())->attention(in, q_BHQE.get_device());
        context->save_for_backward(operands);
        keep(settings, *context);
        context->set_materialize_grads(false);
        return made;
    }

    static AttentionTensors backward(AttentionContext* context, const AttentionTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of attention by one kernel have no gradients");
        const AttentionTensors operands = context->get_saved_variables();
        const at::Tensor &q = operands[kOfQuery], &p = operands[kOfCarried], &weight = operands[kOfWeight],
                         &bias = operands[kOfBias];
        at::Tensor dmixed = gradients[0].defined() ? gradients[0] : at::zeros_like(q), dnext;
        if (!hasWholeRows(dmixed)) dmixed = dmixed.contiguous();
        if (gradients.size() > 1 && gradients[1].defined()) dnext = gradients[1].contiguous();
        std::array<at::Tensor, 3> dqkv;
        for (std::size_t i = 0; i < dqkv.size(); ++i) {
            dqkv[i] = placeOfHeads(i, operands[i]);
            if (!dqkv[i].defined()) dqkv[i] = emptyHeads(operands[i]);
        }
        const at::Tensor dp = p.defined() ? at::empty_like(p) : p;
        cuda::AttentionBackwardArguments in{};
        in.forward = argumentsOf(operands, keptIn(*context));
        in.dout = readHeads(dmixed), in.dnext = readFrom(dnext);
        in.dq = writeHeads(dqkv[0]), in.dk = writeHeads(dqkv[1]), in.dv = writeHeads(dqkv[2]);
        in.dcarried = writeTo(dp);
        in.sentencesOfPart = cuda::sentencesOfPart(in.forward);
        at::Tensor dweight_PHKK, dbias_PHK;
        if (weight.defined()) {
            const cuda::ScoreShape& shape = in.forward.shape;
            const at::TensorOptions floats = q.options().dtype(at::kFloat);
            dweight_PHKK = at::empty({cuda::partsOfSentences(in), shape.heads, shape.keys, shape.keys}, floats);
            in.dgate = dweight_PHKK.mutable_data_ptr<float>();
            if (bias.defined()) {
                dbias_PHK = at::empty({dweight_PHKK.size(0), shape.heads, shape.keys}, floats);
                in.dbias = dbias_PHK.mutable_data_ptr<float>();
            }
        }
        cudaKernelsOn(q.get_device())->attentionBackward(in, q.get_device());
        AttentionTensors all{dqkv[0], dqkv[1], dqkv[2], dp, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
        if (weight.defined()) addUp({dweight_PHKK, dbias_PHK}, operands, all);
        return all;
    }

private:
    struct GateParts {
        at::Tensor weight_PHKK, bias_PHK;
    };

    /// The gradients of W and b from those of parts of the sentences: left to an open LateSums, or into `all`.
    static void addUp(const GateParts& parts, const AttentionTensors& operands, AttentionTensors& all) {
        const at::Tensor &weight = operands[kOfWeight], &bias = operands[kOfBias];
        constexpr std::size_t kWeightInput = 4;  // p stands before it wherever there is a gate
        std::vector<PartialSums> late{{rowsFor(weight, parts.weight_PHKK), {{kWeightInput, weight.numel()}}}};
        if (bias.defined()) late.push_back({rowsFor(bias, parts.bias_PHK), {{kWeightInput + 1, bias.numel()}}});
        const bool areAlike = std::all_of(late.begin(), late.end(), [](const PartialSums& one) {
            const std::int64_t columns = one.partial_KC.size(1);
            return columns % 4 == 0 && columns == one.inputs.front().columns;
        });
        if (areAlike && areSummedLater(late)) return;
        const std::int64_t keys = parts.weight_PHKK.size(3);
        all[kOfWeight] = columnSums(late[0].partial_KC).view({weight.size(0), keys, keys});
        if (bias.defined()) all[kOfBias] = at::sum_to(columnSums(late[1].partial_KC).view({bias.size(0), keys}), bias.sizes());
    }

    /// The parts as rows whose sum is the gradient of x; heads are rows, too, where they share x.
    static at::Tensor rowsFor(const at::Tensor& x, const at::Tensor& parts) {
        return parts.view({x.size(0) == 1 ? parts.size(0) * parts.size(1) : parts.size(0), -1});
    }

    static void keep(const AttentionSettings& settings, AttentionContext& context) {
        context.saved_data["scale"] = settings.scale;
        context.saved_data["key"] = packedKey(settings.key);
        context.saved_data["p"] = settings.p;
        context.saved_data["atHidden"] = settings.atHidden;
        context.saved_data["activation"] = static_cast<std::int64_t>(settings.activation);
        context.saved_data["divisor"] = settings.divisor;
        context.saved_data["next"] = static_cast<std::int64_t>(settings.next);
    }
    static AttentionSettings keptIn(AttentionContext& context) {
        auto& kept = context.saved_data;
        return {kept["scale"].toDouble(),
                unpackedKey(kept["key"].toIntVector()),
                kept["p"].toDouble(),
                kept["atHidden"].toOptional<double>(),
                static_cast<cuda::GateActivation>(kept["activation"].toInt()),
                kept["divisor"].toDouble(),
                static_cast<NextScores>(kept["next"].toInt())};
    }
};

AttentionSettings attentionSettings(const ShortAttention& of) {
    return {of.scale, of.key, of.p, of.carried.atHidden, of.carried.activation, of.carried.divisor, of.carried.next};
}

bool takesCarried(const CarriedTerm& carried, const cuda::ScoreShape& shape) {
    const at::Tensor &p = carried.p_BHQK, &weight = carried.weight_HKK, &bias = carried.bias;
    if (!p.defined()) return !weight.defined();
    const at::ScalarType type = carried.next == NextScores::Sum ? at::kFloat : at::kBFloat16;
    const auto isOfHeads = [&](const at::Tensor& x) {
        return x.scalar_type() == at::kFloat && (x.size(0) == 1 || x.size(0) == shape.heads);
    };
    if (!p.is_contiguous() || p.scalar_type() != type ||
        p.sizes() != at::IntArrayRef{shape.batch, shape.heads, shape.queries, shape.keys})
        return false;
    return (!weight.defined() || (isOfHeads(weight) && weight.stride(2) == 1)) && (!bias.defined() || isOfHeads(bias));
}

}  // namespace

bool isShortAttention(const at::Tensor& like, std::int64_t queries, std::int64_t keys) {
    return like.is_cuda() && isUsed(OwnKernel::CudaAttention) && cudaKernelsOn(like.get_device()) && like.numel() > 0 &&
           queries <= cuda::kMostAttended && keys <= cuda::kMostAttended;
}

bool takesShortAttention(const ShortAttention& of) {
    const at::Tensor& q = of.q_BHQE;
    if (!isShortAttention(q, q.size(2), of.k_BHKE.size(2)) || q.size(3) > cuda::kMostHeadWidth) return false;
    for (const at::Tensor& x : {q, of.k_BHKE, of.v_BHKE})
        if (x.scalar_type() != at::kBFloat16 || x.size(1) != q.size(1) || x.size(3) != q.size(3) || !hasWholeRows(x))
            return false;
    const AttentionTensors operands{q,        of.k_BHKE, of.v_BHKE, of.carried.p_BHQK, of.carried.weight_HKK, of.carried.bias,
                                    of.hidden};
    const cuda::AttentionArguments in = argumentsOf(operands, attentionSettings(of));
    return takesCarried(of.carried, in.shape) &&
           cuda::AttentionLayout(in, /*isBackward=*/true).bytes <= cudaTable()->blockBytes(q.get_device());
}

ShortAttentionResult shortAttention(const ShortAttention& of) {
    const CarriedTerm& carried = of.carried;
    const AttentionTensors made =
        ShortAttentionFunction::apply(of.q_BHQE, of.k_BHKE, of.v_BHKE, ifThere(carried.p_BHQK), ifThere(carried.weight_HKK),
                                      ifThere(carried.bias), ifThere(of.hidden), attentionSettings(of));
    return {made[0], made.size() > 1 ? made[1] : at::Tensor()};
}

}  // namespace heddle
