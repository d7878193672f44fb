// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/studio_program.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "tests/unit/app/session/background_server.h"
#include "tests/unit/app/session/session_fixture.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/widgets/message_list.h"

#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QComboBox>
#include <QPushButton>

#include <gtest/gtest.h>

namespace heddle::studio::test {

using namespace heddle::ui;
using namespace heddle::ui::test;

/// A visible, enabled button of any kind below `root`.
inline QAbstractButton* button(const QWidget& root, const char* objectName) {
    for (auto* found : root.findChildren<QAbstractButton*>(text(objectName)))
        if (found->isVisible() && found->isEnabled()) return found;
    return nullptr;
}

/// The program with its window, on a database in a folder of its own.
class StudioFixture : public testing::Test, protected app::SessionFixture {
protected:
    StudioFixture() : settings_(QString::fromStdString(folder_ / "studio.ini"), QSettings::IniFormat) {
        engine_->stepMilliseconds = 2;
    }
    ~StudioFixture() override { program_.reset(); }

    app::RunSession::Options session() const { return sessionOptions("child"); }
    void start(bool readOnly = false) {
        StudioProgram::Options options;
        options.readOnly = readOnly;
        options.control.session = session();
        if (realEngine_) options.control.session.engine = nullptr;  // the engine library
        options.control.releaseAfter = 0.1;
        options.control.refreshEvery = std::chrono::milliseconds(10);
        options.control.startChild = [this](const std::string&) { return children_.start({session(), 0.3}); };
        program_ = std::make_unique<StudioProgram>(settings_, options);
        window().resize(1440, 900);
        window().show();
    }
    void startOn(const std::string& file) {
        start();
        program_->studio().create(QString::fromStdString(file));
        ASSERT_TRUE(waitUntil([&] { return !databases().currentFile().isEmpty(); }));
    }
    MainWindow& window() { return program_->window(); }
    Databases& databases() { return program_->studio().databases(); }
    std::string shownMessages() { return window().messages().titles().join(QLatin1Char('\n')).toStdString(); }
    const ui::Run* record(const std::string& run) { return databases().runWithId(run); }
    QWidget& page() { return *window().shownPage(); }
    bool settles() {
        return waitUntilSettled([this] { return window().shownPage()->isSettled(); }, std::chrono::minutes(1));
    }
    /// Trains a run to its end before there is a window.
    std::string trained(const char* name, std::int64_t steps) {
        app::RunSession owner(session());
        auto run = owner.submit(app::smallSpec(name, steps));
        EXPECT_TRUE(waitUntil([&] { return owner.ended(run).has_value(); }));
        return run;
    }
    bool reaches(const std::string& run, const char* state) {
        return waitUntil([&] { return record(run) && record(run)->state == state; });
    }
    /// Presses a button as soon as it is there.
    void press(const char* objectName) {
        ASSERT_TRUE(waitUntil([&] { return button(page(), objectName) != nullptr; })) << objectName;
        QCoreApplication::sendPostedEvents();  // it is laid out
        QTest::mouseClick(button(page(), objectName), Qt::LeftButton);
    }
    /// Presses a button of the message strip as soon as it is there and laid out.
    void pressInStrip(const char* objectName) {
        const auto& messages = window().messages();
        ASSERT_TRUE(waitUntil([&] { return messages.isVisible() && button(messages, objectName); })) << objectName;
        QCoreApplication::sendPostedEvents();
        QTest::mouseClick(button(messages, objectName), Qt::LeftButton);
    }
    /// Composes a run on the sample corpus and starts it; the window shows it in Watch then.
    std::string composeAndStart(const char* seed,
                                const std::vector<std::string>& settings = {"train.steps=100000", "train.device=cpu"}) {
        window().showPage(PageId::Compose);
        auto& compose = dynamic_cast<ComposePage&>(page());
        EXPECT_TRUE(settles());  // a memory meter that reads the real engine from a cold disk takes longer than a click
        EXPECT_TRUE(waitUntil([&] { return compose.draft().document().is_object(); }));
        actionNamed(compose.runActions(), "planExperiment").trigger();
        auto& data = named<QComboBox>(compose, "dataChoice");
        data.setCurrentIndex(0);
        Q_EMIT data.activated(0);
        compose.draft().apply(settings, text("steps"));
        compose.draft().setSeeds(text(seed));
        const RunRef before = program_->studio().currentRun();
        press("startRuns");
        EXPECT_TRUE(waitUntil([&] { return program_->studio().currentRun() != before; })) << shownMessages();
        EXPECT_TRUE(waitUntil([&] { return window().shownPage()->id() == PageId::Watch; }));
        return program_->studio().currentRun().id;
    }
    QMessageBox* question() { return window().findChild<QMessageBox*>(text("closeWhileTraining")); }
    void answer(const char* objectName) {
        ASSERT_TRUE(waitUntil([&] { return question() != nullptr; }));
        auto* found = button(*question(), objectName);
        ASSERT_NE(found, nullptr) << objectName;
        QTest::mouseClick(found, Qt::LeftButton);
    }

    bool realEngine_ = false;
    QSettings settings_;
    app::BackgroundServers children_;
    std::unique_ptr<StudioProgram> program_;
};

}  // namespace heddle::studio::test
