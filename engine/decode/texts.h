// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/sampler.h"

#include <vector>

namespace heddle {

/// One text to be written.
struct Job {
    Sentence prefix;         ///< read before the first token is chosen; at least <sos>
    std::int64_t limit = 0;  ///< most tokens to be written
    std::uint64_t line = 0;  ///< its number among all lines
};

/// The texts of one batch: those on their way, position by position, and the best of those that are done. A text whose prefix
/// is longer than another's is read on while that one is written, so that all stand at the same position.
class Texts {
public:
    Texts(std::vector<Job> jobs, const SearchOptions& search);

    bool done() const { return paths_.empty(); }
    const std::vector<Job>& jobs() const { return jobs_; }
    const std::vector<Path>& paths() const { return paths_; }  ///< on their way; those of one job stand together
    std::vector<NBest>& results() { return results_; }         ///< of the jobs, when done

    /// Numbers of the paths whose next token is to be chosen when `length` tokens were read; the others have it in their
    /// prefix.
    std::vector<std::size_t> choosing(std::int64_t length) const;
    /// Those paths (`chosen`: their numbers; Extension::path counts them) go on by these extensions, the others by their
    /// prefix. Which path before each path that is left goes on from.
    std::vector<std::int64_t> goOn(const std::vector<std::size_t>& chosen, const std::vector<Extension>& extensions);

private:
    void finish(const Path& path, bool ended);
    bool isDecided(std::size_t job, double best) const;
    void dropDecided(std::vector<std::int64_t>& parents);

    std::vector<Job> jobs_;
    SearchOptions::Method method_;
    double penalty_;  ///< α
    std::int64_t nBest_;
    std::vector<Path> paths_;
    std::vector<NBest> results_;
};

}  // namespace heddle
