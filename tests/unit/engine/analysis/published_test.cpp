// SPDX-License-Identifier: Apache-2.0
// The printed tables: every file is well-formed, and what is typed here from the papers stands in them.
#include "engine/analysis/published.h"

#include "engine/base/temporary_folder.h"
#include "engine/spec/variant_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

double value(const std::string& table, const std::string& row, const std::string& column) {
    const PublishedTable published = readPublished(table);
    const PublishedRow* found = published.row(row);
    if (!found) throw std::runtime_error(table + " has no row " + row);
    return found->values.at(column);
}

TEST(Published, EveryTableOfThePapersIsThere) {
    EXPECT_THAT(publishedIds(),
                IsSupersetOf({"eau-grc-table1", "eau-grc-table2", "eau-grc-table3", "eau-grc-figure2", "starsaber-table1",
                              "starsaber-table2", "starsaber-table3", "starsaber-table4", "starsaber-table5",
                              "starsaber-table6", "starsaber-table7", "starsaber-convergence", "thesis-6.1", "thesis-6.2",
                              "thesis-6.3", "thesis-figures", "atinuke-table1"}));
}

TEST(Published, EveryFileIsWellFormed) {
    const auto presets = presetNames();
    for (const auto& id : publishedIds()) {
        SCOPED_TRACE(id);
        const PublishedTable table = readPublished(id);
        EXPECT_FALSE(table.paper.empty());
        EXPECT_FALSE(table.source.empty());
        EXPECT_FALSE(table.rows.empty() && table.statements.empty()) << "says nothing";
        for (const auto& row : table.rows)
            EXPECT_TRUE(row.preset.empty() || std::count(presets.begin(), presets.end(), row.preset) == 1) << row.name;
        for (const auto& column : table.columns) EXPECT_FALSE(column.definition.empty()) << column.id;
    }
}

TEST(Published, EveryRemarkIsCitedOrOfTheWholeTable) {
    // A remark without text says nothing; one that is cited and missing is refused when the file is read.
    for (const auto& id : publishedIds())
        for (const auto& remark : readPublished(id).remarks) EXPECT_GT(remark.text.size(), 20U) << id << " " << remark.id;
}

TEST(Published, EauGrc) {
    EXPECT_EQ(value("eau-grc-table1", "baseline", "bleu"), 26.61);
    EXPECT_EQ(value("eau-grc-table1", "EAU", "bleu"), 26.69);
    EXPECT_EQ(value("eau-grc-table1", "GRC", "bleu"), 26.77);
    EXPECT_EQ(value("eau-grc-table1", "EAU and GRC", "bleu"), 26.79);
    EXPECT_EQ(value("eau-grc-table2", "BERT", "mrpc"), 73.04);
    EXPECT_EQ(value("eau-grc-table2", "BERT with EAU", "wnli"), 56.30);
    EXPECT_EQ(value("eau-grc-table2", "BERT with GRC", "cola"), 0.464);
    EXPECT_EQ(value("eau-grc-table2", "BERT with EAU and GRC", "rte"), 62.45);
    EXPECT_EQ(value("eau-grc-table2", "BERT with EAU and GRC", "sts-b"), 0.835);
    EXPECT_EQ(value("eau-grc-table3", "baseline l=3 n=128 k=256 f=1024", "bleu"), 40.540);
    EXPECT_EQ(value("eau-grc-table3", "EAU+GRC l=2 n=64 k=128 f=512", "bleu"), 47.483);
    const std::vector<std::pair<std::string, std::pair<int, int>>> sizes{
        {"l=3 n=128 k=256 f=1024", {3, 256}}, {"l=2 n=128 k=256 f=1024", {2, 256}}, {"l=2 n=64 k=128 f=512", {2, 128}}};
    for (const auto& [name, size] : sizes) {  // the difference that EAU and GRC make: l (11 k² + 12.5 k)
        const auto [l, k] = size;
        EXPECT_EQ(value("eau-grc-table3", "EAU+GRC " + name, "parameters") -
                      value("eau-grc-table3", "baseline " + name, "parameters"),
                  l * (11.0 * k * k + 12.5 * k));
    }
}

