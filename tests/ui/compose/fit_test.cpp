// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to words and figures where there is little room for them.
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/panels/totals_strip.h"

#include <QLabel>
#include <QScrollArea>

namespace heddle::ui::test {

TEST_F(ComposeTest, NothingAtTheRightIsCutOffInAWideFont) {
    const QFont before = QApplication::font();
    QFont wide = before;
    wide.setStretch(140);  // as the pseudo-locale
    QApplication::setFont(wide);
    show({1440, 900});
    ASSERT_TRUE(settle());
    for (const auto* area : page().findChildren<QScrollArea*>()) {
        if (!area->isVisible()) continue;
        EXPECT_TRUE(waitUntil([&] { return area->widget()->minimumSizeHint().width() <= area->viewport()->width(); }))
            << area->widget()->minimumSizeHint().width() << " in " << area->viewport()->width();
    }
    QApplication::setFont(before);
}

TEST_F(ComposeTest, TheTotalsShowWholeFiguresOnly) {
    show();
    ASSERT_TRUE(settle());
    auto* strip = page().findChild<TotalsStrip*>();
    ASSERT_NE(strip, nullptr);
    const auto shown = [&] {
        int figures = 0;
        for (auto* label : strip->findChildren<QLabel*>()) {
            if (!label->isVisible()) continue;
            ++figures;
            EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
        }
        return figures;
    };
    const int all = shown();
    page().resize(1036, 640);
    QCoreApplication::processEvents();
    EXPECT_LT(shown(), all);
    EXPECT_GT(shown(), 1);
}

}  // namespace heddle::ui::test
