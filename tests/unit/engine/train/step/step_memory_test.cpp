// SPDX-License-Identifier: Apache-2.0
// A training step on the meta device takes the memory that one on the CPU takes, block by block.
#include "engine/train/step/step_memory.h"
#include "engine/base/error.h"
#include "engine/device/memory_meter.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "engine/verify/tiny_presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <set>

namespace heddle {
namespace {

constexpr BatchShape kShape{6, 20, 24};

struct Compared {
    StepMemory meta, real;
    double activations() const { return meta.activationBytes / real.activationBytes; }
    double peak() const { return meta.peakBytes / real.peakBytes; }
};

Compared compare(const ResolvedVariant& variant, const BatchShape& shape) {
    return {measureStepMemory(variant, shape), measureStepMemory(variant, shape, c10::kCPU)};
}

/// Every setting of a block that is a choice or a flag, one at a time.
std::vector<Json> settingsOf(const BlockDescriptor& block) {
    std::vector<Json> settings{Json::object()};
    for (const FieldSchema& field : block.parameters) {
        for (const auto& choice : field.choices) settings.push_back({{field.key, choice}});
        if (field.type == FieldSchema::Type::Boolean) settings.push_back({{field.key, !field.defaultValue.get<bool>()}});
    }
    return settings;
}

bool holds(const ResolvedVariant& variant, const BlockDescriptor& block) {
    bool found = false;
    forEachBlock(variant, [&](const auto&, const std::string& slot, const BlockChoice& choice, const auto&) {
        found = found || (slot == block.slot && choice.id == block.id);
    });
    return found;
}

/// Variants in which the block stands, one for each of its settings; those that the rules refuse are left out.
std::vector<std::pair<std::string, ResolvedVariant>> variantsWith(const BlockDescriptor& block) {
    std::vector<std::pair<std::string, ResolvedVariant>> found;
    const auto& stack = stackSlots();
    const bool isOfStack = std::find(stack.begin(), stack.end(), block.slot) != stack.end();
    const bool isGlobal = block.slot == "embed" || block.slot == "position" || block.slot == "head";
    for (Json value : settingsOf(block)) {
        value[kindKey(block.slot)] = block.id;
        if (block.id == "frozen_file") value["vectors"] = "random";  // the real step needs a table
        if (block.id == "fixed_point") value.update({{"on_failure", "report"}, {"max_iter", 5}, {"tol", 1e-15}});
        Json dims{{"d", 48}, {"f", 80}, {"max_len", 24}, {"vocab_src", 60}, {"vocab_tgt", 60}};
        if (block.id == "fixed_point") dims.update({{"layers_enc", 1}, {"layers_dec", 1}});
        std::vector<Json> places;  // where the block may stand; the first that a preset takes is used
        if (isGlobal)
            places = {{{block.slot, value}}};
        else if (isOfStack)
            places = {{{"encoder", {{block.slot, value}}}}};
        else  // in all sublayers, or in self-attention alone, or between two norms
            places = {{{"defaults", {{block.slot, value}}}},
                      {{"encoder", {{"sublayers", {{{"name", "self"}, {block.slot, value}}, {{"name", "ffn"}}}}}}},
                      {{"defaults", {{block.slot, value}, {"norm", {{"kind", "layernorm"}, {"place", "both"}}}}}}};
        const auto made = [&](const char* preset, Json over) -> std::optional<ResolvedVariant> {
            over["dims"] = dims;
            try {
                return verify::tinyPreset(preset, over);
            } catch (const Error&) {
                return std::nullopt;
            }
        };
        bool stands = false;  // only the first preset that takes the block is used: all of them take minutes
        for (const Json& place : places)
            for (const char* preset : {"thesis-T", "star-2", "bilstm-w2v", "vit-tiny", "thesis-G1"}) {
                if (stands) break;
                const auto variant = made(preset, place);
                // A preset without a place for a selector is accepted but does not hold it.
                stands = variant && (block.slot != "selector" || holds(*variant, block));
                if (stands) found.emplace_back(std::string(preset) + " " + value.dump(), *variant);
            }
    }
    return found;
}

class BlockMemory : public ::testing::TestWithParam<BlockDescriptor> {};

std::vector<BlockDescriptor> blocks() {
    std::vector<BlockDescriptor> all;
    for (const BlockDescriptor& block : builtinCatalogue().blocks())
        if (block.slot != "init") all.push_back(block);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, BlockMemory, ::testing::ValuesIn(blocks()),
                         [](const auto& tested) { return tested.param.slot + "_" + tested.param.id; });

TEST_P(BlockMemory, OnTheMetaDeviceIsThatOfTheCpu) {
    const auto variants = variantsWith(GetParam());
    ASSERT_FALSE(variants.empty());
    for (const auto& [name, variant] : variants) {
        const Compared both = compare(variant, kShape);
        // Sizes are small here, so that single temporaries count; whole presets are held to 0.1 by heddle verify.
        EXPECT_NEAR(both.activations(), 1, 0.02) << name << ": " << both.real.activationBytes << " bytes";
        EXPECT_NEAR(both.peak(), 1, 0.1) << name << ": " << both.real.peakBytes << " bytes";
    }
}

TEST(StepMemory, NamesTheModulesThatHoldIt) {
    const ResolvedVariant variant =
        verify::tinyPreset("thesis-G1", {{"dims", {{"max_len", 24}, {"vocab_src", 60}, {"vocab_tgt", 60}}}});
    const StepMemory made = measureStepMemory(variant, kShape);
    std::set<std::string> paths;
    forEachBlock(variant, [&](const auto& path, const auto&, const auto&, const auto&) { paths.insert(path); });
    double named = 0;
    for (const auto& [path, bytes] : made.activationBytesByModule) {
        EXPECT_TRUE(paths.contains(path)) << path;
        EXPECT_GE(bytes, 0) << path;
        named += bytes;
    }
    EXPECT_GT(named, 0.98 * made.activationBytes);
    EXPECT_GT(made.activationBytesByModule.at("encoder.layers.1.self.score"), 0);
    EXPECT_GT(made.activationBytesByModule.at("decoder.layers.0.ffn.ffn"), 0);
}

TEST(StepMemory, KnowsWhatTheOptimizerKeeps) {
    const ResolvedVariant variant =
        verify::tinyPreset("thesis-T", {{"dims", {{"d", 64}, {"f", 256}, {"vocab_src", 60}, {"vocab_tgt", 60}}}});
    BatchShape shape = kShape;
    const StepMemory adamw = measureStepMemory(variant, shape);
    shape.optimizer = OptimizerKind::Muon;
    const Compared muon = compare(variant, shape);
    EXPECT_NEAR(muon.peak(), 1, 0.1);
    EXPECT_NEAR(adamw.stateBytes, 12.0 * static_cast<double>(countCost(variant).parameters), 1);
    EXPECT_LT(muon.meta.stateBytes, 0.8 * adamw.stateBytes) << "matrices have one average, not two";
    EXPECT_EQ(muon.meta.stateBytes, muon.real.stateBytes);
}

TEST(StepMemory, CountsTheMaskOfDocuments) {
    const ResolvedVariant variant = verify::tinyPreset(
        "bert-base", {{"dims", {{"d", 64}, {"f", 256}, {"max_len", 64}, {"vocab_src", 60}, {"vocab_tgt", 60}}}});
    BatchShape shape{6, 64, 64};
    const StepMemory joined = measureStepMemory(variant, shape);
    shape.documents = true;
    const Compared apart = compare(variant, shape);
    EXPECT_NEAR(apart.peak(), 1, 0.1);
    EXPECT_GT(apart.meta.activationBytes, joined.activationBytes + 6 * 64 * 64) << "a byte for every pair of a row";
}

TEST(StepMemory, TakesNoMemoryItself) {
    const VariantSpec spec = VariantSpec::parse(
        {{"preset", "eau-full"}, {"dims", {{"d", 4096}, {"f", 65536}, {"layers_enc", 48}, {"layers_dec", 48}}}},
        builtinCatalogue());
    const StepMemory made = measureStepMemory(spec.resolve(50000, 50000), {256, 128, 128});
    EXPECT_GT(made.peakBytes, 1e12);  // a terabyte: more than any machine of ours has
}

TEST(StepMemory, LeavesTheCpuAlone) {
    const ResolvedVariant variant = verify::tinyPreset("thesis-T", {{"dims", {{"vocab_src", 60}, {"vocab_tgt", 60}}}});
    const MemoryMeter meter(c10::kCPU);
    measureStepMemory(variant, kShape);
    measureStepMemory(variant, {1 << 16, 20, 24});  // whose ids alone are 10 MiB a side
    EXPECT_LT(meter.peak(), 1 << 20);
    EXPECT_EQ(meter.live(), 0);
}

/// HEDDLE_MEMORY_SCALE=d,f,words,sentences,length prints meta ÷ CPU of every preset at such sizes.
TEST(PresetMemory, AtOtherSizes) {
    const char* const given = std::getenv("HEDDLE_MEMORY_SCALE");
    long d = 0, f = 0, words = 0, sentences = 0, length = 0;
    if (!given || std::sscanf(given, "%ld,%ld,%ld,%ld,%ld", &d, &f, &words, &sentences, &length) != 5)
        GTEST_SKIP() << "set HEDDLE_MEMORY_SCALE=d,f,words,sentences,length to compare at sizes of your own";
    std::vector<double> peaks;
    for (const std::string& name : presetNames()) {
        const ResolvedVariant variant = verify::tinyPreset(
            name, {{"dims", {{"d", d}, {"f", f}, {"max_len", length}, {"vocab_src", words}, {"vocab_tgt", words}}}});
        const Compared both = compare(variant, {sentences, length, length});
        std::printf("%-24s activations %.3f of %.1f MiB, peak %.3f of %.1f MiB\n", name.c_str(), both.activations(),
                    both.real.activationBytes / (1 << 20), both.peak(), both.real.peakBytes / (1 << 20));
        peaks.push_back(both.peak());
        EXPECT_NEAR(both.peak(), 1, 0.1) << name;
    }
    std::sort(peaks.begin(), peaks.end());
    std::printf("peak: min %.3f, median %.3f, max %.3f\n", peaks.front(), peaks[peaks.size() / 2], peaks.back());
}

}  // namespace
}  // namespace heddle
