// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar with the question of a comparison.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "ui/data/study_comparer.h"
#include "ui/pages/compare/compare_page.h"

#include <gtest/gtest.h>
#include <QComboBox>

namespace heddle::ui::test {
namespace {

TEST(QuestionBar, TheMetricThatIsChosenIsCompared) {
    Database database;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const std::string base = "a" + std::to_string(seed) + "0000000000", wide = "b" + std::to_string(seed) + "0000000000";
        database.add({base, "base", "v1", "completed", seed, 2});
        database.add({wide, "wide", "v2", "completed", seed, 1.5, 128});
        for (const auto& [run, accuracy] : {std::pair(base, 0.5), std::pair(wide, 0.75)})
            database.store().add(storage::EvaluationRecord{run, 1, 300, 3, "valid", "accuracy", "acc",
                                                           accuracy + 0.01 * double(seed), 2604, 0.5});
    }
    BareStudio bare;
    ComparePage page(bare.studio);
    page.resize(1376, 840);
    page.show();
    page.setShown(true);
    bare.studio.open(QString::fromStdString(database.file()));
    const auto& comparer = *page.findChild<StudyComparer*>();
    auto& box = named<QComboBox>(page, "metric");
    ASSERT_TRUE(waitUntil([&] { return box.count() == 2 && comparer.isIdle() && page.isSettled(); }));
    EXPECT_EQ(box.currentData().toString(), text("valid.loss")) << "the usual one";
    box.setCurrentIndex(box.findData(text("valid.accuracy")));
    Q_EMIT box.activated(box.currentIndex());
    ASSERT_TRUE(waitUntil([&] { return comparer.isIdle() && page.isSettled(); }));
    EXPECT_EQ(comparer.comparison()->metricKey(), "valid.accuracy");
    ASSERT_TRUE(comparer.comparison()->group("v2"));
    EXPECT_NEAR(comparer.comparison()->group("v2")->values.at(1), 0.76, 1e-12);
    EXPECT_FALSE(comparer.comparison()->question.metric.lowerIsBetter);
}

}  // namespace
}  // namespace heddle::ui::test
