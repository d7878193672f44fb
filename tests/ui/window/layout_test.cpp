// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangements of panels under names.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/layout_box.h"
#include "ui/pages/page.h"

#include <gtest/gtest.h>
#include <QComboBox>
#include <QDockWidget>
#include <QTemporaryDir>

namespace heddle::ui::test {
namespace {

class OneDock : public Page {
public:
    explicit OneDock(Studio& studio) : Page(studio, PageId::Compose, text("one")), dock(new QDockWidget(this)) {
        dock->setObjectName(text("dock"));
        addDockWidget(Qt::LeftDockWidgetArea, dock);
        setCentralWidget(new QWidget(this));
        rememberLayout();
        show();
    }
    QString title() const override { return text("One"); }
    Icon icon() const override { return Icon::Compose; }
    void setShown(bool) override {}
    bool isSettled() const override { return true; }

    QDockWidget* dock;
};

class Layouts : public testing::Test {
protected:
    QStringList names(const LayoutBox& layouts) {
        QStringList words;
        for (int i = 0; i < layouts.box().count(); ++i) words << layouts.box().itemText(i);
        words.removeAll(QString());  // the separator
        return words;
    }

    QTemporaryDir folder_;
    QSettings settings_{folder_.filePath(text("s.ini")), QSettings::IniFormat};
    Studio studio_{nullptr, settings_};
    OneDock page_{studio_};
};

TEST_F(Layouts, AKeptOneIsShownAgainAndTheStandardOneStays) {
    LayoutBox layouts(page_, settings_, &page_);
    EXPECT_EQ(layouts.box().currentText(), text("Standard"));
    page_.dock->hide();
    layouts.keep(text("diagram only"));
    EXPECT_EQ(layouts.box().currentText(), text("diagram only"));
    layouts.choose({});
    EXPECT_TRUE(page_.dock->isVisible());
    EXPECT_EQ(layouts.box().currentText(), text("Standard"));
    layouts.choose(text("diagram only"));
    EXPECT_FALSE(page_.dock->isVisible());
    page_.resetLayout();
    EXPECT_TRUE(page_.dock->isVisible());
    EXPECT_EQ(layouts.box().currentText(), text("Standard")) << "the menu resets the box too";
}

TEST_F(Layouts, NamesOutliveTheProgramUntilTheyAreForgotten) {
    page_.dock->hide();
    LayoutBox(page_, settings_, &page_).keep(text("wide/r"));
    OneDock later(studio_);
    LayoutBox layouts(later, settings_, &later);
    EXPECT_EQ(names(layouts), (QStringList{text("Standard"), text("wide/r"), text("Keep as…"), text("Forget wide/r")}));
    layouts.choose(text("wide/r"));
    EXPECT_FALSE(later.dock->isVisible());
    layouts.forget(text("wide/r"));
    EXPECT_EQ(names(layouts), (QStringList{text("Standard"), text("Keep as…")}));
    EXPECT_FALSE(later.dock->isVisible()) << "forgetting moves nothing";
}

}  // namespace
}  // namespace heddle::ui::test
