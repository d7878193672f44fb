// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of other programs enter the database through its owner: this window while it trains, and nobody else's.
#include "tests/ui/studio/studio_fixture.h"
#include "ui/pages/library/import_dialog.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

namespace {

class StudioImportTest : public StudioFixture {
protected:
    ImportDialog& dialogOn(const char* words) {
        const std::string file = folder_ / "t.csv";
        std::ofstream(file) << words;
        program_->studio().importRuns({QString::fromStdString(file)});
        EXPECT_EQ(window().shownPage()->id(), PageId::Library);
        auto& dialog = the<ImportDialog>(window());
        EXPECT_TRUE(waitUntil([&] { return named<QPushButton>(dialog, "importStore").isEnabled(); }));
        return dialog;
    }
};

}  // namespace

TEST_F(StudioImportTest, ARunInTrainingGoesOnWhileOthersAreImported) {
    startOn(file_);
    const std::string trained = composeAndStart("1");
    ASSERT_TRUE(reaches(trained, "running"));
    named<QPushButton>(dialogOn("run,step,val_loss\na,1,3\nb,1,4\n"), "importStore").click();
    ASSERT_TRUE(waitUntil([&] { return databases().runs().size() == 3; })) << shownMessages();
    const auto step = record(trained)->step;
    EXPECT_TRUE(waitUntil([&] { return record(trained)->step > step; }));
    EXPECT_TRUE(waitUntil([&] { return window().findChild<ImportDialog*>() == nullptr; }));
}

TEST_F(StudioImportTest, AnotherOwnerIsNamed) {
    startOn(file_);
    ASSERT_TRUE(waitUntil([&] { return storage::currentOwner(file_).empty(); }));
    const auto other = storage::RunStore::open(file_, {"heddle train", 5});
    auto& dialog = dialogOn("run,step,val_loss\na,1,3\n");
    named<QPushButton>(dialog, "importStore").click();
    auto& problem = named<MessageStrip>(dialog, "importProblem");
    ASSERT_TRUE(waitUntil([&] { return problem.isVisible(); }));
    EXPECT_THAT(problem.accessibleDescription().toStdString(), testing::HasSubstr("in use by heddle train"));
    EXPECT_TRUE(databases().runs().empty());
}
