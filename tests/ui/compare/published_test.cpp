// SPDX-License-Identifier: GPL-3.0-or-later
// Printed numbers beside those of runs that `heddle reproduce` made. The numbers are those of resources/published.
#include "engine/analysis/recipe.h"
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "ui/data/study_comparison.h"
#include "ui/pages/compare/run_table_export.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/panels/table/run_table_model.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace heddle::ui::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

storage::RunRecord madeBy(const std::string& group, const std::string& name, std::uint64_t seed = 1) {
    storage::RunRecord run;
    run.id = "a" + std::to_string(seed) + "0000000000";
    run.name = "another name";  // as a user may call it afterwards
    run.group = group;
    run.seed = seed;
    run.spec = Json{{"schema", 1}, {"name", name}, {"seed", seed}}.dump();
    return run;
}

StudyMetric metric(const char* split, const char* name, const char* rule = "last") {
    return {split, name, ValueRule::parse(rule, ""), false};
}

TEST(PublishedValue, IsWhatTheRecipePutsBesideTheRun) {
    const auto run = madeBy("reproduce/eau-grc-table3", "eau-grc-table3 full l2k256 seed 2", 2);
    const auto value = publishedValue(run, metric("test", "bleu"));
    ASSERT_TRUE(value);
    EXPECT_DOUBLE_EQ(value->value, 47.847);
    EXPECT_EQ(value->printed, "47.847");
    EXPECT_THAT(value->source, HasSubstr("Evaluator Adjuster Unit"));
    EXPECT_THAT(value->source, HasSubstr("Table 3, EAU+GRC l=2 n=128 k=256 f=1024, BLEU"));
    EXPECT_EQ(value->reading, "free-running, test 2016");
    EXPECT_FALSE(value->isQuick);
    EXPECT_THAT(value->differs, Contains(HasSubstr("Heads are not given: 8.")));
    EXPECT_THAT(value->differs, Not(Contains(HasSubstr("The recipe takes"))));
    const auto best = publishedValue(run, metric("test", "bleu", "best"));
    ASSERT_TRUE(best);
    EXPECT_THAT(best->differs, Contains(HasSubstr("The recipe takes the last value")));
    const auto alone = publishedValue(madeBy("reproduce/eau-grc-table3", "eau-grc-table3 full l2k256"), metric("test", "bleu"));
    EXPECT_TRUE(alone) << "one seed has no number in its name";
}

TEST(PublishedValue, OfTheQuickVersionIsSaidToBeSo) {
    const auto run = madeBy("reproduce/eau-grc-table3 --quick", "eau-grc-table3 quick full l2k256");
    const auto value = publishedValue(run, metric("test", "bleu"));
    ASSERT_TRUE(value);
    EXPECT_TRUE(value->isQuick);
    EXPECT_THAT(value->differs, Contains(HasSubstr("not with the printed BLEU")));
    EXPECT_THAT(publishedText(*value).toStdString(), HasSubstr("not comparable with the printed value"));
}

TEST(PublishedValue, OfSharesIsStoredAsShares) {
    const Recipe recipe = readRecipe("eau-grc-table2");
    int found = 0;
    for (const RecipeRun& run : recipe.runs) {
        const PublishedRow* row = recipe.published.row(run.row);
        if (!row || run.measures.empty() || recipe.measure(run.measures.front()).metric != "accuracy") continue;
        const auto made =
            madeBy(reproductionGroup(recipe, Recipe::Scale::Full), reproducedName(recipe, run, Recipe::Scale::Full, 1));
        const auto value = publishedValue(made, metric("valid", "accuracy"));
        ASSERT_TRUE(value) << run.name;
        const double printed = row->values.at(recipe.measure(run.measures.front()).column);
        EXPECT_NEAR(value->value, printed / 100, 1e-12) << run.name;
        EXPECT_THAT(value->printed, testing::EndsWith("%"));
        ++found;
    }
    EXPECT_GT(found, 0);
}

TEST(PublishedValue, OfOtherRunsNothingIsKnown) {
    const std::string group = "reproduce/eau-grc-table3", name = "eau-grc-table3 full l2k256";
    EXPECT_FALSE(publishedValue(madeBy("", name), metric("test", "bleu"))) << "a name alone says nothing";
    EXPECT_FALSE(publishedValue(madeBy("reproduce/of another program", name), metric("test", "bleu")));
    EXPECT_FALSE(publishedValue(madeBy(group, "eau-grc-table3 of another program"), metric("test", "bleu")));
    EXPECT_FALSE(publishedValue(madeBy(group, name), metric("valid", "loss"))) << "the paper prints none";
    EXPECT_FALSE(publishedValue(madeBy(group, "eau-grc-table3 widened l2k256"), metric("test", "bleu"))) << "a row of ours";
    EXPECT_FALSE(publishedValue(madeBy(group, name, 3), metric("train", "bleu")));
}

