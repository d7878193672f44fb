// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/module_path.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::ElementsAre;

TEST(ModulePath, IsThatOfTheBlockThatOwnsAParameter) {
    EXPECT_EQ(modulePath("encoder.layers.0.self.scorer.q.weight"), "encoder.layers.0.self.scorer");
    EXPECT_EQ(modulePath("encoder.norm.weight"), "encoder.norm");
    EXPECT_EQ(modulePath("head.weight"), "head");
    EXPECT_THAT(enclosingPaths("decoder.layers.3.ffn.ffn.w1.bias"),
                ElementsAre("decoder", "decoder.layers.3", "decoder.layers.3.ffn.ffn"));
}

TEST(ModulePath, SortsAsTheModelIsEvaluated) {
    std::vector<std::string> paths{"head",
                                   "decoder.layers.0.ffn2.residual",
                                   "decoder.layers.0.ffn.residual",
                                   "encoder.layers.10.self.residual",
                                   "encoder",
                                   "decoder.layers.0.cross.residual",
                                   "encoder.layers.2.ffn.residual",
                                   "encoder.layers.2",
                                   "decoder.layers.0.self.residual",
                                   "encoder.layers.2.self.residual",
                                   "embed"};
    std::sort(paths.begin(), paths.end(), comesBefore);
    EXPECT_THAT(paths, ElementsAre("embed", "encoder", "encoder.layers.2", "encoder.layers.2.self.residual",
                                   "encoder.layers.2.ffn.residual", "encoder.layers.10.self.residual",
                                   "decoder.layers.0.self.residual", "decoder.layers.0.cross.residual",
                                   "decoder.layers.0.ffn.residual", "decoder.layers.0.ffn2.residual", "head"));
}

}  // namespace
}  // namespace heddle
