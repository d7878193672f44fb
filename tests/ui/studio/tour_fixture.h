// SPDX-License-Identifier: GPL-3.0-or-later
// A session with the real engine, driven by clicks and keys. HEDDLE_TOUR=DIR or HEDDLE_SHOTS=DIR: writes a picture of every
// station into DIR. QT_QPA_PLATFORM=xcb shows the window on a display; without, there is none.
#pragma once

#include "tests/ui/studio/studio_fixture.h"
#include "ui/pages/compose/plan/plan_model.h"

#include <QtTest/qtestkeyboard.h>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

namespace heddle::studio::test {

class Tour : public StudioFixture {
protected:
    Tour() { realEngine_ = true; }

    template <class Widget>
    Widget& the() {
        return ui::test::the<Widget>(page());
    }
    /// What a user sees now.
    void station(const char* name) {
        const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", qEnvironmentVariable("HEDDLE_TOUR"));
        if (folder.isEmpty()) return;
        QDir().mkpath(folder);
        window().grab().save(
            QDir(folder).filePath(QStringLiteral("%1-%2.png").arg(++station_, 2, 10, QLatin1Char('0')).arg(text(name))));
    }
    /// Copies a file that the session wrote to the folder of the pictures.
    static void keep(const std::string& file) {
        const QString folder = qEnvironmentVariable("HEDDLE_SHOTS", qEnvironmentVariable("HEDDLE_TOUR"));
        const QString from = QString::fromStdString(file), to = QDir(folder).filePath(QFileInfo(from).fileName());
        if (folder.isEmpty()) return;
        QFile::remove(to);
        EXPECT_TRUE(QFile::copy(from, to)) << to.toStdString();
    }
    /// Gives the window the keyboard, without which a display delivers no shortcut.
    void activate() {
        window().activateWindow();
        ASSERT_TRUE(waitUntil([this] { return window().isActiveWindow(); }));
    }
    void showPage(Qt::Key key, PageId expected) {
        activate();
        QTest::keyClick(&window(), key, Qt::ControlModifier);
        ASSERT_EQ(window().shownPage()->id(), expected);
        ASSERT_TRUE(settles());
    }
    /// Clicks the tab that shows a part of the page.
    void clickTabOf(QWidget& part) {
        QWidget* tab = &part;
        QTabWidget* tabs = nullptr;
        while (!tabs && tab) {
            auto* above = tab->parentWidget();
            tabs = above ? qobject_cast<QTabWidget*>(above->parentWidget()) : nullptr;
            if (!tabs) tab = above;
        }
        ASSERT_NE(tabs, nullptr);
        QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(tabs->indexOf(tab)).center());
        ASSERT_TRUE(waitUntil([&] { return part.isVisible(); }));
    }
    /// Clicks the button of an action in a tool bar.
    void clickAction(const char* objectName) {
        const auto shown = [&]() -> QToolButton* {
            for (auto* found : page().findChildren<QToolButton*>())
                if (found->isVisible() && found->isEnabled() && found->defaultAction() &&
                    found->defaultAction()->objectName() == text(objectName))
                    return found;
            return nullptr;
        };
        ASSERT_TRUE(waitUntil([&] { return shown() != nullptr; })) << objectName;
        QTest::mouseClick(shown(), Qt::LeftButton);
    }
    /// Opens the editor of a cell by a double click, and types.
    static void typeInto(QTreeView& table, const QModelIndex& cell, const char* words) {
        table.scrollTo(cell);
        const QPoint centre = table.visualRect(cell).center();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, centre);
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, centre);
        ASSERT_TRUE(waitUntil([&] { return table.viewport()->findChild<QLineEdit*>() != nullptr; })) << words;
        auto* editor = table.viewport()->findChild<QLineEdit*>();
        editor->selectAll();
        QTest::keyClicks(editor, text(words));
        QTest::keyClick(editor, Qt::Key_Return);
        ASSERT_TRUE(waitUntil([&] { return table.viewport()->findChild<QLineEdit*>() == nullptr; })) << words;
    }
    /// Puts a path into the dialog for a file that is open, and accepts it.
    void answerFileDialog(const std::string& path) {
        QFileDialog* dialog = nullptr;
        ASSERT_TRUE(waitUntil([&] { return (dialog = window().findChild<QFileDialog*>()) && dialog->isVisible(); })) << path;
        named<QLineEdit>(*dialog, "fileNameEdit").setText(QString::fromStdString(path));  // as by pasting: no list of proposals
        const bool saves = dialog->acceptMode() == QFileDialog::AcceptSave;
        auto& box = ui::test::the<QDialogButtonBox>(*dialog);
        QTest::mouseClick(box.button(saves ? QDialogButtonBox::Save : QDialogButtonBox::Open), Qt::LeftButton);
        ASSERT_TRUE(waitUntil([&] { return window().findChild<QFileDialog*>() == nullptr; })) << path;
        activate();
    }
    /// Carries out an action of the page through the command palette.
    void command(const char* objectName) {
        activate();
        const QAction& action = named<QAction>(page(), objectName);
        QTest::keyClick(&window(), Qt::Key_K, Qt::ControlModifier);
        auto& palette = named<QWidget>(window(), "palette");
        auto& field = ui::test::the<QLineEdit>(palette);
        ASSERT_TRUE(waitUntil([&] { return field.isVisible(); }));
        QTest::keyClicks(&field, QString(action.text()).remove(QLatin1Char('&')).remove(QChar(0x2026)));
        QTest::keyClick(&field, Qt::Key_Return);
    }
    /// A gated variant, which a new window shows, and below it its baseline, which is selected then; three seeds each.
    void writePlan() {
        auto& data = named<QComboBox>(page(), "dataChoice");
        clickTabOf(data);
        QTest::keyClick(&data, Qt::Key_Home);
        clickAction("planExperiment");
        auto& table = named<QTreeView>(page(), "planTable");
        const auto cell = [&](int row, PlanColumn column) { return table.model()->index(row, int(column)); };
        typeInto(table, cell(0, PlanColumn::Name), "gated");
        typeInto(table, cell(0, PlanColumn::Settings),
                 "dims.d=16 dims.f=32 dims.heads=2 dims.layers_enc=1 dims.layers_dec=1 train.epochs=0 train.steps=30");
        typeInto(table, cell(0, PlanColumn::Seeds), "1-3");
        clickAction("addDraft");
        ASSERT_EQ(table.model()->rowCount(), 2);
        typeInto(table, cell(1, PlanColumn::Name), "base");
        typeInto(table, cell(1, PlanColumn::Settings), R"(defaults.residual={"kind":"add"})");
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(cell(1, PlanColumn::Seeds)).center());
        ASSERT_TRUE(settles());
    }
    std::string train(const char* setting) {
        std::string run = composeAndStart(
            "1", {"train.steps=40", "train.device=cpu", "train.checkpoint_every=20", "record.maps_every=20", setting});
        EXPECT_TRUE(waitUntil([&] { return record(run) && record(run)->state == "completed"; }, std::chrono::seconds(90)))
            << shownMessages();
        return run;
    }

private:
    int station_ = 0;
};

}  // namespace heddle::studio::test