/// Two seeds of a reproduction and a group of the user's own.
RunTable reproduced(const std::string& group, const std::string& name) {
    RunTable table;
    for (const std::uint64_t seed : {1U, 2U}) {
        for (const char* variant : {"v1", "v2"}) {
            RunPointer run = factsOf({variant + std::to_string(seed) + "00000000", variant, variant, "completed", seed});
            change(run, [&](RunFacts& facts) {
                const storage::RunRecord made = madeBy(group, name + " seed " + std::to_string(seed), seed);
                if (std::string(variant) == "v2") {
                    facts.record.group = made.group;
                    facts.record.spec = made.spec;
                }
                facts.metrics["test.bleu"] = {30.0 + double(seed), 30.0 + double(seed), 300, 300, 1000, "bleu"};
                facts.evaluations["test.bleu"] = {{300, 30.0 + double(seed)}};
            });
            table.runs.push_back(run);
        }
    }
    table.metrics = {"test.bleu", "valid.loss"};
    table.total = 4;
    return table;
}

std::shared_ptr<const Arrangement> arranged(const RunTable& table) {
    StudyQuestion question;
    question.metric = metric("test", "bleu");
    question.baseline = "v1";
    ArrangeOptions options;
    options.columns = {{Column::Kind::Run, ""}, {Column::Kind::Value, ""}, {Column::Kind::Published, ""}};
    options.comparison = std::make_shared<const StudyComparison>(compareGroups(table, question));
    return std::make_shared<const Arrangement>(arrange(table, options));
}

TEST(PublishedColumn, StandsBesideTheValueInTableTipAndExport) {
    const BareStudio bare;
    RunTableModel model(bare.studio);
    const auto shown = arranged(reproduced("reproduce/eau-grc-table3", "eau-grc-table3 full l2k256"));
    model.setArrangement(shown);
    const QModelIndex own = model.indexOfGroup("v1").siblingAtColumn(2), made = model.indexOfGroup("v2").siblingAtColumn(2);
    EXPECT_EQ(own.data().toString(), QString());
    EXPECT_EQ(made.data().toString(), text("47.847"));
    EXPECT_TRUE(made.data(Qt::ToolTipRole).toString().contains(text("Table 3")));
    EXPECT_TRUE(made.data(Qt::ToolTipRole).toString().contains(text("Heads are not given")));
    EXPECT_EQ(model.index(0, 2, made.siblingAtColumn(0)).data().toString(), text("47.847")) << "a run of it";
    const std::string csv = exportOf(*shown, TableFormat::Csv), markdown = exportOf(*shown, TableFormat::Markdown);
    EXPECT_THAT(csv, HasSubstr("published,published.source,published.differs"));
    EXPECT_THAT(csv, HasSubstr("47.847"));
    EXPECT_THAT(csv, HasSubstr("Heads are not given"));
    EXPECT_THAT(markdown, HasSubstr("47.847"));
    EXPECT_THAT(markdown, HasSubstr("Published: "));
}

TEST(PublishedColumn, SeveralValuesAreAllExported) {
    const RunTable table = reproduced("reproduce/eau-grc-table3", "eau-grc-table3 full l2k256");
    StudyComparison comparison = *arranged(table)->options.comparison;
    auto& published = comparison.groups.at("v2").published;
    ASSERT_EQ(published.size(), 1U);
    PublishedValue other = published.front();
    other.value = 48.5;
    other.source = "Another paper";
    other.differs = {"Its seeds are not given."};
    published.push_back(other);
    const auto made =
        std::find_if(table.runs.begin(), table.runs.end(), [](const RunPointer& run) { return run->record.groupKey == "v2"; });
    const auto row = runsTable({*made}, {{Column::Kind::Published, ""}}, &comparison).rows.at(0);
    EXPECT_EQ(row.at(2), "47.847; 48.5");
    EXPECT_THAT(row.at(3), HasSubstr("; Another paper"));
    EXPECT_THAT(row.at(4), HasSubstr("; Its seeds are not given."));
}

TEST(PublishedColumn, MarksWhatIsNotComparable) {
    const BareStudio bare;
    RunTableModel model(bare.studio);
    model.setArrangement(arranged(reproduced("reproduce/eau-grc-table3 --quick", "eau-grc-table3 quick full l2k256")));
    EXPECT_EQ(model.indexOfGroup("v2").siblingAtColumn(2).data().toString(), text("47.847 †"));
}

}  // namespace
}  // namespace heddle::ui::test
