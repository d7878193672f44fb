// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/search_batch.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"
#include "engine/train/device_batch.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace heddle {

SearchBatch::SearchBatch(const Model& model, std::vector<Job> jobs, const Memory& memory, const DecodeOptions& options)
    : model_(model),
      options_(options),
      penalty_(options.search.method == SearchOptions::Method::Beam ? options.search.lengthPenalty : 0),
      jobs_(std::move(jobs)),
      chooser_(makeChooser(options.search)),
      state_(model.startDecoding(memory)),
      results_(jobs_.size()) {
    forward_.taps = &noTaps();
    const auto samples = options.search.method == SearchOptions::Method::Sample ? options.search.nBest : 1;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const Path start{job, jobs_[job].line, static_cast<std::uint32_t>(sample), {}, 0};
            if (jobs_[job].limit <= 0) {
                finish(start, false);
            } else {
                paths_.push_back(start);
                parents_.push_back(static_cast<std::int64_t>(job));
            }
        }
    }
    rows_.resize(jobs_.size());
    std::iota(rows_.begin(), rows_.end(), 0);
    stateRows_ = static_cast<std::int64_t>(jobs_.size());
    settleRows();
}

void SearchBatch::advance() {
    const at::Tensor logits_RV = read();
    const std::vector<Path> before = std::move(paths_);
    paths_.clear();
    parents_.clear();
    std::vector<std::size_t> choosing;
    for (std::size_t row = 0; row < before.size(); ++row) {
        if (!isGiven(before[row])) {
            choosing.push_back(row);
            continue;
        }
        paths_.push_back(before[row]);
        parents_.push_back(static_cast<std::int64_t>(row));
    }
    if (!choosing.empty()) extend(before, choosing, logits_RV);
    if (options_.search.method == SearchOptions::Method::Beam) dropDecided();
    settleRows();
}

/// The state's rows follow the paths. To leave out rows copies all that is kept of the others: it waits till an eighth of them
/// is idle.
void SearchBatch::settleRows() {
    if (done()) return;
    std::vector<std::int64_t> rows;
    for (const std::int64_t parent : parents_) rows.push_back(rows_[static_cast<std::size_t>(parent)]);
    const bool isInOrder = std::is_sorted(rows.begin(), rows.end(), std::less_equal<>());  // none twice
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

/// The next tokens of every row go through the decoder; logits of the paths.
at::Tensor SearchBatch::read() {
    const AutocastScope autocast(options_.device, options_.precision);
    at::Tensor hidden_RW = state_->step(nextIds(), forward_).select(1, -1);
    if (static_cast<std::int64_t>(rows_.size()) < stateRows_)
        hidden_RW = hidden_RW.index_select(0, at::tensor(rows_).to(hidden_RW.device()));
    at::Tensor logits_RV = model_.logits(hidden_RW).to(at::kFloat);
    const std::int64_t words = model_.variant().dims.vocabTgt;
    if (logits_RV.dim() != 2 || logits_RV.size(1) != words)
        throwInvalid("the model's head gives " + std::to_string(logits_RV.size(-1)) + " numbers, and its vocabulary has " +
                         std::to_string(words) + " tokens",
                     "head", "decode with a model whose head is lm");
    return logits_RV;
}

at::Tensor SearchBatch::nextIds() const {
    const auto begin = static_cast<std::size_t>(state_->length());
    std::size_t end = begin + 1;
    if (begin == 0) {  // what all prefixes have at once
        end = std::numeric_limits<std::size_t>::max();
        for (const Path& path : paths_) end = std::min(end, jobs_[path.job].prefix.size());
    }
    const std::size_t count = end - begin;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(stateRows_) * count, kEos);  // what idle rows read does not matter
    for (std::size_t path = 0; path < paths_.size(); ++path) {
        const Sentence& prefix = jobs_[paths_[path].job].prefix;
        std::int64_t* const row = ids.data() + static_cast<std::size_t>(rows_[path]) * count;
        for (std::size_t i = begin; i < end; ++i) row[i - begin] = i < prefix.size() ? prefix[i] : paths_[path].tokens.back();
    }
    return idsToDevice(ids, {stateRows_, static_cast<std::int64_t>(count)}, options_.device);
}

bool SearchBatch::isGiven(const Path& path) const {
    return state_->length() < static_cast<std::int64_t>(jobs_[path.job].prefix.size());
}

void SearchBatch::extend(const std::vector<Path>& before, const std::vector<std::size_t>& rows, const at::Tensor& logits_RV) {
    std::vector<Path> choosing;
    for (const std::size_t row : rows) choosing.push_back(before[row]);
    at::Tensor ofRows_RV = logits_RV;
    if (rows.size() < before.size()) {
        const std::vector<std::int64_t> numbers(rows.begin(), rows.end());
        ofRows_RV = logits_RV.index_select(0, at::tensor(numbers).to(logits_RV.device()));
    }
    for (const Extension& extension : chooser_->choose(ofRows_RV, choosing)) {
        Path path = choosing[extension.path];
        path.logProbability = extension.logProbability;
        if (extension.token == kEos) {
            finish(path, true);
            continue;
        }
        path.tokens.push_back(extension.token);
        if (static_cast<std::int64_t>(path.tokens.size()) >= jobs_[path.job].limit) {
            finish(path, false);
            continue;
        }
        paths_.push_back(std::move(path));
        parents_.push_back(static_cast<std::int64_t>(rows[extension.path]));
    }
}

void SearchBatch::finish(const Path& path, bool ended) {
    const auto length = static_cast<std::int64_t>(path.tokens.size()) + (ended ? 1 : 0);
    const Decoded text{path.tokens, ended, path.logProbability, path.logProbability / lengthPenalty(penalty_, length)};
    NBest& found = results_[path.job];
    const auto place = std::upper_bound(found.begin(), found.end(), text,
                                        [](const Decoded& a, const Decoded& b) { return a.score > b.score; });
    found.insert(place, text);
    if (found.size() > static_cast<std::size_t>(options_.search.nBest)) found.pop_back();
}

/// Whether the paths of a job, the likeliest with log P = `best`, can no longer reach its n best: log P only falls, and what it
/// is divided by is at most that of the longest text.
bool SearchBatch::isDecided(std::size_t job, double best) const {
    const NBest& found = results_[job];
    if (found.size() < static_cast<std::size_t>(options_.search.nBest)) return false;
    return found.back().score >= best / lengthPenalty(penalty_, jobs_[job].limit);
}

void SearchBatch::dropDecided() {
    std::vector<double> best(jobs_.size(), -std::numeric_limits<double>::infinity());
    for (const Path& path : paths_) best[path.job] = std::max(best[path.job], path.logProbability);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        if (isDecided(paths_[i].job, best[paths_[i].job])) continue;
        if (kept != i) paths_[kept] = std::move(paths_[i]);
        parents_[kept++] = parents_[i];
    }
    paths_.resize(kept);
    parents_.resize(kept);
}

}  // namespace heddle
