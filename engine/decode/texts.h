// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/sampler.h"

#include <vector>

namespace heddle {

/// A text to decode.
struct Job {
    Sentence prefix;         ///< read before the first choice; at least <sos>
    std::int64_t limit = 0;  ///< maximum number of new tokens
    std::uint64_t line = 0;  ///< line number
};

/// The texts of one batch: the unfinished paths and the best finished texts. All paths are at the same position; those with
/// longer prefixes still read their prefix while others are extended.
class Texts {
public:
    Texts(std::vector<Job> jobs, const SearchOptions& search);

    bool done() const { return paths_.empty(); }
    const std::vector<Job>& jobs() const { return jobs_; }
    const std::vector<Path>& paths() const { return paths_; }  ///< unfinished; those of one job are adjacent
    std::vector<NBest>& results() { return results_; }         ///< of the jobs, when done

    /// Indices of the paths whose next token must be chosen after `length` tokens; the others take it from their prefix.
    std::vector<std::size_t> pathsToExtend(std::int64_t length) const;
    /// Extends the paths `chosen` by these extensions (Extension::path is an index into `chosen`); the others advance in their
    /// prefix. Returns for every remaining path the index of the former path that it continues.
    std::vector<std::int64_t> extend(const std::vector<std::size_t>& chosen, const std::vector<Extension>& extensions);

private:
    void finish(const Path& path, bool ended);
    bool isFinal(std::size_t job, double best) const;
    void dropFinal(std::vector<std::int64_t>& parents);

    std::vector<Job> jobs_;
    SearchOptions::Method method_;
    double penalty_;  ///< α
    std::int64_t nBest_;
    std::vector<Path> paths_;
    std::vector<NBest> results_;
};

}  // namespace heddle
