// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_runs.h"

#include "app/foreign/column_roles.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::app {
namespace {

/// A table of one row.
ForeignTable tableOf(const std::string& path, const std::vector<std::pair<std::string, Json>>& cells) {
    ForeignTable table;
    table.path = path;
    table.rows.push_back({1, {}});
    for (const auto& [name, value] : cells) table.rows[0].cells.emplace_back(table.column(name), value);
    return table;
}

std::string keyIn(const std::string& path) { return foreignRuns(tableOf(path, {{"val_loss", 3}}), {}).runs.at(0).key; }

TEST(ForeignRuns, AFileThatIsARunIsNamedWithoutItsExtension) {
    EXPECT_EQ(keyIn("sweep/lr_0.1.csv"), "lr_0.1");
    EXPECT_EQ(keyIn("lr_0.3.jsonl.gz"), "lr_0.3");
    EXPECT_EQ(keyIn("results.csv"), "results");
    EXPECT_EQ(keyIn("results.gz"), "results");
}

TEST(ForeignRuns, ASettingThatIsNoFiniteNumberIsText) {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const auto runs = foreignRuns(tableOf("t.csv", {{"a", nan}, {"b", infinity}, {"c", -infinity}, {"d", "1e-3"}}), {});
    EXPECT_EQ(runs.runs.at(0).config, (Json{{"a", "nan"}, {"b", "inf"}, {"c", "-inf"}, {"d", 0.001}}));
    EXPECT_NO_THROW(canonicalJson(runs.runs.at(0).config));
}

TEST(ForeignRuns, ASettingKeepsItsPrefixWhereAnotherOneHasTheBareName) {
    const auto both = foreignRuns(tableOf("t.csv", {{"lr", 1}, {"config.lr", 2}, {"config.beta", 3}}), {});
    EXPECT_EQ(both.runs.at(0).config, (Json{{"lr", 1}, {"config.lr", 2}, {"beta", 3}}));
    ForeignOptions options;
    options.ignore = {"lr"};
    const auto one = foreignRuns(tableOf("t.csv", {{"lr", 1}, {"config.lr", 2}}), options);
    EXPECT_EQ(one.runs.at(0).config, (Json{{"lr", 2}}));
}

TEST(ForeignRuns, AMetricIsGivenAsColumnSplitAndName) {
    ForeignOptions options;
    options.metrics = {{"a=b:c", {"valid", "p=q:r"}}, {"train=1", {"", "loss"}}};
    const auto runs = foreignRuns(tableOf("t.csv", {{"a=b:c", 3}, {"train=1", 4}}), options);
    EXPECT_EQ(runs.columns.at({"valid", "p=q:r"}), "a=b:c");
    EXPECT_TRUE(runs.runs.at(0).series.contains({"", "loss"}));
}

TEST(ForeignRuns, TheNameOfAColumnSaysItsMetric) {
    for (const char* name : {"loss", "Loss", "val_loss", "eval/loss", "train_loss"})
        EXPECT_EQ(metricOfColumn(name), "loss") << name;
    EXPECT_EQ(metricOfColumn("val_ppl"), "perplexity");
    for (const char* name : {"steps_per_s", "val_of_nothing", ""}) EXPECT_EQ(metricOfColumn(name), name);
}

}  // namespace
}  // namespace heddle::app
