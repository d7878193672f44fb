// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/train/train_support.h"

#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/run/build_identity.h"

#include <gtest/gtest.h>

#include <iterator>
#include <stdexcept>

extern "C" heddle::Engine* heddleCreateEngine(std::uint64_t identity);

namespace heddle::test {
namespace {

void writeSide(const std::string& path, const Pairs& pairs, bool source) {
    std::string text;
    for (const auto& pair : pairs) text += (source ? pair.first : pair.second) + "\n";
    writeFile(path, text);
}

ParallelFiles writePairs(const std::string& stem, const Pairs& pairs) {
    writeSide(stem + ".en", pairs, true);
    writeSide(stem + ".de", pairs, false);
    return {stem + ".en", stem + ".de"};
}

}  // namespace

void writeFile(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

void writeIdx(const std::string& path, const std::vector<std::uint8_t>& sizes, const std::string& values) {
    std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
    for (const std::uint8_t size : sizes) bytes += std::string{0, 0, 0, static_cast<char>(size)};
    writeFile(path, bytes + values);
}

std::string readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Json golden() { return readJsonFile(std::string(HEDDLE_SOURCE_DIR) + "/resources/golden.json"); }

EventSink::Pressure RecordingSink::emit(Event event) {
    events.push_back(std::move(event));
    if (onEvent) onEvent(events.back());
    return pressureNow;
}

std::vector<float> RecordingSink::series(const std::string& name) const {
    std::vector<float> values;
    for (const StepBlock& block : all<StepBlock>())
        for (const SeriesBlock& part : block.series)
            if (part.name == name && part.path.empty()) values.insert(values.end(), part.values.begin(), part.values.end());
    return values;
}

std::vector<RunState> RecordingSink::states() const {
    std::vector<RunState> states;
    for (const StateChanged& change : all<StateChanged>()) states.push_back(change.state);
    return states;
}

std::vector<double> RecordingSink::metric(const std::string& split, const std::string& name) const {
    std::vector<double> values;
    for (const EvaluationDone& done : all<EvaluationDone>())
        for (const auto& value : done.values)
            if (done.split == split && value.metric == name) values.push_back(value.value);
    return values;
}

Batch madeUpBatch(std::int64_t first, std::int64_t rows, const std::function<std::int64_t(std::int64_t)>& words) {
    constexpr std::int64_t kPlain = kMadeUpWords - kSpecials;
    EncodedCorpus corpus;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < words(i); ++k) {
            corpus.source.push_back(static_cast<std::int32_t>(kSpecials + (first + i + 3 * k) % kPlain));
            corpus.target.push_back(static_cast<std::int32_t>(kSpecials + (first + i + 5 * k) % kPlain));
        }
        corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
        corpus.targetBegin.push_back(static_cast<std::int64_t>(corpus.target.size()));
        indices.push_back(i);
    }
    return makePairBatch(corpus, indices);
}

Pairs toyPairs(std::size_t count) {
    const std::vector<std::pair<std::string, std::string>> nouns{
        {"dog", "Hund"}, {"cat", "Katze"}, {"bird", "Vogel"}, {"horse", "Pferd"}, {"fish", "Fisch"}};
    const std::vector<std::pair<std::string, std::string>> verbs{{"sees", "sieht"}, {"hears", "hört"}, {"likes", "mag"}};
    const std::vector<std::pair<std::string, std::string>> adjectives{{"red", "rot"}, {"small", "klein"}, {"old", "alt"}};
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const auto &a = nouns[i % 5], &b = nouns[(i / 5 + i + 1) % 5], &v = verbs[i % 3], &q = adjectives[(i / 3) % 3];
        if (i % 4 == 3)
            pairs.emplace_back("a " + a.first + " " + v.first + " it", "ein " + a.second + " " + v.second + " es");
        else
            pairs.emplace_back("the " + q.first + " " + a.first + " " + v.first + " the " + b.first,
                               "der " + a.second + " " + q.second + " " + v.second + " den " + b.second);
    }
    return pairs;
}

Json toyVariant() {
    return Json::parse(R"({"preset":"eau-full","dims":{"d":16,"f":32,"heads":2,"layers_enc":1,"layers_dec":1,"max_len":24}})");
}

RunSpec toySpec(const std::string& folder, const Pairs& train, const Pairs& valid) {
    RunSpec spec;
    spec.variant = VariantSpec::parse(toyVariant(), builtinCatalogue());
    spec.data.train = writePairs(folder + "/train", train);
    spec.data.valid = writePairs(folder + "/valid", valid);
    spec.data.tokenizer.minCount = 1;
    spec.train.batchTokens = 0;
    spec.train.batchSentences = 4;
    spec.train.threads = 1;
    spec.train.device = "cpu";
    spec.train.lr = 3e-3;
    spec.train.schedule = ScheduleKind::NoamPeak;
    spec.train.warmup = 5;
    spec.evaluate.testAtEnd = false;
    return spec;
}

TrainRequest toyRequest(const RunSpec& spec, const std::string& folder, const std::string& run) {
    TrainRequest request;
    request.runId = run;
    request.spec = spec;
    request.runFolder = folder + "/" + run;
    request.cacheFolder = folder + "/cache";
    return request;
}

void expectSameParameters(const Model& a, const Model& b) {
    for (const auto& [path, tensor] : a.parameters().entries())
        EXPECT_TRUE(at::equal(tensor, b.parameters().find(path))) << path;
}

std::unique_ptr<Engine> createEngine() { return std::unique_ptr<Engine>(heddleCreateEngine(engineIdentity())); }

}  // namespace heddle::test