TEST(Published, StarSaber) {
    EXPECT_EQ(value("starsaber-table1", "StarSaber, word vectors", "parameters_afqmc"), 2.89);
    EXPECT_EQ(value("starsaber-table1", "ReZero, pre-trained", "parameters_cmnli"), 36.37);
    EXPECT_EQ(value("starsaber-table1", "StarSaber-1, pre-trained", "layers_cmnli"), 24);
    EXPECT_EQ(value("starsaber-table2", "CMNLI", "train"), 391782);
    EXPECT_EQ(value("starsaber-table2", "TNEWS", "characters"), 1.63);
    EXPECT_EQ(value("starsaber-table3", "BiLSTM, word vectors", "tnews_test"), 51.17);
    EXPECT_EQ(value("starsaber-table3", "Transformer, pre-trained", "cmnli_dev"), 71.14);
    EXPECT_EQ(value("starsaber-table3", "StarSaber-2, pre-trained", "afqmc_dev"), 70.18);
    EXPECT_EQ(value("starsaber-table4", "RoBERTa-wwm-large-ext", "afqmc_test"), 76.55);
    EXPECT_EQ(value("starsaber-table5", "StarSaber-gate", "tnews_test"), 53.56);
    EXPECT_EQ(value("starsaber-table5", "StarSaber-gate", "tnews_dev"), 53.04)
        << "printed behind the test accuracy, in brackets";
    EXPECT_EQ(value("starsaber-table6", "StarSaber with PE", "cmnli_dev"), 66.67);
    EXPECT_EQ(value("starsaber-table7", "StarSaber without direct paths", "afqmc_test"), 69.75);
    // Rows that come from another table are that table's.
    for (const char* table : {"starsaber-table5", "starsaber-table6", "starsaber-table7"})
        for (const char* model : {"StarSaber-1", "StarSaber-2"})
            for (const char* column : {"afqmc_dev", "tnews_test", "cmnli_test"})
                EXPECT_EQ(value(table, model, column), value("starsaber-table3", std::string(model) + ", pre-trained", column));
}

TEST(Published, Thesis) {
    EXPECT_EQ(value("thesis-6.1", "Gated ResNet G1, 4 layers, 6 heads", "bleu"), 25.4060);
    EXPECT_EQ(value("thesis-6.1", "RealFormer R, 6 layers, 6 heads", "bleu"), 9.8600);
    EXPECT_EQ(value("thesis-6.2", "Multi-Layered M2, 4 layers, 8 heads", "sparsity"), 6.328);
    EXPECT_EQ(value("thesis-6.3", "Transformer T, 4 layers, 6 heads", "train_seconds"), 1663.00);
    EXPECT_EQ(value("thesis-6.3", "Gated ResNet G1, 4 layers, 6 heads", "inference_seconds"), 2095.20);
    EXPECT_EQ(value("thesis-figures", "Gated ResNet G2, 4 layers, 6 heads", "valid_loss"), 2.2592);
    for (const char* id : {"thesis-6.1", "thesis-6.2", "thesis-6.3"}) {
        const PublishedTable table = readPublished(id);
        EXPECT_EQ(table.rows.size(), 15U);
        EXPECT_EQ(
            std::count_if(table.rows.begin(), table.rows.end(), [](const auto& r) { return r.values.at("bleu") == 17.286; }), 3)
            << "remark T13";
    }
}

TEST(Published, Atinuke) {
    EXPECT_EQ(value("atinuke-table1", "GLUE", "atinuke"), 83.7);
    EXPECT_EQ(value("atinuke-table1", "GLUE", "relative"), 0.9);
    EXPECT_EQ(value("atinuke-table1", "SRL", "baseline"), 80.0);
}

TEST(Published, NumbersArePrintedAsInThePaper) {
    const PublishedTable table = readPublished("eau-grc-table3");
    EXPECT_EQ(printedText(table.column("bleu"), 40.54), "40.540");
    EXPECT_EQ(printedText(table.column("parameters"), 11066797), "11,066,797");
    EXPECT_EQ(printedText(table.column("parameters"), -131712), "-131,712");
    EXPECT_EQ(printedText(readPublished("starsaber-table1").column("parameters_afqmc"), 18.2), "18.20M");
}

/// A resources folder with one published file.
class PublishedFile : public ::testing::Test {
protected:
    PublishedFile() {
        std::filesystem::create_directories(folder_ / "published");
        ::setenv("HEDDLE_RESOURCES", folder_.path().c_str(), 1);
    }
    ~PublishedFile() override { ::unsetenv("HEDDLE_RESOURCES"); }
    std::string problemOf(const Json& document) {
        std::ofstream(folder_ / "published/mine.json") << document.dump();
        return whyRefused([] { readPublished("mine"); });
    }
    TemporaryFolder folder_;
    Json document_ = R"({"schema":"heddle.published/1","id":"mine","paper":"P","table":"Table 1","title":"T","source":"S",
        "columns":[{"id":"bleu","title":"BLEU","definition":"BLEU"}],"rows":[{"name":"a","values":{"bleu":1.5}}]})"_json;
};

TEST_F(PublishedFile, MistakesAreNamed) {
    EXPECT_EQ(problemOf(document_), "");
    const std::tuple<const char*, Json, const char*> mistakes[] = {{"/rows/0/values", {{"blue", 1}}, "unknown column \"blue\""},
                                                                   {"/rows/0/values/bleu", "1.5", "is not a number"},
                                                                   {"/rows/0/remarks", Json::array({"E1"}), "E1"},
                                                                   {"/rows/0/valeus", 1, "did you mean \"values\""},
                                                                   {"/id", "yours", "differs from the name of the file"}};
    for (const auto& [place, value, problem] : mistakes) {
        Json wrong = document_;
        wrong[Json::json_pointer(place)] = value;
        EXPECT_THAT(problemOf(wrong), HasSubstr(problem)) << place;
    }
    document_.erase("source");
    EXPECT_THAT(problemOf(document_), AllOf(HasSubstr("source"), HasSubstr("is missing")));
}

}  // namespace
}  // namespace heddle
