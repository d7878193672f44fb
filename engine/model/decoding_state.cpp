// SPDX-License-Identifier: Apache-2.0
#include "engine/model/composed_model.h"

#include "engine/device/torch_pch.h"

#include <numeric>

namespace heddle {
namespace {

/// Selects rows of the memory; undefined tensors stay undefined.
Memory selected(const Memory& memory, const at::Tensor& rows_B) {
    if (!memory.hidden_BSD.defined()) return memory;
    return {memory.hidden_BSD.index_select(0, rows_B), memory.source_BS.index_select(0, rows_B)};
}

/// Tracks which row of the memory every row of the batch reads, and whether a reordering changes it.
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

/// The input of a decoder pass over cached keys and values.
struct CachedPass {
    const at::Tensor& ids_BT;
    StepPosition position;
    const KeyMasks& self;
    const KeyMasks* cross;
    const Memory& memory;
    AttentionCache& cache;
};

at::Tensor decodedBy(const ComposedModel& model, const CachedPass& pass, const Forward& f) {
    TORCH_CHECK(!f.training, "decoding by steps has no dropout: it is not for training");
    MixContext context;
    context.self = &pass.self;
    context.cross = pass.cross;
    context.memory_BKD = pass.memory.hidden_BSD;
    context.position = pass.position;
    context.cache = &pass.cache;
    pass.cache.rewind();
    return model.decoder().run(model.embedTarget(pass.ids_BT, pass.position, f), context, f);
}

/// Decodes with cached keys and values.
class CachedDecodingState final : public DecodingState {
public:
    CachedDecodingState(const ComposedModel& model, const Memory& memory) : model_(model), memory_(memory) {
        makeMemoryMasks();
    }

    at::Tensor step(const at::Tensor& ids_BT, const Forward& f) override {
        if (!order_) order_.emplace(ids_BT.size(0));
        const at::Tensor padding_BT = model_.paddingOf(ids_BT);
        padding_BK_ = length_ > 0 && padding_BT.defined() ? at::cat({padding_BK_, padding_BT}, 1) : padding_BT;
        const std::int64_t keys = length_ + ids_BT.size(1);
        const KeyMasks self(padding_BK_, keys, model_.scoreOptions(ids_BT.device()), {length_});
        const KeyMasks* const cross = memoryMasks_ ? &*memoryMasks_ : nullptr;
        at::Tensor hidden_BTW = decodedBy(model_, {ids_BT, {length_}, self, cross, memory_, cache_}, f);
        length_ = keys;
        return hidden_BTW;
    }

    void reorder(const std::vector<std::int64_t>& rows) override {
        if (!order_ && !memory_.hidden_BSD.defined()) return;  // nothing has been read; the first step sets the number of rows
        if (!order_) order_.emplace(memory_.hidden_BSD.size(0));
        const RowOrder::Change change = order_->apply(rows);
        if (!change.ofRows) return;
        const at::Device device = padding_BK_.defined() ? padding_BK_.device() : memory_.hidden_BSD.device();
        const at::Tensor rows_B = onDevice(rows, device);
        cache_.select(CachedAttention::Of::Stream, rows_B);
        if (padding_BK_.defined()) padding_BK_ = padding_BK_.index_select(0, rows_B);
        if (!change.ofMemory) return;  // only beams of one sentence changed places
        cache_.select(CachedAttention::Of::Memory, rows_B);
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
    AttentionCache cache_;
    at::Tensor padding_BK_;  ///< of all tokens read
    std::int64_t length_ = 0;
};

/// Decodes with cached keys and values in buffers of fixed capacity.
class FixedState final : public ReplayableState {
public:
    FixedState(const ComposedModel& model, std::int64_t capacity) : model_(model), capacity_(capacity) {}

    at::Tensor begin(const Memory& memory, const at::Tensor& ids_RT, const Forward& f) override {
        memory_ = memory;
        const bool hasMemory = memory.hidden_BSD.defined();
        if (!cache_) cache_.emplace(AttentionCache::FixedCapacity{capacity_, hasMemory ? memory.hidden_BSD.size(1) : 0});
        cache_->clear();
        if (hasMemory) copyInto(memoryPadding_RS_, model_.paddingOf(memory.source_BS));
        const at::Tensor padding_RT = model_.paddingOf(ids_RT);
        if (padding_RT.defined()) {
            copyInto(padding_RC_, padding_RT.new_zeros({ids_RT.size(0), capacity_}));
            padding_RC_.narrow(1, 0, ids_RT.size(1)).copy_(padding_RT);
        }
        return pass(ids_RT, {}, {padding_RT, ids_RT.size(1), model_.scoreOptions(ids_RT.device())}, f);
    }

    at::Tensor step(const at::Tensor& ids_R1, const at::Tensor& position_1, const Forward& f) override {
        if (padding_RC_.defined()) padding_RC_.index_copy_(1, position_1, model_.paddingOf(ids_R1));
        const StepPosition position{0, position_1};
        return pass(ids_R1, position, {padding_RC_, capacity_, model_.scoreOptions(ids_R1.device()), position}, f);
    }

    void reorder(const at::Tensor& rows_R) override {
        cache_->select(CachedAttention::Of::Stream, rows_R);
        if (padding_RC_.defined()) padding_RC_.copy_(padding_RC_.index_select(0, rows_R));
    }

private:
    /// Copies `values` into `to`, which is allocated at the first call.
    static void copyInto(at::Tensor& to, const at::Tensor& values) {
        if (to.defined())
            to.copy_(values);
        else if (values.defined())
            to = values.clone();
    }

    at::Tensor pass(const at::Tensor& ids_RT, const StepPosition& position, const KeyMasks& self, const Forward& f) {
        if (!memory_.hidden_BSD.defined()) return decodedBy(model_, {ids_RT, position, self, nullptr, memory_, *cache_}, f);
        const KeyMasks cross(memoryPadding_RS_, memory_.hidden_BSD.size(1), model_.scoreOptions(ids_RT.device()));
        return decodedBy(model_, {ids_RT, position, self, &cross, memory_, *cache_}, f);
    }

    const ComposedModel& model_;
    std::int64_t capacity_;
    Memory memory_;  ///< read by begin(); later steps use the cached keys and values
    std::optional<AttentionCache> cache_;
    at::Tensor padding_RC_, memoryPadding_RS_;  ///< undefined: no padding
};

/// Decodes by reading all tokens at every step.
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

std::unique_ptr<DecodingState> makeDecodingState(const ComposedModel& model, const Memory& memory, DecodingMemory kept) {
    if (kept == DecodingMemory::KeysAndValues && model.stepObstacle().empty())
        return std::make_unique<CachedDecodingState>(model, memory);
    return std::make_unique<PrefixState>(model, memory);
}

std::unique_ptr<ReplayableState> makeReplayableState(const ComposedModel& model, std::int64_t capacity) {
    return std::make_unique<FixedState>(model, capacity);
}

}  // namespace heddle
