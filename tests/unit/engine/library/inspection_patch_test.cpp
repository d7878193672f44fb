// SPDX-License-Identifier: Apache-2.0
// Outputs of one part that come from another checkpoint, or from another text.
#include "engine/device/torch_pch.h"
#include "engine/model/patched_model.h"
#include "engine/run/inspection.h"
#include "engine/train/loop/evaluation.h"
#include "tests/unit/engine/library/inspected_language.h"
#include "tests/unit/engine/library/inspected_toy.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heddle {
namespace {

using test::byMetric;
using ::testing::HasSubstr;

class TranslationPatch : public test::Inspection {
protected:
    /// A run with another seed; the vocabularies are those of the same data.
    PatchRequest other() {
        RunSpec theirs = spec;
        theirs.seed = 7;
        const std::string step = folder / "other/step-" + std::to_string(train(theirs, "other").step);
        return {theirs, folder / "other", step, {"valid", 0}};
    }
};

/// Against passes over one sentence after the other, put together by hand.
TEST_F(TranslationPatch, APartGivesWhatTheOtherModelGivesOnTheSameBatch) {
    const auto session = open();
    const PatchRequest request = other();
    const PatchReport report = session->patch(request);
    ASSERT_EQ(report.all, 12 + 10) << "heads and sublayers";
    ASSERT_EQ(report.entries.size(), 22U);
    EXPECT_EQ(report.examples, 20);
    EXPECT_EQ(report.whole.trained, byMetric(session->effect({{}, {"valid", 0}}).trained).at("loss"));
    EXPECT_NE(report.whole.difference(), 0);
    const RunData data = loadRunData(spec, {folder / "cache", tokenizerFolderOf(checkpoint), {}}, {});
    const auto modelOf = [&](const std::string& step) {
        auto model = buildModel(spec.variant.resolve(data.sourceWords(), data.targetWords()), spec.seed);
        copyInto(namedParameters(model->parameters()), readCheckpointWeights(step), step);
        return model;
    };
    const auto mine = modelOf(checkpoint), theirs = modelOf(request.checkpointFolder);
    const auto task = makeTask(spec, data);
    for (const PatchReport::Entry& entry : report.entries) {
        EXPECT_NEAR(entry.restored, entry.loss.difference() / report.whole.difference(), 1e-12);
        if (entry.part.path != "decoder.layers.1.cross") continue;
        const at::NoGradGuard noGrad;
        double nats = 0, tokens = 0;
        for (std::int64_t i = 0; i < data.valid.size(); ++i) {
            const DeviceBatch one = toDevice(task->makeEvaluationBatch(data.valid, {i}), at::kCPU);
            const std::string tap = partTap(entry.part, mine->variant());
            TapRecord record({tap});
            Forward forward;
            forward.taps = &record;
            task->logits(*theirs, one, forward);
            ASSERT_EQ(record.of(tap).size(), 1U);
            TapReplay replay(tap, entry.part.head, record.of(tap));
            forward.taps = &replay;
            const LossSums loss = task->loss(task->logits(*mine, one, forward), one);
            nats += loss.nll.item<double>(), tokens += static_cast<double>(one.labels_N.numel());
        }
        EXPECT_NEAR(entry.loss.intervened, nats / tokens, 1e-5) << entry.part.text();
    }
    for (std::size_t i = 1; i < report.entries.size(); ++i)
        EXPECT_GE(report.entries[i - 1].restored, report.entries[i].restored);
    const MetricEffect& first = report.entries.front().loss;
    if (first.interval) {
        EXPECT_GE(first.corrected.value(), first.interval->p);
    }
}

TEST_F(TranslationPatch, TheSameModelChangesNothing) {
    const auto session = open();
    const PatchReport report = session->patch({spec, folder / "run", checkpoint, {"valid", 0}});
    EXPECT_EQ(report.whole.difference(), 0);
    for (const PatchReport::Entry& entry : report.entries) {
        EXPECT_NEAR(entry.loss.difference(), 0, 1e-6) << entry.part.text();
        EXPECT_TRUE(std::isnan(entry.restored));
    }
}

TEST_F(TranslationPatch, RefusesAModelOfAnotherShape) {
    const auto session = open();
    RunSpec theirs = spec;
    theirs.variant = VariantSpec::parse(
        {{"preset", "eau-full"},
         {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 1}, {"max_len", 24}}}},
        builtinCatalogue());
    const std::string step = folder / "small/step-" + std::to_string(train(theirs, "small").step);
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] {
                    session->patch({theirs, folder / "small", step, {"valid", 0}});
                }),
                HasSubstr("its layers, heads or widths differ"));
}

class TextPatch : public test::LanguageInspection {};

TEST_F(TextPatch, RestoresTheAnswerOfTheCleanText) {
    spec.train.steps = 200;
    spec.train.lr = 1e-2;
    const auto session = open();
    const TextPatchReport report = session->patchText({"the cat sees", "the cat hears"});
    EXPECT_EQ(report.cleanAnswer, "the");
    EXPECT_EQ(report.corruptAnswer, "a");
    EXPECT_GT(report.clean, 0);
    EXPECT_LT(report.corrupt, 0);
    ASSERT_EQ(report.entries.size(), 6U + 6U);
    std::set<std::string> parts;
    for (const TextPatchReport::Entry& entry : report.entries) {
        EXPECT_NEAR(entry.restored, (entry.patched - report.corrupt) / (report.clean - report.corrupt), 1e-9);
        parts.insert(entry.part.text());
    }
    EXPECT_EQ(parts.size(), 12U);
    EXPECT_GT(report.entries.front().restored, 0.1);
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] {
                    session->patchText({"the cat sees", "the cat sees the"});
                }),
                HasSubstr("patching puts position on position"));
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] {
                    session->patchText({"the cat sees", "the cat sees"});
                }),
                HasSubstr("both texts have the answer"));
}

}  // namespace
}  // namespace heddle
