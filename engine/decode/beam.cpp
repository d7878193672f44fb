// SPDX-License-Identifier: Apache-2.0
// Beam search continues the likeliest one-token extensions of a job's paths. A path may end (<eos>) only if that extension is
// among the first `beam`, so that a beam of 1 is greedy decoding. Ties go to the earlier path, then to the smaller token.
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/decode/sampler.h"
#include "engine/device/torch_pch.h"

#include <algorithm>

namespace heddle {
namespace {

struct Scored {
    float logit;
    std::int32_t token;
};

/// The first `wanted` tokens by descending logit, then by token, for rows where topk cut between ties.
std::vector<Scored> firstOf(const at::Tensor& logits_V, std::size_t wanted) {
    const at::Tensor host = logits_V.to(at::kCPU).contiguous();
    std::vector<Scored> all;
    for (std::int32_t token = 0; token < host.size(0); ++token) all.push_back({host.const_data_ptr<float>()[token], token});
    std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) { return a.logit > b.logit; });
    all.resize(wanted);
    return all;
}

/// The likeliest tokens of a row, and log Σ exp over all of them.
struct ScoredRow {
    std::vector<Scored> first;
    double logNormaliser = 0;
};

std::vector<ScoredRow> likeliest(const NextScores& scores, std::int64_t count) {
    const at::Tensor& logits_RV = scores.logits_RV;
    const std::int64_t words = logits_RV.size(1), wanted = std::min(count, words), seen = std::min(wanted + 1, words);
    const auto [value, token] = logits_RV.topk(seen, -1);
    const at::Tensor normaliser = scores.logNormaliser_R1.to(at::kDouble);
    const at::Tensor all = at::cat({value.to(at::kDouble), token.to(at::kDouble), normaliser}, 1).to(at::kCPU);  // one copy
    std::vector<ScoredRow> rows;
    for (std::int64_t row = 0; row < logits_RV.size(0); ++row) {
        const double *const v = all.const_data_ptr<double>() + row * all.size(1), *const t = v + seen;
        ScoredRow scored{{}, t[seen]};
        for (std::int64_t i = 0; i < wanted; ++i)
            scored.first.push_back({static_cast<float>(v[i]), static_cast<std::int32_t>(t[i])});
        if (seen > wanted && v[wanted] == v[wanted - 1])
            scored.first = firstOf(logits_RV[row], static_cast<std::size_t>(wanted));
        rows.push_back(std::move(scored));
    }
    return rows;
}

class BeamSampler final : public Sampler {
public:
    explicit BeamSampler(std::int64_t beam) : beam_(static_cast<std::size_t>(beam)) {}

    std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const override {
        // At most `beam` extensions of a path can continue, and one can end.
        const auto rows = likeliest(scoresOf(logits_RV), static_cast<std::int64_t>(beam_) + 1);
        std::vector<Extension> chosen;
        for (std::size_t begin = 0, end = 0; begin < paths.size(); begin = end) {
            std::vector<Extension> ofJob;
            for (; end < paths.size() && paths[end].job == paths[begin].job; ++end) {
                const double before = paths[end].logProbability - rows[end].logNormaliser;
                for (const auto& [logit, token] : rows[end].first)
                    if (std::isfinite(logit)) ofJob.push_back({end, token, before + static_cast<double>(logit)});
            }
            std::sort(ofJob.begin(), ofJob.end(), isBefore);
            keepBeam(ofJob, beam_);
            chosen.insert(chosen.end(), ofJob.begin(), ofJob.end());
        }
        return chosen;
    }

private:
    static bool isBefore(const Extension& a, const Extension& b) {
        if (a.logProbability != b.logProbability) return a.logProbability > b.logProbability;
        return a.path != b.path ? a.path < b.path : a.token < b.token;
    }

    std::size_t beam_;
};

}  // namespace

void keepBeam(std::vector<Extension>& ofJob, std::size_t beam) {
    std::vector<Extension> best;
    std::size_t continued = 0;
    for (std::size_t rank = 0; rank < ofJob.size() && continued < beam; ++rank) {
        const bool ends = ofJob[rank].token == kEos;
        if (ends && rank >= beam) continue;
        if (!ends) ++continued;
        best.push_back(ofJob[rank]);
    }
    ofJob = std::move(best);
}

std::unique_ptr<Sampler> makeBeamSampler(std::int64_t beam) { return std::make_unique<BeamSampler>(beam); }

}  // namespace heddle
