// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/sampler.h"

#include "engine/base/check.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/row_kernels.h"
#include "engine/kernels/running_sum.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

namespace heddle {
namespace {

constexpr std::int64_t kNeverFirst = kPad, kNeverEnd = kSos + 1;  // <pad> and <sos> are never chosen
static_assert(kSos == kPad + 1);

/// Extends every path by one token and its log probability.
std::vector<Extension> extend(const NextScores& scores, const std::vector<Path>& paths, const at::Tensor& token_R) {
    const at::Tensor log_R = (scores.logits_RV.gather(1, token_R.unsqueeze(1)) - scores.logNormaliser_R1).squeeze(1);
    const at::Tensor both_2R = at::stack({token_R.to(at::kDouble), log_R.to(at::kDouble)}).to(at::kCPU);  // one copy
    const double *const tokens = both_2R.const_data_ptr<double>(), *const logs = tokens + paths.size();
    std::vector<Extension> extensions;
    for (std::size_t i = 0; i < paths.size(); ++i)
        extensions.push_back({i, static_cast<std::int32_t>(tokens[i]), paths[i].logProbability + logs[i]});
    return extensions;
}

class GreedySampler final : public Sampler {
public:
    std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const override {
        if (logits_RV.is_cpu() && logits_RV.is_contiguous()) return chooseOnCpu(logits_RV, paths);
        const NextScores scores = scoresOf(logits_RV);
        return extend(scores, paths, scores.logits_RV.argmax(-1));
    }

private:
    /// The same row by row, since each row is read three times and stays in the cache.
    static std::vector<Extension> chooseOnCpu(const at::Tensor& logits_RV, const std::vector<Path>& paths) {
        std::vector<Extension> extensions(paths.size());
        const float* const logits = logits_RV.const_data_ptr<float>();
        const std::int64_t words = logits_RV.size(1);
        HEDDLE_CHECK(words > kNeverEnd);  // rows::likeliest() reads from there on
        at::parallel_for(0, logits_RV.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const auto i = static_cast<std::size_t>(row);
                const rows::RowChoice choice = rows::likeliest(logits + row * words, words, kNeverFirst, kNeverEnd);
                const auto token = static_cast<std::int32_t>(std::max<std::int64_t>(0, choice.index));
                extensions[i] = {i, token, paths[i].logProbability + static_cast<double>(choice.logit) - choice.logSum};
            }
        });
        return extensions;
    }
};

/// Temperature, then top-k (Fan et al. 2018), then top-p among the k renormalised (Holtzman et al. 2020, "The Curious Case of
/// Neural Text Degeneration", section 3.1).
class RandomSampler final : public Sampler {
public:
    explicit RandomSampler(const SearchOptions& options) : o_(options) {}

    std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const override {
        const NextScores scores = scoresOf(logits_RV);
        const auto [logits_RK, token_RK] = candidates(scores.logits_RV);
        at::Tensor p_RK = at::softmax(logits_RK.to(at::kDouble) / o_.temperature, -1);
        if (o_.topP < 1) p_RK = p_RK.masked_fill((runningSum(p_RK) - p_RK).ge(o_.topP), 0);  // the preceding tokens reach p
        const at::Tensor below_RK = runningSum(p_RK);
        const at::Tensor drawn_R1 = uniforms(paths).to(p_RK.device()) * below_RK.narrow(1, below_RK.size(1) - 1, 1);
        const at::Tensor place_R1 = at::searchsorted(below_RK, drawn_R1, false, true).clamp_max(below_RK.size(1) - 1);
        return extend(scores, paths, (token_RK.defined() ? token_RK.gather(1, place_R1) : place_R1).squeeze(1));
    }

private:
    /// The candidates' logits and tokens, sorted in descending order for top-k and top-p. Undefined tokens: 0, 1, ….
    std::pair<at::Tensor, at::Tensor> candidates(const at::Tensor& logits_RV) const {
        if (o_.topK > 0) {
            auto [logits_RK, token_RK] = logits_RV.topk(std::min(o_.topK, logits_RV.size(1)), -1);
            return {logits_RK, token_RK};
        }
        if (o_.topP >= 1) return {logits_RV, {}};
        auto [logits_RV2, token_RV] = logits_RV.sort(true, -1, true);
        return {logits_RV2, token_RV};
    }

    /// One number in (0, 1) per path, from the stream of its line and sample, at its position.
    at::Tensor uniforms(const std::vector<Path>& paths) const {
        constexpr double kWords = 4294967296.0;  // 2³²
        std::vector<double> drawn;
        for (const Path& path : paths) {
            const RandomKey key = randomKey(o_.seed, "decode", path.line, path.sample);
            drawn.push_back((static_cast<double>(randomBits(key, path.tokens.size())) + 0.5) / kWords);
        }
        return at::tensor(drawn, at::kDouble).unsqueeze(1);
    }

    SearchOptions o_;
};

}  // namespace

NextScores scoresOf(const at::Tensor& logits_RV) {
    NextScores scores{logits_RV, logits_RV.logsumexp(-1, true)};
    scores.logits_RV.narrow(1, kNeverFirst, kNeverEnd - kNeverFirst).fill_(-std::numeric_limits<float>::infinity());
    return scores;
}

std::unique_ptr<Sampler> makeSampler(const SearchOptions& options) {
    if (options.method == SearchOptions::Method::Beam) return makeBeamSampler(options.beam);
    if (options.method == SearchOptions::Method::Sample) return std::make_unique<RandomSampler>(options);
    return std::make_unique<GreedySampler>();
}

}  // namespace heddle
