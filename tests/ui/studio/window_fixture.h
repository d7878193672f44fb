// SPDX-License-Identifier: GPL-3.0-or-later
// The window itself, with pages that do little.
#pragma once

#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"
#include "tests/unit/app/session/fake_engine.h"
#include "ui/window/main_window.h"

#include <QtTest/qtestkeyboard.h>
#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QSettings>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle::ui::test {

/// A page with a dock and an action.
class PlainPage : public Page {
public:
    PlainPage(Studio& studio, PageId id, const char* name) : Page(studio, id, text(name)), action_(text("Act"), this) {
        setCentralWidget(new QLineEdit(this));
        auto* dock = new QDockWidget(text("Side"), this);
        dock->setObjectName(text("side"));
        dock->setWidget(new QLineEdit(dock));
        addDockWidget(Qt::LeftDockWidgetArea, dock);
        action_.setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
        addAction(&action_);
        rememberLayout();
    }
    QString title() const override { return name().at(0).toUpper() + name().mid(1); }
    Icon icon() const override { return Icon::Compose; }
    QList<QAction*> editActions() const override { return {const_cast<QAction*>(&action_)}; }
    void setShown(bool shown) override { shown_ = shown; }
    bool isSettled() const override { return true; }
    bool isShown() const { return shown_; }
    QAction& action() { return action_; }

private:
    QAction action_;
    bool shown_ = false;
};

class Window : public testing::Test {
protected:
    Window() : settings_(QString::fromStdString(folder_ / "studio.ini"), QSettings::IniFormat) { rebuild(); }

    void rebuild() {
        window_.reset();
        studio_ = std::make_unique<Studio>(nullptr, settings_);
        pages_.clear();
        QList<Page*> pages;
        for (const auto& [id, name] : {std::pair{PageId::Compose, "compose"}, std::pair{PageId::Watch, "watch"},
                                       std::pair{PageId::Compare, "compare"}, std::pair{PageId::Library, "library"}}) {
            pages_.push_back(new PlainPage(*studio_, id, name));
            pages.append(pages_.back());
        }
        window_ = std::make_unique<MainWindow>(*studio_, pages);
        window_->show();
        window_->activateWindow();
        ASSERT_TRUE(waitUntil([&] { return window_->isActiveWindow(); }));
    }
    /// A database with one run; opened.
    std::string openDatabase(const std::string& state, std::int64_t step) {
        const std::string file = folder_ / "t.heddle";
        {
            const auto store = storage::RunStore::open(file, {"test", 0});
            storage::RunRecord record;
            record.id = "0123456789ab";
            record.name = "eau-full";
            record.state = state;
            record.seed = 4;
            record.created = 1;
            record.step = step;
            record.epoch = 2;
            record.totalSteps = 1000;
            Json spec = app::smallSpec("eau-full", 1000).toJson();
            spec["train"]["epochs"] = 12;
            record.spec = canonicalJson(spec);
            store->addRun(record);
            storage::AttemptRecord attempt;
            attempt.run = record.id;
            store->addAttempt(attempt);
            storage::SeriesAppend seconds{record.id, 1, "step_seconds", "", 1, 1, {}, false};
            seconds.values.assign(std::size_t(std::max<std::int64_t>(step, 1)), 0.02F);
            store->append(seconds);
        }
        studio_->open(QString::fromStdString(file));
        EXPECT_TRUE(waitUntil([&] { return studio_->databases().runs().size() == 1; }));
        return "0123456789ab";
    }
    void keys(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(window_.get(), key, modifiers); }

    TemporaryFolder folder_;
    QSettings settings_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<MainWindow> window_;
    std::vector<PlainPage*> pages_;
};

}  // namespace heddle::ui::test
