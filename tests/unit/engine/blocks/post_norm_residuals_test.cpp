// SPDX-License-Identifier: Apache-2.0
// Residual connections that weigh the stream before a post-norm: DeepNorm and Keel.
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"
#include "engine/spec/variant_rules.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::streamOf;
using testing_support::withResidual;
using testing_support::words;

TEST(DeepNorm, TakesItsScalesFromTheNumbersOfLayers) {
    const Json byLayers{{"alpha", nullptr}, {"beta", nullptr}};
    const auto place = [](const char* topology, StackName stack, std::int64_t n, std::int64_t m) {
        BlockContext where;
        where.topology = *choiceNamed<Topology>(std::string(topology));
        where.stack = stack;
        where.dims.layersEnc = n, where.dims.layersDec = m;
        return where;
    };
    const auto gain = [&](const char* topology, StackName stack, std::int64_t n, std::int64_t m) {
        return builtinCatalogue().at("residual", "deepnorm").branchGain(place(topology, stack, n, m), byLayers);
    };
    const auto weight = [&](const char* topology, StackName stack, std::int64_t n, std::int64_t m) {
        ParameterStore store = verify::emptyStore(at::kDouble);
        const BuildContext context{ParameterScope(store, "block"), place(topology, stack, n, m), byLayers, at::kDouble, {}};
        const std::unique_ptr<Block> block = makeBlock("residual", "deepnorm", context);
        const at::Tensor r = at::ones({1, 1, 1}, at::kDouble);
        return dynamic_cast<const Residual&>(*block).join(r, r, at::zeros_like(r), {}).item<double>();
    };
    EXPECT_NEAR(weight("encoder", StackName::Encoder, 18, 6), std::pow(2.0 * 18, 0.25), 1e-14);
    EXPECT_NEAR(weight("decoder", StackName::Decoder, 6, 24), std::pow(2.0 * 24, 0.25), 1e-14);
    EXPECT_NEAR(weight("encdec", StackName::Encoder, 18, 6), 0.81 * std::pow(std::pow(18.0, 4) * 6, 0.0625), 1e-14);
    EXPECT_NEAR(weight("encdec", StackName::Decoder, 18, 6), std::pow(3.0 * 6, 0.25), 1e-14);
    EXPECT_NEAR(gain("encoder", StackName::Encoder, 18, 6), std::pow(8.0 * 18, -0.25), 1e-15);
    EXPECT_NEAR(gain("decoder", StackName::Decoder, 6, 24), std::pow(8.0 * 24, -0.25), 1e-15);
    EXPECT_NEAR(gain("encdec", StackName::Encoder, 18, 6), 0.87 * std::pow(std::pow(18.0, 4) * 6, -0.0625), 1e-15);
    EXPECT_NEAR(gain("encdec", StackName::Decoder, 18, 6), std::pow(12.0 * 6, -0.25), 1e-15);
}

TEST(DeepNorm, WeighsTheStreamAndStartsTheBranchSmaller) {
    const Json post{{"kind", "layernorm"}, {"place", "post"}};
    const auto plain = buildTiny(withResidual("add", post)), deep = buildTiny(withResidual("deepnorm", post));
    const double beta = std::pow(8.0 * 3, -0.25);
    for (const auto& [path, tensor] : plain->parameters().entries()) {
        const bool isOfBranch = path.find(".value.") != std::string::npos || path.find(".ffn.ffn.") != std::string::npos;
        const double factor = isOfBranch && tensor.dim() > 1 ? beta : 1;
        EXPECT_LT(distance(deep->parameters().find(path), tensor * factor), 1e-15) << path;
    }
    // With α = 1 and equal weights it is the residual sum.
    const auto one = buildTiny(withResidual({{"kind", "deepnorm"}, {"alpha", 1}}, post));
    testing_support::copyShared(*one, *plain);
    EXPECT_LT(distance(streamOf(*one, words()), streamOf(*plain, words())), 1e-12);
    testing_support::copyShared(*deep, *plain);
    EXPECT_GT(distance(streamOf(*deep, words()), streamOf(*plain, words())), 1e-3);
}

/// Its streams after the sublayers, as taps show them.
std::map<std::string, at::Tensor> streamsOf(const Model& model) {
    RecordingTaps taps;
    streamOf(model, words(), {.taps = &taps});
    std::map<std::string, at::Tensor> streams;
    for (const auto& [path, tensor] : taps.seen())
        if (path.ends_with(".stream")) streams[path] = tensor;
    return streams;
}

TEST(Keel, WeighsTheStreamByTheNumberOfSublayersBetweenTwoNorms) {
    const Json both{{"kind", "rmsnorm"}, {"place", "both"}};
    const auto keel = buildTiny(withResidual("keel", both));
    const std::size_t sublayers = sublayersOf(keel->variant()).size();
    const auto alike = buildTiny(withResidual({{"kind", "deepnorm"}, {"alpha", double(sublayers)}, {"beta", 1}}, both));
    testing_support::copyShared(*alike, *keel);
    EXPECT_EQ(distance(streamOf(*alike, words()), streamOf(*keel, words())), 0);
    EXPECT_TRUE(keel->parameters().find("decoder.layers.0.self.norm.output.weight").defined()) << "each norm has its gain";
    EXPECT_EQ(keel->parameters().count(), countCost(keel->variant()).parameters);
    for (const auto& [path, stream_BSD] : streamsOf(*keel))
        EXPECT_LT(distance(stream_BSD.square().mean(-1), at::ones({1, words().size(1)}, at::kDouble)), 1e-3) << path;
    // One sublayer by hand: the gains are 1 at the start.
    const auto other = buildTiny(withResidual({{"kind", "keel"}, {"alpha", 2}}, both));
    RecordingTaps taps;
    streamOf(*other, words(), {.taps = &taps});
    const at::Tensor r = taps.seen().at("decoder.layers.0.self.stream"),
                     s = taps.seen().at("decoder.layers.0.ffn.sublayer_output");
    const at::Tensor sum = 2 * r + s;
    EXPECT_LT(distance(taps.seen().at("decoder.layers.0.ffn.stream"), sum * (sum.square().mean(-1, true) + 1e-6).rsqrt()),
              1e-5);
}

}  // namespace
}  // namespace heddle
