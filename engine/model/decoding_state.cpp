// SPDX-License-Identifier: Apache-2.0
#include "engine/model/decoding_state.h"

#include "engine/device/torch_pch.h"

#include <numeric>

namespace heddle {
namespace {

/// The memory's rows in another order; undefined parts stay undefined.
Memory selected(const Memory& memory, const at::Tensor& rows_B) {
    if (!memory.hidden_BSD.defined()) return memory;
    return {memory.hidden_BSD.index_select(0, rows_B), memory.source_BS.index_select(0, rows_B)};
}

/// A batch's rows: which row of the memory each reads, and whether a new order changes anything.
class RowOrder {
public:
    explicit RowOrder(std::int64_t rows) : memoryRows_(static_cast<std::size_t>(rows)) {
        std::iota(memoryRows_.begin(), memoryRows_.end(), 0);
    }

    struct Change {
        bool ofRows, ofMemory;
    };
    Change apply(const std::vector<std::int64_t>& rows) {
        std::vector<std::int64_t> own(rows.size()), memoryRows;
        std::iota(own.begin(), own.end(), 0);
        for (const auto row : rows) memoryRows.push_back(memoryRows_.at(static_cast<std::size_t>(row)));
        const Change change{rows != own || rows.size() != memoryRows_.size(), memoryRows != memoryRows_};
        memoryRows_ = std::move(memoryRows);
        return change;
    }

private:
    std::vector<std::int64_t> memoryRows_;
};

at::Tensor onDevice(const std::vector<std::int64_t>& rows, const at::Device& device) { return at::tensor(rows).to(device); }

/// Goes on from keys and values.
class KeptState final : public DecodingState {
public:
    KeptState(const ComposedModel& model, const Memory& memory) : model_(model), memory_(memory) { makeMemoryMasks(); }

    at::Tensor step(const at::Tensor& ids_BT, const Forward& f) override {
        TORCH_CHECK(!f.training, "decoding by steps has no dropout: it is not for training");
        if (!order_) order_.emplace(ids_BT.size(0));
        const at::Tensor padding_BT = model_.paddingOf(ids_BT);
        padding_BK_ = length_ > 0 && padding_BT.defined() ? at::cat({padding_BK_, padding_BT}, 1) : padding_BT;
        const std::int64_t keys = length_ + ids_BT.size(1);
        const KeyMasks self(padding_BK_, keys, model_.scoreOptions(ids_BT.device()), length_);
        MixContext context;
        context.self = &self;
        context.cross = memoryMasks_ ? &*memoryMasks_ : nullptr;
        context.memory_BKD = memory_.hidden_BSD;
        context.first = length_;
        context.kept = &kept_;
        kept_.rewind();
        const at::Tensor hidden_BTW = model_.decoder().run(model_.embedTarget(ids_BT, length_, f), context, f);
        length_ = keys;
        return hidden_BTW;
    }

    void reorder(const std::vector<std::int64_t>& rows) override {
        if (!order_ && !memory_.hidden_BSD.defined()) return;  // nothing has been read: the first step says how many rows
        if (!order_) order_.emplace(memory_.hidden_BSD.size(0));
        const RowOrder::Change change = order_->apply(rows);
        if (!change.ofRows) return;
        const at::Device device = padding_BK_.defined() ? padding_BK_.device() : memory_.hidden_BSD.device();
        const at::Tensor rows_B = onDevice(rows, device);
        kept_.select(KeptAttention::Of::Stream, rows_B);
        if (padding_BK_.defined()) padding_BK_ = padding_BK_.index_select(0, rows_B);
        if (!change.ofMemory) return;  // beams of one sentence change places
        kept_.select(KeptAttention::Of::Memory, rows_B);
        memory_ = selected(memory_, rows_B);
        makeMemoryMasks();
    }

    std::int64_t length() const override { return length_; }

private:
    void makeMemoryMasks() {
        if (!memory_.hidden_BSD.defined()) return;
        memoryMasks_.emplace(model_.paddingOf(memory_.source_BS), memory_.hidden_BSD.size(1),
                             model_.scoreOptions(memory_.hidden_BSD.device()));
    }

    const ComposedModel& model_;
    Memory memory_;
    std::optional<KeyMasks> memoryMasks_;
    std::optional<RowOrder> order_;
    KeptAttentions kept_;
    at::Tensor padding_BK_;  ///< of the tokens so far
    std::int64_t length_ = 0;
};

/// Runs the decoder on all tokens at every step.
class PrefixState final : public DecodingState {
public:
    PrefixState(const ComposedModel& model, const Memory& memory) : model_(model), memory_(memory) {}

    at::Tensor step(const at::Tensor& ids_BT, const Forward& f) override {
        prefix_BT_ = prefix_BT_.defined() ? at::cat({prefix_BT_, ids_BT}, 1) : ids_BT;
        const std::int64_t count = ids_BT.size(1);
        return model_.decode({prefix_BT_, {}}, memory_, f).narrow(1, length() - count, count);
    }

    void reorder(const std::vector<std::int64_t>& rows) override {
        const at::Tensor& any = prefix_BT_.defined() ? prefix_BT_ : memory_.hidden_BSD;
        if (!any.defined()) return;
        const at::Tensor rows_B = onDevice(rows, any.device());
        if (prefix_BT_.defined()) prefix_BT_ = prefix_BT_.index_select(0, rows_B);
        memory_ = selected(memory_, rows_B);
    }

    std::int64_t length() const override { return prefix_BT_.defined() ? prefix_BT_.size(1) : 0; }

private:
    const ComposedModel& model_;
    Memory memory_;
    at::Tensor prefix_BT_;
};

}  // namespace

std::unique_ptr<DecodingState> makeDecodingState(const ComposedModel& model, const Memory& memory) {
    if (model.stepObstacle().empty()) return std::make_unique<KeptState>(model, memory);
    return std::make_unique<PrefixState>(model, memory);
}

}  // namespace heddle
