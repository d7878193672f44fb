// SPDX-License-Identifier: GPL-3.0-or-later
// Shows and edits the draft as JSON text. Applying it is one undo step; errors are reported with line and column.
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
    QString shown_;                  ///< the draft, as refresh() showed it last
    int shownDraft_ = 0;             ///< id of that draft
    QHash<int, QString> unapplied_;  ///< edited texts of other open drafts, by their ids
};

}  // namespace heddle::ui
