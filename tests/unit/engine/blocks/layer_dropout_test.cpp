// SPDX-License-Identifier: Apache-2.0
// Sublayers that an update leaves out (option layer of dropout): which, when, and what remains of them.
#include "engine/device/torch_pch.h"
#include "engine/model/intervened_model.h"
#include "engine/model/recording_taps.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::refusalOf;
using testing_support::streamOf;
using testing_support::words;

constexpr std::uint64_t kUpdates = 60;

/// A language model of two layers whose sublayers are left out with that probability.
Json leavingOut(double p, const Json& residual = "add", const char* place = "pre") {
    const Json norm{{"kind", "layernorm"}, {"place", place}};
    const Json dropout{{"kind", "standard"}, {"sublayer", 0}, {"layer", p}};
    return {{"topology", "decoder"}, {"defaults", {{"residual", residual}, {"norm", norm}, {"dropout", dropout}}}};
}

at::Tensor streamInTraining(const Model& model, std::uint64_t step, std::uint32_t microStep = 0) {
    return streamOf(model, words(), {.training = true, .seed = 5, .step = step, .microStep = microStep});
}

/// The stream of a model that is not training, for every set of its four sublayers that is cut off: bit i is sublayer i.
std::vector<at::Tensor> streamsWithout(Model& model) {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> streams;
    for (std::size_t cut = 0; cut < 16; ++cut) {
        std::vector<Intervention> interventions;
        std::size_t i = 0;
        for (const ResolvedSublayer* sublayer : sublayersOf(model.variant()))
            if ((cut >> i++ & 1) == 1) interventions.emplace_back(IdentityResidual{sublayer->path});
        streams.push_back(streamOf(IntervenedModel(model, interventions), words()));
    }
    return streams;
}

/// Every step gives the stream of the model without some of its sublayers, none of them scaled.
TEST(LayerDropout, LeavesOutWholeSublayersAndScalesNone) {
    for (const Json& residual : {Json("add"), Json("grc"), Json("dense"), Json{{"kind", "attn_res"}, {"block", 2}}}) {
        const auto model = buildTiny(leavingOut(0.3, residual));
        const std::vector<at::Tensor> streams = streamsWithout(*model);
        std::set<std::size_t> seen;
        std::size_t left = 0;
        for (std::uint64_t step = 0; step < kUpdates; ++step) {
            const at::Tensor y = streamInTraining(*model, step);
            std::size_t cut = 0;
            while (cut < streams.size() && distance(y, streams[cut]) > 1e-12) ++cut;
            ASSERT_LT(cut, streams.size()) << residual << " step " << step;
            seen.insert(cut);
            for (std::size_t i = 0; i < 4; ++i) left += cut >> i & 1;
        }
        EXPECT_THAT(seen, Contains(0U)) << residual;
        EXPECT_GT(seen.size(), 5U) << residual << ": sublayers are drawn one by one";
        EXPECT_NEAR(static_cast<double>(left) / (4 * kUpdates), 0.3, 0.1) << residual;  // three deviations
    }
}

TEST(LayerDropout, IsDrawnOnceForAnUpdate) {
    const auto model = buildTiny(leavingOut(0.5));
    for (std::uint64_t step = 0; step < 5; ++step)
        EXPECT_EQ(distance(streamInTraining(*model, step), streamInTraining(*model, step, 3)), 0) << "in all micro-batches";
    for (std::int64_t step = 0; step < 5; ++step) {
        const std::int64_t counters = step + (std::int64_t{3} << 32);
        const Forward forward{.training = true, .seed = 5, .stepAt = &step, .countersAt = &counters};
        const at::Tensor byAddress = streamOf(*model, words(), forward);
        EXPECT_EQ(distance(byAddress, streamInTraining(*model, static_cast<std::uint64_t>(step))), 0)
            << "a captured micro-batch reads the step alone";
    }
}

TEST(LayerDropout, LeavesEvaluationAsItIs) {
    const auto model = buildTiny(leavingOut(0.5)), plain = buildTiny(leavingOut(0));
    EXPECT_EQ(distance(streamOf(*model, words()), streamOf(*plain, words())), 0);
    testing_support::expectSameOnEveryPathAndByStep(*model, 1e-11);
}

/// The norm after a sublayer, several streams and an adjuster after the norm belong to what is left out.
TEST(LayerDropout, LeavesTheStreamAsItWas) {
    Json adjusted = leavingOut(0.9, "add", "post");
    adjusted["defaults"]["adjuster"] = {{"kind", "eau"}, {"where", "before_ffn"}};
    for (const Json& document :
         {leavingOut(0.9, "add", "post"), adjusted, leavingOut(0.9, {{"kind", "hyper"}, {"streams", 2}})}) {
        const auto model = buildTiny(document);
        bool isWhole = false;
        for (std::uint64_t step = 0; step < kUpdates && !isWhole; ++step) {
            RecordingTaps taps;
            const at::Tensor y = streamOf(*model, words(), {.training = true, .seed = 5, .step = step, .taps = &taps});
            isWhole = distance(y, taps.seen().at("decoder.h0.layer_state")) == 0;
        }
        EXPECT_TRUE(isWhole) << document;
    }
}

TEST(LayerDropout, GivesWhatIsLeftOutNoGradient) {
    const auto model = buildTiny(leavingOut(0.5));
    std::set<bool> seen;
    for (std::uint64_t step = 0; step < 10; ++step) {
        for (const auto& [path, tensor] : model->parameters().entries()) at::Tensor(tensor).mutable_grad() = at::Tensor();
        streamInTraining(*model, step).square().sum().backward();
        const auto slopeOf = [&](const std::string& path) {
            return model->parameters().find(path).grad().abs().max().item<double>();
        };
        const bool isLeftOut = slopeOf("decoder.layers.1.ffn.ffn.in.weight") == 0;
        EXPECT_EQ(slopeOf("decoder.layers.1.ffn.ffn.out.weight") == 0, isLeftOut);
        EXPECT_EQ(slopeOf("decoder.layers.1.ffn.norm.weight") == 0, isLeftOut);
        seen.insert(isLeftOut);
    }
    EXPECT_THAT(seen, SizeIs(2));
}

TEST(LayerDropout, IsRefusedWhereNothingCouldStayAsItIs) {
    Json shared = leavingOut(0.5);
    shared["decoder"]["share"] = "shared";
    EXPECT_THAT(refusalOf(shared), testing::HasSubstr("dropout.layer|layers that share weights share the draw"));
    const Json recurrent{
        {"topology", "bilstm"}, {"dims", {{"vocab_tgt", 11}}}, {"head", "tag"}, {"defaults", {{"dropout", {{"layer", 0.5}}}}}};
    EXPECT_THAT(refusalOf(recurrent), testing::HasSubstr("dropout.layer|without the sublayer"));
    EXPECT_THAT(refusalOf(leavingOut(0.5)), IsEmpty());
}

}  // namespace
}  // namespace heddle
