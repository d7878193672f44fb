// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/host_search.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace heddle {

HostSearch::HostSearch(const Model& model, std::vector<Job> jobs, const Memory& memory, const DecodeOptions& options)
    : model_(model),
      options_(options),
      texts_(std::move(jobs), options.search),
      sampler_(makeSampler(options.search)),
      state_(model.startDecoding(memory, options.kept)) {
    stateRows_ = static_cast<std::int64_t>(texts_.jobs().size());
    rows_.resize(texts_.jobs().size());
    std::iota(rows_.begin(), rows_.end(), 0);
    std::vector<std::int64_t> jobsOfPaths;
    for (const Path& path : texts_.paths()) jobsOfPaths.push_back(static_cast<std::int64_t>(path.job));
    updateRows(jobsOfPaths);
}

void HostSearch::advance() {
    const at::Tensor logits_RV = read();
    const std::vector<std::size_t> extended = texts_.pathsToExtend(state_->length());
    updateRows(texts_.extend(extended, choose(extended, logits_RV)));
}

/// Reorders the state's rows to those that the paths continue. Removing rows copies the cache of the others, so it waits until
/// an eighth of the rows is idle.
void HostSearch::updateRows(const std::vector<std::int64_t>& parents) {
    if (done()) return;
    std::vector<std::int64_t> rows;
    for (const std::int64_t parent : parents) rows.push_back(rows_[static_cast<std::size_t>(parent)]);
    const bool isInOrder = std::is_sorted(rows.begin(), rows.end(), std::less_equal<>());  // no row twice
    const std::int64_t idle = stateRows_ - static_cast<std::int64_t>(rows.size());
    if (state_->length() > 0 && isInOrder && 8 * idle < stateRows_) {
        rows_ = std::move(rows);
        return;
    }
    state_->reorder(rows);
    stateRows_ = static_cast<std::int64_t>(rows.size());
    rows_.resize(rows.size());
    std::iota(rows_.begin(), rows_.end(), 0);
}

/// Decodes the next tokens of every row; returns the logits of the paths.
at::Tensor HostSearch::read() {
    const AutocastScope autocast(options_.device, options_.precision);
    at::Tensor hidden_RW = state_->step(nextIds(), forward_).select(1, -1);
    if (static_cast<std::int64_t>(rows_.size()) < stateRows_)
        hidden_RW = hidden_RW.index_select(0, at::tensor(rows_).to(hidden_RW.device()));
    return nextLogits(model_, hidden_RW);
}

at::Tensor HostSearch::nextIds() const {
    const auto begin = static_cast<std::size_t>(state_->length());
    const std::vector<Path>& paths = texts_.paths();
    std::size_t end = begin + 1;
    if (begin == 0) {  // the part that all prefixes have, in one step
        end = std::numeric_limits<std::size_t>::max();
        for (const Path& path : paths) end = std::min(end, texts_.jobs()[path.job].prefix.size());
    }
    const std::size_t count = end - begin;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(stateRows_) * count, kEos);  // idle rows are ignored
    for (std::size_t path = 0; path < paths.size(); ++path) {
        const Sentence& prefix = texts_.jobs()[paths[path].job].prefix;
        std::int64_t* const row = ids.data() + static_cast<std::size_t>(rows_[path]) * count;
        for (std::size_t i = begin; i < end; ++i) row[i - begin] = i < prefix.size() ? prefix[i] : paths[path].tokens.back();
    }
    return idsToDevice(ids, {stateRows_, static_cast<std::int64_t>(count)}, options_.device);
}

std::vector<Extension> HostSearch::choose(const std::vector<std::size_t>& extended, const at::Tensor& logits_RV) const {
    if (extended.empty()) return {};
    std::vector<Path> paths;
    for (const std::size_t number : extended) paths.push_back(texts_.paths()[number]);
    if (extended.size() == texts_.paths().size()) return sampler_->choose(logits_RV, paths);
    const std::vector<std::int64_t> rows(extended.begin(), extended.end());
    return sampler_->choose(logits_RV.index_select(0, at::tensor(rows).to(logits_RV.device())), paths);
}

at::Tensor nextLogits(const Model& model, const at::Tensor& hidden_RW) {
    at::Tensor logits_RV = model.logits(hidden_RW).to(at::kFloat);
    const std::int64_t words = model.variant().dims.vocabTgt;
    if (logits_RV.dim() != 2 || logits_RV.size(1) != words)
        throwInvalid("the model's head has " + std::to_string(logits_RV.size(-1)) + " outputs, but the vocabulary has " +
                         std::to_string(words) + " tokens",
                     "head", "decode with a model whose head is lm");
    return logits_RV;
}

}  // namespace heddle
