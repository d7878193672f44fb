// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/manual.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
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

TEST(Manual, TheReferenceOfTheSpecIsWhatTheSchemaSays) {
    std::ifstream file(HEDDLE_SOURCE_DIR "/resources/help/spec.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_TRUE(text.str() == specManual()) << "run: build/release/bin/heddle spec --markdown > resources/help/spec.md";
}

/// The reference has a row for every key of the schema.
void expectRows(const FieldSchema& field, const std::string& path, const std::map<std::string, FieldRow>& rows) {
    const auto found = rows.find(path);
    ASSERT_NE(found, rows.end()) << path;
    EXPECT_FALSE(found->second.help.empty()) << path;
    EXPECT_FALSE(found->second.values.empty()) << path;
    if (field.type != FieldSchema::Type::Object) return;
    for (const auto& member : field.fields) expectRows(member, childPath(path, member.key), rows);
}

TEST(Manual, EveryKeyOfASpecHasARow) {
    std::map<std::string, FieldRow> rows;
    for (const auto& row : specRows()) EXPECT_TRUE(rows.emplace(row.path, row).second) << row.path;
    for (const auto& member : runSchema().fields) expectRows(member, member.key, rows);
    expectRows(variantSchema(), "variant", rows);
    EXPECT_EQ(rows.at("train.epochs").defaultValue, "10");
    EXPECT_EQ(rows.at("train.epochs").values, "0 or more, whole (epochs)");
}

TEST(Manual, NamesEveryBlockAndPreset) {
    const std::string manual = blockManual(builtinCatalogue());
    for (const auto& block : builtinCatalogue().blocks())
        EXPECT_NE(manual.find("### " + block.title + " `" + block.id + "`"), std::string::npos)
            << block.slot << " " << block.id;
}

}  // namespace
}  // namespace heddle
