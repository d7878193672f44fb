// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/texts.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <limits>

namespace heddle {

Texts::Texts(std::vector<Job> jobs, const SearchOptions& search)
    : jobs_(std::move(jobs)),
      method_(search.method),
      penalty_(search.method == SearchOptions::Method::Beam ? search.lengthPenalty : 0),
      nBest_(search.nBest),
      results_(jobs_.size()) {
    const auto samples = search.method == SearchOptions::Method::Sample ? search.nBest : 1;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const Path start{job, jobs_[job].line, static_cast<std::uint32_t>(sample), {}, 0};
            if (jobs_[job].limit <= 0)
                finish(start, false);
            else
                paths_.push_back(start);
        }
    }
}

std::vector<std::size_t> Texts::pathsToExtend(std::int64_t length) const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < paths_.size(); ++i)
        if (length >= static_cast<std::int64_t>(jobs_[paths_[i].job].prefix.size())) numbers.push_back(i);
    return numbers;
}

std::vector<std::int64_t> Texts::extend(const std::vector<std::size_t>& chosen, const std::vector<Extension>& extensions) {
    const std::vector<Path> before = std::move(paths_);
    paths_.clear();
    std::vector<std::int64_t> parents;
    for (std::size_t i = 0, next = 0; i < before.size(); ++i) {
        if (next < chosen.size() && chosen[next] == i) {
            ++next;
            continue;
        }
        paths_.push_back(before[i]);
        parents.push_back(static_cast<std::int64_t>(i));
    }
    for (const Extension& extension : extensions) {
        Path path = before[chosen[extension.path]];
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
        parents.push_back(static_cast<std::int64_t>(chosen[extension.path]));
    }
    if (method_ == SearchOptions::Method::Beam) dropFinal(parents);
    return parents;
}

void Texts::finish(const Path& path, bool ended) {
    const auto length = static_cast<std::int64_t>(path.tokens.size()) + (ended ? 1 : 0);
    const Decoded text{path.tokens, ended, path.logProbability, path.logProbability / lengthPenalty(penalty_, length)};
    NBest& found = results_[path.job];
    const auto place = std::upper_bound(found.begin(), found.end(), text,
                                        [](const Decoded& a, const Decoded& b) { return a.score > b.score; });
    found.insert(place, text);
    if (found.size() > static_cast<std::size_t>(nBest_)) found.pop_back();
}

/// Whether no path of the job can still enter its n best; `best` is the highest log P of its paths. log P only falls, and the
/// length penalty is at most that of the longest text.
bool Texts::isFinal(std::size_t job, double best) const {
    const NBest& found = results_[job];
    if (found.size() < static_cast<std::size_t>(nBest_)) return false;
    return found.back().score >= best / lengthPenalty(penalty_, jobs_[job].limit);
}

void Texts::dropFinal(std::vector<std::int64_t>& parents) {
    std::vector<double> best(jobs_.size(), -std::numeric_limits<double>::infinity());
    for (const Path& path : paths_) best[path.job] = std::max(best[path.job], path.logProbability);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        if (isFinal(paths_[i].job, best[paths_[i].job])) continue;
        if (kept != i) paths_[kept] = std::move(paths_[i]);
        parents[kept++] = parents[i];
    }
    paths_.resize(kept);
    parents.resize(kept);
}

}  // namespace heddle
