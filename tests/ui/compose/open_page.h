// SPDX-License-Identifier: GPL-3.0-or-later
// The Compose page in a window, with a draft and a baseline.
#pragma once

#include "tests/ui/compose/compose_fixture.h"

#include <QtTest/qtestmouse.h>
#include <QtTest/qtestsystem.h>
#include <QAction>
#include <QPushButton>

namespace heddle::ui::test {

class OpenPage : public ComposeTest {
protected:
    void SetUp() override {
        show();
        page().activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&page()));
        ASSERT_TRUE(settle());
        draft().setBaseline(Json{{"preset", "eau-base"}, {"dims", small()["dims"]}}, text("base"));
        page().drafts().open(small(), text("full"));
        ASSERT_TRUE(settle());
    }
    SlotSite site(const char* path) { return siteOfPath(path, draft().facts()->variant).value(); }
    void click(const char* path) {
        const auto& diagram = page().diagram().diagram();
        const QPointF center = diagram.box(diagram.boxOf(site(path))).rect.center();
        QTest::mouseClick(page().diagram().viewport(), Qt::LeftButton, {}, page().diagram().mapFromScene(center));
    }
    /// Returns the title of the message that the page shows, or an empty text where it shows none.
    static QString shownMessage(ComposePage& page) {
        for (auto* strip : page.findChildren<MessageStrip*>())
            if (!strip->isHidden()) return strip->title();
        return {};
    }
    std::string idAt(const char* path) { return choiceAt(draft().facts()->variant, site(path))->id; }
    /// Number of drawn score carries.
    auto arcs() {
        const auto& wires = page().diagram().diagram().wires;
        return std::count_if(wires.begin(), wires.end(), [](const auto& wire) { return wire.colour.has_value(); });
    }
};

}  // namespace heddle::ui::test
