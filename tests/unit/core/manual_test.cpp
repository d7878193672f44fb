// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/manual.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace heddle {
namespace {

TEST(Manual, TheFileIsWhatTheDescriptorsSay) {
    std::ifstream file(HEDDLE_SOURCE_DIR "/resources/help/blocks.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_TRUE(text.str() == blockManual(builtinCatalogue()))
        << "run: build/release/bin/heddle blocks manual > resources/help/blocks.md";
}

TEST(Manual, NamesEveryBlockAndPreset) {
    const std::string manual = blockManual(builtinCatalogue());
    for (const auto& block : builtinCatalogue().blocks())
        EXPECT_NE(manual.find("### " + block.title + " `" + block.id + "`"), std::string::npos)
            << block.slot << " " << block.id;
}

}  // namespace
}  // namespace heddle
