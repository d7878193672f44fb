// SPDX-License-Identifier: GPL-3.0-or-later
// A failed run is opened as a draft at the key that its failure names.
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/panels/json_editor.h"

#include <QPlainTextEdit>
#include <QTextBlock>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

TEST_F(OpenPage, ADraftOpensAtTheKeyThatFailed) {
    const Json spec{{"variant", small()}, {"data", {{"lr", 1}}}, {"train", {{"clip", 1}, {"lr", 0.01}}}};
    auto& json = *page().findChild<JsonEditor*>();
    const auto selected = [&] { return the<QPlainTextEdit>(json).textCursor().block().text().simplified(); };
    studio_.compose(spec, text("diverged"), RunRef(1, "aaaaaaaaaaaa"), "train.lr");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(json.isVisible());
    EXPECT_TRUE(selected().startsWith(text("\"lr\": 0.01"))) << selected().toStdString();
    studio_.compose(spec, text("again"), RunRef(1, "aaaaaaaaaaaa"), "train.schedule.warmup");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(selected().startsWith(text("\"train\":"))) << "where the key belongs: " << selected().toStdString();
    studio_.compose(spec, text("kind"), RunRef(1, "aaaaaaaaaaaa"), "data.kind");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(selected().startsWith(text("\"data\":"))) << "not in another object: " << selected().toStdString();
}

TEST_F(OpenPage, APageWithADraftThatWasNeverValidIsSettled) {
    page().drafts().open(Json{{"preset", "eau-full"}, {"dims", {{"d", 64}, {"heads", 7}}}}, text("broken"));
    EXPECT_TRUE(settle());
    EXPECT_EQ(draft().facts(), nullptr);
    EXPECT_FALSE(draft().problems().empty());
    EXPECT_TRUE(page().diagram().isVisible()) << "and has nothing to fit";
}

}  // namespace
