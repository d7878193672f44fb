// SPDX-License-Identifier: Apache-2.0
// Recurrent networks in both directions (variants.md 2.3, 5.1); states start at 0 and the outputs of both directions are
// concatenated:
//   y_s = [h→_s ; h←_s]    x [B,S,I], I = D, after the first layer 2·D; h→, h← [B,S,D]; y [B,S,2·D]
// With N gates (tanh 1, GRU 3, LSTM 4) each direction has W [N·D,I], U [N·D,D] and a bias of N·D for each of the two.
// The backward direction starts at the last position that is not padding, so that padding after it changes nothing.
#include "engine/blocks/recurrent.h"

namespace heddle {

namespace {

struct RecurrenceOptions {
    bool bias = true;
};

const OptionFields<RecurrenceOptions>& recurrenceOptions() {
    static const auto kFields = OptionFields<RecurrenceOptions>().add(
        &RecurrenceOptions::bias, fields::flag("bias", true, "Whether every direction has its two bias vectors."));
    return kFields;
}

std::int64_t gatesOf(RecurrentCell cell) {
    if (cell == RecurrentCell::Lstm) return 4;
    return cell == RecurrentCell::Gru ? 3 : 1;
}

std::int64_t inputWidth(const BlockContext& where) { return (where.layer > 0 ? 2 : 1) * where.dims.d; }

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// Tensors of the stream's size that LibTorch 2.11 holds of both directions on a CPU: it takes the cell apart into single
/// operations, step by step, and keeps what each of them needs. Counted with verify's memory meter.
std::size_t keptStreams(RecurrentCell cell) {
    if (cell == RecurrentCell::Lstm) return 35;
    return cell == RecurrentCell::Gru ? 17 : 5;
}

}  // namespace

BlockDescriptor describeRecurrence(RecurrentCell cell) {
    BlockDescriptor b;
    const std::int64_t gates = gatesOf(cell);
    b.shapes = "x [B,S,D] (above the first layer [B,S,2·D]); h of each direction [B,S,D], side by side [B,S,2·D]";
    b.parameters = recurrenceOptions().schema();
    b.parameterCount = recurrenceOptions().on([gates](const BlockContext& where, const RecurrenceOptions& o) {
        const std::int64_t d = where.dims.d;
        return 2 * gates * d * (inputWidth(where) + d + (o.bias ? 2 : 0));
    });
    b.flopsPerToken = [gates](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(2 * gates * where.dims.d * (inputWidth(where) + where.dims.d));
    };
    b.flopsOnInput = [gates](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(2 * gates * where.dims.d * inputWidth(where));
    };
    b.savedTensors = [cell](const BlockContext& where, const Json&) -> SavedTensors {
        return {std::vector(keptStreams(cell), where.streamBytes(where.dims.d)), "x"};
    };
    return b;
}

#else

namespace {

/// Gathers positions: position s of the result is position order_BS[b][s] of x.
at::Tensor reordered(const at::Tensor& x_BSD, const at::Tensor& order_BS) {
    return x_BSD.gather(1, order_BS.unsqueeze(-1).expand({-1, -1, x_BSD.size(2)}));
}

class BidirectionalRecurrence final : public Recurrence {
public:
    BidirectionalRecurrence(const BuildContext& c, const RecurrenceOptions& o, RecurrentCell cell)
        : cell_(cell), width_(c.where.dims.d), hasBias_(o.bias) {
        const WithBias bias = hasBias_ ? WithBias::Yes : WithBias::No;
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
