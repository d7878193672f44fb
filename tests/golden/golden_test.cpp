// SPDX-License-Identifier: Apache-2.0
// The golden cases as a user runs them: LibTorch and the engine library found and loaded at run time, the face of the engine
// asked.
#include "app/session/process/engine_loader.h"
#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <ctime>
#include <map>

namespace heddle {
namespace {

TEST(GoldenByTheLoadedEngine, EveryKnownCasePasses) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/resources/golden.json");
    std::map<std::string, int> passed;
    for (const VerifyCheck& check : app::loadEngine()->verify({golden, false, "", ""})) {
        EXPECT_NE(check.status, VerifyCheck::Status::Fail) << check.name << ": " << check.detail;
        if (check.status == VerifyCheck::Status::Pass) ++passed[check.name.substr(0, check.name.find('/'))];
    }
    for (const char* name :
         {"eau", "grc", "mha", "encoder_layer_eau_grc", "decoder_layer_eau_grc", "gated_score_residual", "score_rules",
          "positional_encodings", "bleu", "atinuke_repaired", "losses", "schedules", "bleu_charpos", "unit_counts", "counts"}) {
        EXPECT_GT(passed[name], 0) << name;
    }
}

/// What `heddle verify --device cuda` asks of a GPU, asked of the processor.
TEST(GoldenByTheLoadedEngine, CasesAndPresetsPassOnADevice) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/resources/golden.json");
    int cases = 0, presets = 0;
    for (const VerifyCheck& check : app::loadEngine()->verify({golden, true, "", "cpu"})) {
        EXPECT_EQ(check.status, VerifyCheck::Status::Pass) << check.name << ": " << check.detail;
        (check.name.starts_with("cpu/presets/") ? presets : cases) += 1;
    }
    EXPECT_GE(presets, 8 * 30) << "answer and gradient of every preset in three types, and its loss in bfloat16";
    EXPECT_GE(cases, 200) << "every output of every case, in two types";
    EXPECT_EQ(app::loadEngine()->verify({golden, true, "grc/y (float32)", "cpu"}).size(), 1U);
    EXPECT_THROW(app::loadEngine()->verify({golden, true, "", "tpu"}), Error);
}

/// What `heddle verify --quick` asks of the processor and, with --device, of a GPU.
TEST(GoldenByTheLoadedEngine, QuickVerificationTakesSeconds) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/resources/golden.json");
    for (const char* device : {"", "cpu"}) {
        const std::clock_t began = std::clock();
        const auto checks = app::loadEngine()->verify({golden, false, "", device});
        const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;  // of the processor
        EXPECT_GE(checks.size(), 200U) << device;
        for (const VerifyCheck& check : checks) EXPECT_FALSE(check.name.starts_with("cpu/presets/")) << check.name;
        EXPECT_LT(seconds, 10) << device;
    }
}

TEST(GoldenByTheLoadedEngine, AWrongValueFails) {
    Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/resources/golden.json");
    Json& value = golden["decoder_layer_eau_grc"]["outputs"]["post"][0][0][0];
    value = value.get<double>() + 1e-9;
    int failed = 0;
    for (const VerifyCheck& check : app::loadEngine()->verify({golden, false, "decoder_layer_eau_grc", ""})) {
        failed += check.status == VerifyCheck::Status::Fail ? 1 : 0;
    }
    EXPECT_EQ(failed, 1);  // float64 sees it; float32 cannot
}

TEST(GoldenByTheLoadedEngine, BuildsWhatItCounts) {
    const auto variant = VariantSpec::parse(
        {{"preset", "eau-full"}, {"dims", {{"d", 128}, {"f", 512}, {"layers_enc", 2}, {"layers_dec", 2}}}}, builtinCatalogue());
    std::int64_t total = 0;
    for (const BuiltModule& module : app::loadEngine()->builtModules(variant, 5893, 7853)) total += module.parameters;
    EXPECT_EQ(total, 4061869);  // Table 3 of the EAU/GRC paper
}

}  // namespace
}  // namespace heddle
