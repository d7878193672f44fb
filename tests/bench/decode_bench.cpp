// SPDX-License-Identifier: Apache-2.0
// What the cache of keys and values is worth: greedy translation of the first N sentences of a file, with it and on the whole
// prefix at every position, in turn.
//   decode_bench FILE [N] [PRESET] [ROUNDS]      defaults: 500 sentences, eau-full (2 layers, d 128, f 512), 3 rounds
// The weights are random: such a model seldom stops before outputLimit(), so that texts are about twice as long as a trained
// model's. Words become ids by their number of first appearance; only the lengths matter.
#include "engine/decode/decoding.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"

#include <ATen/Parallel.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace heddle {
namespace {

constexpr std::int64_t kSourceWords = 5893, kTargetWords = 7853;  // Multi30K, variants.md 1.4

/// Keeps the tokens and runs the decoder on all of them at every step.
class PrefixState final : public DecodingState {
public:
    PrefixState(const Model& model, const Memory& memory) : model_(model), memory_(memory) {}
    at::Tensor step(const at::Tensor& ids_BT, const Forward& f) override {
        prefix_BT_ = prefix_BT_.defined() ? at::cat({prefix_BT_, ids_BT}, 1) : ids_BT;
        return model_.decode({prefix_BT_, {}}, memory_, f).narrow(1, length() - ids_BT.size(1), ids_BT.size(1));
    }
    void reorder(const std::vector<std::int64_t>& rows) override {
        if (static_cast<std::int64_t>(rows.size()) == memory_.source_BS.size(0)) return;  // greedy: rows only leave
        const at::Tensor index = at::tensor(rows);
        if (prefix_BT_.defined()) prefix_BT_ = prefix_BT_.index_select(0, index);
        memory_ = {memory_.hidden_BSD.index_select(0, index), memory_.source_BS.index_select(0, index)};
    }
    std::int64_t length() const override { return prefix_BT_.defined() ? prefix_BT_.size(1) : 0; }

private:
    const Model& model_;
    Memory memory_;
    at::Tensor prefix_BT_;
};

/// A model that decodes without a cache.
class WithoutCache final : public Model {
public:
    explicit WithoutCache(Model& model) : model_(model) {}
    at::Tensor encode(const ModelInput& source, const Forward& f) const override { return model_.encode(source, f); }
    at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const override {
        return model_.decode(target, memory, f);
    }
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory) const override {
        return std::make_unique<PrefixState>(model_, memory);
    }
    std::string stepObstacle() const override { return "the benchmark asks for it"; }
    std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t) const override { return nullptr; }
    std::string stepCaptureObstacle() const override { return stepObstacle(); }
    std::string captureObstacle() const override { return model_.captureObstacle(); }
    at::Tensor pool(const at::Tensor& hidden, const at::Tensor& ids, const Forward& f) const override {
        return model_.pool(hidden, ids, f);
    }
    at::Tensor logits(const at::Tensor& hidden) const override { return model_.logits(hidden); }
    ParameterStore& parameters() override { return model_.parameters(); }
    const ParameterStore& parameters() const override { return model_.parameters(); }
    const ResolvedVariant& variant() const override { return model_.variant(); }
    void to(const at::Device& device) override { model_.to(device); }
    std::vector<std::string> attentionPaths() const override { return model_.attentionPaths(); }

private:
    Model& model_;
};

std::vector<Sentence> readSentences(const std::string& file, std::size_t count) {
    std::ifstream in(file);
    std::vector<Sentence> sentences;
    std::map<std::string, std::int32_t> ids;
    for (std::string line; sentences.size() < count && std::getline(in, line);) {
        std::istringstream words(line);
        Sentence sentence;
        for (std::string word; words >> word;) {
            const auto next =
                static_cast<std::int32_t>(kSpecials + static_cast<std::int64_t>(ids.size()) % (kSourceWords - kSpecials));
            sentence.push_back(ids.emplace(word, next).first->second);
        }
        sentences.push_back(std::move(sentence));
    }
    return sentences;
}

double secondsOf(const std::function<void()>& action) {
    const auto began = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

int run(const std::string& file, std::size_t count, const std::string& preset, int rounds) {
    const Json dims{{"d", 128},        {"f", 512},           {"heads", 8},   {"layers_enc", 2},
                    {"layers_dec", 2}, {"key_dim", nullptr}, {"max_len", 64}};
    const auto variant =
        VariantSpec::parse({{"preset", preset}, {"dims", dims}}, builtinCatalogue()).resolve(kSourceWords, kTargetWords);
    const auto model = buildModel(variant, 1);
    WithoutCache slow(*model);
    const auto sentences = readSentences(file, count);
    const DecodeOptions options{at::kCPU};
    std::printf("%s, %zu sentences, %d threads, obstacle: \"%s\"\n", preset.c_str(), sentences.size(), at::get_num_threads(),
                model->stepObstacle().c_str());
    std::vector<Sentence> with, without;
    for (int round = 0; round < rounds; ++round) {
        const double old = secondsOf([&] { without = *greedyDecode(slow, sentences, options); });
        const double now = secondsOf([&] { with = *greedyDecode(*model, sentences, options); });
        std::size_t tokens = 0, different = 0;
        for (std::size_t i = 0; i < with.size(); ++i) tokens += with[i].size(), different += with[i] == without[i] ? 0 : 1;
        std::printf("whole prefix %.3f s, cache %.3f s, ratio %.2f; %zu tokens, %zu texts differ\n", old, now, old / now,
                    tokens, different);
    }
    return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
    if (argc < 2) return std::fputs("decode_bench FILE [N] [PRESET] [ROUNDS]\n", stderr), 2;
    return heddle::run(argv[1], argc > 2 ? std::stoul(argv[2]) : 500, argc > 3 ? argv[3] : "eau-full",
                       argc > 4 ? std::stoi(argv[4]) : 3);
}
