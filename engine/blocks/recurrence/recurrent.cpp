// SPDX-License-Identifier: Apache-2.0
// Recurrent networks in both directions (variants.md 2.3, 5.1); states start at 0 and the outputs of both directions are
// concatenated:
//   y_s = [h→_s ; h←_s]    x [B,S,I], I = D, after the first layer 2·D; h→, h← [B,S,D]; y [B,S,2·D]
// With N gates (tanh 1, GRU 3, LSTM 4) each direction has W [N·D,I], U [N·D,D] and a bias of N·D for each of the two.
// The backward direction starts at the last position that is not padding, so that padding after it changes nothing.
#include "engine/blocks/recurrence/recurrent.h"
#ifdef HEDDLE_MODULES
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#endif

namespace heddle {

namespace {

const OptionFields<BiasOptions>& recurrenceOptions() {
    static const auto kFields = biasOptions("Whether each direction has its two bias vectors.");
    return kFields;
}

std::int64_t gatesOf(RecurrentCell cell) {
    if (cell == RecurrentCell::Lstm) return 4;
    return cell == RecurrentCell::Gru ? 3 : 1;
}

std::int64_t inputWidth(const BlockContext& where) { return (where.layer > 0 ? 2 : 1) * where.dims.d; }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRecurrence(RecurrentCell cell) {
    BlockDescriptor b;
    const std::int64_t gates = gatesOf(cell);
    b.shapes = "x [B,S,D] (above the first layer [B,S,2·D]); h of each direction [B,S,D], side by side [B,S,2·D]";
    b.parameters = recurrenceOptions().schema();
    b.parameterCount = recurrenceOptions().on([gates](const BlockContext& where, const BiasOptions& o) {
        const std::int64_t d = where.dims.d;
        return 2 * gates * d * (inputWidth(where) + d + (o.bias ? 2 : 0));
    });
    b.needsWholeRows = [](const Json&) { return true; };
    b.flopsPerToken = [gates](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(2 * gates * where.dims.d * (inputWidth(where) + where.dims.d));
    };
    return b;
}

#else

namespace {

/// Gathers positions: position s of the result is position order_BS[b][s] of x.
at::Tensor reordered(const at::Tensor& x_BSD, const at::Tensor& order_BS) {
    return x_BSD.gather(1, order_BS.unsqueeze(-1).expand({-1, -1, x_BSD.size(2)}));
}

/// The weights of one direction, as at::lstm takes them: [G·D,W], [G·D,D] and, if there are biases, [G·D] twice.
struct DirectionOnMeta {
    const std::vector<at::Tensor>& weights;
    std::int64_t width;

