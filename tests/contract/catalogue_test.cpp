// SPDX-License-Identifier: Apache-2.0
// What every block promises by its descriptor alone; the built modules are checked beside the engine.
#include "engine/spec/catalogue.h"
#include "engine/spec/error.h"
#include "engine/spec/variant_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <regex>
#include <set>

namespace heddle {

void PrintTo(const BlockDescriptor& block, std::ostream* out) {
    *out << block.slot << "." << block.id;
}  // NOLINT: found by name

namespace {

using Type = FieldSchema::Type;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool isSnakeCase(const std::string& text) {
    static const std::regex pattern("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    return std::regex_match(text, pattern);
}

BlockContext context(const std::string& sublayer) {
    BlockContext where;
    where.dims = {24, 40, 3, 8, 8, 2, 2, 16, 50, 50};
    where.stack = sublayer.empty() ? "" : "decoder";
    where.sublayer = sublayer;
    return where;
}

class EveryBlock : public ::testing::TestWithParam<BlockDescriptor> {
protected:
    const BlockDescriptor& block() const { return GetParam(); }

    FieldSchema schema() const {
        FieldSchema made;
        made.type = Type::Object;
        made.fields = block().parameters;
        return made;
    }

    Json defaults() const { return withDefaults(schema(), Json::object()); }

    /// A sublayer (or none) where the slot can stand.
    std::string place() const {
        if (block().slot == "ffn") return "ffn";
        const bool global =
            block().slot == "embed" || block().slot == "position" || block().slot == "head" || block().slot == "init";
        return global ? "" : "cross";
    }

    /// The defaults with one parameter changed, for every choice, flag and bound.
    std::vector<Json> settings() const {
        std::vector<Json> made{defaults()};
        const auto add = [&](const std::string& key, const Json& value) {
            made.push_back(defaults());
            made.back()[key] = value;
        };
        for (const auto& field : block().parameters) {
            for (const auto& choice : field.choices) add(field.key, choice);
            if (field.type == Type::Boolean) add(field.key, !field.defaultValue.get<bool>());
            if (field.type == Type::Integer || field.type == Type::Number) {
                add(field.key,
                    field.type == Type::Integer ? Json(static_cast<std::int64_t>(field.minimum)) : Json(field.minimum));
                add(field.key,
                    field.type == Type::Integer ? Json(static_cast<std::int64_t>(field.maximum)) : Json(field.maximum));
            }
        }
        return made;
    }
};

TEST_P(EveryBlock, SaysWhatItIs) {
    EXPECT_TRUE(isSnakeCase(block().slot));
    EXPECT_TRUE(isSnakeCase(block().id));
    EXPECT_FALSE(block().title.empty());
    EXPECT_FALSE(block().formula.empty());
    EXPECT_FALSE(block().reference.empty());
    ASSERT_FALSE(block().summary.empty());
    EXPECT_EQ(block().summary.back(), '.') << "one sentence";
    EXPECT_EQ(block().summary.find(". "), std::string::npos) << "one sentence";
}

TEST_P(EveryBlock, ParametersAreDescribedAndTheirDefaultsValid) {
    std::set<std::string> keys;
    for (const auto& field : block().parameters) {
        EXPECT_TRUE(isSnakeCase(field.key)) << field.key;
        EXPECT_TRUE(keys.insert(field.key).second) << field.key << " twice";
        EXPECT_TRUE(field.key != "kind" && field.key != "source") << "names the block itself";
        EXPECT_FALSE(field.help.empty()) << field.key;
        EXPECT_TRUE(field.nullable || !field.defaultValue.is_null()) << field.key << " has no default";
        if (field.type == Type::Integer || field.type == Type::Number) {
            EXPECT_TRUE(std::isfinite(field.minimum) && std::isfinite(field.maximum)) << field.key << " has no range";
        }
    }
    std::vector<Problem> problems;
    validate(schema(), defaults(), block().id, problems);
    EXPECT_TRUE(problems.empty()) << problems.front().path << ": " << problems.front().what;
    EXPECT_EQ(withoutDefaults(schema(), defaults()), Json::object());
    EXPECT_EQ(defaults().size(), block().parameters.size()) << "every parameter is there once defaults are filled in";
}

TEST_P(EveryBlock, CountsAreSaneForEverySetting) {
    ASSERT_TRUE(block().parameterCount);
    ASSERT_TRUE(block().flopsPerToken);
    for (const auto& params : settings()) {
        EXPECT_GE(block().parameterCount(context(place()), params), 0) << params;
        const double flops = block().flopsPerToken(context(place()), params);
        EXPECT_TRUE(std::isfinite(flops) && flops >= 0) << params;
    }
}

TEST_P(EveryBlock, ChecksAcceptTheDefaultsAndNeverThrow) {
    if (!block().check) return;
    const auto problem = block().check(context(place()), defaults());
    EXPECT_FALSE(problem) << problem->path << ": " << problem->what;
    for (const auto& params : settings())
        for (const char* sublayer : {"self", "cross", "ffn"}) {
            const auto found = block().check(context(sublayer), params);
            if (!found) continue;
            EXPECT_FALSE(found->what.empty() || found->next.empty()) << params;
            EXPECT_TRUE(found->path.empty() || params.contains(found->path) || found->path == "source" || found->path == "kind")
                << found->path << " is no parameter";
        }
}

TEST_P(EveryBlock, ExposuresCanBeDrawn) {
    std::set<std::string> ids;
    for (const auto& exposure : block().exposures) {
        EXPECT_TRUE(isSnakeCase(exposure.id)) << exposure.id;
        EXPECT_TRUE(ids.insert(exposure.id).second) << exposure.id << " twice";
        EXPECT_FALSE(exposure.title.empty()) << exposure.id;
        EXPECT_FALSE(exposure.axes.empty()) << exposure.id;
        EXPECT_LT(exposure.low, exposure.high) << exposure.id;
    }
}

TEST_P(EveryBlock, CanBeChosenInAVariant) {
    const std::string kind = block().slot == "embed" ? "source" : "kind";
    const Json value{{kind, block().id}};
    const Json document = place().empty() ? Json{{block().slot, value}} : Json{{"defaults", {{block().slot, value}}}};
    const auto variant = VariantSpec::parse(document, builtinCatalogue());
    const std::string path = place().empty() ? block().slot : "decoder.layers.0." + place() + "." + block().slot;
    EXPECT_EQ(variant.resolvedTree().at(path).at(kind), block().id);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryBlock, ::testing::ValuesIn(builtinCatalogue().blocks()),
                         [](const auto& tested) { return tested.param.slot + "_" + tested.param.id; });

TEST(Catalogue, IdsAreUniqueWithinTheirSlot) {
    std::set<std::string> seen;
    for (const auto& block : builtinCatalogue().blocks())
        EXPECT_TRUE(seen.insert(block.slot + "." + block.id).second) << block.slot << "." << block.id;
}

TEST(Catalogue, FindsBlocksAndSuggestsForUnknownOnes) {
    const auto& catalogue = builtinCatalogue();
    EXPECT_EQ(catalogue.at("residual", "grc").id, "grc");
    EXPECT_EQ(catalogue.find("residual", "eau"), nullptr);
    EXPECT_EQ(catalogue.ofSlot("residual").size(), 5u);
    EXPECT_THAT(catalogue.ofSlot("nothing"), IsEmpty());
    const auto messageOf = [&](const char* slot, const char* id) -> std::string {
        try {
            catalogue.at(slot, id);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(messageOf("residual", "gcr"), HasSubstr("did you mean \"grc\"?"));
    EXPECT_THAT(messageOf("resdual", "grc"), HasSubstr("did you mean \"residual\"?"));
}

TEST(Presets, EachParsesAndTellsWhatItIs) {
    ASSERT_FALSE(presetNames().empty());
    for (const auto& name : presetNames()) {
        const Json document = presetDocument(name);
        EXPECT_FALSE(document.contains("preset")) << name << ": a preset stands alone";
        for (const char* key : {"title", "summary", "reference"})
            EXPECT_FALSE(document.value("meta", Json::object()).value(key, "").empty()) << name << " has no " << key;
        EXPECT_NO_THROW(VariantSpec::parse(document, builtinCatalogue())) << name;
        EXPECT_EQ(VariantSpec::parse(document, builtinCatalogue()).hash(),
                  VariantSpec::parse({{"preset", name}}, builtinCatalogue()).hash())
            << name;
    }
}

}  // namespace
}  // namespace heddle
