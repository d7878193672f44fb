// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that another program recorded: shows what was understood of a file before anything is stored, and imports them.
#pragma once

#include "app/foreign/foreign_import.h"
#include "ui/data/studio.h"
#include "ui/pages/library/import_choices.h"
#include "ui/threads/coalescing_timer.h"
#include "ui/threads/query.h"

#include <QDialog>

#include <memory>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QVBoxLayout;

namespace heddle::ui {

/// What a file means with the choices, and its runs by group.
struct UnderstoodFile {
    app::ForeignImport import;
    std::vector<app::ForeignGroup> groups;
};

class ImportDialog : public QDialog {
    Q_OBJECT

public:
    /// Reads the file, or the folder of TensorBoard, for the current database of `studio`.
    ImportDialog(Studio& studio, const QString& file, QWidget* parent);

    /// Not while the runs are stored.
    void reject() override;

Q_SIGNALS:
    /// The runs are in the database.
    void imported(const std::vector<heddle::ui::RunRef>& runs);

private:
    QWidget* buildChoices();
    void buildButtons(QVBoxLayout& column);
    void showStore();
    void takeTable(Result<std::shared_ptr<const app::ForeignTable>> table);
    /// Asks what the table means with the present choices: now, or once the user types no more. Nothing can be imported until
    /// it is known.
    enum class When { Now, Typed };
    void understand(When when = When::Now);
    void interpret();
    void takeImport(Result<std::shared_ptr<const UnderstoodFile>> understood);
    void setStoring(bool isStoring);
    void showProblem(const Problem& problem);
    void showColumns();
    void showRuns();
    void showChoice();
    void chooseUse(ColumnUse use);
    void nameMetric(const QString& metric);
    void choose(ColumnChoice choice, When when);
    void store();
    /// The column that is selected; empty: none.
    std::string column() const;
    /// The metric that the user gave a column; else what its name says.
    QString metricOf(const std::string& column) const;

    Studio& studio_;
    const QString file_;
    const int database_;
    ImportChoices choices_;
    std::shared_ptr<const app::ForeignTable> table_;
    std::shared_ptr<const UnderstoodFile> understood_;  ///< null: not yet, or a problem
    bool isStoring_ = false;
    Query<std::shared_ptr<const app::ForeignTable>> reading_;
    Query<std::shared_ptr<const UnderstoodFile>> understanding_;
    CoalescingTimer typing_;

    QLabel *source_, *notes_;
    QTreeWidget *columns_, *runs_;
    QWidget* box_ = nullptr;  ///< of the choices
    QComboBox* use_;
    QLineEdit *metric_, *group_;
    QCheckBox *paired_, *restarts_;
    MessageStrip* problem_;
    QPushButton *store_ = nullptr, *cancel_ = nullptr;
};

}  // namespace heddle::ui
