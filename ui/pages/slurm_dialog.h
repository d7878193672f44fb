// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog for a submission of a sweep or study to Slurm: the name of the sweep and what sbatch is told.
#pragma once

#include "app/study/submissions.h"

#include <QDialog>
#include <QStringList>

class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;

namespace heddle::ui {

class SlurmDialog : public QDialog {
    Q_OBJECT

public:
    struct Proposal {
        QString name;
        QStringList taken;  ///< names of the sweeps that were submitted already
        QString folder;     ///< of the submissions
        int runs = 0;
        QString study = {};  ///< its key; the dialog then has no field for a name. Empty: a sweep is submitted
    };
    /// The fields have what was submitted last, as `settings` remember it.
    SlurmDialog(const Proposal& proposal, QSettings& settings, QWidget* parent);

    /// Of the sweep.
    QString name() const;
    app::SlurmOptions options() const;

private:
    QLineEdit* addField(const char* name, const QString& title, const QString& hint);
    void check();
    void remember() const;

    Proposal proposal_;
    QSettings& settings_;
    QFormLayout* form_;
    QLineEdit* name_ = nullptr;  ///< null for a study
    QLineEdit *partition_, *gres_, *time_, *limit_, *scratch_, *more_;
    QLabel* problem_;
    QPushButton* submit_;
};

}  // namespace heddle::ui
