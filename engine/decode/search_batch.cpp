// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/search_batch.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"
#include "engine/train/device_batch.h"

#include <algorithm>
#include <limits>

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
    if (memory.hidden_BSD.defined() && !done()) state_->reorder(parents_);
}

void SearchBatch::advance() {
    const NextScores scores = read();
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
    if (!choosing.empty()) extend(before, choosing, scores);
    if (options_.search.method == SearchOptions::Method::Beam) dropDecided();
    if (!done()) state_->reorder(parents_);
}

/// The next tokens of every row go through the decoder.
NextScores SearchBatch::read() {
    const AutocastScope autocast(options_.device, options_.precision);
    const at::Tensor hidden_RTW = state_->step(nextIds(), forward_);
    const at::Tensor logits_RV = model_.logits(hidden_RTW.select(1, -1)).to(at::kFloat);
    const std::int64_t words = model_.variant().dims.vocabTgt;
    if (logits_RV.dim() != 2 || logits_RV.size(1) != words)
        throwInvalid("the model's head gives " + std::to_string(logits_RV.size(-1)) + " numbers, and its vocabulary has " +
                         std::to_string(words) + " tokens",
                     "head", "decode with a model whose head is lm");
    NextScores scores{logits_RV, logits_RV.logsumexp(-1, true)};
    for (const auto id : {kPad, kSos}) scores.logits_RV.select(1, id).fill_(-std::numeric_limits<float>::infinity());
    return scores;
}

at::Tensor SearchBatch::nextIds() const {
    const auto begin = static_cast<std::size_t>(state_->length());
    std::size_t end = begin + 1;
    if (begin == 0) {  // what all prefixes have at once
        end = std::numeric_limits<std::size_t>::max();
        for (const Path& path : paths_) end = std::min(end, jobs_[path.job].prefix.size());
    }
    std::vector<std::int64_t> ids;
    for (const Path& path : paths_) {
        const Sentence& prefix = jobs_[path.job].prefix;
        for (std::size_t i = begin; i < end; ++i) ids.push_back(i < prefix.size() ? prefix[i] : path.tokens.back());
    }
    return idsToDevice(ids, {static_cast<std::int64_t>(paths_.size()), static_cast<std::int64_t>(end - begin)},
                       options_.device);
}

bool SearchBatch::isGiven(const Path& path) const {
    return state_->length() < static_cast<std::int64_t>(jobs_[path.job].prefix.size());
}

void SearchBatch::extend(const std::vector<Path>& before, const std::vector<std::size_t>& rows, const NextScores& scores) {
    std::vector<Path> choosing;
    for (const std::size_t row : rows) choosing.push_back(before[row]);
    NextScores ofRows = scores;
    if (rows.size() < before.size()) {
        const std::vector<std::int64_t> numbers(rows.begin(), rows.end());
        const at::Tensor index = at::tensor(numbers).to(scores.logits_RV.device());
        ofRows = {scores.logits_RV.index_select(0, index), scores.logNormaliser_R1.index_select(0, index)};
    }
    for (const Extension& extension : chooser_->choose(ofRows, choosing)) {
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
