// SPDX-License-Identifier: GPL-3.0-or-later
// The draft as text, to read and to edit: applied as one undo step, wrong text is said with line and column.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace heddle::ui {

class JsonEditor : public QWidget {
    Q_OBJECT

public:
    JsonEditor(VariantDraft& draft, QWidget* parent);
    /// Selects the line of a member, "train.lr", or of the object that lacks it.
    void goTo(const std::string& key);

private:
    /// Shows the draft, unless the user is editing the text.
    void refresh();
    bool isEdited() const;
    void apply();
    void revert();
    void textChanged();

    VariantDraft& draft_;
    QPlainTextEdit* edit_;
    QLabel* words_;
    QPushButton *apply_, *revert_;
    QString shown_;             ///< the draft, as refresh() showed it last
    int of_ = 0;                ///< id of that draft
    QHash<int, QString> kept_;  ///< text of other drafts that was not applied, by the ids of those that are open
};

}  // namespace heddle::ui
