// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a database into what the Compare page shows; differences, end values, curves.
#include "tests/ui/compare/facts.h"
#include "storage/run_query.h"
#include "ui/data/studio.h"
#include "ui/pages/compare/compared_curves.h"
#include "ui/pages/compare/comparison.h"
#include "ui/panels/table/arrangement.h"
#include "ui/panels/table/columns.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <iterator>

namespace heddle::ui::test {
namespace {

/// Reads and draws, all from one database.
CurveSet curves(storage::RunQuery& query, const CurveMetric& metric, const std::vector<CurveRun>& runs) {
    const CurveKind kind = metric.kind();
    std::vector<std::shared_ptr<const Series>> rows;
    for (const auto& run : runs)
        rows.push_back(readOn(query, {run.run, kind.name, kind.path, kind.factor, kind.source}, {}, {}).rows);
    return curvesOf(runs, rows);
}

TEST(FactsReader, ReadsInPortionsAndThenOnlyWhatChanged) {
    Database database;
    for (int i = 0; i < 5; ++i)
        database.add({"00000000000" + std::to_string(i), "base", "v1", "completed", std::uint64_t(i), 2.0 + i});
    const auto query = storage::RunQuery::open(database.file());
    FactsReader reader;
    auto table = reader.read(*query, {1, {}}, 2).table;
    EXPECT_EQ(table->runs.size(), 2U);
    EXPECT_EQ(table->total, 5);
    EXPECT_FALSE(reader.read(*query, {1, {}}, 2).isWhole);
    table = reader.read(*query, {1, {}}, 2).table;
    ASSERT_EQ(table->runs.size(), 5U);
    const RunPointer first = table->runs[0], second = table->runs[1];
    EXPECT_EQ(first->record.id, "000000000000");
    EXPECT_EQ(first->metrics.at("valid.loss").best, 2.0);
    EXPECT_EQ(first->metrics.at("valid.loss").bestStep, 100);
    EXPECT_EQ(first->metrics.at("valid.loss").lastStep, 300);
    EXPECT_EQ(first->metrics.at("valid.loss").n, 2604);
    ASSERT_NE(first->setting("variant.dims.d"), nullptr) << first->problem.toStdString();
    EXPECT_EQ(*first->setting("variant.dims.d"), 64);
    EXPECT_TRUE(RunFilter::parse(text("s0 v1"), *table).fits(*first)) << "seed and variant are words, too";
    EXPECT_NE(first->setting("train.lr"), nullptr) << "defaults count as settings";
    EXPECT_EQ(first->settings, second->settings) << "seeds share what they have in common";

    auto record = recordOf({"000000000001", "renamed", "v1", "completed", 1});
    database.store().updateRun(record);
    record = recordOf({"000000000002", "base", "v1", "completed", 2});
    record.trashed = 5;
    database.store().updateRun(record);
    database.store().deleteRun("000000000003");
    table = reader.read(*query, {1, {}}, 100).table;
    ASSERT_EQ(table->runs.size(), 3U) << "neither trashed nor deleted ones";
    ASSERT_EQ(table->deleted.size(), 1U) << "what is in the trash stands apart";
    EXPECT_EQ(reader.read(*query, {1, {}}, 100).table, table) << "nothing has changed";
    EXPECT_EQ(table->runs[0], first) << "untouched";
    EXPECT_EQ(table->runs[1]->record.name, "renamed");
}

TEST(FactsReader, ListsEverLargerPortionsAndAllAtTheEnd) {
    Database database;
    for (int i = 0; i < 7; ++i) database.add({"00000000000" + std::to_string(i), "base", "v1", "completed", std::uint64_t(i)});
    const auto query = storage::RunQuery::open(database.file());
    FactsReader reader;
    std::vector<std::size_t> listed;
    for (bool isWhole = false; !isWhole && listed.size() < 10;) {
        const auto answer = reader.read(*query, {1, {}}, 1);
        listed.push_back(answer.table->runs.size());
        isWhole = answer.isWhole;
    }
    EXPECT_THAT(listed, testing::ElementsAre(1, 2, 2, 4, 4, 4, 7)) << "a table is made anew for as many as it has";
}

TEST(FactsReader, AMetricWithADamagedRecordIsNotShown) {
    constexpr double kBest = 1234.5678;  // stands once in the file: SQLite keeps it as eight bytes, the highest first
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, kBest});
    database.close();
    auto stored = std::bit_cast<std::array<char, sizeof(double)>>(kBest);
    std::reverse(stored.begin(), stored.end());
    std::fstream file(database.file(), std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto at = bytes.find(std::string(stored.begin(), stored.end()));
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(std::streamoff(at + stored.size() - 1));
    file.put(char(stored.back() ^ 1));
    file.close();
    const auto query = storage::RunQuery::open(database.file());
    const auto table = FactsReader().read(*query, {1, {}}, 10).table;
    ASSERT_EQ(table->runs.size(), 1U);
    EXPECT_FALSE(table->runs[0]->metrics.contains("valid.loss")) << "another evaluation might be the best";
}

TEST(FactsReader, ARunWithAnUnknownSpecificationIsListedWithTheReason) {
    Database database;
    auto record = recordOf({"0dd000000000"});
    record.spec = R"({"schema":1,"variant":{"dims":{"dd":3}}})";
    database.store().addRun(record);
    FactsReader reader;
    const auto table = reader.read(*storage::RunQuery::open(database.file()), {1, {}}, 10).table;
    ASSERT_EQ(table->runs.size(), 1U);
    EXPECT_TRUE(table->runs[0]->problem.contains(text("dd")));
}

TEST(FactsReader, RunsOfTwoDatabasesStandInOneTable) {
    Database first, second;
    first.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    second.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    second.add({"b00000000000", "wide", "v2", "completed", 2, 1.0});
    FactsReader reader;
    const auto one = storage::RunQuery::open(first.file()), other = storage::RunQuery::open(second.file());
    EXPECT_EQ(reader.read(*one, {1, text("first")}, 10).table->runs.size(), 1U);
    EXPECT_FALSE(reader.read(*other, {2, text("second")}, 1).isWhole);
    const auto table = reader.read(*other, {2, text("second")}, 10).table;
    ASSERT_EQ(table->runs.size(), 3U) << "a copy is a row of its own";
    EXPECT_EQ(table->runs[0]->record.ref, RunRef(1, "a00000000000"));
    EXPECT_EQ(table->runs[1]->record.ref, RunRef(2, "a00000000000"));
    EXPECT_EQ(runLabel(table->runs[2]->record), text("wide s2 · second"));
    second.store().deleteRun("a00000000000");
    EXPECT_EQ(reader.read(*other, {2, text("second")}, 10).table->runs.size(), 2U);
    EXPECT_EQ(reader.read(*one, {1, text("first")}, 10).table->runs.size(), 2U) << "that of the first database stays";
}

TEST(FactsReader, WhatIsInTheTrashIsNotWhereAWaitingSeedStands) {
    Database database;
    auto begun = recordOf({"a00000000000", "base", "v1", "completed", 1}),
         waiting = recordOf({"b00000000000", "base", "", "queued", 2});
    database.store().addRun(begun);
    database.store().addRun(waiting);
    const auto query = storage::RunQuery::open(database.file());
    FactsReader reader;
    ASSERT_EQ(reader.read(*query, {1, {}}, 10).table->runs.back()->record.groupKey, "v1") << "beside the seed that has begun";
    begun.trashed = 5;
    database.store().updateRun(begun);
    const auto table = reader.read(*query, {1, {}}, 10).table;
    ASSERT_EQ(table->runs.size(), 1U);
    EXPECT_EQ(table->runs[0]->record.groupKey, table->runs[0]->record.plannedKey);
}

TEST(Arrangement, ARunAndItsCopyCountOnce) {
    RunTable table;
    table.runs = {factsOf({.id = "a10000000000", .seed = 1, .loss = 2.0}),
                  factsOf({.id = "a20000000000", .seed = 2, .loss = 3.0}),
                  factsOf({.id = "a20000000000", .seed = 2, .loss = 3.0, .database = 2})};
    ArrangeOptions oneColumn;
    oneColumn.columns = {{Column::Kind::Best, "valid.loss"}};
    const auto arranged = arrange(table, oneColumn);
    ASSERT_EQ(arranged.groups.size(), 1U);
    EXPECT_EQ(arranged.groups[0].rows.size(), 3U);
    EXPECT_EQ(arranged.groups[0].sums->completed, 2);
    EXPECT_DOUBLE_EQ(arranged.groups[0].sums->cells[0].number, 2.5);
    EXPECT_EQ(arranged.groups[0].sums->spreads[0]->n, 2);
}

TEST(SpecDifferences, OnlyPathsThatDifferOneColumnARun) {
    Database database;
    database.add({"a00000000000", "narrow", "v1", "completed", 1, 2, 64});
    database.add({"b00000000000", "wide", "v2", "completed", 4, 2, 128});
    FactsReader reader;
    const auto table = reader.read(*storage::RunQuery::open(database.file()), {1, {}}, 10).table;
    const auto differences = differencesOf(table->runs);
    EXPECT_EQ(differences.table.columns, (QStringList{text("Path"), text("narrow s1"), text("wide s4")}));
    EXPECT_GT(differences.of, 50);
    bool found = false;
    for (const auto& row : differences.table.rows) {
        EXPECT_NE(row[1], row[2]) << row[0].toStdString();
        EXPECT_NE(row[0], text("seed"));
        if (row[0] == text("dims.d")) found = row[1] == text("64") && row[2] == text("128");
    }
    EXPECT_TRUE(found);
    EXPECT_TRUE(differencesOf({table->runs[0], table->runs[0]}).table.rows.isEmpty());
}

TEST(SpecDifferences, FilesAreComparedByTheirContents) {
    const auto with = [](const char* id, const char* group, const char* file, const char* content) {
        RunFacts facts = *factsOf({id, "base", group});
        facts.settings = std::make_shared<const Leaves>(Leaves{{"data.valid.source", file}});
        facts.contents["data.valid.source"] = content;
        return std::make_shared<const RunFacts>(facts);
    };
    const RunPointer one = with("a10000000000", "v1", "/a/dev.tsv", "1111111111"),
                     moved = with("b10000000000", "v2", "/b/dev.tsv", "1111111111"),
                     changed = with("c10000000000", "v3", "/a/dev.tsv", "2222222222");
    EXPECT_TRUE(differencesOf({one, moved}).table.rows.isEmpty());
    const auto differences = differencesOf({one, changed});
    ASSERT_EQ(differences.table.rows.size(), 1);
    EXPECT_EQ(differences.table.rows[0],
              (QStringList{text("data.valid.source"), text("dev.tsv (11111111)"), text("dev.tsv (22222222)")}));
}

TEST(SpecDifferences, TheVariantComesBeforeItsTraining) {
    RunFacts other = *factsOf({"b10000000000", "wide", "v2", "completed", 1, 1.0, 128});
    other.settings = std::make_shared<const Leaves>(Leaves{{"data.train.source", "x"}, {"train.lr", 0.1}});
    const auto differences = differencesOf({factsOf({"a10000000000", "base"}), std::make_shared<const RunFacts>(other)});
    ASSERT_EQ(differences.table.rows.size(), 5);
    EXPECT_EQ(differences.table.rows[0][0], text("dims.d"));
    EXPECT_EQ(differences.table.rows[2][0], text("data.train.source"));
    EXPECT_EQ(differences.groups, (std::vector<std::string>{"v1", "v2"}));
}

TEST(SpecDifferences, WhatRepeatsFromLayerToLayerTakesOneLine) {
    const auto with = [](const char* kind) {
        auto facts = std::make_shared<RunFacts>();
        facts->record.groupKey = kind;
        facts->variant = std::make_shared<const Leaves>(Leaves{{"variant.encoder.layers.0.self.residual.kind", kind},
                                                               {"variant.encoder.layers.1.self.residual.kind", kind}});
        return facts;
    };
    const auto differences = differencesOf({with("add"), with("grc")});
    ASSERT_EQ(differences.table.rows.size(), 1);
    EXPECT_EQ(differences.table.rows[0][0], text("encoder.layers.0,1.self.residual.kind"));
    EXPECT_EQ(differences.of, 2);
}

TEST(EndValues, BestAndLastWithNAndSignature) {
    const auto table = endValuesOf({factsOf({"a10000000000", "base", "v1", "completed", 1, 2.0}),
                                    factsOf({"b10000000000", "wide", "v2", "completed", 1, 1.0})});
    EXPECT_EQ(table.columns,
              (QStringList{text("Metric"), text("Value"), text("base s1"), text("wide s1"), text("n"), text("Signature")}));
    ASSERT_EQ(table.rows.size(), 2);
    EXPECT_EQ(table.rows[0], (QStringList{text("Valid loss"), text("best"), text("2.000 at 100"), text("1.000 at 100"),
                                          text("2,604"), text("ce:nats")}));
    EXPECT_EQ(table.rows[1][2], text("2.500"));
}

TEST(Columns, MetricsAreCalledAndShownAsTheirTableSays) {
    EXPECT_EQ(metricTitle("valid.loss"), text("Valid loss"));
    EXPECT_EQ(metricTitle("train.accuracy"), text("Train accuracy, %"));
    EXPECT_EQ(metricTitle("test.bleu"), text("BLEU, test"));
    EXPECT_EQ(metricTitle("valid.chrf"), text("Valid chrF"));
    EXPECT_EQ(metricTitle("valid.f1/PER"), text("F1 PER, valid, %"));
    EXPECT_EQ(metricTitle("valid.another/1"), text("Valid another/1"));
    EXPECT_EQ(metricScale("valid.span_f1"), 100);
    EXPECT_EQ(metricScale("valid.matthews"), 1);
    EXPECT_EQ(metricDecimals("valid.perplexity"), 2);
    EXPECT_EQ(metricDecimals("valid.another"), 4);
}

TEST(EndValues, DifferentNumbersOfItemsAreARange) {
    RunPointer few = factsOf({"a10000000000", "base"});
    change(few, [](RunFacts& facts) { facts.metrics.at("valid.loss").n = 500; });
    const auto table = endValuesOf({factsOf({"b10000000000", "wide"}), few});
    EXPECT_EQ(table.rows[0][4], text("500–2,604"));
}

TEST(EndValues, DifferentSignaturesAreNotOne) {
    RunPointer other = factsOf({"a10000000000", "base"});
    change(other, [](RunFacts& facts) { facts.metrics.at("valid.loss").signature = "ce:bits"; });
    const auto table = endValuesOf({factsOf({"b10000000000", "wide"}), other});
    EXPECT_EQ(table.rows[0][5], text("differ"));
}

TEST(EndValues, ValuesOfAnotherNumberOfItemsAreMarkedAndWarnedAbout) {
    RunPointer other = factsOf({"a10000000000", "base"});
    const RunPointer first = factsOf({"b10000000000", "wide"});
    EXPECT_EQ(warningOf({first, other}), QString());
    change(other, [](RunFacts& facts) { facts.metrics.at("valid.loss").n = 10; });
    const auto table = endValuesOf({first, other});
    EXPECT_FALSE(table.rows[0][2].contains(kNotComparable));
    EXPECT_TRUE(table.rows[0][3].endsWith(kNotComparable)) << table.rows[0][3].toStdString();
    EXPECT_EQ(warningOf({first, other}), text("† not comparable: Valid loss (n differs)"));
    other = factsOf({"a10000000000", "base"});
    RunPointer named = first;
    change(named, [](RunFacts& facts) { facts.contents["data.valid.source"] = "1"; });
    change(other, [](RunFacts& facts) { facts.contents["data.valid.source"] = "2"; });
    EXPECT_TRUE(warningOf({named, other}).contains(text("the data differ")));
}

CurveRun request(const char* id, std::uint64_t seed, const char* group, const char* name, int order, int database = 1) {
    return {RunRef(database, id), group, text("%1 s%2").arg(text(name)).arg(seed), text(name), order, {id, seed, 1e9, true}};
}

TEST(Curves, SeedsOfAGroupGetTheirMeanAndRange) {
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    database.add({"b00000000000", "base", "v1", "completed", 2, 4.0});
    database.add({"c00000000000", "wide", "v2", "completed", 1, 1.0});
    database.store().addRun(recordOf({"d00000000000", "empty", "v3"}));
    const auto query = storage::RunQuery::open(database.file());
    const CurveMetric metric{SeriesId::Source::Evaluations, "valid.loss"};
    const auto set = curves(*query, metric,
                            {request("a00000000000", 1, "v1", "base", 1), request("b00000000000", 2, "v1", "base", 1),
                             request("c00000000000", 1, "v2", "wide", 2), request("d00000000000", 1, "v3", "empty", 3)});
    EXPECT_EQ(set.missing, 1);
    EXPECT_EQ(set.means, 1);
    ASSERT_EQ(set.curves.size(), 4);
    EXPECT_EQ(set.curves[0].weight, LineWeight::Seed);
    EXPECT_EQ(set.curves[2].weight, LineWeight::Normal) << "a single seed is a line of its own";
    const Curve& mean = set.curves[3];
    EXPECT_EQ(mean.label, text("base, mean of 2"));
    ASSERT_EQ(mean.rows->size(), 3);
    EXPECT_DOUBLE_EQ(mean.rows->at(0).value, 3.0);
    EXPECT_DOUBLE_EQ(mean.low->nearest(100)->value, 2.0);
    EXPECT_DOUBLE_EQ(mean.high->nearest(100)->value, 4.0);
}

TEST(Curves, ASeedThatStandsTwiceCountsOnceInTheMean) {
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    database.add({"b00000000000", "base", "v1", "completed", 1, 2.0});
    database.add({"c00000000000", "base", "v1", "completed", 2, 5.0});
    const auto query = storage::RunQuery::open(database.file());
    const auto set = curves(*query, {SeriesId::Source::Evaluations, "valid.loss"},
                            {request("a00000000000", 1, "v1", "base", 1), request("b00000000000", 1, "v1", "base", 1),
                             request("c00000000000", 2, "v1", "base", 1)});
    ASSERT_EQ(set.curves.size(), 4);
    EXPECT_EQ(set.curves[3].label, text("base, mean of 2"));
    EXPECT_DOUBLE_EQ(set.curves[3].rows->at(0).value, 3.5);
}

TEST(Curves, ARunDrawnFromTwoDatabasesCountsOnceInTheMean) {
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    database.add({"b00000000000", "base", "v1", "completed", 2, 4.0});
    const auto query = storage::RunQuery::open(database.file());
    const auto set = curves(*query, {SeriesId::Source::Evaluations, "valid.loss"},
                            {request("a00000000000", 1, "v1", "base", 1), request("b00000000000", 2, "v1", "base", 1),
                             request("b00000000000", 2, "v1", "base", 1, 2)});
    ASSERT_EQ(set.curves.size(), 4);
    EXPECT_EQ(set.curves[3].label, text("base, mean of 2"));
    EXPECT_DOUBLE_EQ(set.curves[3].rows->at(0).value, 3.0);
}

TEST(Curves, SeriesComeFromTheOverviewAndAllMetricsAreOffered) {
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    const auto query = storage::RunQuery::open(database.file());
    const auto metrics = metricsOf({readOffer(*query, "a00000000000")});
    ASSERT_EQ(metrics.size(), 2U);
    EXPECT_EQ(metrics[0].id(), text("valid.loss"));
    EXPECT_EQ(metrics[1].id(), text("series:loss"));
    EXPECT_EQ(CurveMetric::fromId(metrics[1].id()), metrics[1]);
    const auto set = curves(*query, metrics[1], {{refOf("a00000000000"), "v1", text("base s1"), text("base"), 0}});
    ASSERT_EQ(set.curves.size(), 1);
    EXPECT_EQ(set.curves[0].weight, LineWeight::Baseline);
    EXPECT_GT(set.curves[0].rows->size(), 10);
    EXPECT_EQ(set.curves[0].rows->range().last, 300);
}

TEST(Curves, SeriesHaveTheTitlesAndUnitsOfTheirMetrics) {
    const CurveMetric sink = CurveMetric::fromId(text("series:attention_sink"));
    EXPECT_EQ(sink.title(), text("Attention on the first token, %"));
    EXPECT_EQ(sink.kind().factor, 100);
    EXPECT_EQ(sink.decimals(), 1);
    EXPECT_EQ(CurveMetric::fromId(text("series:update_ratio/encoder.layers.0")).title(),
              text("Update over weights of encoder.layers.0"));
    EXPECT_EQ(CurveMetric::fromId(text("series:accuracy")).kind().factor, 100);
    EXPECT_EQ(CurveMetric::fromId(text("series:mine")).title(), text("mine"));
}

TEST(Curves, GradientNormsOfLayersAreOfferedThoseOfModulesAreNot) {
    Database database;
    database.add({"a00000000000", "base", "v1", "completed", 1, 2.0});
    for (const char* path : {"", "encoder", "encoder.layers.0", "encoder.layers.0.self.scorer", "embed"})
        database.store().append(storage::SeriesAppend{"a00000000000", 1, "grad_norm", path, 20, 20, {3, 2, 1}, true});
    const auto query = storage::RunQuery::open(database.file());
    QStringList ids;
    for (const auto& metric : metricsOf({readOffer(*query, "a00000000000")})) ids << metric.id();
    EXPECT_EQ(ids, (QStringList{text("valid.loss"), text("series:loss"), text("series:grad_norm"),
                                text("series:grad_norm/encoder"), text("series:grad_norm/encoder.layers.0")}));
    const CurveMetric layer = CurveMetric::fromId(ids.back());
    EXPECT_EQ(layer.title(), text("Gradient norm of encoder.layers.0"));
    const auto set = curves(*query, layer, {{refOf("a00000000000"), "v1", text("base s1"), text("base"), 0}});
    ASSERT_EQ(set.curves.size(), 1);
    EXPECT_EQ(set.curves[0].rows->range().last, 60);
}

}  // namespace
}  // namespace heddle::ui::test
