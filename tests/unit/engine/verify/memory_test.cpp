// SPDX-License-Identifier: Apache-2.0
// What descriptors say of memory, block by block and on random variants, against what the allocator counts.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_schema.h"
#include "engine/verify/memory_meter.h"
#include "engine/verify/tiny_presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace heddle {
namespace {

using verify::MeasuredStep;
using verify::measureStep;
using verify::MemoryMeter;

constexpr BatchShape kShape{6, 20, 24};

TEST(MemoryMeter, CountsWhatIsThereAndWhatWas) {
    const at::Tensor before = at::zeros({1000});
    MemoryMeter meter;
    at::Tensor a = at::zeros({256});
    EXPECT_EQ(meter.now(), 1024);
    { const at::Tensor b = at::zeros({512}, at::kDouble); }
    EXPECT_EQ(meter.now(), 1024);
    EXPECT_EQ(meter.peak(), 1024 + 4096);
    meter.forgetPeak();
    EXPECT_EQ(meter.peak(), 1024);
    a.reset();
    EXPECT_EQ(meter.now(), 0);
}

struct Compared {
    Cost predicted;
    MeasuredStep measured;
    double activations() const { return predicted.activationBytes / measured.activationBytes; }
    double peak() const { return predicted.peakBytes / measured.peakBytes; }
};

Compared compare(const ResolvedVariant& variant, BatchShape shape) {
    shape.fusedAttention = verify::fusedAttentionHere();
    return {countTrainingCost(variant, builtinCatalogue(), shape), measureStep(variant, shape)};
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
        if (block.id == "frozen_file") value["vectors"] = "random";
        if (block.id == "fixed_point") value.update({{"on_failure", "report"}, {"max_iter", 5}, {"tol", 1e-15}});
        Json over{{"dims", {{"d", 48}, {"f", 80}, {"max_len", 24}, {"vocab_src", 60}, {"vocab_tgt", 60}}}};
        if (block.id == "fixed_point") over["dims"].update({{"layers_enc", 1}, {"layers_dec", 1}});
        if (isGlobal)
            over[block.slot] = value;
        else if (isOfStack)
            over["encoder"][block.slot] = value;
        else
            over["defaults"][block.slot] = value;
        for (const char* preset : {"thesis-T", "star-2", "bilstm-w2v", "vit-tiny", "thesis-G1"}) {
            try {
                const ResolvedVariant variant = verify::tinyPreset(preset, over);
                if (block.slot == "selector" && !holds(variant, block)) continue;  // not where a preset has no place for it
                found.emplace_back(std::string(preset) + " " + value.dump(), variant);
                break;  // the first that takes it: all of them together take minutes
            } catch (const Error&) {
                continue;
            }
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

TEST_P(BlockMemory, IsPredicted) {
    const auto variants = variantsWith(GetParam());
    ASSERT_FALSE(variants.empty());
    for (const auto& [name, variant] : variants) {
        const Compared both = compare(variant, kShape);
        // Sizes are small here, so that single temporaries count; whole presets are held to 0.1 by heddle verify.
        EXPECT_NEAR(both.activations(), 1, 0.15) << name << ": " << both.measured.activationBytes << " bytes";
        EXPECT_NEAR(both.peak(), 1, 0.25) << name << ": " << both.measured.peakBytes << " bytes";
    }
}

/// HEDDLE_MEMORY_SCALE=d,f,words,sentences,length prints predicted ÷ measured of every preset at such sizes.
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
                    both.measured.activationBytes / (1 << 20), both.peak(), both.measured.peakBytes / (1 << 20));
        peaks.push_back(both.peak());
        EXPECT_NEAR(both.peak(), 1, 0.1) << name;
    }
    std::sort(peaks.begin(), peaks.end());
    std::printf("peak: min %.3f, median %.3f, max %.3f\n", peaks.front(), peaks[peaks.size() / 2], peaks.back());
}

}  // namespace
}  // namespace heddle