    at::Tensor biasOf(std::size_t map) const { return weights.size() > 2 ? weights[2 + map] : at::Tensor(); }
    at::Tensor mapInput(const at::Tensor& x) const { return at::linear(x, weights[0], biasOf(0)); }
    at::Tensor mapState(const at::Tensor& h_BD) const { return at::linear(h_BD, weights[1], biasOf(1)); }
};

/// The memory of oneDNN's LSTM on a CPU: the forward pass keeps input, output and a workspace; the backward pass first makes
/// the gradients of the weights in a layout of its own. Sizes as measured with LibTorch 2.11.
class LstmOnMeta : public torch::autograd::Function<LstmOnMeta> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x_SBW, at::TensorList weights,
                              std::int64_t width) {
        torch::autograd::variable_list saved = weights.vec();
        at::Tensor y_SBD = at::empty({x_SBW.size(0), x_SBW.size(1), width}, x_SBW.options());
        const at::Tensor workspace = at::empty({x_SBW.size(0) + 1, x_SBW.size(1), 15 * width}, x_SBW.options());
        saved.insert(saved.end(), {workspace, y_SBD, x_SBW});
        context->save_for_backward(std::move(saved));
        return y_SBD;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& /*gradients*/) {
        const torch::autograd::variable_list saved = context->get_saved_variables();
        torch::autograd::variable_list made{at::empty_like(saved.back())};
        for (std::size_t i = 0; i + 3 < saved.size(); ++i) made.push_back(at::empty_like(saved[i]));
        made.emplace_back();
        const at::Tensor& y_SBD = saved[saved.size() - 2];
        const at::Tensor ofInput = at::empty_like(saved[0]), ofState = at::empty_like(saved[1]);
        const at::Tensor gates = at::empty({y_SBD.size(0) + 3, y_SBD.size(1), 4 * y_SBD.size(2)}, y_SBD.options());
        return made;
    }
};

/// One step as LibTorch computes it on a CPU, after one product has mapped all inputs. h is the state before the step.
at::Tensor stepOnMeta(RecurrentCell cell, const DirectionOnMeta& way, const at::Tensor& input_BG, const at::Tensor& h_BD) {
    const at::Tensor state_BG = way.mapState(h_BD);
    if (cell == RecurrentCell::Tanh) return state_BG.add_(input_BG).tanh();
    const auto ofInput = input_BG.unsafe_chunk(3, 1), ofState = state_BG.unsafe_chunk(3, 1);
    const at::Tensor reset_BD = at::Tensor(ofState[0]).add_(ofInput[0]).sigmoid_();
    const at::Tensor update_BD = at::Tensor(ofState[1]).add_(ofInput[1]).sigmoid_();
    const at::Tensor new_BD = ofInput[2].add(at::Tensor(ofState[2]).mul_(reset_BD)).tanh_();
    return (h_BD - new_BD).mul_(update_BD).add_(new_BD);
}

at::Tensor runOnMeta(RecurrentCell cell, const DirectionOnMeta& way, const at::Tensor& x_BSW) {
    const at::Tensor x_SBW = x_BSW.transpose(0, 1);
    if (cell == RecurrentCell::Lstm) return LstmOnMeta::apply(x_SBW, at::TensorList(way.weights), way.width).transpose(0, 1);
    at::Tensor h_BD = at::zeros({x_BSW.size(0), way.width}, x_BSW.options());
    std::vector<at::Tensor> steps;
    for (const at::Tensor& input_BG : way.mapInput(x_SBW).unbind(0)) {
        h_BD = stepOnMeta(cell, way, input_BG, h_BD);
        steps.push_back(h_BD);
    }
    return at::stack(steps, 0).transpose(0, 1);
}

/// Whether autocast would ask oneDNN for an LSTM in bfloat16 that it does not have: it has one only for processors with
/// AVX-512.
bool lacksShortLstm(const at::Tensor& x) {
    return x.is_cpu() && at::autocast::is_autocast_enabled(at::kCPU) &&
           !(__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"));
}

class BidirectionalRecurrence final : public Recurrence {
public:
    BidirectionalRecurrence(const BuildContext& c, const BiasOptions& o, RecurrentCell cell)
        : cell_(cell), width_(c.where.dims.d), hasBias_(o.bias) {
        const WithBias bias{hasBias_};
        const std::int64_t rows = gatesOf(cell) * width_;
        for (const char* way : {"forward", "backward"}) {
            const Linear input = declareLinear(c.scope / way / "input", inputWidth(c.where), rows, bias);
            const Linear state = declareLinear(c.scope / way / "state", width_, rows, bias);
            weights_.push_back({input.weight, state.weight});
            if (hasBias_) weights_.back().insert(weights_.back().end(), {input.bias, state.bias});
        }
    }

    at::Tensor read(const at::Tensor& x_BSD, const at::Tensor& padding_BS) const override {
        const at::Tensor order_BS = backwards(x_BSD, padding_BS);
        const at::Tensor forward_BSD = run(0, x_BSD), backward_BSD = run(1, reordered(x_BSD, order_BS));
        return at::cat({forward_BSD, reordered(backward_BSD, order_BS)}, -1);
    }

private:
    /// The order that reverses the real positions of every row; padding keeps its place.
    static at::Tensor backwards(const at::Tensor& x_BSD, const at::Tensor& padding_BS) {
        const std::int64_t rows = x_BSD.size(0), positions = x_BSD.size(1);
        const at::Tensor position_BS =
            at::arange(positions, at::TensorOptions(at::kLong).device(x_BSD.device())).expand({rows, positions});
        if (!padding_BS.defined()) return positions - 1 - position_BS;
        const at::Tensor last_B1 = (position_BS * padding_BS.logical_not()).amax(1, true);
        return at::where(position_BS <= last_B1, last_B1 - position_BS, position_BS);
    }

    at::Tensor run(std::size_t way, const at::Tensor& x_BSD) const {
        const at::Tensor zero_1BD = at::zeros({1, x_BSD.size(0), width_}, x_BSD.options());
        const bool needsGrad = at::GradMode::is_enabled();  // cuDNN then saves tensors for backward
        const auto& weights = weights_.at(way);
        if (x_BSD.is_meta()) return runOnMeta(cell_, {weights, width_}, x_BSD);
        if (cell_ == RecurrentCell::Lstm && lacksShortLstm(x_BSD)) {
            const c10::impl::ExcludeDispatchKeyGuard inFloat32(c10::DispatchKey::AutocastCPU);
            const at::Tensor start_1BD = zero_1BD.to(at::kFloat);
            return std::get<0>(
                at::lstm(x_BSD.to(at::kFloat), {start_1BD, start_1BD}, weights, hasBias_, 1, 0.0, needsGrad, false, true));
        }
        if (cell_ == RecurrentCell::Lstm)
            return std::get<0>(at::lstm(x_BSD, {zero_1BD, zero_1BD}, weights, hasBias_, 1, 0.0, needsGrad, false, true));
        if (cell_ == RecurrentCell::Gru)
            return std::get<0>(at::gru(x_BSD, zero_1BD, weights, hasBias_, 1, 0.0, needsGrad, false, true));
        return std::get<0>(at::rnn_tanh(x_BSD, zero_1BD, weights, hasBias_, 1, 0.0, needsGrad, false, true));
    }

    RecurrentCell cell_;
    std::int64_t width_;
    bool hasBias_;
    std::vector<std::vector<at::Tensor> > weights_;  // per direction, in the order of at::lstm
};

}  // namespace

std::unique_ptr<Block> makeRecurrence(const BuildContext& context, RecurrentCell cell) {
    return std::make_unique<BidirectionalRecurrence>(context, recurrenceOptions().read(context.params), cell);
}

#endif

}  // namespace heddle
