// SPDX-License-Identifier: GPL-3.0-or-later
// The draft as text, to read and to edit: applied as one undo step, wrong text is said with line and column.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace heddle::ui {

class JsonPanel : public QWidget {
    Q_OBJECT

public:
    JsonPanel(VariantDraft& draft, QWidget* parent);
    /// The draft changed; text that the user is editing stays.
    void refresh();
    /// Selects the line of a member, "train.lr", or of the object that lacks it.
    void goTo(const std::string& key);

private:
    bool isEdited() const;
    void apply();
    void revert();
    void textChanged();

    VariantDraft& draft_;
    QPlainTextEdit* edit_;
    QLabel* words_;
    QPushButton *apply_, *revert_;
    QString shown_;  ///< what refresh() put there
};

}  // namespace heddle::ui
