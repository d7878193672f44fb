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
    const auto sentences = readSentences(file, count);
    const DecodeOptions options{at::kCPU};
    DecodeOptions uncached{at::kCPU};
    uncached.kept = DecodingMemory::Tokens;
    std::printf("%s, %zu sentences, %d threads, obstacle: \"%s\"\n", preset.c_str(), sentences.size(), at::get_num_threads(),
                model->stepObstacle().c_str());
    std::vector<Sentence> with, without;
    for (int round = 0; round < rounds; ++round) {
        const double old = secondsOf([&] { without = *bestTranslations(*model, sentences, uncached); });
        const double now = secondsOf([&] { with = *bestTranslations(*model, sentences, options); });
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
