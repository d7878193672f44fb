// SPDX-License-Identifier: GPL-3.0-or-later
// What a table keeps from one arrangement to the next: it is summed up once, and says what a table that is made anew says.
#include "tests/ui/compare/facts.h"
#include "ui/data/study_comparison.h"
#include "ui/panels/table/arrangement.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle::ui::test {
namespace {

/// smallTable() with a third group, and a run whose loss was measured on fewer items.
RunTable threeGroups() {
    RunTable table = smallTable();
    table.runs.push_back(factsOf({"c10000000000", "deep", "v3", "completed", 1, 4.0, 128, {"paper"}}));
    table.runs.push_back(factsOf({"c20000000000", "deep", "v3", "completed", 2, 5.0, 128}));
    change(table.runs[1], [](RunFacts& facts) { facts.metrics["valid.loss"].n = 10; });
    return table;
}

ArrangeOptions options() {
    using K = Column::Kind;
    ArrangeOptions options;
    options.columns = {
        {K::Run, ""}, {K::Seed, ""}, {K::Best, "valid.loss"}, {K::Setting, "variant.dims.d"}, {K::Difference, ""}};
    return options;
}

std::shared_ptr<const StudyComparison> comparisonOf(const RunTable& table) {
    StudyQuestion question;
    question.metric = {"valid", "loss", {}, true};
    question.baseline = "v1";
    return std::make_shared<const StudyComparison>(compareGroups(table, question));
}

void tell(std::ostream& stream, const Cell& cell) { stream << ' ' << cell.number << cell.text.toStdString(); }

/// All that an arrangement says.
std::string told(const Arrangement& arrangement) {
    std::ostringstream stream;
    for (const RunGroup& group : arrangement.groups) {
        stream << '\n'
               << group.key << ' ' << group.name.toStdString() << ", " << group.sums->completed << " of " << group.sums->seeds;
        for (const Cell& cell : group.sums->cells) tell(stream, cell);
        for (const auto& spread : group.sums->spreads) stream << ' ' << (spread ? double(spread->n) + spread->mean : 0);
        for (const auto& [column, doubts] : group.doubts) stream << " doubt " << column << ' ' << doubts.size();
        for (const RunRow& row : group.rows) {
            stream << "\n  " << row.run->record.id;
            for (std::size_t i = 0; i < arrangement.options.columns.size(); ++i) tell(stream, row.cell(i));
            for (const auto& [column, doubts] : row.doubts) stream << " doubt " << column << ' ' << doubts.size();
        }
    }
    for (const auto& [column, group] : arrangement.references) stream << '\n' << column << ' ' << group;
    stream << '\n' << arrangement.shown << " of " << arrangement.of;
    return stream.str();
}

std::vector<GroupPointer> sumsOf(const Arrangement& arrangement) {
    std::vector<GroupPointer> all;
    for (const RunGroup& group : arrangement.groups) all.push_back(group.sums);
    return all;
}

TEST(KnownGroups, ALetterOfTheFilterSumsNoGroupUpAnew) {
    RunTable table = threeGroups();
    KnownGroups known;
    ArrangeOptions wanted = options();
    const auto all = sumsOf(arrange(table, wanted, known));
    ASSERT_EQ(all.size(), 3U);
    wanted.filter = text("seed=2");
    const Arrangement some = arrange(table, wanted, known);
    ASSERT_EQ(some.groups.size(), 2U);
    EXPECT_EQ(some.groups[0].sums, all[0]);
    EXPECT_EQ(some.groups[1].sums, all[1]) << "\"deep\", before \"wide\"";
    EXPECT_EQ(some.groups[0].rows.size(), 1U);
    EXPECT_EQ(some.groups[0].sums->rows.size(), 3U) << "the numbers are of all runs";
    wanted.filter.clear();
    wanted.baseline = "v2";
    EXPECT_EQ(sumsOf(arrange(table, wanted, known)), all) << "nor does a baseline";
    wanted.columns.pop_back();
    EXPECT_NE(sumsOf(arrange(table, wanted, known)), all) << "other columns have other sums";
}

TEST(KnownGroups, SayWhatATableThatIsMadeAnewSays) {
    RunTable table = threeGroups();
    KnownGroups known;
    ArrangeOptions wanted = options();
    const auto same = [&](const char* why) {
        EXPECT_EQ(told(arrange(table, wanted, known)), told(arrange(table, wanted))) << why;
    };
    const auto filters = [&](const char* why) {
        for (const char* filter :
             {"", "c", "seed=2", "tag:paper", "name:deep", "d=128", "nme:x", "nothing fits", "state:running"}) {
            wanted.filter = text(filter);
            same(why);
        }
    };
    filters("as it opens");
    wanted.comparison = comparisonOf(table);
    filters("compared");
    EXPECT_NE(told(arrange(table, options(), known)), told(arrange(table, wanted, known)));
    wanted.baseline = "v3";
    filters("another reference");
    change(table.runs[0], [](RunFacts& facts) { facts.metrics["valid.loss"].best = 100; });
    filters("a run that was read anew");
    wanted.grouping = Grouping::None;
    filters("single runs");
    wanted.grouping = Grouping::Settings;
    std::swap(wanted.columns[2], wanted.columns[3]);
    filters("other columns");
    table.runs.erase(table.runs.begin());
    filters("a run is gone");
    table.deleted = {table.runs.front()};
    wanted.use = TableUse::Manage;
    wanted.grouping = Grouping::None;
    wanted.view = RunView::Live;
    filters("a view of the Library");
    wanted.columns.push_back({Column::Kind::Size, ""});
    wanted.sizes = {{"c10000000000", 7}};
    filters("sizes");
    wanted.sizes = {{"c10000000000", 8}};
    filters("other sizes");
}

}  // namespace
}  // namespace heddle::ui::test
