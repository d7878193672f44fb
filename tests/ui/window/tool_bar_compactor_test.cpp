// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons lose their words when their tool bar is too narrow, and get them back.
#include "ui/widgets/tool_bar_compactor.h"
#include "tests/ui/support/offscreen.h"

#include <QLabel>
#include <QMainWindow>
#include <QToolBar>
#include <QToolButton>

#include <gtest/gtest.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

TEST(ToolBarCompactor, WordsGoWhereTheBarIsNarrowAndComeBack) {
    QPixmap square(16, 16);
    square.fill(Qt::black);
    QMainWindow window;
    auto* bar = new QToolBar(&window);
    std::vector<QToolButton*> buttons;
    for (const char* words : {"Unfold all the layers", "Mark all the differences"}) {
        auto* button = new QToolButton(bar);
        button->setIcon(QIcon(square));
        button->setText(QString::fromLatin1(words));
        bar->addWidget(button);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        buttons.push_back(button);
    }
    auto* last = new QLabel(QStringLiteral("the end"), bar);
    bar->addWidget(last);
    window.addToolBar(bar);
    const ToolBarCompactor folder(*bar, buttons);
    const int wide = bar->sizeHint().width();
    window.resize(wide + 60, 200);
    window.show();
    ASSERT_TRUE(waitUntil([&] { return last->isVisible(); }));
    EXPECT_FALSE(folder.isCompact());
    window.resize(wide - 60, 200);
    ASSERT_TRUE(waitUntil([&] { return folder.isCompact(); }));
    EXPECT_TRUE(waitUntil([&] { return last->isVisible(); })) << "the end of the bar is not hidden";
    EXPECT_EQ(buttons[0]->toolButtonStyle(), Qt::ToolButtonIconOnly);
    EXPECT_EQ(buttons[0]->accessibleName(), QStringLiteral("Unfold all the layers"));
    window.resize(wide + 60, 200);
    ASSERT_TRUE(waitUntil([&] { return !folder.isCompact(); }));
    EXPECT_EQ(buttons[1]->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
}
