// SPDX-License-Identifier: GPL-3.0-or-later
// A database has one pinned baseline: Compose uses the one that was pinned on Compare, and Compare the one of Compose.
#include "tests/ui/compose/open_page.h"

namespace heddle::ui::test {

TEST_F(OpenPage, TheGroupThatComparePinsIsTheBaselineOfDrafts) {
    const Json spec{{"schema", 1}, {"variant", {{"preset", "eau-base"}, {"dims", small()["dims"]}}}};
    openStore()->addRun(completedRun("0123456789ab", "trained", spec.dump()));
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return studio_.databases().runs().size() == 1; }));
    EXPECT_EQ(draft().baselineName(), text("base")) << "nothing is pinned in the database";
    studio_.colours().setBaseline(studio_.databases().runs().front()->groupKey);
    EXPECT_EQ(draft().baselineName(), text("trained"));
    EXPECT_EQ(draft().baselineDocument(), spec);
    studio_.colours().setBaseline({});
    const PresetEntry* plain = page().findChild<VariantLibrary*>()->plain();
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(draft().baselineName(), plain->name) << "the usual one";
}

TEST_F(OpenPage, ADatabaseKeepsThePinnedVariantOfWhichItHasNoRun) {
    openDatabase();
    page().drafts().pinShown();
    std::optional<PutItem> pin;
    ASSERT_TRUE(waitUntil([&] {
        for (const Edit& edit : control_.edits())
            if (const auto* item = std::get_if<PutItem>(&edit); item && item->kind == "pin") pin = *item;
        return pin.has_value();
    }));
    const Json pinned = draft().document();
    draft().setBaseline(Json{{"preset", "eau-base"}}, text("other"));
    studio_.databases().closeAll();
    openStore()->putItem(pin->kind, pin->key, pin->body.dump());
    openDatabase();
    ASSERT_TRUE(waitUntil([&] { return draft().baselineName() == text("full"); }));
    EXPECT_EQ(draft().baselineDocument(), pinned);
}

}  // namespace heddle::ui::test
