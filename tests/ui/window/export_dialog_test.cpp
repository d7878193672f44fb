// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/offscreen.h"
#include "ui/widgets/picture.h"

#include <QFileDialog>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

TEST(ExportDialog, ChosenFilterSetsTheEndOfTheFile) {
    QWidget parent;
    QString written;
    const QTemporaryDir folder;
    openExportDialog({text("Export"), {text("Vector picture (*.svg)"), text("Picture (*.png)")}, text("loss")}, &parent,
                     [&](const QString& file) { written = file; });
    auto* dialog = parent.findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->selectedFiles().value(0).endsWith(text("/loss.svg")));
    dialog->setDirectory(folder.path());
    dialog->selectFile(text("validation.loss.svg"));
    Q_EMIT dialog->filterSelected(text("Picture (*.png)"));
    EXPECT_TRUE(dialog->selectedFiles().value(0).endsWith(text("/validation.loss.png")));
    static_cast<QDialog*>(dialog)->accept();
    EXPECT_EQ(written, folder.filePath(text("validation.loss.png")));
}

}  // namespace
