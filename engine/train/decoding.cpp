// SPDX-License-Identifier: Apache-2.0
#include "engine/train/decoding.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/train/device_batch.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heddle {
namespace {

/// The sentences of one batch on their way; rows leave when they are done.
class GreedyBatch {
public:
    GreedyBatch(const Model& model, const std::vector<Sentence>& sources, const std::vector<std::size_t>& indices,
                const DecodeOptions& options)
        : model_(model), options_(options), active_(indices) {
        std::size_t width = 0;
        for (const auto i : indices) width = std::max(width, sources[i].size() + 1);
        std::vector<std::int64_t> ids(indices.size() * width, kPad);
        for (std::size_t row = 0; row < indices.size(); ++row) {
            const Sentence& source = sources[indices[row]];
            std::copy(source.begin(), source.end(), ids.begin() + static_cast<std::ptrdiff_t>(row * width));
            ids[row * width + source.size()] = kEos;
        }
        const auto rows = static_cast<std::int64_t>(indices.size());
        source_BS_ = idsToDevice(ids, {rows, static_cast<std::int64_t>(width)}, options.device);
        prefix_BT_ = at::full({rows, 1}, kSos, source_BS_.options());
        const AutocastScope autocast(options.device, options.precision);
        memory_BSD_ = model.encode({source_BS_, {}}, forward_);
    }

    bool done() const { return active_.empty(); }

    /// Decodes one position of every row that is left; appends to `outputs`.
    void advance(const std::vector<std::int64_t>& limits, std::vector<Sentence>& outputs) {
        const auto chosen_B = choose();
        const auto host = chosen_B.to(at::kCPU).contiguous();
        const std::int64_t* ids = host.const_data_ptr<std::int64_t>();
        std::vector<std::int64_t> staying;
        for (std::size_t row = 0; row < active_.size(); ++row) {
            Sentence& output = outputs[active_[row]];
            if (ids[row] != kEos) output.push_back(static_cast<std::int32_t>(ids[row]));
            const bool isOver = ids[row] == kEos || static_cast<std::int64_t>(output.size()) >= limits[active_[row]];
            if (!isOver) staying.push_back(static_cast<std::int64_t>(row));
        }
        prefix_BT_ = at::cat({prefix_BT_, chosen_B.unsqueeze(1)}, 1);
        if (staying.size() < active_.size()) keep(staying);
    }

private:
    at::Tensor choose() const {
        const AutocastScope autocast(options_.device, options_.precision);
        const auto hidden_BTD = model_.decode({prefix_BT_, {}}, {memory_BSD_, source_BS_}, forward_);
        auto logits_BV = model_.logits(hidden_BTD.select(1, -1)).to(at::kFloat);
        for (const auto id : {kPad, kSos}) logits_BV.select(1, id).fill_(-std::numeric_limits<float>::infinity());
        return logits_BV.argmax(-1);
    }

    void keep(const std::vector<std::int64_t>& rows) {
        const auto index = idsToDevice(rows, {static_cast<std::int64_t>(rows.size())}, options_.device);
        prefix_BT_ = prefix_BT_.index_select(0, index);
        memory_BSD_ = memory_BSD_.index_select(0, index);
        source_BS_ = source_BS_.index_select(0, index);
        std::vector<std::size_t> active;
        for (const auto row : rows) active.push_back(active_[static_cast<std::size_t>(row)]);
        active_ = std::move(active);
    }

    const Model& model_;
    const DecodeOptions& options_;
    std::vector<std::size_t> active_;  ///< sentence of each row
    Forward forward_ = [] {
        Forward f;
        f.taps = &noTaps();
        return f;
    }();
    at::Tensor source_BS_, prefix_BT_, memory_BSD_;
};

/// Sentences by length, cut into batches of at most `tokens` output tokens.
std::vector<std::vector<std::size_t>> planBatches(const std::vector<Sentence>& sources, const std::vector<std::int64_t>& limits,
                                                  std::int64_t tokens) {
    std::vector<std::size_t> order(sources.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sources[a].size() < sources[b].size(); });
    std::vector<std::vector<std::size_t>> batches;
    for (const auto i : order) {
        const bool fits = !batches.empty() && static_cast<std::int64_t>(batches.back().size() + 1) * limits[i] <= tokens;
        if (!fits) batches.emplace_back();
        batches.back().push_back(i);
    }
    return batches;
}

}  // namespace

std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen) { return std::min(maxLen, 2 * sourceTokens + 10); }

std::optional<std::vector<Sentence>> greedyDecode(const Model& model, const std::vector<Sentence>& sources,
                                                  const DecodeOptions& options) {
    const at::NoGradGuard noGrad;
    const std::int64_t longest = longestSequence(model.variant(), builtinCatalogue());
    std::vector<std::int64_t> limits;
    for (const Sentence& source : sources) limits.push_back(outputLimit(static_cast<std::int64_t>(source.size()), longest));
    std::vector<Sentence> outputs(sources.size());
    for (const auto& indices : planBatches(sources, limits, options.batchTokens)) {
        GreedyBatch batch(model, sources, indices, options);
        while (!batch.done()) {
            if (options.interrupted()) return std::nullopt;
            batch.advance(limits, outputs);
        }
    }
    return outputs;
}

}  // namespace heddle
