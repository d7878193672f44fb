// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

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

class TaskRun : public ::testing::Test {
protected:
    /// A spec with generated data unless a test names files.
    RunSpec specFor(const std::string& task, const std::string& format, const VariantSpec& variant) const {
        RunSpec spec;
        spec.variant = variant;
        spec.data.task = task;
        spec.data.format = format;
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

    /// What training says against a spec; empty: nothing.
    std::string problemOf(const RunSpec& spec) {
        try {
            train(spec);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    std::string file(const std::string& name, const std::string& text) const {
        writeFile(folder.path(name), text);
        return folder.path(name);
    }

    double last(const std::string& metric, const std::string& split = "valid") const {
        const auto values = sink.metric(split, metric);
        return values.empty() ? std::nan("") : values.back();
    }

    TemporaryFolder folder;
    RecordingSink sink;
};

}  // namespace heddle::test
