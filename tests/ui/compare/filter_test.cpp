// SPDX-License-Identifier: GPL-3.0-or-later
// What the filter line lets through, and what it says of words it does not know.
#include "tests/ui/compare/facts.h"
#include "ui/panels/table/run_filter.h"

#include <gmock/gmock.h>

namespace heddle::ui::test {
namespace {

std::vector<std::string> fitting(const char* line) {
    const RunTable table = smallTable();
    const RunFilter filter = RunFilter::parse(text(line), table);
    EXPECT_FALSE(filter.error()) << line << ": " << filter.error()->what.toStdString();
    std::vector<std::string> ids;
    for (const auto& run : table.runs)
        if (filter.fits(*run)) ids.push_back(run->record.id);
    return ids;
}

FilterError errorOf(const char* line) {
    const RunFilter filter = RunFilter::parse(text(line), smallTable());
    EXPECT_TRUE(filter.error()) << line;
    return filter.error().value_or(FilterError{});
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RunFilter, WordsAreLookedForEverywhereAndAllMustFit) {
    EXPECT_EQ(fitting("").size(), 4U);
    EXPECT_THAT(fitting("WIDE"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("paper"), ElementsAre("b10000000000")) << "a tag";
    EXPECT_THAT(fitting("running"), ElementsAre("a30000000000")) << "a state";
    EXPECT_THAT(fitting("base completed"), ElementsAre("a10000000000", "a20000000000"));
    EXPECT_THAT(fitting("\"base completed\""), IsEmpty()) << "quoted: one word with a space";
}

TEST(RunFilter, KeysNameWhatIsMeant) {
    EXPECT_THAT(fitting("name:base state:completed"), ElementsAre("a10000000000", "a20000000000"));
    EXPECT_THAT(fitting("state:comp"), ElementsAre("a10000000000", "a20000000000", "b10000000000"));
    EXPECT_THAT(fitting("tag:pap"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("variant:v2"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("seed:2"), ElementsAre("a20000000000"));
}

TEST(RunFilter, SettingsAndMetricsAreComparedAsNumbers) {
    EXPECT_THAT(fitting("dims.d=128"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("variant.dims.d=128.0"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("dims.d<100"), ElementsAre("a10000000000", "a20000000000", "a30000000000"))
        << "as text, 64 would not be less";
    EXPECT_THAT(fitting("residual.kind=grc"), ElementsAre("b10000000000"));
    EXPECT_THAT(fitting("residual.kind!=grc"), ElementsAre("a10000000000", "a20000000000", "a30000000000"));
    EXPECT_THAT(fitting("valid.loss<=2"), ElementsAre("a10000000000", "b10000000000"));
    EXPECT_THAT(fitting("seed>=2"), ElementsAre("a20000000000", "a30000000000"));
    EXPECT_THAT(fitting("lr=0.01 dims.d>=64 seed<2"), ElementsAre("a10000000000", "b10000000000"));
}

TEST(RunFilter, UnknownWordsAreMarkedWithWhatWasMeant) {
    const auto key = errorOf("base nme:x");
    EXPECT_EQ(key.position, 5);
    EXPECT_EQ(key.length, 3);
    EXPECT_EQ(key.suggestion, text("base name:x"));
    EXPECT_EQ(errorOf("state:complted").suggestion, text("state:completed"));
    EXPECT_EQ(errorOf("trian.lr=1").suggestion, text("train.lr=1"));
    EXPECT_EQ(errorOf("valid.los<2").suggestion, text("valid.loss<2"));
    const auto unknown = errorOf("zzzzzz=1");
    EXPECT_TRUE(unknown.suggestion.isEmpty());
    EXPECT_TRUE(unknown.what.contains(text("zzzzzz")));
}

TEST(RunFilter, AnErroneousFilterLetsNothingThrough) {
    const RunTable table = smallTable();
    const RunFilter filter = RunFilter::parse(text("state:never"), table);
    for (const auto& run : table.runs) EXPECT_FALSE(filter.fits(*run));
}

}  // namespace
}  // namespace heddle::ui::test
