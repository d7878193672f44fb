// SPDX-License-Identifier: GPL-3.0-or-later
// F1: the help text of the program, a section a page, and what is known of a block.
#pragma once

#include "engine/spec/block_descriptor.h"

#include <QDialog>

class QLabel;
class QTextBrowser;

namespace heddle::ui {

class HelpWindow : public QDialog {
    Q_OBJECT

public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Opens at the section whose title is `section`, or at the beginning; `about`, if there is one, is said above it.
    void showSection(const QString& section, const QString& about = {});
    void showBlock(const BlockDescriptor& block);
    /// What a run spec may say: the keys of one group ("train", "data", …), with links to the others.
    void showSpec(const QString& group = QStringLiteral("train"));
    /// Titles of the sections, for the palette.
    static QStringList sections();

private:
    void showHtml(const QString& html);

    QLabel* about_;
    QTextBrowser* text_;
};

}  // namespace heddle::ui
