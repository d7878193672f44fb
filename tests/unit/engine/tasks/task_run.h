// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/unit/engine/spec/refusals.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace heddle::test {

/// An encoder of one layer with a head.
inline VariantSpec encoder(const Json& head, std::int64_t classes = 2) {
    return VariantSpec::parse(
        {{"topology", "encoder"},
         {"dims", {{"d", 32}, {"f", 64}, {"heads", 2}, {"layers_enc", 1}, {"max_len", 24}, {"classes", classes}}},
         {"defaults", {{"dropout", {{"kind", "standard"}, {"sublayer", 0}}}}},
         {"embed", {{"dropout", 0}}},
         {"head", head}},
        builtinCatalogue());
}

/// A question with the context that holds its answer.
struct SquadQuestion {
    std::string context, question, answer;
};

/// A document in SQuAD's form with one question a context.
inline std::string squadDocument(const std::vector<SquadQuestion>& questions) {
    Json paragraphs = Json::array();
    for (const auto& [context, question, answer] : questions) {
        const Json given{{"text", answer}, {"answer_start", context.find(answer)}};
        const Json asked{{"id", std::to_string(paragraphs.size())}, {"question", question}, {"answers", Json::array({given})}};
        paragraphs.push_back({{"context", context}, {"qas", Json::array({asked})}});
    }
    const Json article{{"title", "Keys"}, {"paragraphs", paragraphs}};
    return Json{{"version", "1.1"}, {"data", Json::array({article})}}.dump();
}

class TaskRun : public ::testing::Test {
protected:
    /// A spec of a short run. `source`: the file that it trains on and validates with; empty: generated data, or what the test
    /// names.
    RunSpec specFor(const std::string& task, const std::string& format, const VariantSpec& variant,
                    const std::string& source = "") const {
        RunSpec spec;
        spec.variant = variant;
        spec.data.task = task;
        spec.data.format = format;
        spec.data.train.source = spec.data.valid.source = source;
        spec.data.tokenizer.minCount = 1;
        spec.data.generated = {.train = 200, .valid = 40, .test = 20, .shortest = 4, .longest = 8, .words = 8};
        spec.train.batchTokens = 0;
        spec.train.batchSentences = 20;
        spec.train.threads = 1;
        spec.train.device = "cpu";
        spec.train.lr = 5e-3;
        spec.train.labelSmoothing = 0;
        spec.train.epochs = 8;
        spec.record.probes = 1;
        return spec;
    }

    TrainOutcome train(const RunSpec& spec, const std::string& run = "run", const std::string& resumeFrom = "") {
        TrainRequest request = toyRequest(spec, folder.path(), run);
        request.resumeFrom = resumeFrom;
        sink = {};
        Mailbox mailbox;
        return createEngine()->train(request, sink, mailbox);
    }

    /// The message with which training refuses a spec; empty: it accepts it.
    std::string problemOf(const RunSpec& spec) {
        return whyRefused([&] { train(spec); });
    }

    std::string file(const std::string& name, const std::string& text) const {
        writeFile(folder / name, text);
        return folder / name;
    }

    double last(const std::string& metric, const std::string& split = "valid") const {
        const auto values = sink.metric(split, metric);
        return values.empty() ? std::nan("") : values.back();
    }

    TemporaryFolder folder;
    RecordingSink sink;
};

}  // namespace heddle::test
