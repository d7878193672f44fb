// SPDX-License-Identifier: Apache-2.0
#include "app/reports/gradient_norms.h"

#include "storage/run_store.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::ElementsAre;

TEST(GradientNorms, InModelOrderWithTheirShareOfTheWhole) {
    const TemporaryFolder folder;
    const std::string file = folder / "t.heddle", run = "0123456789ab";
    const auto store = storage::RunStore::open(file, {"test", 0});
    storage::RunRecord record;
    record.id = run;
    record.state = "completed";
    record.spec = "{}";
    store->addRun(record);
    storage::AttemptRecord attempt;
    attempt.run = run;
    store->addAttempt(attempt);
    const auto append = [&](const std::string& path, const std::vector<float>& values) {
        store->append(storage::SeriesAppend{run, 1, "grad_norm", path, 20, 20, values, true});
    };
    append("", {9, 9, 9});  // the whole model: another series
    append("head", {4, 4, 4});
    append("encoder.layers.10", {1, 0, 1});
    append("encoder", {3, 3, 3});
    append("encoder.layers.2.ffn.ffn", {1, 1, 1});
    append("encoder.layers.2.self.scorer", {2, 2, 2});
    append("encoder.layers.2", {2, 3, 4});

    const auto query = storage::RunQuery::open(file);
    const GradientNorms all = gradientNormsOf(*query, run, {});
    std::vector<std::string> paths;
    for (const auto& place : all.places) paths.push_back(place.path);
    EXPECT_THAT(paths, ElementsAre("encoder", "encoder.layers.2", "encoder.layers.2.self.scorer", "encoder.layers.2.ffn.ffn",
                                   "encoder.layers.10", "head"));
    EXPECT_EQ(all.firstStep, 20);
    EXPECT_EQ(all.lastStep, 60);
    EXPECT_DOUBLE_EQ(all.places[0].share, 27.0 / 75);
    EXPECT_DOUBLE_EQ(all.places[1].mean, 3);
    EXPECT_EQ(all.places[1].least, 2);
    EXPECT_EQ(all.places[1].largest, 4);
    EXPECT_EQ(all.places[1].n, 3);

    const GradientNorms late = gradientNormsOf(*query, run, {40, 50});
    EXPECT_EQ(late.firstStep, 40);
    EXPECT_EQ(late.places[1].mean, 3);
    EXPECT_EQ(late.places[1].n, 1);
    EXPECT_TRUE(gradientNormsOf(*query, run, {61, 70}).places.empty());
}

}  // namespace
}  // namespace heddle::app
