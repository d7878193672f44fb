// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/cost.h"

#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

constexpr std::int64_t kEnglish = 5893, kGerman = 7853;

struct Size {
    std::int64_t layers, maxLen, d, f;
};

Cost cost(const std::string& preset, const Size& size) {
    const Json document{
        {"preset", preset},
        {"dims",
         {{"d", size.d}, {"f", size.f}, {"layers_enc", size.layers}, {"layers_dec", size.layers}, {"max_len", size.maxLen}}}};
    return countCost(VariantSpec::parse(document, builtinCatalogue()).resolve(kEnglish, kGerman));
}

Cost cost(const std::string& text) {
    return countCost(VariantSpec::parse(parseJson(text, "test"), builtinCatalogue()).resolve(100, 200));
}

std::map<std::string, std::int64_t> byPath(const Cost& cost) {
    std::map<std::string, std::int64_t> modules;
    for (const auto& module : cost.modules) modules[module.path] = module.parameters;
    return modules;
}

// EAU/GRC paper, Table 3: six printed integers, and the six derived in the specification, section 1.4.
TEST(Cost, TableThreeToTheLastDigit) {
    const Size first{3, 128, 256, 1024}, second{2, 128, 256, 1024}, third{2, 64, 128, 512};
    EXPECT_EQ(cost("eau-base", first).parameters, 11'066'797);
    EXPECT_EQ(cost("eau-full", first).parameters, 13'239'085);
    EXPECT_EQ(cost("eau-only", first).parameters, 12'252'205);
    EXPECT_EQ(cost("grc-only", first).parameters, 12'053'677);
    EXPECT_EQ(cost("eau-base", second).parameters, 9'223'597);
    EXPECT_EQ(cost("eau-full", second).parameters, 10'671'789);
    EXPECT_EQ(cost("eau-only", second).parameters, 10'013'869);
    EXPECT_EQ(cost("grc-only", second).parameters, 9'881'517);
    EXPECT_EQ(cost("eau-base", third).parameters, 3'698'221);
    EXPECT_EQ(cost("eau-full", third).parameters, 4'061'869);
    EXPECT_EQ(cost("eau-only", third).parameters, 3'896'749);
    EXPECT_EQ(cost("grc-only", third).parameters, 3'863'341);
}

// Public implementation of the same recipe; specification, section 1.6.
TEST(Cost, PublicBaseline) { EXPECT_EQ(cost("eau-base", {6, 128, 512, 2048}).parameters, 55'205'037); }

TEST(Cost, ModulesAddUpAndAreInModelOrder) {
    const auto full = cost("eau-full", {2, 64, 128, 512});
    std::int64_t sum = 0;
    for (const auto& module : full.modules) {
        EXPECT_GE(module.flopsPerToken, 0) << module.path;
        sum += module.parameters;
    }
    EXPECT_EQ(sum, full.parameters);
    EXPECT_EQ(full.modules.front().path, "embed");
    EXPECT_EQ(full.modules[1].path, "position");
    EXPECT_EQ(full.modules[2].path, "encoder.share");
    EXPECT_EQ(full.modules[4].path, "encoder.layers.0.self.mask");
    EXPECT_EQ(full.modules[5].path, "encoder.layers.0.self.relative");
    EXPECT_EQ(full.modules[6].path, "encoder.layers.0.self.scorer");
    EXPECT_EQ(full.modules.back().path, "head");
    const auto modules = byPath(full);
    EXPECT_EQ(modules.at("encoder.layers.0.self.adjuster"), 33'088);   // EAU(128)
    EXPECT_EQ(modules.at("decoder.layers.1.cross.residual"), 16'512);  // GRC(128)
    EXPECT_EQ(modules.at("decoder.layers.1.ffn.adjuster"), 0);
    EXPECT_EQ(modules.at("decoder.layers.1.cross.norm"), 256);
    EXPECT_EQ(modules.at("head"), 128 * kGerman + kGerman);
}

TEST(Cost, FinalNormsTablesAndTies) {
    const auto base = cost(R"({"dims":{"d":64,"layers_enc":1,"layers_dec":1}})");
    const auto with = [&](const std::string& members) {
        return cost(R"({"dims":{"d":64,"layers_enc":1,"layers_dec":1},)" + members + "}").parameters - base.parameters;
    };
    EXPECT_EQ(with(R"("defaults":{"norm":{"final":1}})"), 2 * 2 * 64);
    EXPECT_EQ(byPath(cost(R"({"defaults":{"norm":{"final":1}}})")).at("decoder.norm"), 2 * 512);
    EXPECT_EQ(with(R"("position":"learned")"), 128 * 64);
    EXPECT_EQ(with(R"("embed":"tied_out")"), -200 * 64);
    EXPECT_EQ(with(R"("head":{"bias":false})"), -200);
    EXPECT_EQ(with(R"("defaults":{"norm":"none"})"), -5 * 2 * 64);
    EXPECT_EQ(with(R"("encoder":{"layers":{"0":{"ffn":{"residual":{"kind":"grc","gate_input":"concat"}}}}})"),
              2 * 64 * 64 + 64);
}

// MHA(d, H, dk, dv) of the specification, section 0, with widths of its own.
TEST(Cost, FreeHeadWidths) {
    const auto modules = byPath(cost(R"({"dims":{"d":10,"heads":3,"key_dim":4,"value_dim":5,"layers_enc":1,"layers_dec":1}})"));
    EXPECT_EQ(modules.at("encoder.layers.0.self.scorer") + modules.at("encoder.layers.0.self.value"),
              2 * (10 * 3 * 4 + 3 * 4) + (10 * 3 * 5 + 3 * 5) + (3 * 5 * 10 + 10));
}

TEST(Cost, NeedsVocabularySizes) {
    const auto variant = VariantSpec::parse(Json::object(), builtinCatalogue());
    EXPECT_THROW(countCost(variant.resolve()), Error);
    EXPECT_THROW(countCost(variant.resolve(100, 0)), Error);
    EXPECT_NO_THROW(countCost(variant.resolve(100, 100)));
}

}  // namespace
}  // namespace heddle
