// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about the open database and the chosen run. The panel reads nothing itself.
#pragma once

#include "storage/database_report.h"
#include "storage/run_query.h"
#include "ui/widgets/side_area.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace heddle::ui {

class FactList;
class MessageStrip;
class PanelTitle;
class UseBar;

/// The last check of the whole file.
struct VerifiedFacts {
    double at = 0;  ///< Unix time; 0: never
    std::int64_t records = 0, damaged = 0, files = 0, wrongFiles = 0;
    QStringList problems;
};

/// A run with its attempts, checkpoints, notes and damages.
struct RunFactsOf {
    storage::RunRecord run;
    std::vector<storage::AttemptRecord> attempts;
    std::vector<storage::CheckpointRecord> checkpoints;
    QStringList notes, damages;  ///< damages: those of this run that were found so far
};
/// On the reader thread.
std::optional<RunFactsOf> runFactsOf(storage::RunQuery& query, const std::string& run);

class DetailsPanel : public SideArea {
    Q_OBJECT

public:
    explicit DetailsPanel(QWidget* parent = nullptr);

    struct DatabaseShown {
        QString file;
        storage::DatabaseReport report;
        qint64 artifactBytes = 0;  ///< of FILE.heddle.d
        std::map<std::string, int> states;
        bool mine = false;  ///< this process owns it
    };
    void showDatabase(const std::optional<DatabaseShown>& database);
    void showVerified(const VerifiedFacts& verified);
    /// 0 to `total` runs checked; total 0: nothing is being checked.
    void showProgress(int done, int total);
    void showRun(const std::optional<RunFactsOf>& run);
    /// Every line that is shown, for tests: "Schema version 1".
    QStringList lines() const;
    QPushButton& verifyButton() { return *verify_; }
    QLineEdit& noteField() { return *note_; }

Q_SIGNALS:
    void verifyRequested();
    void cancelRequested();
    void noteEntered(const QString& text);

private:
    MessageStrip* strip_;
    PanelTitle *useTitle_, *runTitle_;
    FactList *database_, *run_;
    UseBar* use_;
    QLabel* totals_;
    QPushButton* verify_;
    QProgressBar* progress_;
    QLineEdit* note_;
    QWidget* useBox_;
};

}  // namespace heddle::ui
