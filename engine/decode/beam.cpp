// SPDX-License-Identifier: Apache-2.0
// Beam search: of all one-token extensions of a job's paths the likeliest go on. A path may end (<eos>) only where its
// extension is among the first `beam`, so that a beam of 1 is greedy decoding. Ties go to the earlier path, then to the smaller
// token.
#include "engine/data/tokenizer.h"
#include "engine/decode/chooser.h"
#include "engine/device/torch_pch.h"

#include <algorithm>

namespace heddle {
namespace {

struct Scored {
    float logit;
    std::int32_t token;
};

/// The first `wanted` of a row by falling logit, then by token; for rows where topk cut between equal ones.
std::vector<Scored> firstOf(const at::Tensor& logits_V, std::size_t wanted) {
    const at::Tensor host = logits_V.to(at::kCPU).contiguous();
    std::vector<Scored> all;
    for (std::int32_t token = 0; token < host.size(0); ++token) all.push_back({host.const_data_ptr<float>()[token], token});
    std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) { return a.logit > b.logit; });
    all.resize(wanted);
    return all;
}

/// The likeliest tokens of every row.
std::vector<std::vector<Scored>> likeliest(const at::Tensor& logits_RV, std::int64_t count) {
    const std::int64_t words = logits_RV.size(1), wanted = std::min(count, words), seen = std::min(wanted + 1, words);
    const auto [value, token] = logits_RV.topk(seen, -1);
    const at::Tensor values = value.to(at::kCPU).contiguous(), tokens = token.to(at::kCPU).contiguous();
    std::vector<std::vector<Scored>> rows;
    for (std::int64_t row = 0; row < logits_RV.size(0); ++row) {
        const float* v = values.const_data_ptr<float>() + row * seen;
        const std::int64_t* t = tokens.const_data_ptr<std::int64_t>() + row * seen;
        std::vector<Scored> first;
        for (std::int64_t i = 0; i < wanted; ++i) first.push_back({v[i], static_cast<std::int32_t>(t[i])});
        if (seen > wanted && v[wanted] == v[wanted - 1]) first = firstOf(logits_RV[row], static_cast<std::size_t>(wanted));
        rows.push_back(std::move(first));
    }
    return rows;
}

class BeamChooser final : public Chooser {
public:
    explicit BeamChooser(std::int64_t beam) : beam_(static_cast<std::size_t>(beam)) {}

    std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const override {
        const NextScores scores = scoresOf(logits_RV);
        // Of one path no more than `beam` can go on, and one can end.
        const auto rows = likeliest(scores.logits_RV, static_cast<std::int64_t>(beam_) + 1);
        const at::Tensor normalisers = scores.logNormaliser_R1.to(at::kCPU, at::kDouble).contiguous();
        std::vector<Extension> chosen;
        for (std::size_t begin = 0, end = 0; begin < paths.size(); begin = end) {
            std::vector<Extension> ofJob;
            for (; end < paths.size() && paths[end].job == paths[begin].job; ++end) {
                const double before = paths[end].logProbability - normalisers.const_data_ptr<double>()[end];
                for (const auto& [logit, token] : rows[end])
                    if (std::isfinite(logit)) ofJob.push_back({end, token, before + static_cast<double>(logit)});
            }
            keepBest(ofJob);
            chosen.insert(chosen.end(), ofJob.begin(), ofJob.end());
        }
        return chosen;
    }

private:
    void keepBest(std::vector<Extension>& all) const {
        std::sort(all.begin(), all.end(), [](const Extension& a, const Extension& b) {
            if (a.logProbability != b.logProbability) return a.logProbability > b.logProbability;
            return a.path != b.path ? a.path < b.path : a.token < b.token;
        });
        std::vector<Extension> best;
        std::size_t going = 0;
        for (std::size_t rank = 0; rank < all.size() && going < beam_; ++rank) {
            const bool ends = all[rank].token == kEos;
            if (ends && rank >= beam_) continue;
            if (!ends) ++going;
            best.push_back(all[rank]);
        }
        all = std::move(best);
    }

    std::size_t beam_;
};

}  // namespace

std::unique_ptr<Chooser> makeBeamChooser(std::int64_t beam) { return std::make_unique<BeamChooser>(beam); }

}  // namespace heddle
