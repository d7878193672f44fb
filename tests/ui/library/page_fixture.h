// SPDX-License-Identifier: GPL-3.0-or-later
// The Library page on a database of three runs.
#pragma once

#include "tests/ui/library/fake_control.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/pages/library/library_details.h"
#include "ui/pages/library/library_page.h"
#include "ui/pages/library/library_runs.h"
#include "ui/panels/table/filter_line.h"

#include <gmock/gmock.h>
#include <QAction>
#include <QSettings>
#include <QTreeView>

namespace heddle::ui::test {

class LibraryPageTest : public ::testing::Test {
protected:
    void SetUp() override {
        database_.add("a10000000000", "base", "completed", 1000);
        database_.add("b10000000000", "wide", "completed", 2000);
        database_.add("c10000000000", "live", "running", 3000);
        settings_ = std::make_unique<QSettings>(QString::fromStdString(database_.folder()) + text("/settings.ini"),
                                                QSettings::IniFormat);
        studio_ = std::make_unique<Studio>([this](const QString&) { return &database_; }, *settings_);
        page_ = std::make_unique<LibraryPage>(*studio_);
        page_->resize(1300, 800);
        page_->show();
        page_->setShown(true);
        studio_->open(QString::fromStdString(database_.file()));
        ASSERT_TRUE(waitUntil([&] { return model().rowCount() == 3 && page_->isSettled(); }));
    }
    void TearDown() override {
        page_.reset();
        studio_.reset();
    }
    LibraryRuns& runs() { return *page_->findChild<LibraryRuns*>(); }
    RunTableModel& model() { return runs().model(); }
    LibraryDetails& details() { return *page_->findChild<LibraryDetails*>(); }
    QAction& action(const char* objectName) { return named<QAction>(*page_, objectName); }
    void choose(std::initializer_list<const char*> ids) {
        auto* selection = runs().view().selectionModel();
        selection->clear();
        for (const char* id : ids)
            selection->setCurrentIndex(model().index(rowOf(id), 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    /// -1 for a run that is not listed.
    int rowOf(const std::string& id) {
        for (int row = 0; row < model().rowCount(); ++row)
            if (model().runsAt(model().index(row, 0)).front()->record.id == id) return row;
        return -1;
    }
    QString cell(const char* id, RunColumn column) { return model().index(rowOf(id), int(column)).data().toString(); }

    LibraryDatabase database_;
    std::unique_ptr<QSettings> settings_;
    std::unique_ptr<Studio> studio_;
    std::unique_ptr<LibraryPage> page_;
};

}  // namespace heddle::ui::test
