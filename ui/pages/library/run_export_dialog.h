// SPDX-License-Identifier: GPL-3.0-or-later
// Asks in which format runs are exported, and where to.
#pragma once

#include "app/foreign/export_runs.h"
#include "ui/threads/query.h"

#include <QDialog>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;
class QLayout;
class QPushButton;

namespace heddle::ui {

struct ExportChoice {
    std::optional<app::ExportFormat> format;  ///< nothing: a folder of text files for each run (run_export.h)
    QString metric, rule;                     ///< of Optuna, as app::exportedMetric() takes them
};

class RunExportDialog : public QDialog {
    Q_OBJECT

public:
    /// For these runs of a database, whose metrics it offers.
    RunExportDialog(const QString& database, const std::vector<std::string>& runs, QWidget* parent);

Q_SIGNALS:
    /// `destination`: a folder, where there is no format; else what does not exist yet.
    void chosen(const heddle::ui::ExportChoice& choice, const QString& destination);

private:
    QLayout* makeButtons();
    void addFormats();
    std::optional<app::ExportFormat> format() const;
    void showFormat();
    void chooseDestination();
    void choose(const QString& destination);

    Query<QStringList> metrics_;
    QComboBox *format_, *metric_, *rule_;
    QLabel* words_;
    QPushButton* next_ = nullptr;
    QFormLayout* form_;
};

}  // namespace heddle::ui
