// SPDX-License-Identifier: Apache-2.0
// Lengths of the residual stream after each layer.
#include "engine/train/report/stream_watch.h"

#include "engine/blocks/connections.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace heddle {
namespace {

std::map<std::string, SeriesBlock> streamsIn(const test::RecordingSink& sink) {
    std::map<std::string, SeriesBlock> found;
    for (const StepBlock& block : sink.all<StepBlock>())
        for (const SeriesBlock& series : block.series)
            if (series.name.starts_with("stream_norm")) found[series.name + " " + series.path] = series;
    return found;
}

/// A task whose batches read a target alone.
class ReadsTarget final : public Task {
public:
    Batch makeBatch(const EncodedCorpus&, const std::vector<std::int64_t>&, std::int64_t) const override { return {}; }
    at::Tensor headInput(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return model.decode(batch.target(), {}, f);
    }
};

TEST(StreamWatch, AreThoseOfTheStreamWithoutPadding) {
    for (const char* residual : {"add", "hyper"}) {
        const auto model = testing_support::buildTiny(
            {{"topology", "decoder"},
             {"defaults", {{"residual", residual}, {"norm", {{"kind", "layernorm"}, {"place", "pre"}, {"final", 1}}}}}},
            at::kFloat);
        DeviceBatch batch;
        batch.targetIn_BT = at::tensor({2, 5, 6, 7, 2, 8, 1, 1}, at::kLong).view({2, 4});
        StreamWatch watch(model->variant(), 5);
        EXPECT_TRUE(watch.isDue(10));
        EXPECT_FALSE(watch.isDue(11));
        watch.take(10, *model, ReadsTarget(), batch, {at::kCPU, Precision::Float32});
        test::RecordingSink sink;
        Emitter emitter(sink, "run", 1);
        watch.emit(emitter);
        const auto found = streamsIn(sink);
        EXPECT_EQ(found.size(), 4U);
        RecordingTaps taps;
        Forward f;
        f.taps = &taps;
        model->decode(batch.target(), {}, f);
        for (const char* layer : {"decoder.layers.0", "decoder.layers.1"}) {
            const at::Tensor stream = taps.seen().at(std::string(layer) + ".ffn." + kStream);
            EXPECT_EQ(stream.dim(), std::string(residual) == "hyper" ? 4 : 3);
            const at::Tensor norms = at::cat({stream[0], stream[1].narrow(0, 0, 2)}).norm(2, {-1});
            EXPECT_FLOAT_EQ(found.at(std::string("stream_norm ") + layer).values.front(), norms.mean().item<float>());
            EXPECT_FLOAT_EQ(found.at(std::string("stream_norm_max ") + layer).values.front(), norms.max().item<float>());
            EXPECT_EQ(found.at(std::string("stream_norm ") + layer).firstStep, 10);
        }
    }
}

TEST(StreamWatch, ARunHasThemAndTrainsToTheSameBits) {
    const auto train = [](std::int64_t every) {
        test::Attempt attempt(20, 4);
        attempt.spec.record.healthEvery = every;
        attempt.spec.train.epochs = 2;
        attempt.spec.record.probes = 0;
        attempt.run();
        return std::pair{streamsIn(attempt.sink), attempt.sink.all<CheckpointWritten>().back().weightsSha256};
    };
    const auto [none, plain] = train(0);
    const auto [streams, watched] = train(2);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(watched, plain);
    for (const char* path : {"encoder.layers.0", "decoder.layers.0"}) {
        const float mean = streams.at(std::string("stream_norm ") + path).values.front();
        EXPECT_GT(mean, 0) << path;
        EXPECT_GE(streams.at(std::string("stream_norm_max ") + path).values.front(), mean) << path;
    }
}

}  // namespace
}  // namespace heddle
