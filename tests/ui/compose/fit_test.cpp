// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and figures in little space.
#include "tests/ui/compose/compose_fixture.h"
#include "ui/pages/compose/panels/totals_strip.h"

#include <QAbstractButton>
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>

namespace heddle::ui::test {

TEST_F(ComposeTest, TheSlotSideFitsAWideFont) {
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

TEST_F(ComposeTest, TheTotalsHideFiguresThatDoNotFit) {
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
    QCoreApplication::processEvents();  // lays out the last figures
    const int all = shown();
    page().resize(700, 640);
    QCoreApplication::processEvents();
    EXPECT_LT(shown(), all);
    EXPECT_GT(shown(), 1);
}

TEST_F(ComposeTest, FitShowsTheWholeDiagramAtEverySizeOfTheWindow) {
    show();
    ASSERT_TRUE(settle());
    DiagramView& view = page().diagram();
    const auto isWhole = [&] {
        const QRect shown = view.mapFromScene(view.diagram().bounds).boundingRect();
        return view.viewport()->rect().adjusted(-2, -2, 2, 2).contains(shown);
    };
    view.setZoom(2);
    EXPECT_FALSE(isWhole());
    page().findChild<QAction*>(text("fitDiagram"))->trigger();
    EXPECT_TRUE(isWhole());
    const double before = view.zoom();
    page().resize(1200, 620);
    EXPECT_TRUE(waitUntil([&] { return isWhole() && view.zoom() < before; })) << "in a smaller window";
    const double small = view.zoom();
    page().resize(1376, 852);
    EXPECT_TRUE(waitUntil([&] { return isWhole() && view.zoom() > small; })) << "in a larger window";
    view.setZoom(1);
    page().resize(1200, 620);
    QCoreApplication::processEvents();
    EXPECT_EQ(view.zoom(), 1) << "a zoom by the user is kept";
}

/// The size of the page in a window of 1024 × 640.
TEST_F(ComposeTest, InASmallWindowTheSidesAreTabsAndNoControlIsCutOff) {
    show({950, 550});
    ASSERT_TRUE(settle());
    auto* left = page().findChild<QDockWidget*>(text("compose-parts"));
    auto* right = page().findChild<QDockWidget*>(text("compose-slot"));
    ASSERT_TRUE(left && right);
    const auto areTabs = [&] { return page().tabifiedDockWidgets(left).contains(right); };
    ASSERT_TRUE(waitUntil(areTabs));
    page().findChild<QAction*>(text("planExperiment"))->trigger();
    ASSERT_TRUE(settle());
    EXPECT_GE(page().diagram().width(), 500);
    for (const auto* tabs : page().findChildren<QTabWidget*>()) {
        if (!tabs->isVisible()) continue;
        for (int i = 0; i < tabs->count(); ++i)
            EXPECT_LE(tabs->tabBar()->tabRect(i).right(), tabs->tabBar()->width()) << tabs->tabText(i).toStdString();
    }
    for (const auto* button : page().findChildren<QAbstractButton*>()) {
        const QRect place(button->mapTo(&page(), QPoint()), button->size());
        bool isScrolled = false;  // or a part of a field
        for (const QWidget* up = button->parentWidget(); up; up = up->parentWidget())
            isScrolled = isScrolled || qobject_cast<const QAbstractScrollArea*>(up) || qobject_cast<const QLineEdit*>(up);
        if (button->isVisible() && !isScrolled) {
            EXPECT_TRUE(page().rect().contains(place)) << button->text().toStdString();
            EXPECT_EQ(button->visibleRegion().boundingRect(), button->rect()) << button->text().toStdString();
        }
    }
    page().resize(1376, 852);
    EXPECT_TRUE(waitUntil([&] { return !areTabs(); })) << "a larger window has room for both";
}

}  // namespace heddle::ui::test
