// SPDX-License-Identifier: GPL-3.0-or-later
// The field of the filter language: completes keys, states and paths, underlines the word that is wrong.
#pragma once

#include "ui/panels/table/run_filter.h"

#include <QLineEdit>

class QCompleter;
class QStringListModel;

namespace heddle::ui {

class FilterLine : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterLine(QWidget* parent = nullptr);

    /// Sets the table whose metrics and paths are completed.
    void setTable(const RunTable& table);
    void setProblem(const std::optional<FilterError>& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void complete();
    void insertCompletion(const QString& word);
    int wordBegin() const;

    QCompleter* completer_;
    QStringListModel* words_;
    bool marked_ = false;
};

}  // namespace heddle::ui
