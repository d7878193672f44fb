// SPDX-License-Identifier: GPL-3.0-or-later
// F1: the help text with a section for each page, the descriptions of blocks, and the keys of run specs.
#pragma once

#include "engine/spec/catalogue.h"

#include <QDialog>

class QLabel;
class QTextBrowser;

namespace heddle::ui {

class HelpWindow : public QDialog {
    Q_OBJECT

public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Opens at the section with this title, or at the beginning; shows `about` above it.
    void showSection(const QString& section, const QString& about = {});
    void showBlock(const BlockDescriptor& block);
    /// The keys of a run spec of one group ("train", "data", …), with links to the other groups.
    void showSpec(const QString& group = QStringLiteral("train"));
    /// Titles of the sections, for the palette.
    static QStringList sections();

private:
    void showHtml(const QString& html);

    QLabel* about_;
    QTextBrowser* text_;
};

}  // namespace heddle::ui
