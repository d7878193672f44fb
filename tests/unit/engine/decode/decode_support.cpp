// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/decode/decode_support.h"

#include "engine/device/random.h"

#include <gtest/gtest.h>

namespace heddle::decode_support {

std::unique_ptr<Model> sharpModel(const Json& over, std::uint64_t seed) {
    auto model = testing_support::buildTiny(over, at::kDouble, seed);
    const at::NoGradGuard noGrad;
    at::Tensor weight = model->parameters().find("head.weight");
    weight.copy_(normal(randomKey(seed, "sharp"), weight.sizes(), 0, 0.5));
    return model;
}

std::vector<Sentence> someSources() { return {{4, 7}, {5, 8, 10}, {6, 9, 4, 10}, {7, 10}, {}, {5, 5, 5, 6, 7, 8}, {9}}; }

DecodeOptions options() {
    DecodeOptions o{at::kCPU};
    return o;
}

DecodeOptions beam(std::int64_t width, std::int64_t nBest) {
    DecodeOptions o{at::kCPU};
    o.search.method = SearchOptions::Method::Beam;
    o.search.beam = width;
    o.search.nBest = nBest;
    return o;
}

std::vector<Sentence> tokensOf(const std::vector<NBest>& decoded) {
    std::vector<Sentence> tokens;
    for (const NBest& one : decoded) tokens.push_back(one.front().tokens);
    return tokens;
}

void expectEqual(const std::vector<NBest>& a, const std::vector<NBest>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].size(), b[i].size()) << i;
        for (std::size_t n = 0; n < a[i].size(); ++n) {
            EXPECT_EQ(a[i][n].tokens, b[i][n].tokens) << i << ", text " << n;
            EXPECT_NEAR(a[i][n].score, b[i][n].score, tolerance) << i << ", text " << n;
        }
    }
}

Memory memoryOf(const Model& model, const Sentence& source) {
    const at::NoGradGuard noGrad;
    std::vector<std::int64_t> ids(source.begin(), source.end());
    ids.push_back(kEos);
    const at::Tensor ids_BS = at::tensor(ids).unsqueeze(0);
    return {model.encode({ids_BS, {}}, {}), ids_BS};
}

at::Tensor logProbabilities(const Model& model, const Sentence& tokens, const Memory& memory) {
    const at::NoGradGuard noGrad;
    const std::vector<std::int64_t> ids(tokens.begin(), tokens.end());
    return at::log_softmax(model.logits(model.decode({at::tensor(ids).unsqueeze(0), {}}, memory, {}))[0], -1);
}

Decoded greedyByPrefixes(const Model& model, const Sentence& prefix, const Memory& memory, std::int64_t limit) {
    Sentence all = prefix;
    Decoded text;
    while (static_cast<std::int64_t>(text.tokens.size()) < limit && !text.ended) {
        at::Tensor log_V = logProbabilities(model, all, memory)[-1].clone();
        for (const auto id : {kPad, kSos}) log_V[id] = -1e9;
        const auto best = static_cast<std::int32_t>(log_V.argmax().item<std::int64_t>());
        text.logProbability += log_V[best].item<double>();
        text.ended = best == kEos;
        if (!text.ended) text.tokens.push_back(best), all.push_back(best);
    }
    return text;
}

NBest everyText(const Model& model, const Memory& memory, std::int64_t limit) {
    NBest found, open{{}};
    while (!open.empty()) {
        const Decoded text = open.back();
        open.pop_back();
        if (static_cast<std::int64_t>(text.tokens.size()) == limit) {
            found.push_back(text);
            continue;
        }
        Sentence read{kSos};
        read.insert(read.end(), text.tokens.begin(), text.tokens.end());
        const at::Tensor log_V = logProbabilities(model, read, memory)[-1];
        for (std::int32_t token = 0; token < log_V.size(0); ++token) {
            if (token == kPad || token == kSos) continue;
            Decoded next = text;
            next.logProbability += log_V[token].item<double>();
            next.ended = token == kEos;
            if (!next.ended) next.tokens.push_back(token);
            (next.ended ? found : open).push_back(next);
        }
    }
    return found;
}

}  // namespace heddle::decode_support
